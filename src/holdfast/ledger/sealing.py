"""Sealing: the oldest entries move, in full, into archives; the newest stay.

An archive is written, synced and read back before the ledger lists it and lets its entries go, and
the two happen in one step with the `compression` entry that tells of it. Whatever stops a seal, an
entry is held, or archived, or both; what is left lying about harms nobody. Writers wait for that
one step alone: reading, compressing and syncing happen outside their queue.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry
from holdfast.kernel.errors import Conflict, Damaged, InvalidInput
from holdfast.kernel.limits import ARCHIVE_BYTES_MAX, ARCHIVE_ENTRIES_MAX, PACK_BYTES_MAX
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.packing import Packer
from holdfast.ledger.proving import UNLINKED, fault_of, leaf_before
from holdfast.ledger.sources import Clock, system_clock, timestamp
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage import archives as archive_files
from holdfast.storage.files import Files
from holdfast.storage.locks import file_lock
from holdfast.storage.port import Archive, Selection, Stored
from holdfast.views.compaction import compression_data

if TYPE_CHECKING:
    from holdfast.storage.archives import ArchiveFolder

SEALER: Final = Actor("holdfast", "sealer")
TRIGGERS: Final = ("size", "session_end", "pressure", "request")

_COMPRESSION: Final = "compression"


class SealReport(msgspec.Struct, frozen=True):
    """What a seal did."""

    sealed: int
    """Entries that moved."""
    archives: tuple[str, ...]
    """Names of the files they moved to, oldest first."""
    kept: int
    """Entries that were there and stay active; the notes of this seal come on top."""
    busy: bool = False
    """Somebody else was sealing, so nothing was done."""


class Sealer:
    """Moves the oldest entries of a ledger into archives."""

    def __init__(
        self,
        ledger: Ledger,
        archives: ArchiveFolder,
        *,
        lock_path: str,
        keep: int,
        clock: Clock = system_clock,
        files: Files | None = None,
    ) -> None:
        self._ledger = ledger
        self._archives = archives
        self._lock_path = lock_path
        self._keep = keep
        self._clock = clock
        self._files = files
        # Named from the ledger's own folder, so that a project can be moved.
        self._state = os.path.basename(os.path.dirname(archives.folder))  # noqa: PTH119, PTH120

    def active(self) -> int:
        """Return how many entries are not archived."""
        return self._ledger.head().size - self._oldest_held()

    def seal(
        self,
        *,
        keep: int | None = None,
        trigger: str = "request",
        wait_s: float = 10.0,
        entries_max: int | None = None,
        progress: Progress = no_progress,
    ) -> SealReport:
        """Archive every entry but the newest `keep`; the notes of earlier seals do not count.

        A damaged entry stops it with Damaged: what is older is archived, it is not. With
        `entries_max` only the oldest of them go: who was about to do something else waits less.
        """
        if trigger not in TRIGGERS:
            raise InvalidInput(
                f"A seal has no trigger {trigger!r}.",
                meaning="Nothing was sealed.",
                remedy=f"Use one of {', '.join(TRIGGERS)}.",
            )
        with file_lock(self._lock_path, wait_s=wait_s) as held:
            if held is None:
                return SealReport(0, (), self.active(), busy=True)
            stop = self._stop(self._keep if keep is None else keep)
            if entries_max is not None:
                stop = min(stop, self._oldest_held() + entries_max)
            return self._seal(stop, trigger, progress)

    def _seal(self, stop: int, trigger: str, progress: Progress) -> SealReport:
        remove_drafts(self._archives.folder)
        first, size = self._oldest_held(), self._ledger.head().size
        names: list[str] = []
        done = first
        with suppress(Conflict):  # somebody sealed without the lock: what is done is done
            while done < stop:
                archive = self._move(_Batch(self._ledger, done, stop), trigger)
                names.append(archive.name)
                done = archive.last + 1
                progress(done - first, stop - first)
        return SealReport(done - first, tuple(names), size - done)

    def _oldest_held(self) -> int:
        archives = self._ledger.reader.archives()
        return archives[-1].last + 1 if archives else 0

    def _stop(self, keep: int) -> int:
        """Return the oldest entry that stays: `keep` are newer or it, notes of seals aside."""
        oldest = self._oldest_held()
        stop = size = self._ledger.head().size
        for stored in self._ledger.reader.read(Selection(oldest, size, newest_first=True)):
            if not _is_note(stored):
                if keep == 0:
                    break
                keep -= 1
            stop = stored.seq
        return stop

    def _move(self, batch: _Batch, trigger: str) -> Archive:
        """Write one archive, then let its entries go."""
        now = timestamp(self._clock())
        archive = archive_files.write(
            self._archives.folder,
            batch.stored,
            ledger=self._ledger.id,
            day=now[:10].replace("-", ""),
            artifacts=batch.artifacts,
            files=self._files,
        )
        data = compression_data(
            batch.entries,
            archive_path=f"{self._state}/archives/{archive.name}",
            archive_sha256=archive.sha256,
            archive_bytes=archive.bytes,
            trigger=trigger,
            artifacts=len(batch.artifacts),
        )
        self._ledger._drop(archive, Draft(_COMPRESSION, data, actor=SEALER))
        return archive


class _Batch:
    """The oldest entries, as many as fit one archive, each proved, with the artifacts they name."""

    def __init__(self, ledger: Ledger, first: int, stop: int) -> None:
        self.stored: list[Stored] = []
        self.entries: list[Entry] = []
        self.artifacts: dict[str, bytes] = {}
        self._ledger_id = ledger.id
        self._packer = Packer(ledger.reader)
        self._bytes = self._packed_bytes = 0
        problem = self._fill(ledger, first, stop)
        if not self.stored:
            raise Damaged(
                f"Entry {first} cannot be archived: {problem}.",
                meaning="It and all entries after it stay in the ledger as they are.",
                remedy="Run `holdfast verify` to see what else is damaged.",
            )

    def _fill(self, ledger: Ledger, first: int, stop: int) -> str:
        """Take entries up to `stop`, to what fits, or to damage, which is returned."""
        expected, prev = first, leaf_before(ledger.reader, first)
        # One more than may go: it names the last one.
        for stored in ledger.reader.read(Selection(first, stop + 1)):
            if stored.seq != expected:
                break
            if fault := fault_of(stored, ledger=self._ledger_id, prev=prev):
                if fault[0] == UNLINKED and self.stored:
                    self._give_back()
                return fault[1]
            if stored.seq == stop:
                return ""
            try:
                if not self._take(stored):
                    return ""
            except Damaged as problem:
                return problem.what
            expected, prev = expected + 1, stored.leaf
        return "it is missing"

    def _take(self, stored: Stored) -> bool:
        """Add an entry, unless the archive is full."""
        entry = entries.read(stored.body)
        artifacts = self._packer.artifacts_of(entry, stored.body, self.artifacts)
        weight = sum(map(len, artifacts.values()))
        if self.stored and (
            len(self.stored) == ARCHIVE_ENTRIES_MAX
            or self._bytes + len(stored.body) + 1 > ARCHIVE_BYTES_MAX
            or self._packed_bytes + weight > PACK_BYTES_MAX
        ):
            return False
        self.stored.append(stored)
        self.entries.append(entry)
        self.artifacts |= artifacts
        self._bytes += len(stored.body) + 1
        self._packed_bytes += weight
        return True

    def _give_back(self) -> None:
        """Leave out the last entry: the one behind it names another, and either may be wrong."""
        self.stored.pop()
        self.entries.pop()


def remove_drafts(folder: str) -> None:
    """Remove what a seal or an erasure that was cut short left unfinished. The lock is held."""
    with suppress(FileNotFoundError):
        for path in list(Path(folder).iterdir()):
            if path.name.startswith("archive_") and path.name.endswith(".new"):
                path.unlink()


def _is_note(stored: Stored) -> bool:
    """Tell whether an entry is the note of a seal."""
    try:
        return entries.read(stored.body).type == _COMPRESSION
    except Damaged:
        return False
