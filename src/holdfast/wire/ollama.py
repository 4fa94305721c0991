"""Ollama's own chat and generate, streamed line by line and not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.wire.events import Call, End, Event, Failure, Unread, Usage, Words


class _Function(msgspec.Struct):
    name: str = ""
    arguments: Any = None


class _ToolCall(msgspec.Struct):
    function: _Function | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Line(msgspec.Struct):
    message: _Message | None = None
    response: str | None = None
    thinking: str | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    error: str | None = None


_DECODER: Final = msgspec.json.Decoder(_Line)


class Lines:
    """Reads the lines of one stream; calls come whole, each with a place of its own."""

    def __init__(self) -> None:
        self._calls = 0

    def read_chunk(self, _name: bytes, data: bytes) -> Iterator[Event]:
        """Yield what one line says; a whole answer is one line as well."""
        try:
            line = _DECODER.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            yield Unread(str(problem))
            return
        if line.error is not None:
            yield Failure(line.error)
        message = line.message or _Message()
        if thought := message.thinking or line.thinking:
            yield Words("thought", thought, hidden=True)
        if text := message.content or line.response:
            yield Words("text", text)
        for call in message.tool_calls or ():
            if call.function is not None:
                spelled = msgspec.json.encode(call.function.arguments).decode()
                yield Call(f"call {self._calls}", call.function.name, spelled)
                self._calls += 1
        if line.done:
            yield Usage(line.prompt_eval_count, line.eval_count)
            yield End(line.done_reason)
