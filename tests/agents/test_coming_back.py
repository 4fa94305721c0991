"""A session that is compacted and cleared, told by real hook processes, comes back by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agents.hooks import Done, Project
from tests.clearing import decided, opened

SUMMARY = "<analysis>Never push to main.</analysis><summary>The bundle has to stay small.</summary>"


class Session:
    """What one agent tells of a session."""

    def __init__(self, project: Project, name: str) -> None:
        self._project = project
        self._name = name

    def tell(self, event: str, **fields: Any) -> Done:
        """Fire an event."""
        base = {"session_id": self._name, "cwd": str(self._project.root), "transcript_path": "/x"}
        return self._project.hook({**base, "hook_event_name": event, **fields})

    def context(self, source: str) -> str:
        """Return what the model is told when the session starts."""
        done = self.tell("SessionStart", source=source)
        assert (done.code, done.err) == (0, "")
        told: str = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
        return told

    def work(self) -> None:
        """Say something, and run a command that fails."""
        self.tell("UserPromptSubmit", prompt="Never push to main. Keep it below 250 kB.")
        call = {"tool_name": "Bash", "tool_input": {"command": "make check"}, "tool_use_id": "t1"}
        self.tell("PreToolUse", **call)
        self.tell("PostToolUseFailure", **call, error="Exit code 2\nboom")


@pytest.mark.req("X4")
@pytest.mark.lesson("N1", "N18")
def test_a_compaction_is_told_once_and_what_it_dropped_comes_back(project: Project) -> None:
    session = Session(project, "one")
    assert session.tell("SessionStart", source="startup").out == ""
    session.work()
    for _ in range(3):
        assert session.tell("PreCompact", trigger="auto").code == 0
    told = session.context("compact")
    dropped = session.tell("PostCompact", trigger="auto", compact_summary=SUMMARY)

    assert "Never push to main." in told
    assert "Keep it below 250 kB." in told
    assert "exit 2: make check" in told
    message = dropped.out
    assert "the summary dropped 2 constraints, 1 command, 1 number." in message
    assert "`holdfast lost one`" in message
    types = project.types()
    assert [types.count(one) for one in ("checkpoint", "gate_ran", "context_compacted")] == [
        1,
        1,
        1,
    ]


@pytest.mark.req("X4")
def test_a_strict_user_holds_compactions_back(project: Project) -> None:
    (project.folder / "config.toml").write_text("[agents]\nblock_compaction = true\n")
    session = Session(project, "one")
    session.work()
    done = session.tell("PreCompact", trigger="manual")

    assert (done.code, done.out) == (2, "")
    assert "holdfast holds the compaction back." in done.err


@pytest.mark.req("X4")
def test_a_clear_is_held_back_and_one_that_could_not_be_is_made_good(project: Project) -> None:
    with opened(project.root, session="one") as found:
        decided(found, "Take from the front")
    session = Session(project, "one")
    session.work()
    held = session.tell("UserPromptSubmit", prompt="/clear")
    ended = session.tell("SessionEnd", reason="clear")
    told = Session(project, "two").context("clear")

    assert held.code == 2
    assert "Nothing was cleared." in held.err
    assert (ended.code, ended.out) == (0, "")
    assert "The context was cleared without passing the gate; this is still to do:" in told
    assert "Take from the front" in told
    assert "Never push to main." in told
    triggers = [data["trigger"] for _, data in project.entries("gate_ran")]
    assert triggers == ["clear", "clear without the gate"]
