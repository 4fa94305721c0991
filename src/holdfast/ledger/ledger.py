"""The ledger as callers use it: append, read, verify.

Everything about an entry is decided before the writers' queue is entered (`admission`); inside it
an entry only gets its place.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry, Prepared, Sealed, Span
from holdfast.kernel.errors import Conflict, Damaged, NotFound, StorageFailed
from holdfast.kernel.hashing import data_hash
from holdfast.ledger import vault
from holdfast.ledger.admission import (
    Admitted,
    admit,
    admit_all,
    admit_derived,
    check_looked,
    check_number,
)
from holdfast.ledger.drafts import Draft as Draft
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.ledger.folding import fold_up_to
from holdfast.ledger.placing import place
from holdfast.ledger.readying import Readying
from holdfast.ledger.receipts import Receipt as Receipt
from holdfast.ledger.receipts import first_receipt, receipt_of, repeated
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.sources import Clock, Ids, system_clock, timestamp, uuid7
from holdfast.ledger.verify import Checks, Progress, Report, no_progress, verify
from holdfast.storage.port import (
    EVERYTHING,
    Archive,
    Batch,
    Engine,
    Erased,
    Fault,
    Placer,
    Reader,
    Selection,
    Stored,
    find,
)
from holdfast.stores import Fold

DEFAULT_ACTOR: Final = Actor("user", "script")

OnDamaged: TypeAlias = Callable[[Fault], None]
"""Told of an entry that cannot be read and is left out."""

Upkeep: TypeAlias = Callable[[int], int]
"""Told how many entries there are now; returns at how many it wants to be told again."""


class Ledger:
    """An append-only, hash-chained record. Safe to share between threads."""

    def __init__(
        self,
        engine: Engine,
        *,
        redactor: Redactor,
        actor: Actor = DEFAULT_ACTOR,
        session_id: str | None = None,
        clock: Clock = system_clock,
        ids: Ids = uuid7,
        checks: Checks | None = None,
        upkeep: Upkeep | None = None,
    ) -> None:
        self._engine = engine
        self._placer = engine if isinstance(engine, Placer) else None
        self._redactor = redactor
        self._actor = entries.check_actor(actor)
        self.session_id = session_id
        """Of entries that name no session themselves."""
        self._clock = clock
        self._ids = ids
        self._checks = checks
        self._upkeep = upkeep
        self._upkeep_at = 0

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Writing

    def append(
        self,
        type: str,
        data: Mapping[str, Any],
        *,
        session_id: str | None = None,
        actor: Actor | None = None,
        id: str | None = None,
        span: Span | None = None,
        at: int | None = None,
    ) -> Receipt:
        """Record one entry; it is durable when this returns.

        The same `id` again returns the first receipt and records nothing. With `at` it is recorded
        after so many entries, or not at all.
        """
        draft = Draft(type, data, session_id, actor, id, span)
        check_looked([type], at)
        admitted = admit(type, data, self._redactor)
        now_us = self._clock()
        entry = self._prepare(draft, admitted, now_us, timestamp(now_us))
        if self._placer is None or id is not None or at is not None or admitted.artifacts:
            [receipt] = self._write([entry], [admitted], id is not None, at)
        else:
            receipt = self._place(self._placer, entry, admitted)
        return receipt

    def _place(self, placer: Placer, entry: Prepared, admitted: Admitted) -> Receipt:
        """Append one entry in one go, when nothing has to be looked up in the turn."""
        try:
            sealed = placer.place(entry, chain.seal)
        except StorageFailed as failure:
            _name_ids(failure, [entry])
            raise
        self._look_after(sealed.seq)
        return receipt_of(sealed, entry, admitted)

    def _drop(self, leaving: Archive | Erased, note: Draft) -> Receipt:
        """Let bytes go that may go, in one step with the entry that says so.

        For sealing and erasing, which make sure first that they may; nobody else has this verb.
        The note is of no session unless it names one: it is about the ledger. That of an archive
        is made of its entries.
        """
        if isinstance(leaving, Archive):
            admitted = admit_derived(note.type, note.data)
        else:
            admitted = admit(note.type, note.data, self._redactor)
        now_us = self._clock()
        entry = self._prepare(note, admitted, now_us, timestamp(now_us))
        entry = msgspec.structs.replace(entry, session_id=note.session_id)
        with self._engine.queue():
            head = self._engine.head()
            [sealed] = chain.seal_all(head, [entry])
            batch = Batch([sealed], admitted.artifacts)
            self._engine.drop(leaving, batch, expected_head=head)
        return receipt_of(sealed, entry, admitted)

    def _take_over(self, batch: Sequence[Prepared], artifacts: Mapping[str, bytes]) -> None:
        """Append entries of another ledger as they are, with the artifacts they name.

        For continuing a campaign, which proves them first; nobody else has this verb. They went
        through redaction when they were recorded, and keep their ids, of which none may be here.
        """
        with self._engine.queue():
            head = self._engine.head()
            self._engine.append(Batch(chain.seal_all(head, batch), artifacts), expected_head=head)

    def append_many(
        self, drafts: Iterable[Draft], *, now_us: int | None = None, at: int | None = None
    ) -> list[Receipt]:
        """Record several entries, all of them or none. They share one timestamp: `now_us`, where
        the caller had to know it before. They are recorded after `at` entries, or not at all."""
        drafts = list(drafts)
        check_number(len(drafts))
        if not drafts:
            return []
        check_looked([draft.type for draft in drafts], at)
        batch, admitted = self._prepare_all(drafts, self._clock() if now_us is None else now_us)
        return self._write(batch, admitted, any(draft.id is not None for draft in drafts), at)

    def readying(self, drafts: Sequence[Draft], head: chain.Head) -> Readying:
        """Make entries ready to stand right behind `head`, in small steps: go through it, then
        `append_readied`. They share one timestamp; none may have an id of the caller's."""
        now_us = self._clock()
        return Readying(drafts, head, lambda some: self._prepare_all(some, now_us))

    def append_readied(self, readied: Readying) -> None:
        """Record entries that are ready, all of them or none; a conflict when the head is no longer
        where they are to stand."""
        batch = readied.batch()
        if not batch.entries:
            return
        try:
            self._engine.append(batch, expected_head=readied.head)
        except StorageFailed as failure:
            _name_ids(failure, batch.entries)
            raise
        self._look_after(batch.entries[-1].seq)

    def _write(
        self,
        batch: Sequence[Prepared],
        admitted: Sequence[Admitted],
        may_be_known: bool,
        at: int | None = None,
    ) -> list[Receipt]:
        """Wait for the writer's turn, and append."""
        try:
            with self._engine.queue():
                if at is not None and self._engine.head().size != at:
                    raise Conflict(f"There are no longer {at} entries.", remedy="Look again.")
                if may_be_known:
                    receipts = self._append_unless_known(batch, admitted)
                else:
                    receipts = self._append_fresh(batch, admitted)
        except StorageFailed as failure:
            _name_ids(failure, batch)
            raise
        self._look_after(receipts[-1].seq)
        return receipts

    def _look_after(self, newest: int) -> None:
        if self._upkeep is not None and newest >= self._upkeep_at:
            self._upkeep_at = self._upkeep(newest + 1)

    def _append_fresh(
        self, batch: Sequence[Prepared], admitted: Sequence[Admitted]
    ) -> list[Receipt]:
        """Append entries whose ids nobody else has."""
        return [
            Receipt(s.seq, s.id, entry.hash, s.leaf.hex(), one.redactions)
            for s, entry, one in zip(
                place(self._engine, batch, admitted), batch, admitted, strict=True
            )
        ]

    def _append_unless_known(
        self, batch: Sequence[Prepared], admitted: Sequence[Admitted]
    ) -> list[Receipt]:
        """Append the entries whose ids are new, and find the first receipts of the others."""
        known = self.find({entry.id for entry in batch})
        receipts = {one: first_receipt(stored) for one, stored in known.items()}
        fresh: dict[str, int] = {}
        for index, entry in enumerate(batch):
            if entry.id not in receipts:
                fresh.setdefault(entry.id, index)
        places = list(fresh.values())
        if places:
            new = self._append_fresh([batch[i] for i in places], [admitted[i] for i in places])
            receipts |= {receipt.id: receipt for receipt in new}
        return [
            receipts[entry.id]
            if fresh.get(entry.id) == index
            else repeated(receipts[entry.id], entry, admitted[index])
            for index, entry in enumerate(batch)
        ]

    def find(self, ids: Collection[str]) -> Mapping[str, Stored]:
        """Return the entries that have one of these ids, by id."""
        return find(self._engine, ids)

    def _prepare_all(
        self, drafts: Sequence[Draft], now_us: int
    ) -> tuple[list[Prepared], list[Admitted]]:
        admitted = admit_all([(draft.type, draft.data) for draft in drafts], self._redactor)
        stamp = timestamp(now_us)
        batch = [
            self._prepare(draft, one, now_us, stamp)
            for draft, one in zip(drafts, admitted, strict=True)
        ]
        return batch, admitted

    def _prepare(self, draft: Draft, admitted: Admitted, now_us: int, stamp: str) -> Prepared:
        """Decide every byte of an entry except its place."""
        session_id = self.session_id if draft.session_id is None else draft.session_id
        if session_id is not None:
            entries.check_name("The session id", session_id)
        return Prepared(
            self._ids(now_us) if draft.id is None else entries.check_name("The id", draft.id),
            draft.type,
            admitted.version,
            session_id,
            stamp,
            self._actor if draft.actor is None else entries.check_actor(draft.actor),
            None if draft.span is None else entries.check_span(draft.span),
            admitted.data,
            data_hash(admitted.data),
        )

    # Reading

    @property
    def reader(self) -> Reader:
        """The ledger for those who only look."""
        return self._engine

    @property
    def actor(self) -> Actor:
        """Who entries come from that do not say so themselves."""
        return self._actor

    def redact(self, text: str) -> str:
        """Replace the secrets in a text that is to be kept in a form where they are not seen."""
        return self._redactor.clean_text(text)[0]

    def now_us(self) -> int:
        """Return what the ledger's clock says."""
        return self._clock()

    def new_id(self) -> str:
        """Make an id that nothing else has."""
        return self._ids(self._clock())

    @property
    def id(self) -> str:
        """The random name of this ledger."""
        return self._engine.head().ledger

    def head(self) -> chain.Head:
        """Return where the chain ends."""
        return self._engine.head()

    def root(self, size: int | None = None) -> str:
        """Return the tree's root over the first `size` entries, or over all."""
        return self._engine.node(0, self._engine.head().size if size is None else size).hex()

    def lines(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield entries as they are stored, byte for byte, damaged ones too."""
        return self._engine.read(selection)

    def read(
        self, selection: Selection = EVERYTHING, *, on_damaged: OnDamaged | None = None
    ) -> Iterator[Entry]:
        """Yield entries. One that cannot be read is reported and left out; the rest still come."""
        for stored in self._engine.read(selection):
            try:
                entry = entries.read(stored.body)
            except Damaged as problem:
                (on_damaged or _warn)(Fault(stored.seq, "entry", problem.what))
            else:
                yield entry

    def get(self, key: int | str) -> Stored:
        """Return one entry by its number or its id."""
        by_seq = isinstance(key, int)
        wanted = Selection(key, key + 1) if isinstance(key, int) else Selection(id=key)
        for stored in self._engine.read(wanted):
            return stored
        raise NotFound(
            f"There is no entry {key}." if by_seq else f"There is no entry with the id {key!r}.",
            meaning=self._extent(),
            remedy="`holdfast log` lists them.",
        )

    def _extent(self) -> str:
        size = self.head().size
        return f"The ledger holds entries 0 to {size - 1}." if size else "The ledger is empty."

    def data(self, entry: Entry) -> dict[str, Any]:
        """Return an entry's data with every large part put back from the vault.

        A part that was erased stays a reference, with `"erased": true`.
        """
        is_erased = ErasedArtifacts(self._engine)
        resolved: dict[str, Any] = vault.resolve(entry.value(), self._engine.artifact, is_erased)
        return resolved

    def fold(self, stop: int | None = None) -> Fold:
        """Work out what is true now, or was true before entry `stop`.

        Needs every entry: one that is damaged, missing or of an unknown type is a hard failure.
        """
        return fold_up_to(self._engine, stop)

    def artifact(self, sha256: str) -> bytes | None:
        """Return the bytes with this SHA-256, None when the vault does not have them."""
        return self._engine.artifact(sha256)

    def verify(
        self,
        *,
        expected: tuple[int, str] | None = None,
        progress: Progress = no_progress,
    ) -> Report:
        """Prove every entry from its bytes. `expected` is a size and root kept elsewhere."""
        return verify(self._engine, expected=expected, checks=self._checks, progress=progress)

    def close(self) -> None:
        """Let go of the files."""
        self._engine.close()


def _name_ids(failure: StorageFailed, batch: Sequence[Prepared | Sealed]) -> None:
    ids = ", ".join(entry.id for entry in batch[:3])
    failure.remedy = f"Try again with the same id ({ids}): it is recorded at most once."


def _warn(fault: Fault) -> None:
    warnings.warn(
        f"Entry {fault.seq} is damaged and was left out: {fault.detail}", RuntimeWarning, 4
    )
