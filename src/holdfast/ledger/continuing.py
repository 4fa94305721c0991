"""Continuing a campaign in a new ledger, under a name of its own.

Every entry is sealed anew behind the one before it, with the same id, type, data, time, actor,
session and span; what differs is the ledger's name and so the hashes. Then one entry says where all
of it comes from. Two machines that continue the same campaign have two ledgers: no chain forks.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry, Prepared
from holdfast.kernel.errors import BootFailed, Damaged, HoldfastError, InvalidInput
from holdfast.kernel.limits import CONTINUE_BATCH_BYTES, CONTINUE_BATCH_ENTRIES
from holdfast.kernel.merkle import Frontier
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger import vault
from holdfast.ledger.campaigns import CampaignReader
from holdfast.ledger.ledger import Ledger, Receipt
from holdfast.ledger.replay import stores_of
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.stores import Fold

CONTINUER: Final = Actor("holdfast", "campaign")

_KEY: Final = vault.KEY.encode()


class Continued(msgspec.Struct, frozen=True):
    """A ledger that continues a campaign."""

    ledger: str
    """Its own name."""
    entries: int
    """How many were taken over; the next one says where they come from."""
    artifacts: int
    snapshot_id: str
    origin: str
    """The name of the ledger that they come from."""
    receipt: Receipt


def continue_campaign(
    campaign: CampaignReader, ledger: Ledger, *, progress: Progress = no_progress
) -> Continued:
    """Take a proved campaign over into a ledger that is empty, and prove what came of it.

    Raises BootFailed when what is true then is not what the save says; the caller removes what was
    made.
    """
    save = campaign.snapshot
    if ledger.head().size:
        raise InvalidInput(
            "This ledger has entries of its own.",
            meaning="Nothing was recorded.",
            remedy="Continue a campaign in an empty folder.",
        )
    taking = _Taking(campaign, ledger)
    taking.take_all(progress)
    _compare(campaign, ledger.reader, save)
    receipt = ledger.append(
        "ledger_continued",
        {
            "ledger": save.ledger,
            "size": save.tree_size,
            "root": save.tree_root,
            "snapshot_id": save.snapshot_id,
        },
        actor=CONTINUER,
    )
    return Continued(
        ledger.id, save.tree_size, taking.artifacts, save.snapshot_id, save.ledger, receipt
    )


class _Taking:
    """Entries on their way, some at a time."""

    def __init__(self, campaign: CampaignReader, ledger: Ledger) -> None:
        self.artifacts = 0
        self._campaign = campaign
        self._ledger = ledger
        self._batch: list[Prepared] = []
        self._loaded: dict[str, bytes] = {}
        self._weight = 0
        self._taken: set[bytes] = set()
        """Artifacts that are in the vault by now."""
        self._ids: set[bytes] = set()

    def take_all(self, progress: Progress) -> None:
        """Take every entry over; together they must still be those of the save."""
        size = self._campaign.manifest.size
        frontier = Frontier()
        leaves: list[bytes] = []
        for stored in self._campaign.read():
            leaves.append(stored.leaf)
            self._take(stored)
            if self._is_full():
                frontier, leaves = frontier.extend(leaves), []
                self._flush()
                progress(stored.seq + 1, size)
        self._flush()
        root = frontier.extend(leaves).root().hex()
        if root != self._campaign.manifest.root:
            raise _failed(
                3,
                "The campaign file changed while it was read.",
                self._campaign.manifest.root,
                root,
            )
        progress(size, size)

    def _is_full(self) -> bool:
        return len(self._batch) == CONTINUE_BATCH_ENTRIES or self._weight > CONTINUE_BATCH_BYTES

    def _take(self, stored: Stored) -> None:
        entry = entries.read(stored.body)
        prepared = _checked(entry)
        spelled = entries.encode(prepared, ledger=entry.ledger, prev=entry.prev, seq=entry.seq)
        known = blake2b(entry.id.encode(), digest_size=16).digest()
        if spelled != stored.body:
            raise _failed(3, f"Entry {stored.seq} is not spelled as entries are.", "", "")
        if known in self._ids:
            raise _failed(3, f"The id of entry {stored.seq} is there twice.", "", entry.id)
        self._ids.add(known)
        if _KEY in stored.body:
            self._load(entry)
        self._batch.append(prepared)
        self._weight += len(stored.body)

    def _load(self, entry: Entry) -> None:
        """Find the artifacts of an entry that are not in the vault yet, also those in others."""
        waiting = vault.references(entry.value())
        while waiting:
            sha256, may_nest = waiting.pop()
            digest = bytes.fromhex(sha256)
            if digest in self._taken:
                continue
            content = self._campaign.artifact(sha256)
            if content is None:
                continue  # erased: the campaign was proved to say so
            self._taken.add(digest)
            self._loaded[sha256] = content
            self._weight += len(content)
            if may_nest and _KEY in content:
                waiting += vault.references(msgspec.json.decode(content))

    def _flush(self) -> None:
        if self._batch:
            self._ledger._take_over(self._batch, self._loaded)
        self.artifacts += len(self._loaded)
        self._batch, self._loaded, self._weight = [], {}, 0


def _checked(entry: Entry) -> Prepared:
    """Return an entry without its place, or say that it could not have been recorded."""
    try:
        entries.check_name("The id", entry.id)
        entries.check_actor(entry.actor)
        if entry.session_id is not None:
            entries.check_name("The session id", entry.session_id)
        if entry.span is not None:
            entries.check_span(entry.span)
    except InvalidInput as problem:
        raise _failed(
            3, f"Entry {entry.seq}: {problem.what}", "an entry", problem.what
        ) from problem
    return _without_place(entry)


def _without_place(entry: Entry) -> Prepared:
    return Prepared(
        entry.id,
        entry.type,
        entry.v,
        entry.session_id,
        entry.timestamp,
        entry.actor,
        entry.span,
        bytes(entry.data),
        entry.hash,
    )


def _compare(campaign: CampaignReader, new: Reader, save: SaveSnapshot) -> None:
    """Fold what is in the new ledger, entry by entry the same as in the campaign."""
    fold = Fold(stores_of(save))
    try:
        for entry in _same(campaign, new, save.tree_size):
            fold.apply(entry)
    except BootFailed:
        raise
    except HoldfastError as problem:
        raise _failed(
            6, f"Entry {fold.size} cannot be replayed: {problem.what}", "an entry", problem.what
        ) from problem
    found = fold.digests()
    for name, expected in sorted(save.store_digests.items()):
        if found[name] != expected:
            raise _failed(
                8, f"The store {name} is not what it was at the save.", expected, found[name]
            )


def _same(campaign: CampaignReader, new: Reader, size: int) -> Iterator[Entry]:
    """Yield the entries of the new ledger, each held against the one it was made of."""
    count = 0
    pairs = zip(new.read(Selection(stop=size)), campaign.read(), strict=False)
    for stored, origin in pairs:
        entry, old = entries.read(stored.body), entries.read(origin.body)
        if (stored.seq, _without_place(entry)) != (count, _without_place(old)):
            raise Damaged(f"Entry {count} is not the one that was taken over.")
        yield entry
        count += 1
    if count < size:
        raise Damaged(f"Entry {count} is missing.")


def _failed(step: int, what: str, expected: str, found: str) -> BootFailed:
    return BootFailed(
        what,
        step=step,
        expected=expected,
        found=found,
        meaning="No ledger was made.",
        remedy="Use the holdfast that made the campaign file, or save the campaign anew.",
    )
