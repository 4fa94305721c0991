"""The gate: what is in the way of a clear, all at once; and a check that fails is in the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import GATE_BLOCKS_NAMED
from holdfast.kernel.types import Block
from holdfast.wiring import gate, gate_checks
from holdfast.wiring.gate import GateReport, look
from holdfast.wiring.project import Project
from tests.clearing import (
    PUT,
    RELATIVE,
    UNQUOTED,
    Enforcement,
    decided,
    make,
    many_decided,
    opened,
    planned,
    ready,
    started,
    types_of,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


def steps(report: GateReport) -> list[int]:
    return [block.step for block in report.blocks]


@pytest.mark.req("L15")
def test_nothing_is_in_the_way_of_work_that_is_finished(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        report = look(project)
    assert (report.ok, report.blocks, report.grounding_ratio) == (True, (), 1.0)
    assert (report.decisions, report.grounded, report.assumptions) == (1, 1, 0)


@pytest.mark.req("L8")
def test_a_low_ratio_is_told_in_the_seeds_words_and_then_which(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        seq = decided(project, "Use a deque")
        report = look(project)
    first, which = report.blocks
    assert first.reason == (
        "Cannot clear: 1 decisions lack grounded citations.\n"
        "Add evidence or mark as [ASSUMPTION] before clearing.\n"
        "Current grounding ratio: 0.50 (required: 0.95)"
    )
    assert (which.ref, which.step) == (f"entry {seq}", 1)
    assert f"holdfast ground {seq}" in str(which.remedy)
    assert report.grounding_ratio == 0.5


def test_a_ratio_just_below_is_never_spelled_as_enough(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        many_decided(project, 17)
        decided(project, "Nothing proves this one")
        report = look(project)
    assert (report.grounded, report.decisions) == (18, 19)
    assert "ratio: 0.94 (required" in str(report.blocks[0].reason)


def flag(project: Project) -> None:
    project.ledger.append("ghost_flagged", {"ghost": "priorities"})


def fork(project: Project) -> None:
    project.ledger.append(
        "fork_opened",
        {
            "fork": "fork-1",
            "subject": "the queue",
            "statement": "take from the back",
            "against": "take from the front",
            "reason": "they cannot both hold",
            "higher": "code on disk",
        },
    )


def broad(project: Project) -> None:
    data = {"query": "queue", "result_count": 127, "scope": "code"}
    project.ledger.append("search_ran", data)


def relative(project: Project) -> None:
    decided(project, "Put at the back", RELATIVE)


def unquoted(project: Project) -> None:
    decided(project, "Begin empty", UNQUOTED)


def forged(project: Project) -> None:
    data = {"question": "q", "choice": "c", "reasoning": "r", "alternatives": []}
    grounds = {"cited": 1, "exact": 1, "evidence": [_invented()]}
    project.ledger.append("decision", data | {"grounds": grounds})


def _invented() -> dict[str, Any]:
    return {"path": "src/queue.py", "line": 1, "quote": "def invented(): ...", "state": "exact"}


CAUSES: dict[str, tuple[Callable[[Project], None], int, str]] = {
    "relative path": (relative, 1, "has a citation with a relative path"),
    "no quote": (unquoted, 1, "has a citation without a word-for-word quote"),
    "forged": (forged, 1, "says that it is grounded, and the vault does not prove it"),
    "ghost": (flag, 2, "[UNVERIFIED GHOST] priorities"),
    "fork": (fork, 3, "The fork fork-1 is open"),
    "pivot": (broad, 5, "had 127 results and no pivot"),
}


@pytest.mark.req("L15")
@pytest.mark.parametrize("cause", CAUSES)
def test_each_cause_blocks_by_itself_whatever_the_ratio(folder: Path, cause: str) -> None:
    act, step, words = CAUSES[cause]
    with opened(folder) as project:
        ready(project)
        many_decided(project, 24)
        act(project)
        report = look(project)
    assert report.grounding_ratio is not None
    assert report.grounding_ratio >= 0.95
    assert not report.ok
    assert steps(report) == [step]
    assert words in str(report.blocks[0].reason)
    assert report.blocks[0].remedy
    assert report.blocks[0].ref is not None


@pytest.mark.req("L15")
@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_scenarios_block(folder: Path, count: int) -> None:
    with opened(folder) as project:
        task = started(project)
        planned(project, task, count)
        report = look(project)
    assert steps(report) == [7]
    assert f"{count} of 3" in str(report.blocks[0].reason)
    assert task in str(report.blocks[0].remedy)


@pytest.mark.req("L15")
def test_three_times_the_same_scenario_is_one(folder: Path) -> None:
    with opened(folder) as project:
        task = started(project)
        for _ in range(3):
            project.tasks.scenario("the same", type="edge", expected="works", task=task)
        report = look(project)
    assert "1 of 3" in str(report.blocks[0].reason)


def test_without_a_task_the_sessions_scenarios_count(folder: Path) -> None:
    with opened(folder) as project:
        assert steps(look(project)) == [7]
        planned(project)
        assert look(project).ok


def test_scenarios_of_another_session_do_not_count(folder: Path) -> None:
    with opened(folder, session="other") as project:
        planned(project)
    with opened(folder) as project:
        assert steps(look(project)) == [7]


@pytest.mark.req("L15")
def test_a_task_without_next_steps_blocks_unless_a_checkpoint_says_them(folder: Path) -> None:
    with opened(folder) as project:
        task = started(project, steps=())
        planned(project, task)
        assert steps(look(project)) == [4]
        project.checkpoints.create("s", next_action="add a bound")
        assert look(project).ok


def test_what_a_checkpoint_made_up_itself_is_no_next_step(folder: Path) -> None:
    with opened(folder) as project:
        task = started(project, steps=())
        planned(project, task)
        project.ledger.append("command_ran", {"command": "pytest", "exit_code": 1})
        assert project.checkpoints.at_end("s") is not None
        assert steps(look(project)) == [4]


@pytest.mark.req("L15")
def test_everything_is_listed_at_once_in_the_order_of_the_steps(folder: Path) -> None:
    with opened(folder) as project:
        started(project, steps=())
        for act, _, _ in CAUSES.values():
            act(project)
        decided(project, "Use a deque")
        report = look(project)
    found = steps(report)
    assert found == sorted(found)
    assert set(found) == {1, 2, 3, 4, 5, 7}
    assert all(block.remedy for block in report.blocks)


@pytest.mark.req("L7")
def test_assumptions_are_counted_apart(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        decided(project, "[ASSUMPTION] nobody takes from an empty queue")
        report = look(project)
    assert (report.ok, report.decisions, report.assumptions) == (True, 1, 1)


def test_an_assumption_with_a_relative_path_blocks_all_the_same(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        decided(project, "[ASSUMPTION] nobody takes from an empty queue", RELATIVE)
        report = look(project)
    assert steps(report) == [1]


@pytest.mark.lesson("L3")
@pytest.mark.parametrize("problem", [ValueError("boom"), Damaged("It is cut."), KeyError("x")])
@pytest.mark.parametrize("name", ["ghosts", "forks", "task", "searches", "scenarios", "ratio_of"])
def test_a_checker_that_fails_blocks_and_says_it_could_not_look(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, problem: Exception
) -> None:
    def fail(_project: Project) -> Any:
        raise problem

    if name == "ratio_of":
        monkeypatch.setattr(gate_checks, name, fail)
    else:
        swapped = tuple(
            check._replace(look=fail) if check.look is getattr(gate_checks, name) else check
            for check in gate.CHECKS
        )
        assert swapped != gate.CHECKS
        monkeypatch.setattr(gate, "CHECKS", swapped)
    with opened(folder) as project:
        ready(project)
        report = look(project)
    assert not report.ok
    [block] = report.blocks
    assert str(block.reason).startswith("Could not look at ")
    assert block.remedy
    if name == "ratio_of":
        assert report.grounding_ratio is None


@pytest.mark.lesson("L3")
def test_a_ledger_that_cannot_be_folded_is_no_reason_to_pass(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as project:
        ready(project)
        monkeypatch.setattr(project.views, "fold_up", lambda *_a, **_k: 0)
        report = look(project)
    assert not report.ok
    assert {block.step for block in report.blocks} == {1, 2, 3, 4, 5, 7}


@pytest.mark.req("L8")
@pytest.mark.parametrize(
    ("enforcement", "ok"), [("strict", False), ("warn", True), ("disabled", True)]
)
def test_only_strict_blocks_and_the_others_still_tell(
    folder: Path, enforcement: Enforcement, ok: bool
) -> None:
    with opened(folder, enforcement=enforcement) as project:
        ready(project)
        flag(project)
        report = look(project)
    assert (report.ok, report.enforcement, steps(report)) == (ok, enforcement, [2])


def test_looking_writes_nothing(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        relative(project)
        before = types_of(project.ledger)
        (folder / "NOTES.md").unlink()
        look(project)
        assert types_of(project.ledger) == before
    assert not (folder / "NOTES.md").exists()


def test_what_is_settled_is_no_longer_in_the_way(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        flag(project)
        fork(project)
        broad(project)
        assert steps(look(project)) == [2, 3, 5]
        checked = {"ghost": "priorities", "status": "manual", "queries": [], "because": "read it"}
        project.ledger.append("ghost_checked", checked)
        ruling = {"fork": "fork-1", "ruling": "compatible", "because": "both"}
        project.ledger.append("fork_resolved", ruling)
        pivot = {"reason": "r", "result_count": 127, "hypothesis_failure": "a"}
        project.ledger.append("pivot_logged", pivot | {"refined_hypothesis": "b"})
        assert look(project).ok


def test_a_search_of_somebody_else_at_work_is_theirs_to_settle(folder: Path) -> None:
    with opened(folder, session="other", name="somebody else") as project:
        broad(project)
    with opened(folder) as project:
        planned(project)
        assert look(project).ok
        project.sessions.end("other", "completed")
        assert steps(look(project)) == [5]


@pytest.mark.lesson("N15")
def test_very_many_are_named_up_to_a_bound_and_the_rest_counted(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        for number in range(GATE_BLOCKS_NAMED + 7):
            project.ledger.append("ghost_flagged", {"ghost": f"ghost {number}"})
        report = look(project)
    assert len(report.blocks) == GATE_BLOCKS_NAMED + 1
    assert "7 more ghosts" in str(report.blocks[-1].reason)


def test_a_decision_is_counted_once_only_between_two_gates(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        project.ledger.append_many([gate.draft(look(project), "clear")])
        report = look(project)
        assert (report.decisions, report.grounding_ratio) == (0, 1.0)
        decided(project, "Put at the back", PUT)
        assert look(project).decisions == 1


@pytest.mark.lesson("L1")
def test_a_pass_that_somebody_typed_does_not_count(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        decided(project, "Use a deque")
        typed = gate.draft(look(project), "clear", passed=True).data
        project.ledger.append("gate_ran", typed)
        assert look(project).decisions == 2
        assert not look(project).ok
        clean = msgspec.structs.replace(look(project), blocks=())
        project.ledger.append_many([gate.draft(clean, "clear", passed=True)])
        project.ledger.append("gate_ran", typed)
        assert look(project).decisions == 0


def test_a_block_that_is_added_counts_as_the_settings_say(folder: Path) -> None:
    block = Block(step=3, reason="no", remedy="try")
    for enforcement, ok in (("strict", False), ("warn", True)):
        with opened(folder, enforcement=enforcement) as project:  # type: ignore[arg-type]
            planned(project)
            report = gate.with_block(look(project), block)
        assert (report.ok, report.blocks) == (ok, (block,))
