"""Requests, read without reading again what was read before.

A client sends the whole history with each request, and most of its bytes are those of the request
before. Where the bytes up to the end of some turn are the same, what stands before is the same as
well, so only what is behind is read. Every answer is the one that `read_request` gives.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from typing import Final

import msgspec

from holdfast.kernel.limits import (
    WIRE_HISTORIES_BYTES_MAX,
    WIRE_HISTORIES_MAX,
    WIRE_HISTORIES_SILENT_MAX,
)
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Request, Turn, read_request

_FIELDS: Final[dict[Dialect, bytes]] = {
    "chat": b'"messages"',
    "messages": b'"messages"',
    "ollama-chat": b'"messages"',
    "responses": b'"input"',
}
_SPACE: Final = b" \t\r\n"
_BETWEEN: Final = b" \t\r\n,"
_TRIED: Final = 2
_CHANGED: Final = 2
"""Turns at the end that a client may send changed, because it moved its marks about caching."""
_SHORT: Final = 48
"""A history is looked for by the bytes at the end of its second turn: system text, first words."""
_UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _History(msgspec.Struct, frozen=True):
    """The turns of a request, and where in its bytes they stand."""

    number: int
    dialect: Dialect
    body: bytes
    start: int
    """Where the first turn begins."""
    ends: tuple[int, ...]
    """Where each turn ends."""
    turns: tuple[Turn, ...]
    tried: int
    """Where the bytes end by which it is looked for."""

    def common(self, body: bytes) -> int:
        """Return how many turns stand in the same bytes at the same place in another request."""
        own = memoryview(self.body)  # parts of it are compared, not copied
        if not body.startswith(own[: self.tried]):
            return 0
        if body.startswith(own[: self.ends[-1]]):
            return len(self.ends)
        # What begins with n turns begins with fewer as well.
        return bisect_left(self.ends, 1, key=lambda end: not body.startswith(own[:end]))


class Histories:
    """Reads requests; remembers the newest. For one thread at a time."""

    def __init__(
        self, *, most: int = WIRE_HISTORIES_MAX, bytes_max: int = WIRE_HISTORIES_BYTES_MAX
    ) -> None:
        self._most = most
        self._bytes_max = bytes_max
        self._bytes = 0
        self._known: OrderedDict[int, _History] = OrderedDict()
        self._begun: dict[int, dict[bytes, dict[int, None]]] = {}
        """By the place and the bytes by which they are looked for: what is known."""
        self._read = 0

    def read(self, dialect: Dialect, body: bytes) -> Request:
        """Read a request, or raise `Unreadable`."""
        known, common = self._longest(dialect, body)
        if known is not None:
            request = self._read_behind(known, common, body)
            if request is not None:
                return request
        request = read_request(dialect, body)
        start = _start(dialect, body)
        if start is not None:
            self._remember(request, body, start, (), ())
        return request

    def may_know(self, body: bytes) -> bool:
        """Tell whether a request may go on from one that is known: then it is soon read."""
        return any(body[end - _SHORT : end] in begun for end, begun in self._begun.items())

    def _longest(self, dialect: Dialect, body: bytes) -> tuple[_History | None, int]:
        """Return the history that shares most with a request, and how many turns that are."""
        best: tuple[_History | None, int] = (None, 0)
        for length, begun in self._begun.items():
            for number in begun.get(body[length - _SHORT : length], ()):
                known = self._known[number]
                common = known.common(body) if known.dialect == dialect else 0
                if common > best[1]:
                    best = known, common
        return best

    def _read_behind(self, known: _History, common: int, body: bytes) -> Request | None:
        """Read what stands behind turns that are known; None when that is not certain."""
        end = known.ends[common - 1]
        behind = _skip(body, end, _SPACE)
        if body[behind : behind + 1] == b",":
            behind += 1
        elif body[behind : behind + 1] != b"]":
            return None
        # The same request without the turns that are known.
        short = body[: known.start] + body[behind:]
        if short.count(_FIELDS[known.dialect]) != 1:
            return None  # a second field of the name would replace the first
        rest = read_request(known.dialect, short)
        turns = known.turns[:common] + rest.turns
        request = msgspec.structs.replace(rest, turns=turns)
        if common >= len(known.turns) - _CHANGED:
            self._forget(known)  # this request stands for it from now on
        self._remember(request, body, known.start, known.ends[:common], rest.turns)
        return request

    def _remember(
        self,
        request: Request,
        body: bytes,
        start: int,
        ends: tuple[int, ...],
        new: tuple[Turn, ...],
    ) -> None:
        """Remember a request; `ends` are known already, of all turns but the `new` ones."""
        found = _ends(body, start, ends, new if ends else request.turns)
        if len(body) > self._bytes_max or not found:
            return
        tried = found[min(_TRIED, len(found)) - 1]
        self._read += 1
        history = _History(self._read, request.dialect, body, start, found, request.turns, tried)
        self._known[self._read] = history
        short = body[tried - _SHORT : tried]
        self._begun.setdefault(tried, {}).setdefault(short, {})[self._read] = None
        self._bytes += len(body)
        while (
            len(self._known) > self._most
            or self._bytes > self._bytes_max
            or self._read - next(iter(self._known)) >= WIRE_HISTORIES_SILENT_MAX
        ):
            self._forget(next(iter(self._known.values())))

    def _forget(self, known: _History) -> None:
        self._bytes -= len(self._known.pop(known.number).body)
        begun, short = self._begun[known.tried], known.body[known.tried - _SHORT : known.tried]
        del begun[short][known.number]
        if not begun[short]:
            del begun[short]
        if not begun:
            del self._begun[known.tried]


def _start(dialect: Dialect, body: bytes) -> int | None:
    """Return where the first turn begins, if that is certain."""
    field = _FIELDS.get(dialect)
    place = -1 if field is None else body.find(field)
    if field is None or place < 0:
        return None
    before = body[:place].rstrip(_BETWEEN)
    try:  # what stands before it must be fields of the request itself
        msgspec.json.decode(before + b"}", type=dict[str, msgspec.Raw])
    except _UNREADABLE:
        return None
    colon = _skip(body, place + len(field), _SPACE)
    bracket = _skip(body, colon + 1, _SPACE)
    if body[bracket : bracket + 1] != b"[":
        return None
    return bracket + 1


def _ends(
    body: bytes, start: int, known: tuple[int, ...], new: tuple[Turn, ...]
) -> tuple[int, ...]:
    """Return where turns end; nothing when they do not stand where they should."""
    ends = list(known)
    place = ends[-1] if ends else start
    for turn in new:
        place = _skip(body, place, _BETWEEN)
        if not body.startswith(turn.raw, place):
            return ()
        place += len(turn.raw)
        ends.append(place)
    return tuple(ends)


def _skip(body: bytes, place: int, what: bytes) -> int:
    """Return the first place that holds none of some bytes."""
    while body[place : place + 1] and body[place] in what:
        place += 1
    return place
