"""Ledgers on disk to seal and to restore, and what they hold as plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import apsw
import msgspec

from holdfast.config import Seal
from holdfast.kernel import entry as entries
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.restoring import Restored, restore
from holdfast.ledger.sealing import Sealer
from holdfast.ledger.vault import references
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.files import Files, RealFiles
from holdfast.storage.port import Stored
from holdfast.testing.builders import data_for
from holdfast.testing.clock import FixedClock, FixedIds
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.restoring import index_of

SESSIONS = ("s1", "s2", None)


class Box:
    """A project's ledger that does not seal by itself, with a clock and ids of its own."""

    def __init__(
        self, folder: Path, *, clock: FixedClock | None = None, ids: FixedIds | None = None
    ) -> None:
        self.folder = folder
        self.clock = clock or FixedClock()
        self.ledger: Ledger = open_ledger(
            folder,
            seal=Seal(auto=False),
            clock=self.clock,
            ids=ids or FixedIds(1000 * first_free(folder)),
        )
        self.place: Place = place_of(folder)
        self.archives = ArchiveFolder(str(self.place.archives))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    def sealer(self, *, keep: int = 0, files: Files | None = None) -> Sealer:
        return Sealer(
            self.ledger,
            self.archives,
            lock_path=str(self.place.seal_lock),
            keep=keep,
            clock=self.clock,
            files=files,
        )

    def fill(self, count: int, sessions: Sequence[str | None] = SESSIONS, **changes: Any) -> None:
        """Append entries in one batch; the sessions take turns."""
        first = self.ledger.head().size
        self.ledger.append_many(
            Draft(
                "decision",
                data_for("decision", n, **changes),
                session_id=sessions[n % len(sessions)],
            )
            for n in range(first, first + count)
        )

    def fill_singly(self, count: int, sessions: Sequence[str | None] = SESSIONS) -> None:
        """Append entries one by one, so that each is a row of its own."""
        for _ in range(count):
            self.fill(1, sessions)

    def lines(self) -> list[Stored]:
        return list(self.ledger.lines())

    def restored(self, session: str | None, at: int | None = None) -> Restored:
        """Restore by the index, and see that the notes of the seals alone give the same."""
        with index_of(self.place) as where:
            found = restore(self.ledger.reader, self.archives, session, at, where=where)
        assert restore(self.ledger.reader, self.archives, session, at) == found
        return found

    def listed(self) -> list[Path]:
        return [self.place.archives / archive.name for archive in self.ledger.reader.archives()]

    def tamper(self, seq: int, *, old: bytes, new: bytes, hashes: bytes | None = None) -> None:
        """Change an entry that is a row of its own, with the guard down for a moment."""
        connection = apsw.Connection(str(self.place.database))
        try:
            guard: Any = connection.execute(
                "SELECT sql FROM sqlite_schema WHERE name = 'runs_no_update'"
            ).get
            connection.execute("DROP TRIGGER runs_no_update")
            row: Any = connection.execute(
                "SELECT lines, hashes FROM runs WHERE first = ? AND last = first", (seq,)
            ).get
            lines, kept = row
            assert old in lines
            connection.execute(
                "UPDATE runs SET lines = ?, hashes = ? WHERE first = ?",
                (lines.replace(old, new), hashes or kept, seq),
            )
            connection.execute(guard)
        finally:
            connection.close()


def first_free(folder: Path) -> int:
    """Return how many entries there are, so that a second box makes other ids than the first."""
    place = place_of(folder)
    if not place.database.exists():
        return 0
    with open_ledger(folder, seal=Seal(auto=False)) as ledger:
        return ledger.head().size


def bodies_of(lines: Sequence[Stored], session: str | None) -> list[bytes]:
    """Return what a session must give back, by looking through everything."""
    return [line.body for line in lines if entries.read(line.body).session_id == session]


class WatchedFiles(RealFiles):
    """Tells somebody before every operation that matters to durability."""

    def __init__(self, tell: Any) -> None:
        self._tell = tell

    def create(self, path: str, content: bytes) -> None:
        self._tell("create", path)
        super().create(path, content)

    def rename(self, old: str, new: str) -> None:
        self._tell("rename", new)
        super().rename(old, new)

    def sync_folder(self, path: str) -> None:
        self._tell("sync_folder", path)
        super().sync_folder(path)


def named_by_all(box: Box) -> set[str]:
    waiting = [ref for line in box.lines() for ref in references(entries.read(line.body).value())]
    found = set()
    while waiting:
        sha256, nests = waiting.pop()
        found.add(sha256)
        content = box.ledger.artifact(sha256)
        assert content is not None
        waiting += references(msgspec.json.decode(content)) if nests else []
    return found


def packs(box: Box) -> list[Path]:
    return sorted(box.place.archives.glob("*.artifacts.zst"))
