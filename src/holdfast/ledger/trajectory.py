"""The trajectory on disk: a JSONL file for each day, of the entries' time in UTC.

Derived: files that are gone, torn or edited are made anew, from archived entries too. As long as
they are the files that were left last time, what is new is added at their ends. Making them anew
costs what there is to tell, not the whole ledger.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import ZERO_LEAF
from holdfast.kernel.limits import READ_BYTES_PAGE
from holdfast.storage.files import FILE_MODE, make_folder
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.views.trajectory import PHASES, Line, lines_of, unreadable

if TYPE_CHECKING:
    from holdfast.index.views import Views

FORMAT: Final = 1
"""Changes when the same entries would give other lines."""

UNDATED: Final = "undated"
"""Where entries stand whose day is not known, because they cannot be read."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_OURS: Final = re.compile(rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|{UNDATED})\.jsonl\Z")


class Note(msgspec.Struct, frozen=True):
    """What the trajectory was when it was left."""

    ledger: str
    stop: int
    leaf: str
    """Of the last entry that was told."""
    files: str
    """A hash over the names, sizes and times of the files."""
    format: int = FORMAT


def follow(folder: Path, reader: Reader, views: Views, note: Note | None) -> Note:
    """Bring the trajectory up to the ledger's head. Others MUST be kept from doing it as well."""
    make_folder(str(folder))
    head = reader.head()
    telling = _Telling(views)
    if note is not None and _goes_on(folder, reader, note):
        if note.stop == head.size:
            return note
        found = _each(reader, note.stop, head.size)
        for day, content in _by_day(telling.lines(found)):
            _append(folder / f"{day}.jsonl", content)
    else:
        _make(folder, telling.lines(_told(reader, head.size)))
    return Note(head.ledger, head.size, head.leaf.hex(), _marks(folder))


def day_of(timestamp: str | None) -> str:
    """Return the day of a time that is in UTC."""
    day = (timestamp or "")[:10]
    return day if _DAY.match(day) else UNDATED


class _Telling:
    """Turns entries into lines."""

    def __init__(self, views: Views) -> None:
        self._sessions = views.items("sessions")
        self._roots: dict[str, str] = {}

    def lines(self, found: Iterable[Stored | int]) -> Iterator[Line]:
        """Yield the lines of entries; one that cannot be read is told by its number."""
        for stored in found:
            if isinstance(stored, int):
                yield unreadable(stored)
                continue
            try:
                entry = entries.read(stored.body)
                if entry.type in PHASES:
                    # as it is stored: what lies in the vault may be erased, and is only named
                    yield from lines_of(entry, entry.value(), self._root(entry.session_id))
            except Damaged:
                yield unreadable(stored.seq)

    def _root(self, session_id: str | None) -> str | None:
        if session_id is None:
            return None
        if session_id not in self._roots:
            item: Any = self._sessions.get(session_id)
            self._roots[session_id] = session_id if item is None else item["root"]
        return self._roots[session_id]


def _each(reader: Reader, first: int, stop: int) -> Iterator[Stored | int]:
    """Yield every entry of a range; the numbers of those that are left out."""
    for stored in reader.read(Selection(first, stop)):
        yield from range(first, stored.seq)
        yield stored
        first = stored.seq + 1
    yield from range(first, stop)


def _told(reader: Reader, stop: int) -> Iterator[Stored]:
    """Yield the entries that the trajectory tells of, in order."""
    by_type = (reader.read(Selection(stop=stop, type=name)) for name in sorted(PHASES))
    return merge(*by_type, key=lambda stored: stored.seq)


def _goes_on(folder: Path, reader: Reader, note: Note) -> bool:
    """Tell whether the files are those that were left, and tell of this ledger."""
    head = reader.head()
    if (note.ledger, note.format) != (head.ledger, FORMAT) or note.stop > head.size:
        return False
    leaf = reader.node(note.stop - 1, note.stop) if note.stop else ZERO_LEAF
    return leaf.hex() == note.leaf and _marks(folder) == note.files


def _make(folder: Path, lines: Iterable[Line]) -> None:
    """Write every file anew, and put each in its place when all are whole."""
    for draft in folder.glob("*.jsonl.new"):
        draft.unlink()
    days = set()
    for day, content in _by_day(lines):
        days.add(day)
        _append(folder / f"{day}.jsonl.new", content)
    for day in days:
        (folder / f"{day}.jsonl.new").replace(folder / f"{day}.jsonl")
    for path in _files(folder):
        if path.removesuffix(".jsonl") not in days:
            (folder / path).unlink()


def _by_day(lines: Iterable[Line]) -> Iterator[tuple[str, bytes]]:
    """Yield what belongs to a day, much at a time and in order."""
    pending: defaultdict[str, bytearray] = defaultdict(bytearray)
    size = 0
    for line in lines:
        # ASCII, so that no reader takes a character within a line for its end
        spelled = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        pending[day_of(line["ts"])] += spelled
        size += len(spelled)
        if size > READ_BYTES_PAGE:
            yield from ((day, bytes(content)) for day, content in pending.items())
            pending.clear()
            size = 0
    yield from ((day, bytes(content)) for day, content in pending.items())


def _append(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(path, flags, FILE_MODE)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(handle, view) :]
    finally:
        os.close(handle)


def _files(folder: Path) -> list[str]:
    with os.scandir(folder) as listed:
        return sorted(one.name for one in listed if _OURS.match(one.name))


def _marks(folder: Path) -> str:
    """Return a hash that changes when a file was touched."""
    digest = sha256()
    with suppress(FileNotFoundError):
        for name in _files(folder):
            found = os.lstat(folder / name)
            marks = (name, found.st_size, found.st_ino, found.st_ctime_ns)
            digest.update(repr(marks).encode())
    return digest.hexdigest()
