"""Cursor's hooks, by its documentation: what payloads become, and how it is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.agents import cursor
from holdfast.agents.values import Reply
from tests.agents.hearing import drafts, read, types

NAME = cursor.NAME
SHELL = {"tool_name": "Shell", "tool_input": {"command": "make"}, "tool_use_id": "t1"}


def told(name: str, **fields: Any) -> dict[str, Any]:
    base = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": ["/project"]}
    return {**base, "hook_event_name": name, **fields}


def test_the_session_is_the_conversation_and_the_folder_its_first_root() -> None:
    event = read(NAME, told("sessionStart", session_id="other"))
    assert (event.session, event.cwd, event.turn) == ("c1", "/project", "g1")


def test_a_turn_becomes_what_was_asked_and_answered() -> None:
    made = drafts(NAME, told("beforeSubmitPrompt", prompt="do it", attachments=[{"type": "file"}]))
    made += drafts(NAME, told("afterAgentResponse", text="done"))
    assert [(one.type, one.data["text"]) for one in made] == [
        ("prompt_given", "do it"),
        ("agent_said", "done"),
    ]
    assert made[0].data["told"]["attachments"] == [{"type": "file"}]


@pytest.mark.lesson("N1")
@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ('{"exitCode": 3, "stdout": "no"}', 3, "no"),
        ('{"stdout": "no"}', None, "no"),
        ("no", None, "no"),
        ('{"exitCode": true, "output": "a", "stderr": "b"}', None, "a\nb"),
    ],
)
def test_a_command_keeps_what_is_told_of_its_end(output: str, code: int | None, said: str) -> None:
    made = drafts(NAME, told("postToolUse", **SHELL, tool_output=output))
    assert types(made) == ["tool_called", "command_ran"]
    assert (made[1].data["exit_code"], made[1].data["output"]) == (code, said)


def test_a_failed_command_is_a_command_and_its_error_is_kept() -> None:
    made = drafts(NAME, told("postToolUseFailure", **SHELL, error_message="timed out"))
    assert types(made) == ["tool_called", "command_ran"]
    assert (made[0].data["ok"], made[0].data["error"]) == (False, "timed out")


def test_files_that_it_wrote_are_named() -> None:
    assert read(NAME, told("afterFileEdit", file_path="/project/a.py")).paths == ("/project/a.py",)
    given = {"tool_name": "Write", "tool_input": {"file_path": "/project/b.py"}}
    assert read(NAME, told("postToolUse", **given)).paths == ("/project/b.py",)


def test_a_helper_is_open_work_until_it_stops() -> None:
    begun = drafts(NAME, told("subagentStart", subagent_id="w1", task="look into it"))
    over = drafts(NAME, told("subagentStop", subagent_id="w1", status="completed", summary="ok"))
    assert types(begun + over) == ["work_opened", "work_closed", "hook_fired"]
    assert (begun[0].data["title"], over[0].data["outcome"]) == ("look into it", "ok")


def test_every_event_of_its_hooks_is_read() -> None:
    assert len({*cursor.EVENTS, *cursor.NOT_INSTALLED}) == 21
    for name in (*cursor.EVENTS, *cursor.NOT_INSTALLED):
        assert drafts(NAME, told(name))


def answered(name: str, reply: Reply, **fields: Any) -> Any:
    found = cursor.answer(read(NAME, told(name, **fields)), reply)
    assert found.exit_code == 0
    return json.loads(found.stdout) if found.stdout else None


def test_it_is_answered_in_its_own_words() -> None:
    assert answered("sessionStart", Reply(context="known")) == {"additional_context": "known"}
    assert answered("beforeSubmitPrompt", Reply(block="not yet"), prompt="x") == {
        "continue": False,
        "user_message": "not yet",
    }
    assert answered("preToolUse", Reply(block="red"), **SHELL) == {
        "permission": "deny",
        "user_message": "red",
        "agent_message": "red",
    }
    assert answered("preCompact", Reply(message="kept", block="no")) == {"user_message": "kept"}


@pytest.mark.parametrize("name", ["stop", "subagentStop", "sessionEnd"])
def test_nothing_makes_it_go_on_when_it_is_done(name: str) -> None:
    assert answered(name, Reply(block="no", context="x", message="said")) is None


@pytest.mark.parametrize("name", cursor.EVENTS)
def test_nothing_to_say_is_nothing_said(name: str) -> None:
    assert answered(name, Reply()) is None
