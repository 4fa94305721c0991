"""The inside of an archive: lines in frames, and the index that says which numbers stand where.

A line is an entry's exact bytes. Each says its own ledger and number, so that neither a wrong index
nor another file can pass one entry off as another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, overload

import msgspec

from holdfast.kernel.limits import (
    ARCHIVE_BYTES_MAX,
    ARCHIVE_ENTRIES_MAX,
    ARCHIVE_INDEX_BYTES_MAX,
    FRAME_BYTES_MAX,
    FRAME_ENTRIES_MAX,
    KIB,
    LINE_BYTES_MAX,
)
from holdfast.storage.archives import container
from holdfast.storage.archives.container import Frame, Unreadable

CONTENT_MAX: Final = max(FRAME_BYTES_MAX, LINE_BYTES_MAX + 1)
"""What a frame may hold: its share of lines, or one large line with its newline."""

TOTAL_MAX: Final = ARCHIVE_BYTES_MAX + ARCHIVE_ENTRIES_MAX
"""What all frames of an archive may hold: entries and their newlines."""

_PLACE: Final = re.compile(
    rb'"ledger":"([0-9a-f]{32})","prev":"[0-9a-f]{64}","seq":(0|[1-9][0-9]{0,15}),"'
)


class Part(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A frame of lines in an archive, and the number of its first line."""

    first: int
    offset: int
    length: int


class Index(msgspec.Struct, frozen=True):
    """What an archive says of itself."""

    archive: int
    first: int
    frames: tuple[Part, ...]
    last: int
    ledger: str


VERSION: Final = 1
LEVEL: Final = 15
LEVEL_LARGE: Final = 17
"""The highest at which entries still go at 6 to 12 MB/s; 19 takes twice as long for 1 % less. For
a frame over 256 KiB zstd means less by the same number."""

_decoder = msgspec.json.Decoder(Index)


def place_of(line: bytes) -> tuple[str, int] | None:
    """Return the ledger and number that a line says it has.

    Only strings, numbers and the span stand behind them, and a quote inside a string is escaped:
    the last `"ledger":"` of an entry is its own.
    """
    found = _PLACE.match(line, max(line.rfind(b'"ledger":"'), 0))
    return (found[1].decode(), int(found[2])) if found else None


def encode(lines: Sequence[bytes], *, ledger: str, first: int) -> bytes:
    """Return the bytes of an archive."""
    groups = list(_grouped(lines))
    contents = [b"".join(line + b"\n" for line in group) for group in groups]
    frames = [container.compress([content], _level(content))[0] for content in contents]
    parts, seq = [], first
    for group, place in zip(groups, container.places(frames), strict=True):
        parts.append(Part(seq, place.offset, place.length))
        seq += len(group)
    index = Index(VERSION, first, tuple(parts), seq - 1, ledger)
    return container.assemble(frames, [len(one) for one in contents], msgspec.json.encode(index))


def _grouped(lines: Sequence[bytes]) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    held = 0
    for line in lines:
        size = len(line) + 1
        if group and (len(group) == FRAME_ENTRIES_MAX or held + size > FRAME_BYTES_MAX):
            yield group
            group, held = [], 0
        group.append(line)
        held += size
    if group:
        yield group


def read_index(handle: int) -> Index:
    """Return what an archive says of itself: by its index or, without one, by its whole frames."""
    try:
        written = container.read_index(handle, ARCHIVE_ENTRIES_MAX + 1, ARCHIVE_INDEX_BYTES_MAX)
        index = _decoder.decode(written)
        if not _is_sound(index):
            raise Unreadable("the index contradicts itself")
    except (Unreadable, *container.NOT_JSON):
        return _walked_index(handle)
    return index


def _is_sound(index: Index) -> bool:
    parts = index.frames
    if not parts or index.archive != VERSION or parts[0].first != index.first:
        return False
    places = all(part.offset >= 0 and part.length > 0 and part.first >= 0 for part in parts)
    rising = all(a.first < b.first and a.offset + a.length <= b.offset for a, b in pairwise(parts))
    return places and rising and parts[-1].first <= index.last


def _walked_index(handle: int) -> Index:
    """Put an index together from what the lines themselves say."""
    parts: list[Part] = []
    ledger, stop = "", 0
    for frame in _walk(handle):
        try:
            lines = read_frame(handle, frame)
        except Unreadable:
            continue
        said = place_of(lines[0])
        if said is None or said[1] < stop or (parts and said[0] != ledger):
            continue
        ledger, stop = said[0], said[1] + len(lines)
        parts.append(Part(said[1], frame.offset, frame.length))
    return Index(VERSION, parts[0].first if parts else 0, tuple(parts), stop - 1, ledger)


class Lines(Sequence[bytes]):
    """The lines of a frame, cut out when they are asked for: most readers want one of many."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._ends: list[int] = []
        end = content.find(b"\n")
        while end >= 0 and len(self._ends) <= FRAME_ENTRIES_MAX:
            self._ends.append(end)
            end = content.find(b"\n", end + 1)
        if not 0 < len(self) <= FRAME_ENTRIES_MAX or self._ends[-1] != len(content) - 1:
            raise Unreadable("a frame does not hold lines")

    @property
    def size_bytes(self) -> int:
        """What they take."""
        return len(self._content)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        return self._content[self._ends[index - 1] + 1 if index else 0 : self._ends[index]]


def read_frame(handle: int, frame: Frame | Part) -> Lines:
    """Return the lines of one frame."""
    if not 0 < frame.length <= 2 * CONTENT_MAX:
        raise Unreadable("a frame is too long")
    held = container.read_at(handle, Frame(frame.offset, frame.length))
    content = container.decompress(held, CONTENT_MAX)
    return Lines(content)


def _level(content: bytes) -> int:
    return LEVEL if len(content) <= 256 * KIB else LEVEL_LARGE


def read_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of the entries of a file alone, in order; stop at damage."""
    try:
        with container.opened(path) as handle:
            yield from _lines(handle)
    except (OSError, Unreadable):
        return


def _lines(handle: int) -> Iterator[tuple[int, bytes]]:
    expected: tuple[str, int] | None = None
    for frame in _walk(handle):
        for line in read_frame(handle, frame):
            said = place_of(line)
            if said is None or expected not in (None, said):
                return
            yield said[1], line
            expected = said[0], said[1] + 1


def _walk(handle: int) -> Iterator[Frame]:
    """Yield the frames; each holds a line at least, so there are no more of them than lines."""
    walked = container.walk(handle, CONTENT_MAX, TOTAL_MAX)
    for _, frame in zip(range(ARCHIVE_ENTRIES_MAX), walked, strict=False):
        yield frame
