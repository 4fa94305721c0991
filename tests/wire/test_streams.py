"""Answers are the same however their bytes are cut, and nothing that is sent makes it raise."""

from __future__ import annotations

import json
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect, Usage
from holdfast.wire.sse import EventParser, LineParser
from tests.wire.dialogues import ARGUMENTS, BODIES, CODE, STREAMS, heard, sse

DIALECTS = [cast(Dialect, name) for name in STREAMS]


def told(answer: Answer) -> tuple[object, ...]:
    calls = [(one.name, json.loads(one.text)) for one in answer.blocks if one.name is not None]
    thoughts = [one.text for one in answer.blocks if one.hidden]
    return answer.text, calls, thoughts, answer.usage, answer.whole


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_says_what_was_sent(dialect: Dialect) -> None:
    answer = heard(dialect, [STREAMS[dialect]()])
    assert answer.text == CODE
    (call,) = [one for one in answer.blocks if one.name is not None]
    assert (call.name, json.loads(call.text)) == ("Write", json.loads(ARGUMENTS))
    assert answer.usage == Usage(11, 7)
    assert answer.whole


def test_the_reason_of_an_end_outlives_the_mark_behind_it() -> None:
    ended = heard("chat", [STREAMS["chat"]()]).ended
    assert ended is not None
    assert ended.reason == "tool_calls"


@pytest.mark.req("T19")
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_cut_into_two_gives_the_same(dialect: Dialect, end: str) -> None:
    stream = STREAMS[dialect](end)
    whole = told(heard(dialect, [stream]))
    for at in range(len(stream) + 1):
        assert told(heard(dialect, [stream[:at], stream[at:]])) == whole


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_byte_by_byte_gives_the_same(dialect: Dialect, end: str) -> None:
    stream = STREAMS[dialect](end)
    pieces = [stream[at : at + 1] for at in range(len(stream))]
    assert told(heard(dialect, pieces)) == told(heard(dialect, [stream]))


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses"])
def test_an_answer_in_one_piece_says_the_same(dialect: Dialect) -> None:
    streamed = heard(dialect, [STREAMS[dialect]()])
    whole = heard(dialect, [BODIES[dialect]()], streamed=False)
    assert (whole.text, whole.usage, whole.whole) == (streamed.text, streamed.usage, True)
    assert told(whole)[1] == told(streamed)[1]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_came_before_a_cut_is_kept_and_is_not_whole(dialect: Dialect) -> None:
    stream = STREAMS[dialect]()
    half = stream[: stream.index(b"dd(a,") + 40]
    answer = heard(dialect, [half])
    assert not answer.whole
    assert answer.text
    assert CODE.startswith(answer.text)


def test_an_error_in_the_middle_of_a_stream_is_told() -> None:
    broken = sse({"type": "error", "error": {"message": "overloaded"}}, named=True)
    answer = heard("messages", [broken])
    assert (answer.failures, answer.whole) == (["overloaded"], False)


def test_what_is_too_large_is_dropped_and_counted_and_the_rest_is_read() -> None:
    parser = EventParser(event_bytes_max=100)
    events = parser.feed(b"data: " + b"x" * 99 + b"\n\ndata: ok\n\n")
    assert [event.data for event in events] == [b"ok"]
    assert parser.dropped == 1
    lines = LineParser(event_bytes_max=100)
    assert [one.data for one in lines.feed(b"x" * 101 + b"\nok\n")] == [b"ok"]
    assert lines.dropped == 1


def test_a_dropped_event_ends_at_its_blank_line_only() -> None:
    parser = EventParser(event_bytes_max=20)
    stream = b"data: " + b"x" * 30 + b"\ndata: more\n\ndata: ok\n\n"
    found = [one.data for at in range(len(stream)) for one in parser.feed(stream[at : at + 1])]
    assert (found, parser.dropped) == ([b"ok"], 1)


def test_comments_marks_and_several_lines_of_data_are_read_as_specified() -> None:
    parser = EventParser()
    stream = b"\xef\xbb\xbf: hello\nid: 4\nevent: a\ndata: 1\ndata:2\ndata\n\nretry: 5\n\ndata: 3"
    assert [(one.name, one.data) for one in parser.feed(stream)] == [(b"a", b"1\n2\n")]
    assert [(one.name, one.data) for one in parser.finish()] == [(b"", b"3")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_line_end_that_is_cut_in_two_is_one_line_end(end: bytes) -> None:
    stream = end.join([b"event: a", b"data: 1", b"data: 2", b"", b"data: 3", b"", b""])
    for at in range(len(stream) + 1):
        parser = EventParser()
        found = parser.feed(stream[:at]) + parser.feed(stream[at:]) + parser.finish()
        assert [(one.name, one.data) for one in found] == [(b"a", b"1\n2"), (b"", b"3")]


@given(st.lists(st.binary(max_size=60), max_size=8), st.sampled_from(DIALECTS))
@settings(max_examples=200)
def test_no_bytes_make_it_raise(chunks: list[bytes], dialect: Dialect) -> None:
    heard(dialect, chunks)
    heard(dialect, chunks, streamed=False)


FIELDS = ["type", "delta", "content", "text", "message", "choices", "index", "usage", "error",
          "output", "item", "name", "input", "function", "arguments", "tool_calls", "response",
          "done", "content_block"]  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=4), st.sampled_from(DIALECTS))
@settings(max_examples=300)
def test_no_json_makes_it_raise(values: list[object], dialect: Dialect) -> None:
    spelled = [json.dumps(value).encode() for value in values]
    heard(dialect, [b"data: " + one + b"\n\n" for one in spelled])
    heard(dialect, [one + b"\n" for one in spelled])
    for one in spelled:
        heard(dialect, [one], streamed=False)


def test_many_small_chunks_of_one_event_take_linear_time() -> None:
    parser = EventParser()
    for _ in range(20_000):
        assert parser.feed(b"x" * 50) == []
    assert parser.feed(b"\n\n") == []  # a field that nobody knows


@pytest.mark.parametrize("dialect", ["chat", "messages"])
def test_the_name_of_a_call_is_kept(dialect: Dialect) -> None:
    names = {"chat": "c1", "messages": "t1"}
    for streamed, content in ((True, STREAMS[dialect]()), (False, BODIES[dialect]())):
        answer = heard(dialect, [content], streamed=streamed)
        assert [one.call for one in answer.blocks if one.name] == [names[dialect]]
        assert not [one.call for one in answer.blocks if one.name is None and one.call]


def test_the_name_of_a_call_of_responses_is_kept() -> None:
    item = {"type": "function_call", "call_id": "c7", "name": "f", "arguments": "{}"}
    answer = heard("responses", [json.dumps({"output": [item]}).encode()], streamed=False)
    assert [(one.name, one.call) for one in answer.blocks] == [("f", "c7")]


def test_names_of_calls_that_are_no_texts_do_not_spoil_the_answer() -> None:
    call = {"index": 0, "id": 7, "function": {"name": "f", "arguments": "{}"}}
    body = {"choices": [{"message": {"tool_calls": [call]}}]}
    answer = heard("chat", [json.dumps(body).encode()], streamed=False)
    assert [(one.name, one.call) for one in answer.blocks] == [("f", None)]
    assert answer.unread == 0
