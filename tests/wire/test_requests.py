"""Who said what in a request is told by the channel, whatever the texts claim."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.wire import requests
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Part, Request, Turn, Unreadable, read_request
from holdfast.wire.texts import text_of


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


@pytest.mark.lesson("N14")
def test_parts_behind_the_head_of_a_result_are_not_the_users() -> None:
    def heard(head: str) -> list[tuple[str, str]]:
        parts = [{"type": "text", "text": head}, {"type": "text", "text": "a.py\n```\nx\n```\n"}]
        return said(read("messages", messages=[{"role": "user", "content": parts}]))

    assert {who for who, _ in heard("[read_file for 'README.md'] Result:")} == {"client"}
    assert {who for who, _ in heard("[ask_followup_question for 'x'] Result:")} == {"user"}


def test_a_tag_in_a_line_that_is_never_closed_is_the_users_words() -> None:
    text = "What is a " + "<system-reminder>" * 50_000
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


def test_a_call_and_what_comes_back_have_the_same_name_in_every_dialect() -> None:
    use = {"type": "tool_use", "id": "c1", "name": "Edit", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}
    requests = [
        read(
            "messages",
            messages=[
                {"role": "assistant", "content": [use]},
                {"role": "user", "content": [result]},
            ],
        ),
        read(
            "chat",
            messages=[
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "c1", "function": {"name": "e", "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "no"},
            ],
        ),
        read(
            "responses",
            input=[
                {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "x"},
                {"type": "custom_tool_call_output", "call_id": "c1", "output": "no"},
            ],
        ),
        read(
            "responses",
            input=[
                {"type": "apply_patch_call", "call_id": "c1", "operation": {}},
                {"type": "apply_patch_call_output", "call_id": "c1", "output": "no",
                 "status": "failed"},
            ],
        ),
    ]  # fmt: skip
    for request in requests:
        ((call,), (back,)) = [turn.parts for turn in request.turns]
        assert (call.speaker, call.call, back.speaker, back.call) == ("model", "c1", "tool", "c1")
    assert [request.turns[1].parts[0].failed for request in requests] == [True, False, False, True]


def test_names_of_calls_that_are_no_texts_are_none() -> None:
    result = {"type": "tool_result", "tool_use_id": 3, "content": "x", "is_error": "yes"}
    request = read("messages", messages=[{"role": "user", "content": [result]}])
    part = request.turns[0].parts[0]
    assert (part.call, part.failed) == (None, False)


def test_what_stands_before_the_turns_is_kept_apart() -> None:
    assert read("messages", system=[{"type": "text", "text": "a"}], messages=[]).system == "a"
    assert read("responses", instructions="b", input=[]).system == "b"
    assert read("chat", messages=[]).system == ""


def test_items_of_responses_are_turns() -> None:
    request = read(
        "responses",
        input=[
            {"role": "developer", "content": "rules"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "function_call", "name": "shell", "arguments": "{}"},
            {"type": "function_call_output", "output": "done"},
            {"type": "reasoning", "encrypted_content": "x"},
        ],
    )
    assert said(request) == [("system", "rules"), ("user", "go"), ("model", "{}"), ("tool", "done")]
    assert said(read("responses", input="go")) == [("user", "go")]


@pytest.mark.parametrize(
    ("user", "conversation"),
    [
        ('{"device_id":"d","account_uuid":"","session_id":"e8a4e6fb-3539"}', "e8a4e6fb-3539"),
        ("user_0a_account__session_e8a4e6fb-3539", "e8a4e6fb-3539"),
        ("somebody@example.org", None),
        ("", None),
    ],
)
def test_a_user_is_no_conversation_but_a_session_is(user: str, conversation: str | None) -> None:
    request = read("messages", messages=[], metadata={"user_id": user})
    assert request.conversation == conversation


def test_a_key_of_a_cache_is_no_conversation() -> None:
    assert read("responses", input="go", prompt_cache_key="all-of-us").conversation is None


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


# Without the short cuts for what most messages are


def parts_by_patterns(message: dict[str, Any]) -> Iterator[Part]:
    """Read a message with nothing but patterns."""
    match message:
        case {"role": "user", "content": content}:
            yield from requests._users(content)
        case {"role": "assistant"}:
            yield from requests._models({**message, "tool_calls": None})
            yield from calls_by_patterns(message.get("tool_calls"))
        case {"role": "tool" | "function", "content": content}:
            yield Part("tool", text_of(content), call=requests._name(message.get("tool_call_id")))
        case {"role": "system" | "developer", "content": content}:
            yield Part("system", text_of(content))
        case {"type": "function_call" | "custom_tool_call", "name": str(name)}:
            text = text_of(message.get("arguments", message.get("input")))
            yield Part("model", text, name, requests._name(message.get("call_id")))
        case {"type": "apply_patch_call" | "shell_call" | "local_shell_call" as name}:
            spelled = msgspec.json.encode(message).decode()
            yield Part("model", spelled, name, requests._name(message.get("call_id")))
        case {"output": output}:
            call, failed = requests._name(message.get("call_id")), message.get("status") == "failed"
            yield Part("tool", text_of(output), call=call, failed=failed)
        case _:
            pass


def calls_by_patterns(calls: Any) -> Iterator[Part]:
    for call in calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ():
        match call:
            case {"function": {"name": str(name), "arguments": arguments}}:
                yield Part("model", text_of(arguments), name, requests._name(call.get("id")))
            case {"custom": {"name": str(name), "input": str(text)}}:
                yield Part("model", text, name, requests._name(call.get("id")))
            case _:
                pass


def mark_of(turn: Turn) -> bytes | None:
    """Return the mark of a turn, worked out anew."""
    said = [
        (part.speaker, part.tool or "", part.text.strip())
        for part in turn.parts
        if part.speaker in ("user", "model", "tool")
    ]
    if said:
        return sha256(msgspec.json.encode(said)).digest()[:8]
    return None if turn.parts else sha256(turn.raw).digest()[:8]


def spelled_otherwise(names: list[object]) -> st.SearchStrategy[object]:
    return st.sampled_from(names) | things


odd_calls = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "id": spelled_otherwise(["c1", ""]),
            "function": spelled_otherwise([{"name": "Read", "arguments": "{}"}, {"name": 3}]),
            "custom": spelled_otherwise([{"name": "patch", "input": "x"}, {"name": "patch"}]),
        },
    )
    | things,
    max_size=3,
)
odd_contents: list[object] = [
    None,
    "",
    "  hello ",
    "<system-reminder>\nx\n</system-reminder>",
    "go on\n<system-reminder>\nx\n</system-reminder>",
    [{"type": "text", "text": "a"}, {"type": "tool_result", "content": "b", "tool_use_id": "c1"}],
    [{"type": "tool_use", "id": "c1", "name": "Read", "input": {}}, {"type": "thinking"}],
]
roles: list[object] = ["user", "assistant", "tool", "function", "system", "developer", "User", None]
odd_messages = st.fixed_dictionaries(
    {},
    optional={
        "role": spelled_otherwise([*roles, ["user"], {"user": 1}]),
        "content": spelled_otherwise(odd_contents),
        "type": spelled_otherwise(["function_call", "shell_call", "message", "reasoning"]),
        "name": spelled_otherwise(["shell"]),
        "tool_calls": odd_calls | spelled_otherwise([None, "abc", {"function": {}}]),
        "output": spelled_otherwise(["done"]),
        "status": spelled_otherwise(["failed"]),
        "call_id": spelled_otherwise(["c1"]),
        "tool_call_id": spelled_otherwise(["c1"]),
    },
)


@given(odd_messages)
@settings(max_examples=400)
@example({"role": "user", "type": "function_call", "name": "shell", "arguments": "{}"})
@example({"role": "tool", "output": "done"})
@example({"role": ["user"], "content": "hello", "output": "done"})
@example({"role": "assistant", "type": "function_call", "name": "shell"})
@example({"role": "assistant", "content": None, "tool_calls": "abc"})
@example({"role": "system", "content": None})
@example({"role": "user", "content": None})
def test_short_cuts_read_odd_messages_as_patterns_do(message: dict[str, Any]) -> None:
    see_same(message)


@pytest.mark.parametrize("role", roles)
@pytest.mark.parametrize("content", odd_contents)
def test_short_cuts_read_a_message_as_patterns_do(role: object, content: object) -> None:
    see_same({"role": role, "content": content, "tool_call_id": "c1", "output": "done"})


def see_same(message: dict[str, Any]) -> None:
    """Read a message in both ways."""
    (turn,) = read("chat", messages=[message]).turns
    assert turn.parts == tuple(parts_by_patterns(json.loads(turn.raw)))
    assert turn.mark == mark_of(turn)
    assert turn.aside == any(part.speaker in ("client", "system") for part in turn.parts)
