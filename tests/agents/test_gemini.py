"""Gemini CLI's hooks, by its documentation: what payloads become, and how it is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.agents import gemini, keys
from holdfast.agents.reading import numbered
from holdfast.agents.values import Reply
from tests.agents.hearing import drafts, read, types

NAME = gemini.NAME
SHELL = {"tool_name": "run_shell_command", "tool_input": {"command": "make"}}


def told(name: str, **fields: Any) -> dict[str, Any]:
    base = {"session_id": "s1", "cwd": "/project", "timestamp": "2026-11-16T00:00:00Z"}
    return {**base, "hook_event_name": name, **fields}


def test_a_turn_becomes_what_was_asked_and_answered() -> None:
    begun = drafts(NAME, told("BeforeAgent", prompt="do it"))
    over = drafts(NAME, told("AfterAgent", prompt="do it", prompt_response="done"))
    assert [(one.type, one.data["text"]) for one in begun + over] == [
        ("prompt_given", "do it"),
        ("agent_said", "done"),
    ]
    assert begun[0].actor is not None
    assert begun[0].actor.kind == "user"


@pytest.mark.parametrize(("trigger", "kind"), [("manual", "pre_compact"), ("auto", "other")])
def test_only_a_manual_compression_is_sure_to_come(trigger: str, kind: str) -> None:
    assert read(NAME, told("PreCompress", trigger=trigger)).kind == kind


def test_what_hooks_told_the_model_is_not_what_the_user_typed() -> None:
    before = "<hook_context>#0 Indent with tabs</hook_context>\n\n"
    [given] = drafts(NAME, told("BeforeAgent", prompt=f"{before}{before}do it"))
    assert given.data["text"] == "do it"
    assert given.data["told"]["prompt"] == f"{before}{before}do it"
    for typed in ("<hook_context> what is that?", before):
        [given] = drafts(NAME, told("BeforeAgent", prompt=typed))
        assert (given.data["text"], "told" in given.data) == (typed, False)


def test_a_happening_without_an_id_is_the_same_whenever_it_is_told() -> None:
    first = read(NAME, told("BeforeAgent", prompt="go on"), 1)
    again = read(NAME, told("BeforeAgent", prompt="go on", timestamp="later"), 2)
    assert first.counted
    assert first.key == again.key
    assert first.key != read(NAME, told("BeforeAgent", prompt="go on!"), 1).key


def test_the_same_answer_once_more_is_another_when_it_is_numbered_so() -> None:
    event = read(NAME, told("AfterAgent", prompt="go on", prompt_response="done"))
    [first] = gemini.drafts(event)
    [second] = gemini.drafts(numbered(event, 2))
    assert (first.type, second.type) == ("agent_said", "agent_said")
    assert first.id == keys.entry_id(event.key) != second.id


def test_when_it_was_told_makes_no_other_happening() -> None:
    first, again = (told("Notification", message="m", timestamp=when) for when in ("1", "2"))
    assert read(NAME, first).key == read(NAME, again).key


def test_a_command_keeps_what_is_told_and_no_code_is_made_up() -> None:
    response = {"llmContent": "Output: Exit Code: 7\nExit Code: 2", "returnDisplay": "…"}
    made = drafts(NAME, told("AfterTool", **SHELL, tool_response=response))
    assert types(made) == ["tool_called", "command_ran"]
    assert made[1].data["exit_code"] is None
    assert made[1].data["output"] == response["llmContent"]


def test_a_tool_that_failed_says_so() -> None:
    response = {"llmContent": "no", "error": {"message": "no such file"}}
    payload = told("AfterTool", tool_name="write_file", tool_input={"file_path": "/a"})
    [draft] = drafts(NAME, payload | {"tool_response": response})
    assert (draft.data["ok"], draft.data["error"]) == (False, {"message": "no such file"})
    assert read(NAME, payload | {"tool_response": response}).paths == ()


@pytest.mark.parametrize("tool", ["write_file", "replace"])
def test_files_that_it_wrote_are_named(tool: str) -> None:
    payload = told("AfterTool", tool_name=tool, tool_input={"file_path": "/project/a.py"})
    assert read(NAME, payload).paths == ("/project/a.py",)


def test_a_clear_begins_another_session() -> None:
    [over] = drafts(NAME, told("SessionEnd", reason="clear"))
    [begun] = drafts(NAME, told("SessionStart", source="clear"))
    assert (over.type, over.data["reason"]) == ("session_ended", "clear")
    assert (begun.type, begun.data["source"]) == ("session_started", "clear")


def test_every_event_of_its_hooks_is_read_and_the_models_are_not_installed() -> None:
    assert len({*gemini.EVENTS, *gemini.NOT_INSTALLED}) == 11
    for name in (*gemini.EVENTS, *gemini.NOT_INSTALLED):
        assert drafts(NAME, told(name))


def answered(name: str, reply: Reply, **fields: Any) -> Any:
    found = gemini.answer(read(NAME, told(name, **fields)), reply)
    assert (found.exit_code, found.stderr) == (0, "")
    return json.loads(found.stdout) if found.stdout else None


def test_it_is_answered_in_json_alone() -> None:
    assert answered("SessionStart", Reply(context="known")) == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "known"}
    }
    assert answered("BeforeAgent", Reply(block="not yet"), prompt="x") == {
        "decision": "deny",
        "reason": "not yet",
    }
    assert answered("BeforeTool", Reply(block="red", message="red"), **SHELL) == {
        "decision": "deny",
        "reason": "red",
        "systemMessage": "red",
    }


@pytest.mark.parametrize("name", ["PreCompress", "AfterAgent", "SessionEnd", "AfterTool"])
def test_what_cannot_be_held_back_is_not(name: str) -> None:
    assert answered(name, Reply(block="no", message="said")) == {"systemMessage": "said"}


@pytest.mark.parametrize("name", gemini.EVENTS)
def test_nothing_to_say_is_nothing_said(name: str) -> None:
    assert answered(name, Reply()) is None
