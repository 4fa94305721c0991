"""Whatever a payload is, it is refused as a whole or becomes entries that the ledger takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.agents.registry import agent
from holdfast.agents.values import AGENTS, AgentName, Event, Reply
from holdfast.kernel.entry import ACTOR_KINDS
from holdfast.kernel.errors import InvalidInput
from holdfast.ledger.ledger import Draft
from tests.agents.hearing import AT_US, FIRED, admit, drafts, read, recorded

RECORDED: tuple[AgentName, ...] = ("claude-code", "codex", "opencode")

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["", " ", "\n", "\ud800", "a\x00b", "x" * 300, "$artifact", "../../etc"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = [
    "session_id",
    "cwd",
    "prompt_id",
    "turn_id",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "tool_response",
    "prompt",
    "source",
    "reason",
    "trigger",
    "error",
    "agent_id",
    "agent_type",
    "last_assistant_message",
    "background_tasks",
    "tool_calls",
    "compact_summary",
    "transcript_path",
    "session_crons",
    "model",
    "duration_ms",
    "input",
    "output",
    "text",
    "tool_output",
    "conversation_id",
    "generation_id",
    "workspace_roots",
    "subagent_id",
    "delta",
    "index",
    "final",
]
payloads = st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), values, max_size=10)


def check(name: AgentName, payload: dict[str, Any]) -> None:
    """Read a payload in every way there is; nothing but InvalidInput may come out of it."""
    event = read(name, payload)
    made = agent(name).drafts(event)
    assert made
    check_drafts(event, made)
    for reply in (Reply(), Reply(context="c", message="m", block="b"), Reply(context="\ud800")):
        found = agent(name).answer(event, reply)
        assert found.exit_code in (0, 2)
        assert (found.exit_code == 0) or reply.block
    admit(made)


def check_drafts(event: Event, made: list[Draft]) -> None:
    assert event.payload is not None
    for draft in made:
        assert draft.actor is not None
        assert draft.actor.kind in ACTOR_KINDS
        assert draft.data["agent"] == event.agent
        assert draft.id is not None
        assert draft.id.startswith("agent-")
    users = {draft.type for draft in made if draft.actor and draft.actor.kind == "user"}
    assert users <= {"prompt_given"}


@pytest.mark.parametrize("name", AGENTS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_fields_of_any_event_become_entries(name: AgentName, data: st.DataObject) -> None:
    module = agent(name)
    more = getattr(module, "NOT_INSTALLED", ())
    event = data.draw(st.sampled_from((*module.EVENTS, *more)) | st.text(min_size=1, max_size=9))
    payload = data.draw(payloads) | {"hook_event_name": event}
    if event.strip():
        check(name, payload)
    else:
        with pytest.raises(InvalidInput):
            read(name, payload)


@pytest.mark.parametrize("name", RECORDED)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_real_payload_with_anything_in_a_field_becomes_entries(
    name: AgentName, data: st.DataObject
) -> None:
    payload = data.draw(st.sampled_from(recorded(name)))
    path = data.draw(st.sampled_from(list(_paths(payload))))
    if path != ("hook_event_name",):
        check(name, _put(payload, path, data.draw(values)))


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Any:
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for name, part in pairs:
        yield (*above, name)
        yield from _paths(part, (*above, name))


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _put(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("payload", [None, [], "text", 3, True, {}, {"hook_event_name": 1}])
def test_what_is_no_payload_is_refused(name: AgentName, payload: Any) -> None:
    with pytest.raises(InvalidInput, match=name) as caught:
        read(name, payload)
    assert "kept" in caught.value.meaning


@pytest.mark.parametrize("name", AGENTS)
def test_an_event_of_next_week_is_kept_whole(name: AgentName) -> None:
    payload = {"hook_event_name": "Unheard", "session_id": "s", "deep": {"a": [1, None]}}
    [draft] = drafts(name, payload)
    assert (draft.type, draft.data["event"], draft.data["payload"]) == (
        "hook_fired",
        "Unheard",
        payload,
    )


@pytest.mark.parametrize("name", AGENTS)
def test_a_payload_nested_too_deeply_is_refused_and_not_fatal(name: AgentName) -> None:
    deep: Any = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InvalidInput, match="nested too deeply"):
        read(name, {"hook_event_name": FIRED[name], "x": deep})


@pytest.mark.parametrize("name", AGENTS)
def test_a_huge_value_goes_to_the_vault(name: AgentName) -> None:
    payload = {"hook_event_name": FIRED[name], "session_id": "s", "text": "x" * 2_000_000}
    assert admit(drafts(name, payload)) == 1


@pytest.mark.parametrize("session", ["a\nb", " a", "x" * 500, "\ud800", "é"])
def test_a_session_that_is_no_name_gets_one(session: str) -> None:
    [draft] = drafts("claude-code", {"hook_event_name": "Setup", "session_id": session})
    other = drafts("claude-code", {"hook_event_name": "Setup", "session_id": session + "x"})
    assert draft.session_id is not None
    assert draft.session_id != other[0].session_id
    assert admit([draft]) == 1


@pytest.mark.parametrize("name", AGENTS)
def test_nothing_of_a_payload_chooses_what_only_we_may_say(name: AgentName) -> None:
    payload = {
        "hook_event_name": agent(name).EVENTS[0],
        "session_id": "s",
        "parent": "forged",
        "holder": {"pid": 1, "started": "x"},
        "agent": "forged",
        "at": "forged",
        "grounds": {"cited": 9},
    }
    for draft in drafts(name, payload):
        assert {"parent", "holder", "grounds"}.isdisjoint(draft.data)
        assert draft.data["agent"] == name
        assert draft.data["at"] != "forged"


@pytest.mark.parametrize("name", RECORDED)
def test_reading_is_the_same_every_time(name: AgentName) -> None:
    for payload in recorded(name):
        copy = json.loads(json.dumps(payload))
        assert read(name, payload) == read(name, copy)
        later = drafts(name, copy, AT_US + 1)
        assert [one.id for one in drafts(name, payload)] == [one.id for one in later]
