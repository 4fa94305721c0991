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
from holdfast.wire.requests import Request, Turn, newest_words, read_request

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
    """A request, and where in its bytes its turns stand."""

    number: int
    request: Request
    body: bytes
    start: int
    """Where the first turn begins."""
    ends: tuple[int, ...]
    """Where each turn ends."""
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


class _Looked(msgspec.Struct, frozen=True):
    """What was found when the newest words of a request were looked for; it is soon read."""

    body: bytes
    known: _History
    common: int
    rest: Request
    """The request without the turns that are known."""


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
        self._looked: _Looked | None = None

    def read(self, dialect: Dialect, body: bytes) -> Request:
        """Read a request, or raise `Unreadable`."""
        looked = self._look(dialect, body)
        self._looked = None
        if looked is not None:
            return self._go_on(looked)
        request = read_request(dialect, body)
        start = _start(dialect, body)
        if start is not None:
            self._remember(request, body, start, (), ())
        return request

    def newest_words(self, dialect: Dialect, body: bytes) -> str:
        """Return what the user said last in a request, or raise `Unreadable`; of one whose history
        is known, only what is behind that is read."""
        looked = self._look(dialect, body)
        if looked is None:
            return newest_words(dialect, body)
        said = looked.rest.newest_words()
        turns = reversed(looked.known.request.turns[: looked.common])
        return said or next(filter(None, (turn.words() for turn in turns)), "")

    def _longest(self, dialect: Dialect, body: bytes) -> tuple[_History | None, int]:
        """Return the history that shares most with a request, and how many turns that are."""
        best: tuple[_History | None, int] = (None, 0)
        for length, begun in self._begun.items():
            for number in begun.get(body[length - _SHORT : length], ()):
                known = self._known[number]
                common = known.common(body) if known.request.dialect == dialect else 0
                if common > best[1]:
                    best = known, common
        return best

    def _look(self, dialect: Dialect, body: bytes) -> _Looked | None:
        """Read what stands behind turns that are known; None when that is not certain."""
        looked = self._looked
        if looked is not None and looked.body is body and looked.known.request.dialect == dialect:
            return looked
        known, common = self._longest(dialect, body)
        rest = None if known is None else _rest(known, common, body)
        if known is not None and rest is not None:
            self._looked = _Looked(body, known, common, rest)
            return self._looked
        return None

    def _go_on(self, looked: _Looked) -> Request:
        """Return a whole request, and remember it."""
        known, common, rest = looked.known, looked.common, looked.rest
        turns = known.request.turns
        if common < len(turns):
            request = msgspec.structs.replace(
                rest, turns=turns[:common] + rest.turns, marks=(), asides=()
            )
        else:
            request = msgspec.structs.replace(
                rest,
                turns=turns + rest.turns,
                marks=known.request.marks + rest.marks,
                asides=known.request.asides + rest.asides,
            )
        if common >= len(turns) - _CHANGED and known.number in self._known:
            self._forget(known)  # this request stands for it from now on
        self._remember(request, looked.body, known.start, known.ends[:common], rest.turns)
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
        history = _History(self._read, request, body, start, found, tried)
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


def _rest(known: _History, common: int, body: bytes) -> Request | None:
    """Read a request without so many turns that are known; None when that is not certain."""
    end = known.ends[common - 1]
    behind = _skip(body, end, _SPACE)
    if body[behind : behind + 1] == b",":
        behind += 1
    elif body[behind : behind + 1] != b"]":
        return None
    short = body[: known.start] + body[behind:]
    if short.count(_FIELDS[known.request.dialect]) != 1:
        return None  # a second field of the name would replace the first
    return read_request(known.request.dialect, short)


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
