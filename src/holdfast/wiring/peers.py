"""Peers as they are looked at: whoever opens one sees what was merged of it, and cannot add to it.

Not here: how their entries come. Where they lie is in `peer_folders`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Damaged, HoldfastError, InvalidInput, NotFound
from holdfast.kernel.hashing import ZERO_LEAF
from holdfast.ledger.peers.known import SYNCER, head_of, known_of
from holdfast.ledger.peers.source import TreeHead
from holdfast.storage.port import (
    EVERYTHING,
    Archive,
    Audit,
    Batch,
    Engine,
    Erased,
    Reader,
    Selection,
    Stored,
)
from holdfast.wiring.looking import open_engine, open_reader
from holdfast.wiring.places import DATABASE, Place

_NAME: Final = re.compile(r"[0-9a-f]{32}")
KEY_CHARS_MIN: Final = 4


class PeerEngine:
    """A peer's chain for those who look: up to what was merged, and nothing can be added."""

    def __init__(self, engine: Engine, merged: int) -> None:
        self._engine = engine
        self._merged = merged

    def head(self) -> Head:
        """Return where the merged part ends."""
        head = self._engine.head()
        size = min(head.size, self._merged)
        if size == head.size:
            return head
        return Head(head.ledger, size, self._engine.node(size - 1, size) if size else ZERO_LEAF)

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield the entries that fit, of those that were merged."""
        stop = self._merged if selection.stop is None else min(selection.stop, self._merged)
        return self._engine.read(msgspec.structs.replace(selection, stop=stop))

    def node(self, first: int, stop: int) -> bytes:
        """Return the tree hash over kept leaf hashes."""
        return self._engine.node(first, stop)

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact."""
        return self._engine.artifact(sha256)

    def archives(self) -> Sequence[Archive]:
        """Return the listed archives."""
        return self._engine.archives()

    def audit(self) -> Audit:
        """Begin to look for damage."""
        return self._engine.audit()

    def queue(self) -> AbstractContextManager[None]:
        """Refuse: nobody's turn ever comes."""
        raise _not_ours()

    def append(self, batch: Batch, *, expected_head: Head) -> None:
        """Refuse."""
        del batch, expected_head
        raise _not_ours()

    def drop(self, leaving: Archive | Erased, note: Batch, *, expected_head: Head) -> None:
        """Refuse."""
        del leaving, note, expected_head
        raise _not_ours()

    def close(self) -> None:
        """Let go of the files."""
        self._engine.close()


class Peer(msgspec.Struct, frozen=True):
    """Another ledger that was merged."""

    ledger: str
    entries: int
    """Merged ones."""
    root: str
    source: str | None
    seq: int
    """Our entry that merged them."""
    timestamp: str
    refused: int
    """How often it contradicted what it had said."""
    problem: str | None = None
    """Why its entries cannot be looked at here, null when they can."""


def peers(place: Place) -> list[Peer]:
    """Return the ledgers that were merged into the one of a place, the newest merge first."""
    reader = open_reader(place.database)
    try:
        return peers_of(place, reader)
    finally:
        reader.close()


def peers_of(place: Place, reader: Reader) -> list[Peer]:
    """Return them through a reader that is open already; a peer has none here."""
    return [] if place.owner is not None else list(_peers(place, reader))


def find_peer(place: Place, key: str) -> Place:
    """Return the place of a merged peer by its name, or the beginning of it."""
    known = [peer.ledger for peer in peers(place)]
    found = [name for name in known if len(key) >= KEY_CHARS_MIN and name.startswith(key.lower())]
    if len(found) == 1:
        return Place(place.peers / found[0] / DATABASE)
    if found:
        raise InvalidInput(
            f"Several peers begin with {key!r}: {', '.join(found[:5])}.",
            meaning="Nothing was looked at.",
            remedy="Give more of the name.",
        )
    raise NotFound(
        f"No peer {key[:40]!r} was merged.",
        meaning="Only ledgers that were synced can be looked at here.",
        remedy=f"Give at least {KEY_CHARS_MIN} characters of a name that `holdfast sync` lists.",
    )


def bounded(engine: Engine, place: Place) -> Engine:
    """Return a peer's engine for those who look, any other as it is."""
    owner = place.owner
    if owner is None or not owner.database.exists():
        return engine
    reader = open_reader(owner.database)
    try:
        known = known_of(reader, place.folder.name)
    finally:
        reader.close()
    return PeerEngine(engine, 0 if known is None else known.size)


def open_peer(place: Place) -> Engine:
    """Open a peer's chain to look at it."""
    return bounded(open_engine(place), place)


def _peers(place: Place, reader: Reader) -> Iterator[Peer]:
    refused = _refusals(reader)
    seen: set[str] = set()
    for stored in reader.read(Selection(type="peer_merged", newest_first=True)):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            continue  # verify names it
        head = head_of(entry)
        if head is None or head.ledger in seen or not _NAME.fullmatch(head.ledger):
            continue
        seen.add(head.ledger)
        source = entry.value().get("source")
        yield Peer(
            head.ledger,
            head.size,
            head.root,
            source if isinstance(source, str) else None,
            entry.seq,
            entry.timestamp,
            refused.get(head.ledger, 0),
            _problem(place.peers / head.ledger, head),
        )


def _refusals(reader: Reader) -> dict[str, int]:
    count: dict[str, int] = {}
    for stored in reader.read(Selection(type="peer_refused")):
        with suppress(Damaged):
            entry = entries.read(stored.body)
            if entry.actor == SYNCER:
                ledger = str(entry.value().get("ledger"))
                count[ledger] = count.get(ledger, 0) + 1
    return count


def _problem(folder: Path, merged: TreeHead) -> str | None:
    """Say why what was merged is not here; a sync brings it again."""
    try:
        reader = open_reader(folder / DATABASE)
    except HoldfastError as problem:
        return problem.what
    try:
        size = reader.head().size
        if size < merged.size:
            return f"only {size} of its {merged.size} entries are here"
        if merged.size and reader.node(0, merged.size).hex() != merged.root:
            return "what is kept of it is not what was merged"
        return None
    except HoldfastError as problem:
        return problem.what
    finally:
        reader.close()


def _not_ours() -> InvalidInput:
    return InvalidInput(
        "That is another ledger's chain, kept here as it is.",
        meaning="Nothing was recorded.",
        remedy="Record in the project's own ledger; what a peer records comes by `holdfast sync`.",
    )
