"""What an agent was given is found beside the compaction or clear that it made good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.errors import NotFound
from holdfast.wiring.losses import Loss, lost, lost_at
from holdfast.wiring.project import Project
from tests.clearing import make, opened


def _worked(project: Project, command: str = "make check") -> int:
    return project.ledger.append("command_ran", {"command": command, "exit_code": 2}).seq


def _compacted(project: Project, summary: str | None = "We go on.") -> int:
    data = {"agent": "claude-code", "trigger": "auto", "summary": summary}
    return project.ledger.append("context_compacted", data).seq


def _given(project: Project, source: str = "compact", **fields: Any) -> int:
    session = project.ledger.session_id
    data = {
        "agent": "claude-code",
        "event": "SessionStart",
        "source": source,
        "text": "- exit 2: make check",
        "tokens": 12,
        "counter": "holdfast-2",
        "of_session": session,
    }
    return project.ledger.append("context_given", data | fields).seq


def _seqs(loss: Loss) -> list[int]:
    return [one.seq for one in loss.given]


@pytest.mark.req("X4", "X6")
def test_what_was_given_before_and_after_the_agent_told_of_it_is_of_that_compaction(
    tmp_path: Path,
) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        before = _given(project)  # Claude Code starts again, and then tells of the summary
        _compacted(project)
        after = _given(project, "resume")
        loss = lost(project)

    assert _seqs(loss) == [before, after]
    [item] = loss.gone
    back = item.brought_back
    assert back is not None
    assert (back.seq, back.how, back.source, back.tokens) == (before, "kept", "compact", 12)
    assert (back.counter, back.time) == ("holdfast-2", loss.given[0].time)


def test_each_of_two_compactions_has_its_own(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        first_given = _given(project)
        first = _compacted(project)
        resumed = _given(project, "resume")
        _worked(project, "make docs")
        second_given = _given(project)
        second = _compacted(project)
        found = {seq: _seqs(lost_at(project, seq)) for seq in (first, second)}

    assert found == {first: [first_given, resumed], second: [second_given]}


def test_what_sub_agents_do_meanwhile_parts_nothing(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        given = _given(project)
        data = {"command": "make lint", "exit_code": 0, "worker": "w1"}
        project.ledger.append("command_ran", data)
        _compacted(project)

        assert _seqs(lost(project)) == [given]


def test_what_others_were_given_is_theirs(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        _compacted(project)
    with opened(tmp_path, session="t") as project:
        _given(project, "startup", of_session="s")

        assert _seqs(lost(project, "s")) == []


def test_after_a_clear_the_next_session_was_told(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        project.sessions.end("s", "clear")
    with opened(tmp_path, session="t") as project:
        given = _given(project, "clear", of_session="s")
        _given(project, "clear", of_session="another")
        loss = lost(project, "s")

    assert _seqs(loss) == [given]
    assert loss.given[0].session == "t"
    assert [one.brought_back is not None for one in loss.gone] == [True]


def test_without_anything_given_nothing_came_back(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        _compacted(project)
        loss = lost(project)

    assert (loss.given, loss.given_more) == ((), False)
    assert [one.brought_back for one in loss.items] == [None]


def test_what_the_proxy_saw_finds_what_the_session_was_given(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _worked(project)
        data = {"conversation": "s", "change": "compacted", "kept": 1, "lost": 9}
        project.ledger.append("desk_changed", data, session_id=None)
        given = _given(project)

        assert _seqs(lost(project, "s")) == [given]


def test_of_very_many_the_first_are_told_and_that_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.wiring.giving_back.LOSS_GIVEN_MAX", 2)
    with opened(make(tmp_path)) as project:
        _worked(project)
        _compacted(project)
        given = [_given(project, "resume") for _ in range(3)]
        loss = lost(project)

    assert (_seqs(loss), loss.given_more) == (given[:2], True)


def test_an_entry_that_emptied_nothing_is_told_so(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        seq = _worked(project)
        with pytest.raises(NotFound, match="emptied no context"):
            lost_at(project, seq)
