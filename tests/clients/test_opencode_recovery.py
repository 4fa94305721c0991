"""The real opencode compacts, goes on, and lets a sub-agent work; the ledger has it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.testing.model_server import Said, ToolCall
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_opencode_hooks import QUIET, asked, settings

pytestmark = pytest.mark.clients

ASKED = "Make made.py. Never open more than 512 connections. Keep the port at 7431."
TYPED = f'"{ASKED}"'
"""So it passes on words with blanks, to the model too."""
SEEDED = "echo hello > out.txt; echo 4217 rows"
SUMMARY = "The user said: Make made.py. Keep the port at 7431. It is made."
FOUND = "The helper found 7."


def run(command: str, call: str) -> Said:
    given = {"command": command, "description": "do it"}
    return Said(calls=(ToolCall("bash", given, call),))


def small_window(place: Hooked) -> None:
    """Give the model room for 100,000 tokens: when it says that it had more, opencode compacts."""
    path = place.home / ".config" / "opencode" / "opencode.json"
    chosen = json.loads(path.read_text())
    chosen["provider"]["scripted"]["models"]["m"]["limit"] = {"context": 100_000, "output": 4_000}
    path.write_text(json.dumps(chosen))


def ask(place: Hooked, programs: Path, *words: str) -> str:
    """Let opencode do one thing."""
    return place.run(programs / "opencode", "run", *words, env=QUIET, timeout_s=300)


def system(body: Any) -> str:
    """Return what holdfast told the model in a request."""
    spoken = [one["content"] for one in body["messages"] if one["role"] == "system"]
    return "\n".join(map(str, spoken)).partition("From holdfast")[2]


@pytest.mark.req("X4", "L17")
def test_compacted_and_continued_it_loses_nothing(programs: Path, tmp_path: Path) -> None:
    steps = [msgspec.structs.replace(run(SEEDED, "call_1"), tokens_in=150_000)]

    def script(body: Any) -> Said:
        if "<conversation>" in str(body["messages"][-1]):
            return Said(SUMMARY)
        if not body.get("tools"):
            return Said("A title")
        return steps.pop(0) if steps else Said("All done.")

    with hooked(tmp_path, script) as place:
        settings(place)
        small_window(place)
        place.holdfast("agents", "install", "opencode")
        assert "All done." in ask(place, programs, ASKED)
        [compacted] = place.data("context_compacted")
        assert (compacted["trigger"], compacted["summary"]) == ("auto", SUMMARY)
        fates = place.lost()
        assert fates == {
            ("constraint", "Never open more than 512 connections."): "dropped",
            ("constraint", 'Keep the port at 7431."'): "kept",
            ("number", "512 (Never open more than 512 connections.)"): "dropped",
            ("number", '7431 (Keep the port at 7431.")'): "kept",
            ("command", SEEDED): "dropped",
            ("path", "made.py"): "kept",
            ("path", "out.txt"): "dropped",
            ("request", '"Make made.py.'): "kept",
        }
        before, after = asked(place)[0], asked(place)[-1]
        assert (TYPED in str(before["messages"]), TYPED in str(after["messages"][2:])) == (
            *(True, False),
        )
        known = system(after)
        assert "The context was compacted" in known
        assert "Never open more than 512 connections." in known
        assert f"exit 0: {SEEDED}" in known

        assert "All done." in ask(place, programs, "--continue", "Go on.")
        assert "Never open more than 512 connections." in system(asked(place)[-1])
        assert [one["text"] for one in place.data("prompt_given")] == [TYPED, '"Go on."']
        assert {one["text"] for one in place.data("agent_said")} == {"All done."}
        assert place.commands() == [(SEEDED, 0, "4217 rows\n")]
        place.holdfast("import", "opencode")  # its database tells of the same
        assert len(place.data("context_compacted")) == 1
        assert place.lost() == fates
        place.check_given("resume", "compact", "resume", asked=asked(place))
        place.check()


@pytest.mark.req("X4")
@pytest.mark.lesson("N3")
def test_a_sub_agent_is_open_work_until_it_reports(programs: Path, tmp_path: Path) -> None:
    seen: list[dict[str, tuple[str, str]]] = []
    given = {"description": "look around", "prompt": "Look into it.", "subagent_type": "general"}

    def script(body: Any) -> Said:
        called = sum(len(one.get("tool_calls") or ()) for one in body["messages"])
        if not body.get("tools"):
            return Said("A title")
        if "Look into it." in str([one for one in body["messages"] if one["role"] == "user"]):
            if called == 0:
                return run(SEEDED, "call_h")
            seen.append(place.open_work())
            return Said(FOUND)
        if called == 0:
            return Said(calls=(ToolCall("task", given, "call_a"),))
        return Said("All done.")

    with hooked(tmp_path, script) as place:
        settings(place)
        place.holdfast("agents", "install", "opencode")
        assert "All done." in ask(place, programs, "Let a helper look.")
        [opened], [closed] = place.data("work_opened"), place.data("work_closed")
        worker = opened["work"]
        assert [list(one) for one in seen] == [[worker]]
        assert place.open_work() == {}
        assert (closed["work"], FOUND in closed["outcome"]) == (worker, True)
        [ran] = place.entries("command_ran")  # the helper's session bears its name
        assert (ran["data"]["command"], ran["session_id"]) == (SEEDED, worker)
        place.check()
