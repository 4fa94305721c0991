"""The plain engine: a list. It is the reference that the real ones are compared with."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

from holdfast.kernel import entry as entries
from holdfast.kernel import merkle
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Conflict, Damaged, InvalidInput
from holdfast.storage.port import (
    EVERYTHING,
    Archive,
    ArchiveSource,
    Batch,
    Erased,
    Fault,
    Selection,
    Stored,
)


class MemoryEngine:
    """Keeps a ledger for as long as the process lives. Durable it is not."""

    def __init__(self, ledger: str, *, archive_source: ArchiveSource | None = None) -> None:
        self._ledger = ledger
        self._entries: list[Stored] = []
        self._ids: set[str] = set()
        self._artifacts: dict[str, bytes] = {}
        self._archives: list[Archive] = []
        self._archive_source = archive_source
        self._lock = threading.RLock()

    def head(self) -> Head:
        with self._lock:
            if not self._entries:
                return Head(self._ledger)
            return Head(self._ledger, len(self._entries), self._entries[-1].leaf)

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        size = len(self._entries)
        stop = size if selection.stop is None else min(selection.stop, size)
        order = range(max(selection.first, 0), stop)
        read, found = 0, False
        for seq in reversed(order) if selection.newest_first else order:
            for stored in self._stored(seq):
                read += 1
                if _fits(stored, selection):
                    found = True
                    yield stored
        if selection.id in self._ids and not found and read < len(order):
            raise Damaged(f"The entry with the id {selection.id!r} cannot be read.")

    def node(self, first: int, stop: int) -> bytes:
        return merkle.root_of([stored.leaf for stored in self._entries[first:stop]])

    def artifact(self, sha256_hex: str) -> bytes | None:
        content = self._artifacts.get(sha256_hex)
        if content is not None and sha256(content).hexdigest() != sha256_hex:
            raise Damaged(f"Artifact {sha256_hex[:12]} is not what was stored.")
        return content

    def archives(self) -> Sequence[Archive]:
        return tuple(self._archives)

    def audit(self) -> NothingToAudit:
        return NothingToAudit()

    def close(self) -> None:
        return None

    @contextmanager
    def queue(self) -> Iterator[None]:
        with self._lock:
            yield

    def append(self, batch: Batch, *, expected_head: Head) -> None:
        with self._lock:
            if self.head() != expected_head:
                raise Conflict("The head moved.", meaning="Nothing was written.")
            ids = [sealed.id for sealed in batch.entries]
            if len(set(ids)) < len(ids) or not self._ids.isdisjoint(ids):
                raise InvalidInput("An id is there already.", meaning="Nothing was written.")
            self._ids.update(ids)
            self._artifacts.update(batch.artifacts)
            self._entries += [Stored(e.seq, e.body, e.leaf) for e in batch.entries]

    def drop(self, leaving: Archive | Erased, note: Batch, *, expected_head: Head) -> None:
        with self._lock:
            if self.head() != expected_head:
                raise Conflict("The head moved.", meaning="Nothing was dropped.")
            match leaving:
                case Archive():
                    self._check_oldest(leaving)
                    self.append(note, expected_head=expected_head)
                    self._archives.append(leaving)
                    for seq in range(leaving.first, leaving.last + 1):
                        self._entries[seq] = Stored(seq, b"", self._entries[seq].leaf)
                case Erased():
                    if len(leaving.sha256) != 64 or leaving.sha256.strip("0123456789abcdef"):
                        raise InvalidInput("No artifact has that name.", meaning="Nothing changed.")
                    self._artifacts.pop(leaving.sha256, None)
                    self.append(note, expected_head=expected_head)

    def _check_oldest(self, archive: Archive) -> None:
        oldest = self._archives[-1].last + 1 if self._archives else 0
        if archive.first != oldest or not archive.first <= archive.last < len(self._entries):
            raise Conflict("These are not the oldest entries held.", meaning="Nothing changed.")

    def _stored(self, seq: int) -> Iterator[Stored]:
        kept = self._entries[seq]
        if kept.body:
            yield kept
        elif self._archive_source is not None:
            holder = next(a for a in self._archives if a.first <= seq <= a.last)
            for _, body in self._archive_source(holder, seq, seq + 1):
                yield Stored(seq, body, kept.leaf)


class NothingToAudit:
    """The audit of an engine that adds nothing to the entries."""

    def take(self, _entry: Entry) -> None:
        return None

    def part(self) -> bytes:
        return b""

    def structure(self) -> Iterator[Fault]:
        return iter(())

    def compare(self, _parts: Sequence[bytes], _size: int) -> Iterator[Fault]:
        return iter(())


def _fits(stored: Stored, selection: Selection) -> bool:
    if selection.id is selection.type is selection.session_id is None:
        return True
    try:
        entry = entries.read(stored.body)
    except Damaged:
        return False
    return (
        selection.id in (None, entry.id)
        and selection.type in (None, entry.type)
        and selection.session_id in (None, entry.session_id)
    )
