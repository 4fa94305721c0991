"""The real Claude Code works with its tools through the proxy, its model scripted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import Said, ToolCall
from tests.clients.agents import SWAPPED, Workplace, workplace

pytestmark = pytest.mark.clients

QUIET = {
    "ANTHROPIC_API_KEY": "x",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
NEW = "def neg(a):\n    return -a\n"


def ask(place: Workplace, claude: Path, words: str, *more: str) -> str:
    """Let Claude Code do one thing."""
    tools = "Read,Edit,Write,Agent,Bash"
    env = QUIET | {"ANTHROPIC_BASE_URL": place.url}
    return place.run(claude, "-p", words, *more, "--allowedTools", tools, env=env)


def use(tool: str, call: str, **arguments: str) -> Said:
    return Said(calls=(ToolCall(tool, arguments, call),))


def done(body: Any) -> int:
    """Return how many calls of the model's are in a history."""
    blocks = [one for message in body["messages"] for one in message["content"]]
    return sum(isinstance(one, dict) and one.get("type") == "tool_use" for one in blocks)


def is_helper(body: Any) -> bool:
    return "Look into it." in str(body["messages"][0]["content"])


def test_it_reads_edits_and_writes_and_just_that_is_true(programs: Path, tmp_path: Path) -> None:
    file, made = tmp_path / "project" / "calc.py", tmp_path / "project" / "made.py"
    steps = [
        use("Read", "toolu_1", file_path=str(file)),
        use("Edit", "toolu_2", file_path=str(file), old_string="a + b", new_string="b + a"),
        use("Write", "toolu_3", file_path=str(made), content=NEW),
        use("Agent", "toolu_4", description="look", prompt="Look into it.",
            subagent_type="general-purpose"),
        use("Edit", "toolu_5", file_path=str(file), old_string="not there", new_string="x"),
    ]  # fmt: skip

    def script(body: Any) -> Said:
        if is_helper(body):
            return use("Bash", "toolu_h", command="true") if done(body) == 0 else Said("Fine.")
        return steps[done(body)] if done(body) < len(steps) else Said("All done.")

    with workplace(tmp_path, script) as place:
        assert "All done." in ask(place, programs / "claude", "swap the operands in calc.py")
        assert (place.read("calc.py"), place.read("made.py")) == (SWAPPED, NEW)
        assert sorted(place.state()) == place.defined()
        assert set(place.state().values()) == {"AUTHORITATIVE"}
        assert place.is_on_disk("calc.py", "made.py")
        # The helper's requests bear the name of the same session, and are not its history.
        assert place.changes() == []
        conversations = {one["conversation"] for one in place.episodes()}
        [main] = [name for name in conversations if "/" not in name]
        assert {name.partition("/")[0] for name in conversations} == {main}
        assert len(conversations) == 2
        assert ["calc.py::add", "calc.py::sub"] in place.hydrated()
        assert all(one.header("x-api-key") == "x" for one in place.server.requests if one.body)


def test_a_history_that_it_compacts_is_recorded_as_compacted(
    programs: Path, tmp_path: Path
) -> None:
    def script(body: Any) -> Said:
        if "summary" in str(body["messages"][-1]["content"])[:4000]:
            return Said("<summary>They asked for things.</summary>")
        return Said("Fine.")

    with workplace(tmp_path, script) as place:
        ask(place, programs / "claude", "first thing")
        ask(place, programs / "claude", "second thing", "--continue")
        assert place.changes() == []
        ask(place, programs / "claude", "/compact", "--continue")
        ask(place, programs / "claude", "third thing", "--continue")
        assert place.changes() == ["compacted"]
