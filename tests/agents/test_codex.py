"""Codex's hooks: what its payloads become, and how it is answered."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from holdfast.agents import codex, keys
from holdfast.agents.values import Reply
from holdfast.ledger.ledger import Draft
from tests.agents.hearing import admit, drafts, read, recorded, types

NAME = codex.NAME
BASE = {"session_id": "s1", "cwd": "/project", "turn_id": "t1", "model": "m"}


def told(name: str, **fields: Any) -> dict[str, Any]:
    return {**BASE, "hook_event_name": name, **fields}


def whole_session() -> list[Draft]:
    return [draft for payload in recorded(NAME) for draft in drafts(NAME, payload)]


@pytest.mark.req("X4")
def test_a_real_session_becomes_entries() -> None:
    made = whole_session()
    counted = Counter(draft.type for draft in made)
    assert counted == {
        "session_started": 4,
        "session_ended": 2,
        "prompt_given": 3,
        "tool_begun": 8,
        "tool_called": 5,
        "agent_said": 2,
        "hook_fired": 2,
    }
    # Starts and ends of one session are alike: telling them apart takes what came before.
    assert admit(made) == len({draft.id for draft in made})


def test_prompts_are_the_users_word_for_word() -> None:
    said = [draft for draft in whole_session() if draft.type == "prompt_given"]
    assert [draft.data["text"] for draft in said] == ["make made.py", "again please", "COMPACTNOW"]
    assert {draft.actor and draft.actor.kind for draft in said} == {"user"}


def test_a_patch_names_its_files_and_says_how_it_went() -> None:
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b c.py\n*** Move to: d.py\n"
    patch += "@@\n-*** Add File: not this\n*** Delete File: e.py\n*** End Patch\n"
    given = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_use_id": "c1"}
    payload = told(
        "PostToolUse", **given, tool_response="Exit code: 0\nWall time: 0\nOutput:\nok\n"
    )
    assert read(NAME, payload).paths == ("a.py", "b c.py", "d.py", "e.py")
    assert read(NAME, payload).command is None
    [draft] = drafts(NAME, payload)
    assert (draft.data["ok"], draft.data["params"]) == (True, {"command": patch})


def test_how_a_command_ended_is_left_to_the_rollout_that_tells_it() -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c1"}
    payload = told("PostToolUse", **given, tool_response="no\n", transcript_path="/r.jsonl")
    [called] = drafts(NAME, payload)
    assert (called.type, called.data["response"]) == ("tool_called", "no\n")
    assert "ok" not in called.data
    assert read(NAME, payload).command == "make"


@pytest.mark.lesson("N1")
def test_without_a_rollout_the_command_is_kept_and_its_code_not_made_up() -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "c1"}
    made = drafts(NAME, told("PostToolUse", **given, tool_response="no\n"))
    assert types(made) == ["tool_called", "command_ran"]
    assert (made[1].data["exit_code"], made[1].data["output"]) == (None, "no\n")


def test_a_compaction_whose_summary_the_rollout_has_is_kept_as_told() -> None:
    payload = told("PostCompact", trigger="auto", transcript_path="/r.jsonl")
    assert types(drafts(NAME, payload)) == ["hook_fired"]
    alone = told("PostCompact", trigger="auto")
    [draft] = drafts(NAME, alone)
    assert (draft.type, draft.data["trigger"]) == ("context_compacted", "auto")
    assert "summary" not in draft.data


def test_the_last_words_have_the_id_that_the_rollout_gives_them() -> None:
    [draft] = drafts(NAME, told("Stop", last_assistant_message="All done."))
    assert draft.id == keys.entry_id(keys.said(NAME, "s1", "t1", "All done."))


def test_a_helper_is_open_work_until_it_stops() -> None:
    begun = drafts(NAME, told("SubagentStart", agent_id="w1", agent_type="worker"))
    over = drafts(NAME, told("SubagentStop", agent_id="w1", last_assistant_message="found it"))
    assert types(begun + over) == ["work_opened", "agent_said", "work_closed"]
    assert over[1].data["outcome"] == "found it"


def test_all_eleven_events_are_installed() -> None:
    assert len(codex.EVENTS) == 11
    for name in codex.EVENTS:
        assert drafts(NAME, told(name))


def answered(name: str, reply: Reply, **fields: Any) -> Any:
    found = codex.answer(read(NAME, told(name, **fields)), reply)
    assert found.exit_code == 0
    return json.loads(found.stdout) if found.stdout else None


def test_a_compaction_is_held_back_by_json_and_never_by_the_exit_code() -> None:
    assert answered("PreCompact", Reply(block="not yet"), trigger="auto") == {
        "continue": False,
        "stopReason": "not yet",
    }


def test_a_start_is_answered_within_its_limit() -> None:
    found = answered("SessionStart", Reply(context="é" * 9_000), source="compact")
    text = found["hookSpecificOutput"]["additionalContext"]
    assert found["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert len(text) <= codex.CONTEXT_CHARS_MAX
    assert "cut off here" in text


def test_tools_and_prompts_can_be_held_back() -> None:
    found = answered("PreToolUse", Reply(block="red"), tool_name="Bash", tool_use_id="c")
    assert found["hookSpecificOutput"]["permissionDecision"] == "deny"
    held = codex.answer(read(NAME, told("UserPromptSubmit", prompt="x")), Reply(block="no"))
    assert (held.exit_code, held.stderr) == (2, "no\n")


@pytest.mark.parametrize("name", codex.EVENTS)
def test_nothing_to_say_is_nothing_said(name: str) -> None:
    found = codex.answer(read(NAME, told(name)), Reply())
    assert (found.stdout, found.stderr, found.exit_code) == ("", "", 0)
