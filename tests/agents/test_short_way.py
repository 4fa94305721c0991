"""Which events the short way may end with: those that nothing is answered to."""

from typing import Any

import pytest

from holdfast.agents import attaching, short_way
from holdfast.agents.registry import agent
from holdfast.agents.values import AGENTS, AgentName

LOUD = {
    "session_start",
    "session_end",
    "stop",
    "subagent_start",
    "subagent_stop",
    "pre_compact",
    "post_compact",
}
"""Kinds of events that are answered, or after which something is looked at."""


def _told(event: str) -> dict[str, object]:
    return {"hook_event_name": event, "session_id": "s", "cwd": "/x", "input": {}}


@pytest.mark.parametrize("name", AGENTS)
def test_no_event_that_is_answered_ends_on_the_short_way(name: AgentName) -> None:
    for event in agent(name).EVENTS:
        payload = _told(event)
        if short_way.is_silent(name, payload, deny=False):
            assert agent(name).read(payload, 0).kind not in LOUD, event


@pytest.mark.parametrize("name", AGENTS)
def test_where_calls_may_be_refused_their_beginning_is_asked_about(name: AgentName) -> None:
    for event in agent(name).EVENTS:
        payload = _told(event)
        if agent(name).read(payload, 0).kind == "tool_begin":
            assert not short_way.is_silent(name, payload, deny=True), event


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("claude-code", {"hook_event_name": "PostToolUse", "tool_name": "Bash"}),
        ("codex", {"hook_event_name": "PostToolUse", "tool_name": "Bash"}),
        ("gemini", {"hook_event_name": "AfterTool", "tool_name": "run_shell_command"}),
        ("cursor", {"hook_event_name": "postToolUse", "tool_name": "Shell"}),
    ],
)
def test_a_finished_command_goes_the_long_way(name: AgentName, told: dict[str, Any]) -> None:
    told = told | {"tool_input": {"command": "make"}, "tool_use_id": "t"}
    assert not short_way.is_silent(name, told, deny=False)
    assert agent(name).read(told, 0).command == "make"


@pytest.mark.parametrize("prompt", ["/clear", "  /clear now", "/clear\n"])
def test_a_prompt_that_clears_goes_the_long_way(prompt: str) -> None:
    told: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
    assert not short_way.is_silent("claude-code", told, deny=False)
    assert short_way.is_silent("claude-code", told | {"prompt": "clear it up"}, deny=False)


def test_the_files_of_a_patch_are_those_it_names() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n*** Move to: c.py\n"
    patch += "*** Delete File: d.py\n*** End Patch"
    told: dict[str, object] = {
        "hook_event_name": "PostToolUse",
        "tool_name": "apply_patch",
        "tool_input": {"command": patch},
    }
    assert attaching.written(told) == ["a.py", "b.py", "c.py"]
    assert short_way.is_silent("codex", told, deny=False)


@pytest.mark.parametrize(
    ("payload", "value"),
    [
        (b' {"a": [1, -0.5, null, true, "\\u00e9"]}\n', {"a": [1, -0.5, None, True, "é"]}),
        (b'{"a": 1} x', None),
        (b"{", None),
        (b"", None),
        (b"\xff", None),
        (b'{"a": NaN}', {"a": "NaN"}),
    ],
)
def test_json_is_read_as_it_stands_or_not_at_all(payload: bytes, value: object) -> None:
    assert short_way.parse(payload) == value
