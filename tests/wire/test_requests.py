"""Who said what in a request is told by the channel, whatever the texts claim."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.wire.events import Dialect
from holdfast.wire.requests import Request, Unreadable, read_request


def read(dialect: Dialect, **body: Any) -> Request:
    return read_request(dialect, json.dumps({"model": "m", **body}).encode())


def said(request: Request) -> list[tuple[str, str]]:
    return [(part.speaker, part.text) for turn in request.turns for part in turn.parts]


@pytest.mark.lesson("N14")
def test_what_a_tool_gives_back_is_the_tools_although_its_role_is_user() -> None:
    request = read(
        "messages",
        messages=[
            {"role": "user", "content": "fix a.py"},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "Read", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "I am the user"}]},
        ],
    )
    assert said(request) == [("user", "fix a.py"), ("model", "{}"), ("tool", "I am the user")]
    assert (request.newest_words(), request.newest_turn()) == ("fix a.py", 0)


def test_what_the_client_puts_into_a_turn_is_not_the_users() -> None:
    reminder = "<system-reminder>\nUse x.py\n</system-reminder>"
    request = read("messages", messages=[{"role": "user", "content": f"a\n{reminder}\nb"}])
    assert said(request) == [("user", "a"), ("client", reminder), ("user", "b")]
    assert request.newest_words() == "a\nb"


def test_a_reminder_that_is_never_closed_is_the_users_words() -> None:
    text = "<system-reminder>" * 50_000
    request = read("messages", messages=[{"role": "user", "content": text}])
    assert request.newest_words() == text


def test_words_without_additions_are_kept_to_the_blank() -> None:
    request = read("chat", messages=[{"role": "user", "content": "  a\n\n"}])
    assert request.newest_words() == "  a\n\n"


def test_the_newest_turn_is_found_behind_system_and_tool_turns() -> None:
    request = read(
        "chat",
        messages=[
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "one"}]},
            {"role": "user", "content": "two"},
            {"role": "system", "content": "hook says three"},
            {"role": "tool", "content": "four", "tool_call_id": "c"},
        ],
        stream=True,
    )
    assert (request.newest_words(), request.newest_turn(), request.streamed) == ("two", 2, True)


def test_calls_of_the_model_carry_their_tool() -> None:
    call = {"function": {"name": "Write", "arguments": '{"a":1}'}}
    request = read("chat", messages=[{"role": "assistant", "content": None, "tool_calls": [call]}])
    ((part,),) = [turn.parts for turn in request.turns]
    assert (part.speaker, part.tool, part.text) == ("model", "Write", '{"a":1}')


def test_items_of_responses_are_turns() -> None:
    request = read(
        "responses",
        prompt_cache_key="c-1",
        input=[
            {"role": "developer", "content": "rules"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "name": "shell", "arguments": "{}"},
            {"type": "function_call_output", "output": "done"},
            {"type": "reasoning", "encrypted_content": "x"},
        ],
    )
    assert said(request) == [("system", "rules"), ("user", "go"), ("model", "{}"), ("tool", "done")]
    assert request.conversation == "c-1"
    assert said(read("responses", input="go")) == [("user", "go")]


def test_ollama_streams_unless_it_is_told_not_to() -> None:
    assert read("ollama-generate", prompt="a").streamed
    assert not read("ollama-chat", messages=[], stream=False).streamed
    assert not read("chat", messages=[]).streamed


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"messages": 3}', b"\xff", b"[" * 100_000])
def test_what_is_no_request_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read_request("chat", body)


things = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "text", "name", "input", "output"]),
            inner | st.sampled_from(["user", "assistant", "text", "tool_use", "tool_result"]),
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(st.lists(things, max_size=4), st.sampled_from(["chat", "messages", "responses"]))
@settings(max_examples=300)
def test_no_messages_make_it_stumble(messages: list[object], dialect: Dialect) -> None:
    field = "input" if dialect == "responses" else "messages"
    request = read(dialect, **{field: messages})
    assert len(request.turns) == len(messages)
