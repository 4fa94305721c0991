"""STATE_LOG.jsonl: the active entries' exact bytes, one a line.

A long log is not written anew for every archive: until half of it is archived, entries that an
archive holds too may stand at its beginning.
It grows at its end as long as it is the file that was left last time: a note of its size, its inode
and the time it changed tells that without reading it. Else it is made anew, in full, and put in its
place at once. A log that knows more than the ledger does (another ledger's, or one that was longer)
may be the only copy of what it holds: it is kept beside the new one, never replaced.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import LINE_BYTES_MAX, READ_BYTES_PAGE, STATE_LOG_LINES_LARGE
from holdfast.storage.files import FILE_MODE, Files, sync
from holdfast.storage.port import Reader, Selection, Stored

NAME: Final = "STATE_LOG.jsonl"

KEEPS: Final = frozenset({"checkpoint", "session_ended", "compression"})
"""Types after which the log is forced to the disk; between them the ledger alone is enough."""

_TAIL_BYTES: Final = 2 * LINE_BYTES_MAX
"""Holds the last whole line, whatever was torn off behind it."""


class Marks(msgspec.Struct, frozen=True):
    """What tells a file from one that was touched since."""

    bytes: int
    inode: int
    changed_ns: int


def marks_of(file: Path | int) -> Marks | None:
    """Return the marks of a file, None when there is none."""
    try:
        found = os.stat(file)  # noqa: PTH116 (a path or a handle)
    except OSError:
        return None
    return Marks(found.st_size, found.st_ino, found.st_ctime_ns)


class Note(msgspec.Struct, frozen=True):
    """What the log was when it was left: which entries it holds, and the file's marks."""

    ledger: str
    first: int
    """The first entry in it."""
    held: int
    """The first one in it that no archive holds."""
    stop: int
    leaf: str
    """Of the last entry."""
    archives: int
    """How many archives hold what stands before `held`."""
    marks: Marks


class Followed(msgspec.Struct, frozen=True):
    """How the log was brought up to date."""

    note: Note
    sealed: bool
    """Archives may have come since the last time."""
    set_aside: str | None = None
    """Where a log was put that is not this ledger's, or knows more than it."""


def follow(path: Path, reader: Reader, note: Note | None, files: Files) -> Followed:
    """Bring the log up to the ledger's head."""
    if note is not None and note.stop > note.first and marks_of(path) == note.marks:
        grown = _grow(path, reader, note)
        if grown is not None:
            return Followed(grown, sealed=grown.archives != note.archives)
    return _make(path, reader, files)


def _grow(path: Path, reader: Reader, note: Note) -> Note | None:
    """Append what is new. None when the log must be made anew: it does not fit, or gets shorter."""
    head = reader.head()
    found = iter(reader.read(Selection(note.stop - 1, head.size)))
    last = next(found, None)
    if head.ledger != note.ledger or last is None:
        return None
    if last.seq != note.stop - 1 or last.leaf.hex() != note.leaf:
        return None
    fresh = next(found, None)
    if fresh is None:
        return note
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        return _append(handle, _behind(fresh, found), note, reader)
    finally:
        os.close(handle)


def _noting_archives(note: Note, reader: Reader) -> Note:
    archives = reader.archives()
    held = archives[-1].last + 1 if archives else 0
    return msgspec.structs.replace(note, held=held, archives=len(archives))


def _is_to_shrink(note: Note, size: int) -> bool:
    """Tell whether what is archived is to leave the log: of a short one always, else half of it."""
    archived, lines = note.held - note.first, size - note.first
    return archived > 0 and (lines <= STATE_LOG_LINES_LARGE or 2 * archived >= lines)


def _behind(first: Stored, rest: Iterator[Stored]) -> Iterator[Stored]:
    yield first
    yield from rest


def _append(handle: int, fresh: Iterable[Stored], note: Note, reader: Reader) -> Note | None:
    """Write lines at the end. None when something was sealed, and the log gets shorter."""
    lines = _Lines(handle)
    lasting = False
    stop, leaf = note.stop, note.leaf
    for stored in _proved(fresh, stop):
        kind = entries.read(stored.body).type
        if kind == "compression":
            note = _noting_archives(note, reader)
            if _is_to_shrink(note, reader.head().size):
                return None
        lasting = lasting or kind in KEEPS
        lines.put(stored.body)
        stop, leaf = stored.seq + 1, stored.leaf.hex()
    lines.flush()
    if lasting:
        sync(handle)
    return msgspec.structs.replace(note, stop=stop, leaf=leaf, marks=_marks(handle))


def _make(path: Path, reader: Reader, files: Files) -> Followed:
    """Write the log anew from the first entry that no archive holds."""
    archives = reader.archives()
    head = reader.head()
    first = archives[-1].last + 1 if archives else 0
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    try:
        lines = _Lines(handle)
        for stored in _proved(reader.read(Selection(first, head.size)), first, head.size):
            lines.put(stored.body)
        lines.flush()
        sync(handle)
        set_aside = _keep_foreign(path, reader, files)
        files.rename(str(draft), str(path))
        files.sync_folder(str(path.parent))
        leaf = head.leaf.hex()
        note = Note(head.ledger, first, first, head.size, leaf, len(archives), _marks(handle))
        return Followed(note, sealed=True, set_aside=set_aside)
    finally:
        os.close(handle)
        draft.unlink(missing_ok=True)


def _proved(found: Iterable[Stored], first: int, stop: int | None = None) -> Iterator[Stored]:
    """Yield entries without a gap, each with its right hash; else the log stays as it is.

    A damaged entry may still stand whole in the log on disk.
    """
    seq = first
    for stored in found:
        if stored.seq != seq or leaf_hash(stored.body) != stored.leaf:
            break
        yield stored
        seq += 1
    else:
        if stop is None or seq == stop:
            return
    raise Damaged(
        f"Entry {seq} cannot be read as it was sealed.",
        meaning="The state log on disk was left as it is: it may hold that entry whole.",
        remedy="Run `holdfast verify` to see what else is damaged.",
    )


class _Lines:
    """Writes lines, many at a time."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._pending = bytearray()

    def put(self, line: bytes) -> None:
        self._pending += line + b"\n"
        if len(self._pending) > READ_BYTES_PAGE:
            self.flush()

    def flush(self) -> None:
        while self._pending:
            del self._pending[: os.write(self._handle, self._pending)]


def _marks(handle: int) -> Marks:
    found = marks_of(handle)
    assert found is not None
    return found


def _keep_foreign(path: Path, reader: Reader, files: Files) -> str | None:
    """Put a log aside whose last entry the ledger does not have. Return its new name."""
    last = last_line(path)
    if last is None:
        return None
    try:
        entry = entries.read(last)
    except Damaged:
        return None if not last.strip() else _set_aside(path, "unreadable", files)
    for stored in reader.read(Selection(entry.seq, entry.seq + 1)):
        if stored.body == last:
            return None
    return _set_aside(path, f"{entry.ledger[:12]}-{entry.seq}", files)


def _set_aside(path: Path, what: str, files: Files) -> str:
    number = 0
    while True:
        kept = path.with_name(f"{path.stem}.{what}{f'.{number}' if number else ''}.kept.jsonl")
        if not os.path.lexists(kept):
            files.rename(str(path), str(kept))
            return kept.name
        number += 1


def last_line(path: Path) -> bytes | None:
    """Return the last whole line of a log, None when there is no file or no whole line."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            start = max(0, size - _TAIL_BYTES)
            file.seek(start)
            whole = file.read(_TAIL_BYTES).rpartition(b"\n")[0]
    except OSError:
        return None
    lines = whole.rstrip(b"\0\n").rpartition(b"\n")
    return lines[2] or None
