"""A clear: blocked and logged as failed, or one batch that hands everything over."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import Notes
from holdfast.kernel.errors import StorageFailed
from holdfast.kernel.limits import TASK_STEPS_MAX
from holdfast.storage.port import Selection
from holdfast.views.trajectory import span_of
from holdfast.wiring import clearing
from holdfast.wiring.clearing import clear
from holdfast.wiring.handoffs import last_handoff
from holdfast.wiring.project import Project
from tests.clearing import (
    PUT,
    TAKE,
    data_of,
    decided,
    in_git,
    make,
    opened,
    planned,
    ready,
    started,
    types_of,
)

OUTPUT = "\n".join(f"tests/test_queue.py::test_{n} FAILED" for n in range(200))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "project")


@pytest.mark.req("L15")
def test_a_clear_ends_with_gate_handoff_and_end_in_one_batch(folder: Path) -> None:
    with opened(folder) as project:
        task = ready(project)
        cleared = clear(project)
        assert types_of(project.ledger)[-3:] == ["gate_ran", "handoff_made", "session_ended"]
        times = {entry.timestamp for entry in list(project.ledger.read())[-3:]}
        assert len(times) == 1
        [handoff] = data_of(project.ledger, "handoff_made")
        [ran] = data_of(project.ledger, "gate_ran")
    assert (ran["passed"], ran["trigger"], ran["grounding_ratio"]) == (True, "clear", 1.0)
    assert handoff["task"] == task
    assert handoff["next_steps"] == ["bound it"]
    assert handoff["grounding_ratio"] == 1.0
    assert handoff["edd_verified"]
    assert handoff["next_session_ready"]
    assert handoff["root_span_id"] == span_of("s")
    assert (folder / ".holdfast" / "saves" / f"{handoff['save']}.json").exists()
    assert cleared.handoff is not None
    assert cleared.handoff.data == handoff


@pytest.mark.req("L10")
def test_the_notes_lines_it_names_hold_the_decisions(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        handed = clear(project).handoff
        assert handed is not None
    lines = (folder / "NOTES.md").read_text().splitlines()
    named = []
    for ref in handed.data["notes_refs"]:
        path, _, span = ref.rpartition(":")
        first, last = map(int, span.split("-"))
        assert path == "NOTES.md"
        named.append("\n".join(lines[first - 1 : last]))
    assert "Active Context" in named[0] or "Current Bead" in named[0]
    assert any("Take from the front" in text and TAKE in text for text in named)


@pytest.mark.req("L10")
def test_the_handoff_is_in_the_trajectory_with_its_lineage(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        clear(project)
    lines = [
        json.loads(line)
        for path in sorted((folder / ".holdfast" / "trajectory").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    [handoff] = [line for line in lines if line["phase"] == "session_handoff"]
    assert handoff["session_id"] == "s"
    assert handoff["root_span_id"] == span_of("s")
    assert handoff["notes_refs"]
    assert handoff["grounding_ratio"] == 1.0


@pytest.mark.lesson("L7")
def test_the_file_it_names_is_the_one_it_is_in_whenever_midnight_comes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = count(1_794_700_800_000_000, 86_400_000_000)  # between any two looks at the clock
    with opened(folder) as project:
        ready(project)
        monkeypatch.setattr(project.ledger, "_clock", lambda: next(days))
        handed = clear(project).handoff
        assert handed is not None
    ref = handed.data["trajectory_ref"]
    name, _, span = ref.partition(":")
    assert span == span_of("s")
    lines = (folder / ".holdfast" / name).read_text().splitlines()
    assert any(json.loads(line)["phase"] == "session_handoff" for line in lines)
    assert handed.timestamp[:10] in name


@pytest.mark.lesson("L6")
def test_a_blocked_clear_is_logged_as_failed_and_hands_nothing_over(folder: Path) -> None:
    with opened(folder) as project:
        started(project, steps=())
        decided(project, "Use a deque")
        cleared = clear(project)
        assert cleared.handoff is None
        assert not cleared.report.ok
        assert types_of(project.ledger)[-1] == "gate_ran"
        [ran] = data_of(project.ledger, "gate_ran")
        assert (ran["passed"], ran["trigger"]) == (False, "clear")
        assert [block["step"] for block in ran["blocks"]] == [1, 1, 4, 7]
        assert last_handoff(project) is None
        assert project.sessions.open() == ["s"]


@pytest.mark.lesson("L6")
@pytest.mark.parametrize("enforcement", ["warn", "disabled"])
def test_what_was_let_pass_is_said_in_the_handoff(folder: Path, enforcement: Any) -> None:
    with opened(folder, enforcement=enforcement) as project:
        decided(project, "Use a deque")
        cleared = clear(project)
        [handoff] = data_of(project.ledger, "handoff_made")
        [ran] = data_of(project.ledger, "gate_ran")
    assert not handoff["next_session_ready"]
    assert not handoff["edd_verified"]
    assert handoff["grounding_ratio"] == 0.0
    assert [block["step"] for block in ran["blocks"]] == [1, 1, 7]
    assert len(cleared.report.blocks) == 3


@pytest.mark.req("L15")
def test_what_a_checkpoint_says_comes_next_is_written_to_the_task(folder: Path) -> None:
    with opened(folder) as project:
        task = started(project, steps=())
        planned(project, task)
        project.checkpoints.create("s", next_action="add a bound")
        assert clear(project).handoff is not None
        assert project.tasks.find(task).next_steps == ["add a bound"]
        [handoff] = data_of(project.ledger, "handoff_made")
        assert handoff["next_steps"] == ["add a bound"]


@pytest.mark.lesson("N15")
def test_more_next_steps_than_are_repeated_are_counted(folder: Path) -> None:
    with opened(folder) as project:
        task = started(project, steps=tuple(f"step {n}" for n in range(TASK_STEPS_MAX + 4)))
        planned(project, task)
        handed = clear(project).handoff
    assert handed is not None
    assert handed.data["next_steps"][0] == "step 0"
    assert handed.data["next_steps"][-1] == f"and 4 more: `holdfast task show {task}`"


def test_the_checkpoint_of_a_clear_says_what_the_task_says_comes_next(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        project.ledger.append("command_ran", {"command": "pytest", "exit_code": 1})
        clear(project)
        last = data_of(project.ledger, "checkpoint")[-1]
    assert (last["task"], last["next_action"]) == ("Bound the queue", "bound it")


@pytest.mark.req("L15")
def test_raw_output_decays_and_opens_again(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        command = {"command": "pytest -q", "exit_code": 1, "output": OUTPUT}
        seq = project.ledger.append("command_ran", command).seq
        cleared = clear(project)
        [one] = cleared.decay.items
        assert one.identifier == f"entry {seq}"
        [handoff] = data_of(project.ledger, "handoff_made")
        assert handoff["tokens_full"] == one.tokens_full
        assert handoff["tokens_kept"] == one.tokens_kept
        assert 1 - one.tokens_kept / one.tokens_full >= 0.97
        [entry] = project.ledger.read(Selection(seq, seq + 1))
        assert project.ledger.data(entry)["output"] == OUTPUT


def test_output_decays_with_one_handoff_only(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        project.ledger.append("command_ran", {"command": "a", "exit_code": 0, "output": OUTPUT})
        clear(project)
    with opened(folder) as project:
        project.ledger.append("command_ran", {"command": "b", "exit_code": 0, "output": OUTPUT})
        decided(project, "Put at the back", PUT)
        again = clear(project)
    assert [one.summary for one in again.decay.items] == ["`b`, exit 0, 200 lines"]


def test_output_in_the_vault_counts_in_full(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        big = OUTPUT * 20
        project.ledger.append("command_ran", {"command": "a", "exit_code": 0, "output": big})
        [one] = clear(project).decay.items
    assert one.tokens_full > 20_000


def test_clearing_again_changes_nothing(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        first = clear(project)
        before = types_of(project.ledger)
    with opened(folder, session=None) as project:
        again = clear(project)
        assert types_of(project.ledger) == before
    assert again.again
    assert again.handoff == first.handoff
    assert again.report == first.report


def test_after_more_work_it_is_a_new_clear(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        clear(project)
    with opened(folder, session="t") as project:
        decided(project, "Use a deque")
        assert clear(project).handoff is None
        assert [ran["passed"] for ran in data_of(project.ledger, "gate_ran")] == [True, False]


def test_a_handoff_that_somebody_typed_is_not_taken_for_a_clear(folder: Path) -> None:
    with opened(folder) as project:
        data = {
            "notes_refs": [],
            "edd_verified": True,
            "grounding_ratio": 1.0,
            "next_steps": [],
            "next_session_ready": True,
        }
        project.ledger.append("handoff_made", data)
        assert clear(project).handoff is None


def test_a_lineage_keeps_its_span(folder: Path) -> None:
    for session in ("s", "t"):
        with opened(folder, session=session) as project:
            planned(project)
            clear(project)
            spans = [one["root_span_id"] for one in data_of(project.ledger, "handoff_made")]
    assert spans == [span_of("s")] * 2


@pytest.mark.lesson("L3")
@pytest.mark.parametrize("problem", [StorageFailed("The disk is full."), KeyError("disk")])
@pytest.mark.parametrize("number", range(len(clearing.STEPS)))
def test_a_step_that_fails_blocks_and_is_logged_as_failed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, problem: Exception
) -> None:
    def fail(_project: Project, _gathered: Any) -> int:
        raise problem

    steps = list(clearing.STEPS)
    steps[number] = (*steps[number][:2], fail)
    monkeypatch.setattr(clearing, "STEPS", tuple(steps))
    with opened(folder) as project:
        ready(project)
        cleared = clear(project)
        assert cleared.handoff is None
        assert "disk" in str(cleared.report.blocks[0].reason)
        [ran] = data_of(project.ledger, "gate_ran")
        assert not ran["passed"]
    monkeypatch.undo()
    with opened(folder) as project:
        assert clear(project).handoff is not None


@pytest.mark.parametrize("number", range(len(clearing.AFTER)))
def test_what_fails_after_the_handoff_is_told_and_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fail(_project: Project, _handoff: Any) -> list[str]:
        raise OSError("no space")

    after = list(clearing.AFTER)
    after[number] = (after[number][0], fail)
    monkeypatch.setattr(clearing, "AFTER", tuple(after))
    with opened(folder) as project:
        ready(project)
        cleared = clear(project)
        assert cleared.handoff is not None
        assert any("no space" in line for line in cleared.told)


def test_notes_that_cannot_be_written_block_the_clear(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        (folder / "NOTES.md").unlink()
        (folder / "NOTES.md").mkdir()
        cleared = clear(project)
        assert cleared.handoff is None
        assert [block.step for block in cleared.report.blocks] == [3]


def test_without_notes_there_are_no_lines_to_name(folder: Path) -> None:
    with opened(folder, notes=Notes(write=False)) as project:
        ready(project)
        handed = clear(project).handoff
    assert handed is not None
    assert handed.data["notes_refs"] == []


def test_what_others_record_meanwhile_is_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(project: Project, _gathered: Any) -> int:
        project.ledger.append("ghost_flagged", {"ghost": "priorities"})
        return 0

    steps = [*clearing.STEPS[:-1], (5, "the session save", save)]
    monkeypatch.setattr(clearing, "STEPS", tuple(steps))
    with opened(folder) as project:
        ready(project)
        cleared = clear(project)
    assert cleared.handoff is None
    assert [block.step for block in cleared.report.blocks] == [2]


def test_outside_any_session_a_clear_hands_over_too(folder: Path) -> None:
    with opened(folder, session=None) as project:
        planned(project)
        handed = clear(project).handoff
        assert handed is not None
        assert types_of(project.ledger)[-1] == "handoff_made"
    assert handed.session_id is None
    assert "root_span_id" not in handed.data


def test_assumptions_are_named_in_the_handoff(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        seq = decided(project, "[ASSUMPTION] nobody takes from an empty queue")
        handed = clear(project).handoff
        [entry] = project.ledger.read(Selection(seq, seq + 1))
    assert handed is not None
    assert handed.data["assumptions"] == [entry.id]


def test_in_a_repository_the_text_state_is_kept_in_git(folder: Path) -> None:
    in_git(folder)
    with opened(folder) as project:
        ready(project)
        assert clear(project).told == ()
    assert (folder / ".git" / "refs" / "holdfast").exists() or "refs/holdfast/" in (
        folder / ".git" / "packed-refs"
    ).read_text()
