"""Recording what an import found: in batches, each line once, whatever becomes of a single one."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import IMPORT_BATCH_BYTES, IMPORT_BATCH_ENTRIES
from holdfast.ledger.importing.lines import Line, Unread
from holdfast.ledger.ledger import Draft

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger, Receipt

QUARANTINED: Final = "line_quarantined"
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


class Found(msgspec.Struct, frozen=True):
    """A line, and the entry that it becomes."""

    line: Line
    draft: Draft


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
        self._bytes += len(found.line.content)
        if len(self._batch) >= IMPORT_BATCH_ENTRIES or self._bytes >= IMPORT_BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Record what is waiting, all at once; if one refuses, one by one."""
        batch, self._batch, self._bytes = self._batch, [], 0
        if not batch:
            return
        known = self._counts["duplicates"]
        self._record(self._unknown(batch) if self._asks_first else batch)
        self._asks_first = self._counts["duplicates"] > known

    def _record(self, batch: list[Found]) -> None:
        try:
            receipts = self._ledger.append_many(found.draft for found in batch)
        except InvalidInput:
            for found in batch:
                self._record_alone(found)
            return
        for found, receipt in zip(batch, receipts, strict=True):
            self._count(found, receipt)

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

    def _record_alone(self, found: Found) -> None:
        try:
            [receipt] = self._ledger.append_many([found.draft])
        except InvalidInput as problem:
            found = Found(found.line, self.quarantine(found.line, problem.what, found.draft.id))
            [receipt] = self._ledger.append_many([found.draft])
        self._count(found, receipt)

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
        origin = draft.data["imported"]
        self._counts["hashes_differ"] += origin.get("hash_matched") is False
        self._counts["assumed_utc"] += "assumed_zone" in origin

    def _note_session(self, draft: Draft) -> None:
        if draft.session_id is not None:
            self._sessions.add(draft.session_id)

    def quarantine(self, line: Line, reason: str, entry_id: str | None) -> Draft:
        """Return the entry that keeps a line as it stands."""
        encoding, content = _kept(line.content, self._ledger.redact)
        data = {
            "source": line.source,
            "line": line.number,
            "reason": reason if line.part is None else f"{reason}; this is part {line.part}",
            "encoding": encoding,
            "content": content,
        }
        return Draft(QUARANTINED, data, actor=self._actor, id=entry_id)


def _kept(content: bytes, redact: Callable[[str], str]) -> tuple[str, str]:
    """Return a line as text, or as base64; secrets could not be seen in that, so they go before."""
    try:
        return "text", content.decode()
    except UnicodeDecodeError:
        seen = content.decode("utf-8", "surrogateescape")
        cleaned = redact(seen).encode("utf-8", "surrogateescape")
        return "base64", base64.b64encode(cleaned).decode()
