"""OpenAI's responses, streamed and not.

Of a stream, items are read when they are done: that event has them whole. The pieces of an item
that was cut off before are kept until then, so that what came is not lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.wire.events import Call, End, Event, Failure, Unread, Usage, Words
from holdfast.wire.texts import text_of


class _Counted(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None


class _Response(msgspec.Struct):
    output: list[dict[str, Any]] = []
    usage: _Counted | None = None
    status: str | None = None
    error: Any = None
    incomplete_details: Any = None


class _Event(msgspec.Struct):
    type: str = ""
    output_index: int = 0
    delta: Any = None
    item: dict[str, Any] | None = None
    response: _Response | None = None
    message: str | None = None
    error: Any = None


_EVENT: Final = msgspec.json.Decoder(_Event)
_BODY: Final = msgspec.json.Decoder(_Response)
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class Pieces:
    """Reads the events of one stream; keeps the pieces of items that are not done yet."""

    def __init__(self) -> None:
        self._open: dict[str, list[Event]] = {}

    def read_chunk(self, _name: bytes, data: bytes) -> Iterator[Event]:
        """Yield what one event of a stream says."""
        try:
            event = _EVENT.decode(data)
        except _UNREADABLE as problem:
            yield Unread(str(problem))
            return
        key = f"{event.output_index}"
        if event.type == "response.output_item.done" and event.item is not None:
            self._open.pop(key, None)
            yield from _item(key, event.item)
        elif event.type in _ENDS and event.response is not None:
            yield from _ending(event.response)
        elif event.type == "error":
            yield Failure(event.message or text_of(event.error))
        elif event.type == "response.output_item.added" and event.item is not None:
            name = event.item.get("name")
            self._open[key] = [Call(key, name, "")] if isinstance(name, str) else []
        elif isinstance(event.delta, str):
            self._keep(key, event.type, event.delta)

    def finish(self) -> Iterator[Event]:
        """Yield what came of items that were cut off."""
        for events in self._open.values():
            yield from events
        self._open.clear()

    def _keep(self, key: str, kind: str, text: str) -> None:
        events = self._open.setdefault(key, [])
        match kind:
            case "response.output_text.delta" | "response.refusal.delta":
                events.append(Words(key, text))
            case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
                events.append(Call(key, "", text))
            case _:
                pass  # summaries of thinking, sound: nothing that defines code


def read_body(data: bytes) -> Iterator[Event]:
    """Yield what a whole answer says."""
    try:
        body = _BODY.decode(data)
    except _UNREADABLE as problem:
        yield Unread(str(problem))
        return
    for index, item in enumerate(body.output):
        yield from _item(f"{index}", item)
    yield from _ending(body)


def _ending(response: _Response) -> Iterator[Event]:
    if response.usage is not None:
        yield Usage(response.usage.input_tokens, response.usage.output_tokens)
    if response.error is not None:
        yield Failure(text_of(response.error))
    if response.status == "completed":
        yield End("completed")
    elif response.status == "incomplete":
        match response.incomplete_details:
            case {"reason": str(reason)}:
                yield End(reason)
            case _:
                yield End("incomplete")


def _item(key: str, item: dict[str, Any]) -> Iterator[Event]:
    match item:
        case {"type": "message", "content": list(content)}:
            for part in content:
                if text := _said(part):
                    yield Words(key, text)
        case {"type": "function_call", "name": str(name), "arguments": str(arguments)}:
            yield Call(key, name, arguments, _id(item))
        case {"type": "custom_tool_call", "name": str(name), "input": str(text)}:
            yield Call(key, name, text, _id(item))
        case {"type": "apply_patch_call" | "shell_call" | "local_shell_call" as name}:
            yield Call(key, name, msgspec.json.encode(item).decode(), _id(item))
        case _:
            pass  # reasoning is sealed, searches and the like define no code


def _id(item: dict[str, Any]) -> str:
    call = item.get("call_id")
    return call if isinstance(call, str) else ""


def _said(part: Any) -> str:
    match part:
        case {"text": str(text)} | {"refusal": str(text)}:
            return text
        case _:
            return ""
