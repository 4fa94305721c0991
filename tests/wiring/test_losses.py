"""What a session lost is found in the ledger, whoever told that its context was emptied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.losses import HELD_OUT, measured
from holdfast.kernel.errors import NotFound
from holdfast.wiring.losses import last_wiped, lost
from holdfast.wiring.project import Project
from tests.clearing import make, opened, ready


def _worked(project: Project) -> None:
    ledger = project.ledger
    ledger.append("prompt_given", {"text": "Never push to main"})
    ledger.append("command_ran", {"command": "make check", "exit_code": 2})


def _compacted(project: Project, summary: str | None, **fields: Any) -> int:
    data = {"agent": "claude-code", "trigger": "auto", "summary": summary} | fields
    return project.ledger.append("context_compacted", data).seq


def _gone(project: Project, session: str | None = None) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in lost(project, session).gone]


@pytest.mark.req("X4")
@pytest.mark.lesson("N1")
def test_what_a_summary_dropped_is_named_by_its_entry(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        seq = _compacted(project, "Never push to main. The build is being looked at.")
        loss = lost(project)

    assert (loss.wiped.seq, loss.wiped.how, loss.wiped.trigger) == (seq, "compacted", "auto")
    [item] = loss.gone
    assert (item.kind, item.text, item.exit_code, item.seq) == ("command", "make check", 2, seq - 1)


def test_what_came_after_a_compaction_is_not_part_of_it(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _compacted(project, "Nothing yet.")
        _worked(project)

        assert lost(project).items == ()


def test_of_several_compactions_the_newest_counts_and_all_that_was_before_it(
    tmp_path: Path,
) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        _compacted(project, "Never push to main")
        project.ledger.append("command_ran", {"command": "make docs", "exit_code": 0})
        _compacted(project, "`make docs` passed")

        assert _gone(project) == [("constraint", "Never push to main"), ("command", "make check")]


def test_other_sessions_have_their_own_losses(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        _compacted(project, "Never push to main")
    with opened(tmp_path, session="t") as project:
        project.ledger.append("prompt_given", {"text": "Always sort the imports"})
        _compacted(project, "Work goes on.")

        assert _gone(project) == [("constraint", "Always sort the imports")]
        assert _gone(project, "s") == [("command", "make check")]


@pytest.mark.lesson("N2")
def test_a_decision_that_was_superseded_is_not_missed(tmp_path: Path) -> None:
    with opened(make(tmp_path), enforcement="warn") as project:
        data = {
            "question": "?",
            "choice": "Take from the front",
            "reasoning": "",
            "alternatives": [],
        }
        old = project.ledger.append("decision", data)
        data |= {"choice": "Take from the back", "supersedes": [old.id]}
        project.ledger.append("decision", data)
        _compacted(project, "Work goes on.")

        assert _gone(project) == [("decision", "Take from the back")]


def test_without_the_agents_summary_it_says_that_nobody_knows(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        _compacted(project, None)

        assert {one.fate for one in lost(project).items} == {"unknown"}


def test_a_clear_that_passed_no_gate_loses_everything(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        project.sessions.end("s", "clear")

        assert lost(project).wiped.how == "cleared"
        assert len(_gone(project)) == 2


def test_a_clear_that_passed_the_gate_loses_nothing(tmp_path: Path) -> None:
    from holdfast.wiring.clearing import clear

    with opened(make(tmp_path)) as project:
        ready(project)
        assert clear(project).handoff is not None
        project.ledger.append("session_ended", {"reason": "clear"})

        assert last_wiped(project) is None
        project.ledger.append("prompt_given", {"text": "Never push to main"})
        project.ledger.append("session_ended", {"reason": "clear"})
        assert last_wiped(project) is not None  # what came after the handoff is not in it


def test_the_proxy_sees_a_compaction_that_no_hook_told(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        data = {"conversation": "s", "change": "compacted", "kept": 1, "lost": 9}
        project.ledger.append("desk_changed", data, session_id=None)

        assert {one.fate for one in lost(project, "s").items} == {"unknown"}
        data["change"] = "cleared"
        project.ledger.append("desk_changed", data)
        assert {one.fate for one in lost(project, "s").items} == {"dropped"}


def test_what_hook_and_proxy_saw_is_one_compaction(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        seq = _compacted(project, "Never push to main")
        data = {"conversation": "s", "change": "compacted", "kept": 1, "lost": 9}
        project.ledger.append("desk_changed", data)

        assert lost(project, "s").wiped.seq == seq


def test_nothing_is_made_up_where_nothing_was_emptied(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        with pytest.raises(NotFound):
            lost(project)


@pytest.mark.req("X4")
def test_of_planted_items_every_dropped_one_is_found_with_few_false_alarms() -> None:
    told = measured("held", HELD_OUT)

    assert len(told.found) == 200
    assert told.missed() == []
    assert told.share("kept", "paraphrased") <= 5


def test_a_report_that_names_nothing_would_not_pass() -> None:
    told = measured("held", HELD_OUT)
    told.found = [(item, "kept") for item, _ in told.found]

    assert len(told.missed()) > 60
