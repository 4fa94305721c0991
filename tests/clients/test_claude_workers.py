"""The real Claude Code lets others work: sub-agents and commands in the background are open work
until they report, what they do is theirs, and what is told twice is recorded once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import Reply, Said, ToolCall
from tests.clients.claude import Model, brought_back, never, outputs, texts
from tests.clients.claude import ask as ask_claude
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_claude import done, is_helper, use
from tests.clients.test_claude_recovery import killed

pytestmark = pytest.mark.clients

INNER = "echo inner > inner.txt; echo 4217 rows"
FOUND = "The helper found 7."
WAIT = "until [ -e ../turn-is-over ]; do sleep 0.1; done"


def helper(*, background: bool = False) -> Said:
    """Return the call that starts a sub-agent."""
    given = {"description": "look around", "prompt": "Look into it."}
    given |= {"subagent_type": "general-purpose", "run_in_background": background}  # type: ignore[dict-item]
    return Said(calls=(ToolCall("Agent", given, "toolu_a"),))


class Two:
    """A model for a conversation and one for its helper, who are told apart by their first words.

    What is open is looked at whenever the helper has one more call behind it.
    """

    def __init__(self, main: Model, *steps: Said) -> None:
        self.main, self.steps = main, steps
        self.place: Hooked
        self.seen: list[dict[str, tuple[str, str]]] = []

    def __call__(self, body: Any) -> Said | Reply:
        if not body.get("tools") or not is_helper(body):
            return self.main(body)
        calls = done(body)
        if calls:
            self.seen.append(self.place.open_work())
        return self.steps[calls] if calls < len(self.steps) else Said(FOUND)


@contextmanager
def installed_twice(folder: Path, script: Any) -> Iterator[Hooked]:
    """Open a project in which every event is told two times; the end of a turn leaves a mark."""
    mark = {"type": "command", "command": f"touch {folder}/turn-is-over"}
    mine = {"hooks": {"Stop": [{"hooks": [mark]}]}}
    with hooked(folder, script) as place:
        (place.home / ".claude").mkdir()
        (place.home / ".claude/settings.json").write_text(json.dumps(mine))
        for scope in ("project", "user"):
            place.holdfast("agents", "install", "claude-code", "--scope", scope)
        yield place


def ask(place: Hooked, programs: Path, words: str) -> str:
    """Let Claude Code do one thing; of the tools that it may use the last are named here."""
    return ask_claude(place, programs, words, "--allowedTools", "Agent,Bash")


def numbers(place: Hooked, type_name: str, **expected: str) -> list[int]:
    """Return where the entries of a type stand that say something."""
    return [
        entry["seq"]
        for entry in place.entries(type_name)
        if all(entry["data"].get(name) == value for name, value in expected.items())
    ]


@pytest.mark.req("X4")
@pytest.mark.lesson("N3")
def test_a_sub_agent_is_open_work_until_it_reports_and_what_it_does_is_its_own(
    programs: Path, tmp_path: Path
) -> None:
    model = Two(Model(helper()), use("Bash", "toolu_h", command=INNER, description="count"))
    with installed_twice(tmp_path, model) as place:
        model.place = place
        assert "All done." in ask(place, programs, "go")
        [opened], [closed] = place.data("work_opened"), place.data("work_closed")
        worker = opened["work"]
        assert model.seen == [{worker: ("subagent", "general-purpose")}]
        assert place.open_work() == {}
        assert (closed["work"], closed["outcome"]) == (worker, FOUND)
        assert FOUND in outputs(model.main.told[-1])["toolu_a"]
        whose = {one["call"]: one.get("worker") for one in place.data("tool_called")}
        assert whose == {"toolu_h": worker, "toolu_a": None}
        [command], [change] = place.data("command_ran"), place.data("file_change")
        assert (command["command"], command["worker"]) == (INNER, worker)
        assert (change["path"], change["call"], change["worker"]) == (
            *("inner.txt", "toolu_h"),
            worker,
        )
        said = [(one["text"], one.get("worker")) for one in place.data("agent_said")]
        assert said == [(FOUND, worker), ("All done.", None)]
        assert [one["text"] for one in place.data("prompt_given")] == ["go"]
        place.holdfast("import", "claude-code")  # its transcripts tell of the same
        assert len(place.data("work_opened")) == len(place.data("work_closed")) == 1
        assert len(place.data("tool_called")) == 2
        place.check()


@pytest.mark.req("X4")
def test_a_sub_agent_in_the_background_is_still_open_when_the_turn_is_over(
    programs: Path, tmp_path: Path
) -> None:
    waits = use("Bash", "toolu_h", command=f"{WAIT}; {INNER}", description="count")
    model = Two(Model(helper(background=True), Said("Turn over."), Said("It is back.")), waits)
    with installed_twice(tmp_path, model) as place:
        model.place = place
        assert "It is back." in ask(place, programs, "go")
        [over] = numbers(place, "agent_said", text="Turn over.")
        [closed, *_] = numbers(place, "work_closed")
        assert over < closed
        [worker] = {one["work"] for one in place.data("work_opened")}
        assert model.seen == [{worker: ("subagent", "look around")}]
        assert place.open_work() == {}
        outcomes = {(one["work"], one["outcome"]) for one in place.data("work_closed")}
        assert outcomes == {(worker, FOUND)}
        assert any(FOUND in text for text in texts(model.main.told[-1]))
        # The client reports the end as if somebody had typed it.
        assert [one["text"] for one in place.data("prompt_given")] == ["go"]
        place.check()


@pytest.mark.req("X4")
@pytest.mark.lesson("N3")
def test_a_command_in_the_background_is_open_work_until_it_reports(
    programs: Path, tmp_path: Path
) -> None:
    command = f"{WAIT}; echo 4217 rows"
    given = {"command": command, "description": "count the rows", "run_in_background": True}
    begun = Said(calls=(ToolCall("Bash", given, "toolu_bg"),))
    then = use("Bash", "toolu_2", command="echo two", description="two")
    model = Model(begun, then, Said("Turn over."), Said("It is back."))
    with installed_twice(tmp_path, model) as place:
        assert "It is back." in ask(place, programs, "go")
        [opened], [closed] = place.data("work_opened"), place.data("work_closed")
        assert (opened["kind"], opened["title"]) == ("shell", command)
        assert opened["work"] in outputs(model.told[1])["toolu_bg"]
        [over] = numbers(place, "agent_said", text="Turn over.")
        [end] = numbers(place, "work_closed", work=opened["work"])
        assert place.open_work(over) == {opened["work"]: ("shell", command)}
        assert (over < end, place.open_work()) == (True, {})
        assert closed["outcome"] == 'Background command "count the rows" completed (exit code 0)'
        assert any(closed["outcome"] in text for text in texts(model.told[-1]))
        assert place.commands() == [(command, None, ""), ("echo two", 0, "two")]
        assert [one["text"] for one in place.data("prompt_given")] == ["go"]
        place.check()


@pytest.mark.req("X4")
@pytest.mark.lesson("N3")
def test_a_sub_agent_that_was_killed_is_still_open_and_named_when_the_session_goes_on(
    programs: Path, tmp_path: Path
) -> None:
    told: list[Any] = []

    def script(body: Any) -> Said | Reply:
        if not body.get("tools"):
            return Said("A title")
        told.append(body)
        if is_helper(body):
            return never(body)
        return helper() if done(body) == 0 else Said("I know.")

    with installed_twice(tmp_path, script) as place:
        killed(place, programs, told, "go", asked=2)
        [worker] = place.open_work()
        [started] = place.entries("session_started")
        more = ("--resume", started["session_id"])
        assert "I know." in ask_claude(place, programs, "Go on.", *more)
        assert place.open_work() == {worker: ("subagent", "general-purpose")}
        assert "general-purpose" in brought_back(told[-1])
        place.check()
