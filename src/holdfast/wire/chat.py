"""OpenAI's chat completions and its older completions, streamed and not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.wire.events import Call, End, Event, Failure, Unread, Usage, Words
from holdfast.wire.texts import text_of

DONE: Final = b"[DONE]"


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _ToolCall(msgspec.Struct):
    index: int | None = None
    id: Any = None
    function: _Function | None = None
    custom: Any = None


class _Message(msgspec.Struct):
    """A message, or the piece of one that a chunk brings."""

    content: Any = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: Any = None
    tool_calls: list[_ToolCall] | None = None
    function_call: _Function | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    delta: _Message | None = None
    message: _Message | None = None
    text: str | None = None
    finish_reason: str | None = None


class _Counted(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Body(msgspec.Struct):
    choices: list[_Choice] = []
    usage: _Counted | None = None
    error: Any = None


_DECODER: Final = msgspec.json.Decoder(_Body)


def read_chunk(_name: bytes, data: bytes) -> Iterator[Event]:
    """Yield what one event of a stream says."""
    if data.strip() == DONE:
        yield End(None)
        return
    yield from _read(data, streamed=True)


def read_body(data: bytes) -> Iterator[Event]:
    """Yield what a whole answer says."""
    yield from _read(data, streamed=False)


def _read(data: bytes, *, streamed: bool) -> Iterator[Event]:
    try:
        body = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        yield Unread(str(problem))
        return
    if body.error is not None:
        yield Failure(text_of(body.error))
    for choice in body.choices:
        if choice.index != 0:
            continue  # clients go on with the first one; the others are kept by nobody
        yield from _choice(choice, streamed=streamed)
    if body.usage is not None:
        yield Usage(body.usage.prompt_tokens, body.usage.completion_tokens)


def _choice(choice: _Choice, *, streamed: bool) -> Iterator[Event]:
    at = f"{choice.index}"
    if choice.text:
        yield Words(f"{at} text", choice.text)
    message = choice.delta if streamed else choice.message
    if message is not None:
        yield from _message(at, message)
    if choice.finish_reason is not None:
        yield End(choice.finish_reason)


def _message(at: str, message: _Message) -> Iterator[Event]:
    thought = message.reasoning_content or text_of(message.reasoning)
    if thought:
        yield Words(f"{at} thought", thought, hidden=True)
    for text in (text_of(message.content), message.refusal or ""):
        if text:
            yield Words(f"{at} text", text)
    for place, call in enumerate(message.tool_calls or ()):
        index = place if call.index is None else call.index
        yield from _call(f"{at} call {index}", call)
    if message.function_call is not None:
        yield from _call(f"{at} function", _ToolCall(function=message.function_call))


def _call(key: str, call: _ToolCall) -> Iterator[Event]:
    name = call.id if isinstance(call.id, str) else ""
    match call.custom:
        case {"name": str(tool), "input": str(text)}:
            yield Call(key, tool, text, name)
        case {"input": str(text)}:
            yield Call(key, "", text, name)
        case _:
            pass
    if call.function is not None:
        yield Call(key, call.function.name or "", text_of(call.function.arguments), name)
