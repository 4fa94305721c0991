"""opencode's plugin: what it passes on becomes, and how it is answered."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from holdfast.agents import keys, opencode
from holdfast.agents.values import Reply
from holdfast.ledger.ledger import Draft
from tests.agents.hearing import admit, drafts, read, recorded, types

NAME = opencode.NAME


def told(name: str, given: Any = None, made: Any = None) -> dict[str, Any]:
    base = {"hook_event_name": name, "session_id": "ses_1", "cwd": "/project"}
    return base | {"input": given, "output": made}


def whole_session() -> list[Draft]:
    return [draft for payload in recorded(NAME) for draft in drafts(NAME, payload)]


@pytest.mark.req("X4")
def test_a_real_session_becomes_entries() -> None:
    made = whole_session()
    counted = Counter(draft.type for draft in made)
    assert counted == {
        "session_started": 1,
        "prompt_given": 2,
        "agent_said": 3,
        "tool_begun": 5,
        "tool_called": 4,
        "command_ran": 1,
        "hook_fired": 12,
    }
    assert admit(made) == len({draft.id for draft in made})


@pytest.mark.lesson("N1")
def test_a_command_keeps_its_exit_code() -> None:
    [ran] = [draft.data for draft in whole_session() if draft.type == "command_ran"]
    assert (ran["command"], ran["exit_code"], ran["output"]) == ("echo no; exit 3", 3, "no\n")
    called = [draft.data for draft in whole_session() if draft.type == "tool_called"]
    assert [data["ok"] for data in called if data["tool"] == "bash"] == [False]


def test_files_that_it_wrote_are_named() -> None:
    paths = [read(NAME, payload).paths for payload in recorded(NAME)]
    assert [path for path in paths if path] == [
        ("/project/calc.py",),
        ("/project/calc.py",),
        ("/project/made.py",),
        ("/project/made.py",),
    ]


def test_a_patch_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n*** End Patch"
    given = {"tool": "apply_patch", "callID": "c", "args": {"patchText": patch}}
    assert read(NAME, told("tool.execute.after", given)).paths == ("a.py", "b.py")


def test_only_what_was_typed_is_the_users() -> None:
    parts = [
        {"type": "text", "text": "do it"},
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "file", "filename": "a.py"},
        {"type": "text", "text": "and that"},
    ]
    made = drafts(NAME, told("chat.message", {}, {"message": {"id": "m1"}, "parts": parts}))
    assert [(one.type, one.data["text"]) for one in made] == [
        ("prompt_given", "do it"),
        ("prompt_given", "and that"),
    ]
    assert made[0].data["told"] == {"parts": parts[1:3]}
    assert made[0].id == keys.entry_id(keys.prompt(NAME, "ses_1", "m1", "do it"))


def test_words_that_are_not_over_or_not_its_own_are_kept_as_told() -> None:
    part = {"type": "text", "text": "half", "messageID": "m", "time": {"start": 1}}
    assert types(drafts(NAME, told("message.part.updated", {"part": part}))) == ["hook_fired"]
    own = {**part, "time": {"start": 1, "end": 2}, "synthetic": True}
    assert types(drafts(NAME, told("message.part.updated", {"part": own}))) == ["hook_fired"]


def test_a_session_of_a_session_is_open_work() -> None:
    info = {"id": "ses_2", "parentID": "ses_1", "title": "look into it"}
    payload = {**told("session.created", {"info": info}), "session_id": "ses_2"}
    [draft] = drafts(NAME, payload)
    assert (draft.type, draft.session_id) == ("work_opened", "ses_1")
    assert (draft.data["work"], draft.data["title"]) == ("ses_2", "look into it")


def test_the_work_is_over_when_the_tool_that_waits_for_it_is() -> None:
    given = {"tool": "task", "callID": "c1", "sessionID": "ses_1", "args": {"prompt": "look"}}
    made = {"output": "It is 7.", "metadata": {"sessionId": "ses_2"}}
    called, closed = drafts(NAME, told("tool.execute.after", given, made))
    assert (called.type, closed.type, closed.session_id) == ("tool_called", "work_closed", "ses_1")
    assert (closed.data["work"], closed.data["outcome"]) == ("ses_2", "It is 7.")
    other = {**given, "tool": "read"}
    assert types(drafts(NAME, told("tool.execute.after", other, made))) == ["tool_called"]


@pytest.mark.lesson("N1")
def test_a_compaction_tells_its_summary_under_the_name_that_an_import_gives_it() -> None:
    made = {"auto": True, "summary": {"messageID": "m9", "text": "They made it."}}
    [draft] = drafts(NAME, told("session.compacted", {"sessionID": "ses_1"}, made))
    assert (draft.type, draft.data["summary"]) == ("context_compacted", "They made it.")
    assert (draft.data["trigger"], draft.data["turn"]) == ("auto", "m9")
    assert draft.id == keys.entry_id(keys.compacted(NAME, "ses_1", "m9", "They made it."))


def test_a_part_of_a_summary_is_kept_and_is_not_the_agents_words() -> None:
    part = {"type": "text", "text": "They made it.", "time": {"start": 1, "end": 2}}
    payload = told("message.part.updated", {"part": part}, {"summary": True})
    [draft] = drafts(NAME, payload)
    assert (draft.type, draft.data["payload"]) == ("hook_fired", payload)


def test_a_compaction_without_a_summary_is_one_all_the_same() -> None:
    made = {"summary": None}
    [draft] = drafts(NAME, told("session.compacted", {"sessionID": "ses_1"}, made))
    assert draft.type == "context_compacted"
    assert {"summary", "trigger"} & set(draft.data) == set()


@pytest.mark.parametrize(("compacted", "source"), [(True, "compact"), (False, "resume")])
def test_what_is_known_is_asked_for_anew_after_a_compaction(compacted: bool, source: str) -> None:
    name = "experimental.chat.system.transform"
    assert read(NAME, told(name, {}, {"compacted": compacted})).source == source


def test_a_request_for_what_is_known_starts_no_second_session() -> None:
    event = read(NAME, told("experimental.chat.system.transform", {"sessionID": "ses_1"}))
    assert event.kind == "session_start"
    assert types(opencode.drafts(event)) == ["hook_fired"]


def answered(name: str, reply: Reply, given: Any = None, made: Any = None) -> Any:
    found = opencode.answer(read(NAME, told(name, given, made)), reply)
    assert (found.exit_code, found.stderr) == (0, "")
    return json.loads(found.stdout) if found.stdout else None


def test_the_plugin_is_told_context_and_what_to_refuse() -> None:
    transform = "experimental.chat.system.transform"
    assert answered(transform, Reply(context="known")) == {"context": "known"}
    assert answered("tool.execute.before", Reply(block="red"), {"tool": "bash"}) == {"block": "red"}


@pytest.mark.parametrize("name", ["session.idle", "session.compacted", "tool.execute.after"])
def test_what_cannot_be_held_back_is_not(name: str) -> None:
    assert answered(name, Reply(block="no", message="said")) == {"message": "said"}


@pytest.mark.parametrize("name", opencode.EVENTS)
def test_nothing_to_say_is_nothing_said(name: str) -> None:
    assert drafts(NAME, told(name))
    found = opencode.answer(read(NAME, told(name)), Reply())
    assert (found.stdout, found.stderr, found.exit_code) == ("", "", 0)
