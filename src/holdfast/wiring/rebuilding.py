"""Rebuilding a lost database from the files beside it: STATE_LOG.jsonl, the archives, their packs.

The entries are replayed in order, each held against the one before it; where a note says that
entries moved into an archive, or that an artifact was erased, they leave the new database in the
same step as they left the old one. It gets its name once all of it was proved.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Sealed
from holdfast.kernel.errors import Conflict, Damaged, InvalidInput, StorageFailed
from holdfast.kernel.limits import READ_BYTES_PAGE
from holdfast.ledger import vault
from holdfast.ledger.erased import NOTE as ERASED
from holdfast.ledger.verify import verify
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.files import RealFiles, make_folder, sync
from holdfast.storage.port import Archive, Batch, Erased
from holdfast.storage.sqlite.backup import copy_database
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.wiring.remains import Remains

BATCH_ENTRIES: Final = 1000
"""Entries appended at once."""


class Rebuilt(msgspec.Struct, frozen=True):
    """What came back."""

    entries: int
    as_of_seq: int
    archives: int
    """Archives that are listed again."""
    artifacts: int
    missing: tuple[str, ...]
    """Artifacts that entries name and no pack holds: those of entries that were not archived."""
    torn: str | None = None
    """Where the torn end of the state log was put."""


def rebuild(state_folder: Path, target: Path) -> Rebuilt:
    """Make a database anew from a state folder. It MUST NOT exist; nothing is ever replaced."""
    target = target.expanduser().absolute()
    _refuse_existing(target)
    remains = Remains(state_folder)
    head = remains.first_head()
    draft = target.with_name(f".{target.stem}.{os.urandom(4).hex()}.rebuild")
    make_folder(str(target.parent))
    try:
        rebuilt = _replay(remains, head, draft)
        copy = draft.with_name(draft.name + ".copy")
        copy_database(str(draft), str(copy))  # all in one file, without a log beside it
        _publish(copy, target)
        return rebuilt
    except OSError as error:
        raise StorageFailed(
            f"{target} cannot be written: {error.strerror}.",
            meaning="No database was made; the files it is made from are as they were.",
            remedy="Check the folder's permissions and the room on the disk.",
        ) from error
    finally:
        for left in list(target.parent.iterdir()):
            if left.name.startswith(draft.stem):  # random: nobody else's
                left.unlink()


class _Replay:
    """Puts entries into a new database."""

    def __init__(self, engine: SqliteEngine, archives: ArchiveFolder) -> None:
        self.artifacts = 0
        self.missing: dict[str, None] = {}
        self._engine = engine
        self._archives = archives
        self._kept: set[str] = set()
        self._waiting: list[Sealed] = []
        self._waiting_bytes = 0
        self._packed: dict[str, bytes] = {}

    def take(self, sealed: Sealed) -> None:
        """Append an entry, or let go what it says has gone."""
        self._load(sealed)
        if sealed.type in ("compression", ERASED):
            leaving = _leaving(sealed, self._archives)
            if leaving is not None:
                self.flush()
                if self._drop(leaving, sealed):
                    return
        self._waiting.append(sealed)
        self._waiting_bytes += len(sealed.body)
        if len(self._waiting) >= BATCH_ENTRIES or self._waiting_bytes > READ_BYTES_PAGE:
            self.flush()

    def flush(self) -> None:
        """Append what waits."""
        if self._waiting:
            batch = Batch(self._waiting, self._packed)
            self._engine.append(batch, expected_head=self._engine.head())
            self._packed = {}
        self._waiting = []
        self._waiting_bytes = 0

    def _drop(self, leaving: Archive | Erased, sealed: Sealed) -> bool:
        try:
            note = Batch([sealed], self._packed)
            self._engine.drop(leaving, note, expected_head=self._engine.head())
        except Conflict:
            return False  # an archive before it is not as it was listed: these entries stay too
        self._packed = {}
        if isinstance(leaving, Erased):
            self.missing.pop(leaving.sha256, None)
        return True

    def _load(self, sealed: Sealed) -> None:
        """Find the artifacts of an entry in the packs."""
        if vault.KEY.encode() not in sealed.body:
            return
        waiting = vault.references(entries.read(sealed.body).value())
        while waiting:
            sha256, may_nest = waiting.pop()
            if sha256 in self._kept or sha256 in self.missing:
                continue
            content = self._archives.artifact(sha256)
            if content is None:
                self.missing[sha256] = None
                continue
            self._kept.add(sha256)
            self._packed[sha256] = content
            self.artifacts += 1
            waiting += vault.references(msgspec.json.decode(content)) if may_nest else []


def _replay(remains: Remains, head: Head, draft: Path) -> Rebuilt:
    create(str(draft), head.ledger)
    engine = SqliteEngine(str(draft), archive_source=remains.archives)
    try:
        replay = _Replay(engine, remains.archives)
        for sealed in remains.entries(head):
            replay.take(sealed)
        replay.flush()
        faults = [fault for fault in verify(engine).faults if fault.kind != "artifact"]
        if faults:
            raise Damaged(
                f"The rebuilt ledger does not verify: entry {faults[0].seq}: {faults[0].detail}.",
                meaning="No database was made; the files are as they were.",
                remedy="Rebuild from a backup.",
            )
        size, listed = engine.head().size, len(engine.archives())
    finally:
        engine.close()
    missing = tuple(replay.missing)
    return Rebuilt(size, size - 1, listed, replay.artifacts, missing, remains.torn)


def _leaving(note: Sealed, archives: ArchiveFolder) -> Archive | Erased | None:
    """Return what a note says has gone, None for an archive that is not as it was listed."""
    data: dict[str, Any] = entries.read(note.body).value()
    if note.type == ERASED:
        return Erased(data["sha256"])
    names = ("first", "last", "archive_path", "archive_sha256", "archive_bytes")
    if not all(name in data for name in names):
        return None
    first, last, path, sha256, size = (data[name] for name in names)
    archive = Archive(first, last, str(path).rpartition("/")[2], sha256, size)
    return archive if archives.check(archive) is None else None


def _refuse_existing(target: Path) -> None:
    """Refuse a name that is taken, or beside which the log of a lost database lies.

    SQLite would play that log into the new one; and it may hold entries that nothing else does.
    """
    for taken in (target, *(target.with_name(target.name + end) for end in ("-wal", "-journal"))):
        if os.path.lexists(taken):
            raise _taken(taken)


def _taken(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path} exists already.",
        meaning="It was not touched, and nothing was rebuilt.",
        remedy="Move it to a safe place, or name another file.",
    )


def _publish(copy: Path, target: Path) -> None:
    """Give the proved database its name, unless somebody took it meanwhile."""
    handle = os.open(copy, os.O_RDWR | os.O_CLOEXEC)
    try:
        sync(handle)
    finally:
        os.close(handle)
    try:
        os.link(copy, target)  # where a rename would replace what is there
    except FileExistsError:
        raise _taken(target) from None
    copy.unlink()
    RealFiles().sync_folder(str(target.parent))
