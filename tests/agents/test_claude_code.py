"""Claude Code's hooks: what its payloads become, and how it is answered."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from holdfast.agents import claude_code, keys
from holdfast.agents.values import Event, Reply
from holdfast.ledger.ledger import Draft
from tests.agents.hearing import admit, drafts, read, recorded, types

NAME = claude_code.NAME
BASE = {"session_id": "s1", "cwd": "/project", "prompt_id": "p1"}


def told(name: str, **fields: Any) -> dict[str, Any]:
    return {**BASE, "hook_event_name": name, **fields}


def of(name: str, **fields: Any) -> list[Draft]:
    return drafts(NAME, told(name, **fields))


def one(name: str, **fields: Any) -> Draft:
    [draft] = of(name, **fields)
    return draft


def whole_session() -> list[Draft]:
    return [draft for payload in recorded(NAME) for draft in drafts(NAME, payload)]


@pytest.mark.req("X4")
def test_a_real_session_becomes_entries_of_every_kind_and_each_once() -> None:
    made = whole_session()
    once = {draft.id: draft for draft in reversed(made)}.values()
    counted = Counter(draft.type for draft in once)
    assert counted["prompt_given"] == 2
    assert counted["command_ran"] == 6
    assert counted["tool_begun"] == 11
    assert counted["tool_called"] == 12  # one more than began: its arguments were refused
    assert counted["context_compacted"] == 1
    assert admit(made) == len(once)


def test_the_ids_of_a_real_session_are_those_of_its_calls() -> None:
    ids = {draft.id for draft in whole_session() if draft.type == "tool_called"}
    session = recorded(NAME)[0]["session_id"]
    calls = ["toolu_h", *(f"toolu_{n}" for n in range(1, 12))]
    assert {keys.entry_id(keys.tool_end(NAME, session, call)) for call in calls} == ids


@pytest.mark.lesson("N14")
def test_only_what_the_user_said_is_the_users() -> None:
    said = [draft.data["text"] for draft in whole_session() if draft.type == "prompt_given"]
    assert said == ["swap the operands in calc.py", "second thing"]
    users = [draft.type for draft in whole_session() if draft.actor and draft.actor.kind == "user"]
    assert users == ["prompt_given", "prompt_given"]


@pytest.mark.parametrize("source", ["system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_a_prompt_that_the_client_wrote_is_kept_and_is_not_the_users(source: str) -> None:
    draft = one("UserPromptSubmit", prompt="go on", source=source)
    assert (draft.type, draft.data["payload"]["prompt"]) == ("hook_fired", "go on")
    assert draft.actor is not None
    assert draft.actor.kind == "agent"


@pytest.mark.lesson("N3")
def test_background_work_is_open_from_its_start_to_its_report() -> None:
    made = [draft for draft in whole_session() if draft.type in ("work_opened", "work_closed")]
    once = list({draft.id: draft for draft in reversed(made)}.values())[::-1]
    states = [(draft.type, draft.data["work"], draft.data.get("title")) for draft in once]
    assert states == [
        ("work_opened", "aad6c0055481be039", "look"),
        ("work_closed", "aad6c0055481be039", None),
        ("work_closed", "aad6c0055481be039", None),
        ("work_opened", "b5qksu5ah", "sleep 2; echo later"),
        ("work_closed", "b5qksu5ah", None),
    ]
    assert [draft.data["outcome"] for draft in once[1:3]] == ["Helper is fine."] * 2
    assert "exit code 0" in once[4].data["outcome"]


@pytest.mark.lesson("N1")
def test_commands_keep_their_words_output_and_exit_code() -> None:
    ran = [draft.data for draft in whole_session() if draft.type == "command_ran"]
    assert {data["command"]: (data["exit_code"], data["output"]) for data in ran} == {
        "true": (0, ""),
        "echo hi; echo err >&2": (0, "hi\nerr"),
        "echo no; exit 3": (3, "no"),
        "sleep 2; echo later": (None, ""),
        "pwd": (0, "/project"),
        "echo é; printf '\\xff'": (0, "é\n\ufffd"),
    }
    assert all(data["cwd"] == "/project" for data in ran)


@pytest.mark.parametrize(
    "response",
    [
        {"stdout": "", "interrupted": True},
        {"stdout": "", "interrupted": False, "returnCodeInterpretation": "No matches found"},
        {"stdout": "", "interrupted": False, "timedOutAfterMs": 120000},
        {"stdout": ""},
        "just words",
    ],
)
def test_an_exit_code_that_is_not_told_is_not_made_up(response: Any) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "grep x"}, "tool_use_id": "t1"}
    made = of("PostToolUse", **given, tool_response=response)
    assert types(made) == ["tool_called", "command_ran"]
    assert made[1].data["exit_code"] is None


def test_a_call_that_never_ran_is_known_by_the_batch_alone() -> None:
    [call] = [draft for draft in whole_session() if draft.data.get("call") == "toolu_8"]
    assert (call.data["ok"], call.data["tool"]) == (False, "Edit")
    assert "String to replace not found" in call.data["error"]


def test_a_batch_adds_nothing_to_calls_that_were_told() -> None:
    given = {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_use_id": "t1"}
    single = of("PostToolUse", **given, tool_response={"file": {}})
    batch = of("PostToolBatch", tool_calls=[{**given, "tool_response": "1\ttext"}])
    assert types(batch) == ["tool_called", "hook_fired"]
    assert batch[0].id == single[0].id
    assert batch[1].data["payload"]["tool_calls"] == [{"tool_use_id": "t1", "tool_name": "Read"}]


@pytest.mark.lesson("N18")
def test_the_same_compaction_told_again_is_the_same_entry() -> None:
    payload = told("PreCompact", trigger="auto", custom_instructions=None)
    assert drafts(NAME, payload, 1)[0].id == drafts(NAME, dict(payload), 2)[0].id
    manual = told("PreCompact", trigger="manual", custom_instructions=None)
    assert drafts(NAME, payload)[0].id != drafts(NAME, manual)[0].id


def test_the_clients_own_helpers_of_a_compaction_are_no_work() -> None:
    made = [drafts(NAME, one) for one in recorded(NAME) if one.get("agent_type") == ""]
    assert [types(each) for each in made] == [["hook_fired"], ["hook_fired"]]


def test_a_compaction_keeps_the_summary_word_for_word() -> None:
    draft = one("PostCompact", trigger="auto", compact_summary=" <summary>a\n b</summary> ")
    assert draft.type == "context_compacted"
    assert draft.data["summary"] == " <summary>a\n b</summary> "
    assert draft.data["trigger"] == "auto"


def test_the_last_words_have_the_id_that_the_transcript_gives_them() -> None:
    draft = one("Stop", last_assistant_message="All done.\n")
    key = keys.said(NAME, "s1", "p1", "All done.")
    assert (draft.type, draft.id) == ("agent_said", keys.entry_id(key))
    assert draft.data["text"] == "All done.\n"


def test_a_stop_without_words_is_kept() -> None:
    assert types(of("Stop", last_assistant_message="  ")) == ["hook_fired"]


def test_a_failed_tool_keeps_its_error() -> None:
    given = {"tool_name": "Read", "tool_input": {"file_path": "/a"}, "tool_use_id": "t1"}
    draft = one("PostToolUseFailure", **given, error="no such file", is_interrupt=False)
    assert (draft.type, draft.data["ok"], draft.data["error"]) == (
        "tool_called",
        False,
        "no such file",
    )
    assert draft.data["told"] == {"is_interrupt": False}


@pytest.mark.parametrize(
    ("tool", "field", "written"),
    [
        ("Write", "file_path", True),
        ("Edit", "file_path", True),
        ("MultiEdit", "file_path", True),
        ("NotebookEdit", "notebook_path", True),
        ("Read", "file_path", False),
    ],
)
def test_files_that_a_tool_wrote_are_named(tool: str, field: str, *, written: bool) -> None:
    given = {"tool_name": tool, "tool_input": {field: "/project/a.py"}, "tool_use_id": "t"}
    assert read(NAME, told("PostToolUse", **given)).paths == (("/project/a.py",) if written else ())
    assert read(NAME, told("PreToolUse", **given)).paths == ()
    assert read(NAME, told("PostToolUseFailure", **given)).paths == ()


def test_what_no_field_holds_is_kept_beside() -> None:
    given = {"tool_name": "Read", "tool_input": {}, "tool_use_id": "t1", "duration_ms": "long"}
    draft = one("PreToolUse", **given, permission_mode="plan", surprise=[1])
    rest = {"duration_ms": "long", "permission_mode": "plan", "surprise": [1]}
    assert draft.data["told"] == rest


def test_a_worker_is_named_and_stays_in_its_session() -> None:
    given = {"tool_name": "Read", "tool_input": {}, "tool_use_id": "t1", "agent_id": "w1"}
    draft = one("PreToolUse", **given)
    assert (draft.session_id, draft.data["worker"]) == ("s1", "w1")


def test_a_start_tells_where_and_why() -> None:
    draft = one("SessionStart", source="resume", model="m", context_tokens=5)
    assert draft.type == "session_started"
    assert {name: draft.data[name] for name in ("source", "model", "cwd", "told")} == {
        "source": "resume",
        "model": "m",
        "cwd": "/project",
        "told": {"context_tokens": 5},
    }


def test_every_event_of_its_hooks_is_read_and_all_but_two_are_installed() -> None:
    known = set(claude_code.EVENTS) | set(claude_code.NOT_INSTALLED)
    assert (len(known), len(claude_code.EVENTS)) == (33, 31)
    for name in known:
        assert of(name)


def event(name: str, **fields: Any) -> Event:
    return read(NAME, told(name, **fields))


def answered(name: str, reply: Reply, **fields: Any) -> Any:
    found = claude_code.answer(event(name, **fields), reply)
    assert found.exit_code == 0
    return json.loads(found.stdout) if found.stdout else None


TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"}


def test_a_start_is_answered_with_context_for_the_model() -> None:
    reply = Reply(context="what is known", message="back")
    assert answered("SessionStart", reply, source="clear") == {
        "systemMessage": "back",
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": "what is known",
        },
    }


def test_a_tool_is_refused_with_the_reason() -> None:
    assert answered("PreToolUse", Reply(block="red"), **TOOL) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "red",
        }
    }


@pytest.mark.parametrize("name", ["UserPromptSubmit", "PreCompact"])
def test_a_prompt_and_a_compaction_are_held_back_by_the_exit_code(name: str) -> None:
    found = claude_code.answer(event(name, prompt="/clear"), Reply(block="not yet", context="x"))
    assert (found.exit_code, found.stdout, found.stderr) == (2, "", "not yet\n")


def test_what_the_summary_should_hold_is_printed_plainly() -> None:
    found = claude_code.answer(event("PreCompact"), Reply(context="keep é"))
    assert (found.exit_code, found.stdout) == (0, "keep é\n")


def test_what_a_compaction_dropped_is_printed_as_it_is_shown() -> None:
    found = claude_code.answer(event("PostCompact"), Reply(message="2 constraints are gone"))
    assert (found.exit_code, found.stdout, found.stderr) == (0, "2 constraints are gone\n", "")


@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "PostCompact", "SessionEnd"])
def test_nothing_makes_it_go_on_when_it_is_done(name: str) -> None:
    found = claude_code.answer(event(name), Reply(context="x", block="no", message="said"))
    assert found.exit_code == 0
    assert "x" not in found.stdout.replace("said", "")
    assert "no" not in found.stdout


def test_too_much_context_is_cut_and_says_so() -> None:
    found = answered("SessionStart", Reply(context="a" * 20_000))
    text = found["hookSpecificOutput"]["additionalContext"]
    assert len(text) <= claude_code.CONTEXT_CHARS_MAX
    assert "characters were cut off here" in text
    kept = text.count("a", 0, text.index("\n"))
    assert f"[{20_000 - kept:,} characters" in text


@pytest.mark.parametrize("name", claude_code.EVENTS)
def test_nothing_to_say_is_nothing_said(name: str) -> None:
    found = claude_code.answer(event(name), Reply())
    assert (found.stdout, found.stderr, found.exit_code) == ("", "", 0)


@pytest.mark.lesson("N3")
def test_a_helper_that_stops_is_not_open_because_it_says_so_itself() -> None:
    tasks = [{"id": "w1", "type": "subagent", "description": "look"}, {"id": "b1", "type": "shell"}]
    given = {"agent_id": "w1", "agent_type": "general-purpose", "background_tasks": tasks}
    made = of("SubagentStop", **given)
    assert [(draft.type, draft.data["work"]) for draft in made] == [
        ("work_closed", "w1"),
        ("work_opened", "b1"),
    ]


@pytest.mark.lesson("N3")
def test_what_a_helper_is_at_is_known_when_the_turn_ends() -> None:
    [begun] = of("SubagentStart", agent_id="w1", agent_type="general-purpose")
    tasks = [{"id": "w1", "type": "subagent", "description": "look into it"}]
    stops = [of("Stop", last_assistant_message="wait", background_tasks=tasks) for _ in range(2)]
    opened = [draft for made in stops for draft in made if draft.type == "work_opened"]
    assert begun.data["title"] == "general-purpose"
    assert {draft.data["title"] for draft in opened} == {"look into it"}
    assert len({begun.id, *(draft.id for draft in opened)}) == 2
