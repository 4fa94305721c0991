"""What the gate says of decisions and scenarios: which are in the way, and what helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.testing.builders import data_for
from holdfast.wiring.forks import check_all
from holdfast.wiring.gate import look
from holdfast.wiring.project import Project
from tests.clearing import decided, make, opened, planned, ready, started, types_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def typed(project: Project, choice: str, subject: str = "the queue") -> str:
    grounds = {"cited": 0, "exact": 0, "assumption": True}
    data = data_for("decision", choice=choice, subject=subject, grounds=grounds)
    return project.ledger.append("decision", data).id


@pytest.mark.req("L2", "L15")
def test_decisions_that_contradict_each_other_block_however_they_were_recorded(
    folder: Path,
) -> None:
    with opened(folder) as project:
        ready(project)
        typed(project, "Keep the queue in memory")
        assert look(project).ok
        ref = typed(project, "Do not keep the queue in memory")
        before = types_of(project.ledger)
        [block] = look(project).blocks
        assert types_of(project.ledger) == before
        assert (block.step, block.ref) == (3, ref)
        assert "`holdfast fork check --all`" in str(block.remedy)
        check_all(project)
        [block] = look(project).blocks
        assert "is open, on the queue" in str(block.reason)


@pytest.mark.req("L15")
def test_the_remedy_for_a_failed_check_is_to_run_it_again(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        [decision] = [entry for entry in project.ledger.read() if entry.type == "decision"]
        check = {"kind": "command", "command": "make", "passed": False, "decision": decision.id}
        failed = project.ledger.append("evidence_recorded", check).seq
        which = look(project).blocks[-1]
        assert f"`holdfast evidence run --for {decision.seq} -- …`" in str(which.remedy)
        assert f"entry {failed}" in str(which.remedy)
        assert "--evidence" not in str(which.remedy)
        project.ledger.append("evidence_recorded", check | {"passed": True})
        assert look(project).ok


def test_a_choice_in_the_vault_is_named_by_its_length(folder: Path) -> None:
    with opened(folder) as project:
        planned(project)
        decided(project, "x" * 100_000)
        which = look(project).blocks[-1]
    assert str(which.reason).startswith("Decision (100,000 bytes in the vault) is not grounded")


def test_scenarios_that_differ_only_in_what_is_invisible_count_once(folder: Path) -> None:
    with opened(folder) as project:
        task = started(project)
        for name in ("empty", "emp\u200bty", " Empty\u2060"):
            project.tasks.scenario(name, type="edge", expected="works", task=task)
        [block] = look(project).blocks
    assert "1 of 3" in str(block.reason)
