"""Anthropic's messages, streamed and not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.wire.events import Call, End, Event, Failure, Unread, Usage, Words
from holdfast.wire.texts import text_of


class _Counted(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Content(msgspec.Struct):
    """A block, or the piece of one that an event brings."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: Any = None
    name: str | None = None
    input: Any = None
    partial_json: str | None = None
    content: Any = None
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    content: list[_Content] = []
    usage: _Counted | None = None
    stop_reason: str | None = None
    type: str = ""
    error: Any = None


class _Event(msgspec.Struct):
    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Content | None = None
    delta: _Content | None = None
    usage: _Counted | None = None
    error: Any = None


_EVENT: Final = msgspec.json.Decoder(_Event)
_BODY: Final = msgspec.json.Decoder(_Message)
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_chunk(_name: bytes, data: bytes) -> Iterator[Event]:
    """Yield what one event of a stream says."""
    try:
        event = _EVENT.decode(data)
    except _UNREADABLE as problem:
        yield Unread(str(problem))
        return
    block = f"{event.index}"
    match event.type:
        case "message_start":
            yield from _used(None if event.message is None else event.message.usage)
        case "content_block_start":
            yield from _begun(block, event.content_block)
        case "content_block_delta":
            yield from _piece(block, event.delta)
        case "message_delta":
            yield from _used(event.usage)
            if event.delta is not None and event.delta.stop_reason is not None:
                yield End(event.delta.stop_reason)
        case "error":
            yield Failure(text_of(event.error))
        case _:
            pass  # a ping, the end of a block, or news that we have no use for


def read_body(data: bytes) -> Iterator[Event]:
    """Yield what a whole answer says."""
    try:
        body = _BODY.decode(data)
    except _UNREADABLE as problem:
        yield Unread(str(problem))
        return
    if body.type == "error":
        yield Failure(text_of(body.error))
        return
    for index, content in enumerate(body.content):
        yield from _whole(f"{index}", content)
    yield from _used(body.usage)
    if body.stop_reason is not None:
        yield End(body.stop_reason)


def _begun(block: str, content: _Content | None) -> Iterator[Event]:
    """A block begins, most often empty: the input of a call comes in pieces."""
    if content is None:
        return
    if content.name is not None:
        filled = content.input not in (None, {})
        spelled = _spelled(content.input) if filled else ""
        yield Call(block, content.name, spelled, _id(content))
        return
    yield from _whole(block, content)


def _piece(block: str, delta: _Content | None) -> Iterator[Event]:
    if delta is None:
        return
    if delta.partial_json is not None:
        yield Call(block, "", delta.partial_json)
    if delta.text:
        yield Words(block, delta.text)
    if delta.thinking:
        yield Words(block, delta.thinking, hidden=True)
    if delta.type == "compaction_delta" and isinstance(delta.content, str):
        yield Words(block, delta.content, hidden=True)


def _whole(block: str, content: _Content) -> Iterator[Event]:
    if content.name is not None:
        yield Call(block, content.name, _spelled(content.input), _id(content))
    elif content.text:
        yield Words(block, content.text)
    elif content.thinking:
        yield Words(block, content.thinking, hidden=True)
    elif content.type == "compaction" and isinstance(content.content, str):
        yield Words(block, content.content, hidden=True)


def _id(content: _Content) -> str:
    return content.id if isinstance(content.id, str) else ""


def _spelled(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _used(usage: _Counted | None) -> Iterator[Event]:
    if usage is None:
        return
    parts = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    known = [part for part in parts if part is not None]
    yield Usage(sum(known) if known else None, usage.output_tokens)
