"""Server-sent events, cut anywhere: `feed(bytes)` returns the events that are whole.

As the WHATWG specification has it (any line end, byte order mark, comments, several lines of data),
with two differences. Bytes are not decoded: JSON readers do that. An event that was not ended by a
blank line when the stream ends is returned by `finish`, because part of an answer is better kept.
"""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.kernel.limits import WIRE_EVENT_BYTES_MAX

_MARK: Final = b"\xef\xbb\xbf"


class ServerEvent(msgspec.Struct, frozen=True):
    """One event: its name, empty where it has none, and its data."""

    name: bytes
    data: bytes


class EventParser:
    """Finds events in a stream of bytes. Work and memory grow with the bytes, not faster."""

    def __init__(self, *, event_bytes_max: int = WIRE_EVENT_BYTES_MAX) -> None:
        self.dropped = 0
        """Events that were larger than what is kept."""
        self._event_bytes_max = event_bytes_max
        self._line: list[bytes] = []
        self._held = 0
        """Bytes of the event so far."""
        self._name = b""
        self._data: list[bytes] = []
        self._too_large = False
        self._after_cr = False
        self._at_start = True

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Take some bytes; return the events that they make whole."""
        if not chunk:
            return []
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        first, *others = chunk.split(b"\n")
        self._hold(first)
        events: list[ServerEvent] = []
        for piece in others:
            line = b"".join(self._line)
            self._line.clear()
            self._take_line(line, events)
            self._hold(piece)
        return events

    def finish(self) -> list[ServerEvent]:
        """Return what the stream ended in the middle of."""
        events: list[ServerEvent] = []
        line = b"".join(self._line)
        self._line.clear()
        if line:
            self._take_line(line, events)
        self._take_line(b"", events)
        return events

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        self._held += len(piece)
        if self._held > self._event_bytes_max:
            self._too_large = True
            self._line.clear()
            self._data.clear()
        if not self._too_large:
            self._line.append(piece)
        elif not self._line:
            self._line.append(b":")  # a line it is all the same: only a blank one ends an event

    def _take_line(self, line: bytes, events: list[ServerEvent]) -> None:
        if self._at_start:
            line = line.removeprefix(_MARK)
            self._at_start = False
        if not line:
            self._end_event(events)
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value

    def _end_event(self, events: list[ServerEvent]) -> None:
        if self._too_large:
            self.dropped += 1
        elif self._data:
            events.append(ServerEvent(self._name, b"\n".join(self._data)))
        self._name, self._data, self._held, self._too_large = b"", [], 0, False


class LineParser:
    """Finds lines that each hold a JSON value, as some servers stream them."""

    def __init__(self, *, event_bytes_max: int = WIRE_EVENT_BYTES_MAX) -> None:
        self.dropped = 0
        self._event_bytes_max = event_bytes_max
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Take some bytes; return the lines that they make whole."""
        first, *others = chunk.split(b"\n")
        self._hold(first)
        events: list[ServerEvent] = []
        for piece in others:
            self._end_line(events)
            self._hold(piece)
        return events

    def finish(self) -> list[ServerEvent]:
        """Return the last line, if nothing ended it."""
        events: list[ServerEvent] = []
        self._end_line(events)
        return events

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held > self._event_bytes_max:
            self._parts.clear()
        elif piece:
            self._parts.append(piece)

    def _end_line(self, events: list[ServerEvent]) -> None:
        line = b"".join(self._parts).strip()
        if self._held > self._event_bytes_max:
            self.dropped += 1
        elif line:
            events.append(ServerEvent(b"", line))
        self._parts, self._held = [], 0
