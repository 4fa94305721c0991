"""Events that are put together make the same answer as events that are read one by one."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.wire import chat, messages
from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect
from holdfast.wire.runs import joined
from holdfast.wire.streams import answer_stream, read_answer


def one_by_one(dialect: Dialect, content: bytes) -> Answer:
    answer, stream = Answer(), answer_stream(dialect, streamed=True)
    for event in (*stream.feed(content), *stream.finish()):
        answer.take(event)
    return answer


def said(answer: Answer) -> Any:
    blocks = [(block.name, block.text, block.hidden, block.call) for block in answer.blocks]
    ended = None if answer.ended is None else answer.ended.reason
    return blocks, answer.usage, ended, answer.failures, answer.unread, answer.cut


def of_chat(text: str, **others: Any) -> bytes:
    event = {"id": "1", "choices": [{"index": 0, "delta": {"content": text}, **others}]}
    return b"data: %b\n\n" % json.dumps(event, ensure_ascii=False).encode()


def of_messages(text: str) -> bytes:
    delta = {"type": "text_delta", "text": text}
    event = {"type": "content_block_delta", "index": 0, "delta": delta}
    return b"event: content_block_delta\ndata: %b\n\n" % msgspec.json.encode(event)


def test_a_run_of_events_becomes_one() -> None:
    content = b"".join(map(of_chat, ["He", "llo", " there"])) + b"data: [DONE]\n\n"
    assert joined(content, chat.read_chunk) == of_chat("Hello there") + b"data: [DONE]\n\n"
    content = b"".join(map(of_messages, ["He", "llo"]))
    assert joined(content, messages.read_chunk) == of_messages("Hello")


PIECES = st.lists(
    st.sampled_from(["a", "b c", "", 'q"', "\\", "\n", "é", "`", "data: ", '"}}]}'])
    | st.text(max_size=3)
)


@given(PIECES, st.sampled_from(["", "x"]))
def test_the_answer_is_the_same(pieces: list[str], reason: str) -> None:
    content = b"".join(map(of_chat, pieces))
    content += of_chat("end", finish_reason=reason or None) + b"data: [DONE]\n\n"
    assert said(read_answer("chat", content, streamed=True)) == said(one_by_one("chat", content))
    content = b"".join(map(of_messages, pieces))
    assert said(read_answer("messages", content, streamed=True)) == said(
        one_by_one("messages", content)
    )


TWO = b'data: {"choices":[{"delta":{"content":"%s"}},{"index":1,"delta":{"content":"same"}}]}\n\n'
FAILS = b'data: {"error":"no","choices":[{"delta":{"content":"%s"}}]}\n\n'
TWICE = b'data: {"choices":[{"delta":{"content":"%s"},"delta":{"content":"z"}}]}\n\n'
LINES = b'data: {"choices":\ndata: [{"delta":{"content":"%s"}}]}\n\n'
CUT = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n'
RETURNS = b'data: {"choices":[{"delta":{"content":"%s"}}]}\r\n\r\n'


@pytest.mark.parametrize("form", [TWO, FAILS, TWICE, LINES, CUT, RETURNS])
@pytest.mark.parametrize("texts", [(b"a", b"b", b"c"), (b"a", b"\xff", b"c"), (b"\xc3", b"\xa9")])
def test_events_that_say_more_are_left_as_they_are(form: bytes, texts: tuple[bytes, ...]) -> None:
    content = b"".join(form % text for text in texts)
    assert said(read_answer("chat", content, streamed=True)) == said(one_by_one("chat", content))
