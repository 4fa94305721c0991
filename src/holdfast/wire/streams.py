"""An answer's bytes as they arrive, in any dialect: events out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from holdfast.kernel.limits import WIRE_ANSWER_BYTES_MAX
from holdfast.wire import chat, messages, ollama, responses
from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect, Event, Unread
from holdfast.wire.runs import joined
from holdfast.wire.sse import EventParser, LineParser

_Read: TypeAlias = Callable[[bytes, bytes], Iterator[Event]]


def _nothing() -> Iterable[Event]:
    return ()


class Streamed:
    """A streamed answer."""

    def __init__(
        self,
        parser: EventParser | LineParser,
        read: _Read,
        rest: Callable[[], Iterable[Event]] = _nothing,
    ) -> None:
        self._parser = parser
        self._read = read
        self._rest = rest
        self._dropped = 0

    def feed(self, chunk: bytes) -> list[Event]:
        """Take some bytes; return what they make whole."""
        found = [
            event for one in self._parser.feed(chunk) for event in self._read(one.name, one.data)
        ]
        return found + self._lost()

    def finish(self) -> list[Event]:
        """Return what was left when the connection ended."""
        found = [event for one in self._parser.finish() for event in self._read(one.name, one.data)]
        return [*found, *self._lost(), *self._rest()]

    def _lost(self) -> list[Event]:
        lost, self._dropped = self._parser.dropped - self._dropped, self._parser.dropped
        return [Unread("larger than what is kept")] * lost


class Whole:
    """An answer that comes in one piece, however its bytes are cut."""

    def __init__(
        self,
        read: Callable[[bytes], Iterator[Event]],
        *,
        bytes_max: int = WIRE_ANSWER_BYTES_MAX,
    ) -> None:
        self._read = read
        self._parts: list[bytes] = []
        self._room = bytes_max

    def feed(self, chunk: bytes) -> list[Event]:
        """Take some bytes; nothing is whole before the end."""
        self._room -= len(chunk)
        if self._room < 0:
            self._parts.clear()
        else:
            self._parts.append(chunk)
        return []

    def finish(self) -> list[Event]:
        """Return what the answer says."""
        if self._room < 0:
            return [Unread("larger than what is kept")]
        return list(self._read(b"".join(self._parts)))


def read_answer(dialect: Dialect, content: bytes, *, streamed: bool) -> Answer:
    """Return what all the bytes of an answer say."""
    if streamed and (read := _ALONE.get(dialect)) is not None:
        content = joined(content, read)
    answer, stream = Answer(), answer_stream(dialect, streamed=streamed)
    for event in (*stream.feed(content), *stream.finish()):
        answer.take(event)
    return answer


_ALONE: Final[dict[Dialect, _Read]] = {
    "chat": chat.read_chunk,
    "messages": messages.read_chunk,
}
"""Dialects whose events are read each by itself."""


def answer_stream(dialect: Dialect, *, streamed: bool) -> Streamed | Whole:
    """Return a reader for one answer."""
    match dialect:
        case "chat" | "completions":
            if streamed:
                return Streamed(EventParser(), chat.read_chunk)
            return Whole(chat.read_body)
        case "messages":
            if streamed:
                return Streamed(EventParser(), messages.read_chunk)
            return Whole(messages.read_body)
        case "responses":
            pieces = responses.Pieces()
            if streamed:
                return Streamed(EventParser(), pieces.read_chunk, pieces.finish)
            return Whole(responses.read_body)
        case "ollama-chat" | "ollama-generate":
            lines = ollama.Lines()
            if streamed:
                return Streamed(LineParser(), lines.read_chunk)
            return Whole(lambda body: lines.read_chunk(b"", body))
