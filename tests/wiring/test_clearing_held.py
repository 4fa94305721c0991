"""A clear that others forge, race or wear down: nothing goes through that was not looked at."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from holdfast.kernel.errors import Busy, InvalidInput, NotFound
from holdfast.storage.locks import file_lock
from holdfast.stores.gate import GATE
from holdfast.wiring import clearing
from holdfast.wiring.attention import measure
from holdfast.wiring.clearing import clear
from holdfast.wiring.deciding import files_of
from holdfast.wiring.grounding import Grounding
from holdfast.wiring.handoffs import last_handoff
from holdfast.wiring.project import Project
from tests.clearing import (
    PUT,
    TAKE,
    data_of,
    decided,
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


FORGED = {
    "notes_refs": [],
    "edd_verified": True,
    "grounding_ratio": 1.0,
    "next_steps": [],
    "next_session_ready": True,
}


@pytest.mark.lesson("L1")
def test_a_handoff_typed_after_a_blocked_clear_does_not_make_it_pass(folder: Path) -> None:
    with opened(folder) as project:
        decided(project, "Use a deque")
        assert clear(project).handoff is None
        project.ledger.append("handoff_made", FORGED)
        again = clear(project)
        assert last_handoff(project) is None
    assert (again.handoff, again.again, again.report.ok) == (None, False, False)


@pytest.mark.lesson("L1")
def test_a_handoff_in_the_gates_own_name_needs_a_run_that_passed(folder: Path) -> None:
    with opened(folder) as project:
        decided(project, "Use a deque")
        assert clear(project).handoff is None
        project.ledger.append("handoff_made", FORGED, actor=GATE)
        assert clear(project).handoff is None


@pytest.mark.lesson("L1")
def test_a_typed_handoff_does_not_hide_what_decays(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        project.ledger.append("command_ran", {"command": "a", "exit_code": 0, "output": OUTPUT})
        project.ledger.append("handoff_made", FORGED)
        assert len(clear(project).decay.items) == 1


@pytest.mark.lesson("L1")
def test_a_checkpoint_that_passes_launders_nothing(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        measure(project, 10_000, counter="estimate", source="test")
        assert data_of(project.ledger, "gate_ran")[0]["passed"]
        [decision] = [entry for entry in project.ledger.read() if entry.type == "decision"]
        check = {"kind": "test", "command": "pytest", "passed": False, "decision": decision.id}
        project.ledger.append("evidence_recorded", check)
        assert clear(project).handoff is None


@pytest.mark.lesson("L6")
def test_assumptions_stay_in_every_handoff_until_they_are_grounded(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        seq = decided(project, "[ASSUMPTION] nobody takes from an empty queue")
        clear(project)
    with opened(folder, session="t") as project:
        decided(project, "Put at the back", PUT)
        planned(project)
        clear(project)
        Grounding(project, files_of(project)).ground(str(seq), [TAKE])
    with opened(folder, session="u") as project:
        planned(project)
        clear(project)
        named = [one.get("assumptions") for one in data_of(project.ledger, "handoff_made")]
        counted = [one["assumptions"] for one in data_of(project.ledger, "gate_ran")]
    assert [len(one or ()) for one in named] == [1, 1, 0]
    assert counted == [1, 1, 0]


@pytest.mark.lesson("L6")
def test_what_was_let_pass_once_is_in_the_way_of_the_next_clear(folder: Path) -> None:
    with opened(folder, enforcement="warn") as project:
        decided(project, "Use a deque")
        assert clear(project).handoff is not None
    with opened(folder, session="t") as project:
        planned(project)
        cleared = clear(project)
    assert cleared.handoff is None
    assert cleared.report.decisions == 1


@pytest.mark.lesson("L3")
def test_what_comes_between_the_last_look_and_the_handoff_is_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spelled = clearing._data
    came: list[int] = []

    def late(project: Project, *args: Any) -> Any:
        if not came:
            came.append(decided(project, "Use a deque"))
        return spelled(project, *args)

    monkeypatch.setattr(clearing, "_data", late)
    with opened(folder) as project:
        ready(project)
        cleared = clear(project)
        assert "handoff_made" not in types_of(project.ledger)
    assert cleared.handoff is None
    assert f"entry {came[0]}" in [block.ref for block in cleared.report.blocks]


def test_others_who_never_stop_recording_are_told_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spelled = clearing._data

    def late(project: Project, *args: Any) -> Any:
        project.ledger.append("prompt_given", {"text": "go on"})
        return spelled(project, *args)

    monkeypatch.setattr(clearing, "_data", late)
    with opened(folder) as project:
        ready(project)
        with pytest.raises(Busy, match="kept recording"):
            clear(project)
        assert "handoff_made" not in types_of(project.ledger)


@pytest.mark.lesson("L3")
def test_of_two_clears_at_once_one_hands_over(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
    start = Barrier(2)

    def run(_: int) -> clearing.Cleared:
        with opened(folder) as project:
            start.wait()
            return clear(project)

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(run, range(2)))
    with opened(folder, session=None) as project:
        assert types_of(project.ledger).count("handoff_made") == 1
    assert sorted(one.again for one in both) == [False, True]
    assert both[0].handoff == both[1].handoff


def test_a_clear_waits_for_another_and_does_nothing_when_that_takes_too_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clearing, "WAIT_S", 0.0)
    with opened(folder) as project:
        ready(project)
        before = types_of(project.ledger)
        with (
            file_lock(str(project.place.folder / "clear.lock"), wait_s=0.0),
            pytest.raises(Busy, match="Another clear"),
        ):
            clear(project)
        assert types_of(project.ledger) == before
        assert clear(project).handoff is not None


@pytest.mark.lesson("L3")
def test_a_session_that_was_never_started_is_not_cleared(folder: Path) -> None:
    with opened(folder) as project:
        ready(project)
        before = types_of(project.ledger)
        project.ledger.session_id = "nobody"
        with pytest.raises(NotFound, match="no session 'nobody'") as refused:
            clear(project)
        assert refused.value.remedy.endswith(": s.")
        for blank in ("", "  "):
            project.ledger.session_id = blank
            with pytest.raises(InvalidInput):
                clear(project)
        assert types_of(project.ledger) == before


@pytest.mark.req("L15")
@pytest.mark.parametrize("blank", ["", "  ", "\u200b"])
def test_blank_next_steps_do_not_count(folder: Path, blank: str) -> None:
    with opened(folder) as project:
        task = started(project, steps=())
        planned(project, task)
        project.ledger.append("task_updated", {"task": task, "next_steps": [blank]})
        assert [block.step for block in clear(project).report.blocks] == [4]
        project.ledger.append("task_updated", {"task": task, "next_steps": [blank, "bound it"]})
        handed = clear(project).handoff
    assert handed is not None
    assert handed.data["next_steps"] == ["bound it"]
