"""Recording what an import found: in batches, each line once, whatever becomes of a single one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import IMPORT_BATCH_BYTES, IMPORT_LINES_BATCH_ENTRIES
from holdfast.ledger.admission import Admitted
from holdfast.ledger.importing import admitting
from holdfast.ledger.importing.admitting import QUARANTINED as QUARANTINED
from holdfast.ledger.importing.admitting import Found as Found
from holdfast.ledger.importing.lines import Line, Unread
from holdfast.ledger.ledger import Draft
from holdfast.ledger.sources import timestamp

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger, Receipt

NAMED_MAX: Final = 20
"""Quarantined lines that a report names; the others are counted."""


@contextmanager
def upkeep_put_off(ledger: Ledger) -> Iterator[None]:
    """Leave what is done now and then after an append to the appends that come after much of it."""
    upkeep, ledger._upkeep = ledger._upkeep, None
    try:
        yield
    finally:
        ledger._upkeep = upkeep


class Refused(msgspec.Struct, frozen=True):
    """A line that is no entry, and where it is kept."""

    source: str
    line: int
    reason: str
    seq: int


class Imported(msgspec.Struct, frozen=True):
    """What became of an import."""

    imported: int
    quarantined: int
    duplicates: int
    sessions: int
    refused: tuple[Refused, ...] = ()
    """The first quarantined lines; `quarantined` counts them all."""
    hashes_differ: int = 0
    """Entries that came with a hash that is not the one of their data."""
    assumed_utc: int = 0
    """Entries whose time names no zone."""
    unread: tuple[Unread, ...] = ()
    paused: int = 0
    """Entries that were left out, because nothing was to be recorded when they came."""


class Intake:
    """Takes found lines and counts what became of them."""

    def __init__(self, ledger: Ledger, actor: Actor) -> None:
        self._ledger = ledger
        self._actor = actor
        self._batch: list[Found] = []
        self._bytes = 0
        self._asks_first = True
        """Whether ids of the batch before were known: then most of the next are likely to be."""
        self._sessions: set[str] = set()
        self._refused: list[Refused] = []
        self._counts = dict.fromkeys(
            ("imported", "quarantined", "duplicates", "hashes_differ", "assumed_utc"), 0
        )

    def take(self, found: Found) -> None:
        """Record a line, sooner or later."""
        self._batch.append(found)
        self._bytes += found.bytes
        if len(self._batch) >= IMPORT_LINES_BATCH_ENTRIES or self._bytes >= IMPORT_BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Record what is waiting, all at once."""
        batch, self._batch, self._bytes = self._batch, [], 0
        if not batch:
            return
        known = self._counts["duplicates"]
        self._record(self._unknown(batch) if self._asks_first else batch)
        self._asks_first = self._counts["duplicates"] > known

    def _record(self, batch: list[Found]) -> None:
        batch = self._admit(batch)
        admitted = [found.admitted for found in batch if found.admitted is not None]
        for found, receipt in zip(batch, self._append(batch, admitted), strict=True):
            self._count(found, receipt)

    def _admit(self, batch: list[Found]) -> list[Found]:
        """Decide the bytes of those for whom nobody has: what is read elsewhere comes decided."""
        left = [found for found in batch if found.admitted is None]
        ready = iter(admitting.admit_found(left, self._ledger._redactor, self._actor))
        return [next(ready) if found.admitted is None else found for found in batch]

    def _append(self, batch: Sequence[Found], admitted: Sequence[Admitted]) -> list[Receipt]:
        """Do what `append_many` does, with data that is admitted already: perhaps elsewhere."""
        if not batch:
            return []
        now_us = self._ledger.now_us()
        stamp, prepare = timestamp(now_us), self._ledger._prepare
        prepared = [
            prepare(found.draft, one, now_us, stamp)
            for found, one in zip(batch, admitted, strict=True)
        ]
        return self._ledger._write(prepared, admitted, may_be_known=True)

    def _unknown(self, batch: list[Found]) -> list[Found]:
        """Count what is there already, and return the rest: nothing is looked through twice."""
        known = self._ledger.find({one.draft.id for one in batch if one.draft.id is not None})
        for found in batch:
            if found.draft.id in known:
                self._note_session(found.draft)
                self._counts["duplicates"] += 1
        return [found for found in batch if found.draft.id not in known]

    def report(self, unread: Iterable[Unread]) -> Imported:
        """Return what became of everything."""
        return Imported(
            **self._counts,
            sessions=len(self._sessions),
            refused=tuple(self._refused),
            unread=tuple(unread),
        )

    def _count(self, found: Found, receipt: Receipt) -> None:
        draft = found.draft
        self._note_session(draft)
        if receipt.duplicate:
            self._counts["duplicates"] += 1
            return
        if draft.type == QUARANTINED:
            self._counts["quarantined"] += 1
            if len(self._refused) < NAMED_MAX:
                line, reason = found.line, draft.data["reason"]
                self._refused.append(Refused(line.source, line.number, reason, receipt.seq))
            return
        self._counts["imported"] += 1
        origin = draft.data.get("imported", {})
        self._counts["hashes_differ"] += origin.get("hash_matched") is False
        self._counts["assumed_utc"] += "assumed_zone" in origin

    def _note_session(self, draft: Draft) -> None:
        if draft.session_id is not None:
            self._sessions.add(draft.session_id)

    def quarantine(self, line: Line, reason: str, entry_id: str | None) -> Draft:
        """Return the entry that keeps a line as it stands."""
        redactor = self._ledger._redactor
        return admitting.quarantine(line, reason, entry_id, actor=self._actor, redactor=redactor)
