"""Working with engines in tests: filling, archiving, comparing, many threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Sealed
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Archive, Batch, Engine, Erased, Fault, Reader, Stored
from holdfast.testing.builders import sealed_chain

TYPES_USED: Final = ("decision", "error", "metric")
SESSIONS_USED: Final = ("s1", "s2", None, "s1", "s3 ☃")


class ArchivedEntries:
    """Archive files as a test has them: entries by number."""

    def __init__(self) -> None:
        self.kept: dict[int, Stored] = {}
        self.calls: list[tuple[int, int]] = []

    def keep(self, stored: Sequence[Stored], name: str = "") -> Archive:
        """Take entries in and return how the archive that holds them is listed."""
        self.kept |= {one.seq: one for one in stored}
        content = b"\n".join(one.body for one in stored)
        first, last = stored[0].seq, stored[-1].seq
        name = name or f"archive_{first}-{last}"
        return Archive(first, last, name, sha256(content).hexdigest(), len(content))

    def __call__(self, archive: Archive, first: int, stop: int) -> Iterator[tuple[int, bytes]]:
        assert archive.first <= first < stop <= archive.last + 1
        self.calls.append((first, stop))
        for seq in range(first, stop):
            if seq in self.kept:
                yield seq, self.kept[seq].body


def audited(reader: Reader) -> list[Fault]:
    """Return every fault that an engine's audit finds."""
    audit = reader.audit()
    size = 0
    for stored in reader.read():
        with suppress(Damaged):
            audit.take(entries.read(stored.body))
        size = stored.seq + 1
    return [*audit.structure(), *audit.compare([audit.part()], size)]


def append(
    engine: Engine,
    count: int,
    *,
    types: Sequence[str] = ("decision",),
    sessions: Sequence[str | None] = (None,),
    artifacts: dict[str, bytes] | None = None,
) -> list[Sealed]:
    """Append one batch behind the head and return it."""
    with engine.queue():
        head = engine.head()
        batch = sealed_chain(head, count, types=types, sessions=sessions)
        engine.append(Batch(batch, artifacts or {}), expected_head=head)
    return batch


def drop(engine: Engine, leaving: Archive | Erased, note: Batch | None = None) -> None:
    """Drop what is leaving, behind the head as it is now; without a note when none is given."""
    with engine.queue():
        engine.drop(leaving, note or Batch([]), expected_head=engine.head())


def fill(engine: Engine) -> list[Stored]:
    """Append 721 entries in batches of many sizes; 10, 30 and 721 are ends of batches."""
    added: list[Sealed] = []
    for count in (1, 9, 20, 1, 1, 300, 128, 257, 3):
        added += append(engine, count, types=TYPES_USED, sessions=SESSIONS_USED)
    added += append(engine, 1, types=("compression",), sessions=("rare",))
    return stored_form(added)


def stored_form(batch: Sequence[Sealed]) -> list[Stored]:
    """Return entries as an engine gives them back."""
    return [Stored(sealed.seq, sealed.body, sealed.leaf) for sealed in batch]


def artifact(content: bytes) -> dict[str, bytes]:
    """Return an artifact by its name."""
    return {sha256(content).hexdigest(): content}


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """Return the tree hash by the recursion of RFC 9162 §2.1.1 and nothing else."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = naive_root(leaves[:split]), naive_root(leaves[split:])
    return sha256(b"\x01" + left + right).digest()


def run_threads(work: object, count: int) -> None:
    """Run a function in so many threads and raise what the first of them raised."""
    assert callable(work)
    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if failures:
        raise failures[0]
