"""The chain: each entry names the leaf hash of the one before it.

`seal` gives an entry its place; `link` says what is wrong with a stored one at its place. The two
share nothing but the hash functions, so that the check cannot repeat a mistake of the sealing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry, Prepared, Sealed
from holdfast.kernel.hashing import ZERO_LEAF, data_hash, leaf_hash


class Head(msgspec.Struct, frozen=True):
    """Where the chain ends: the next entry gets `seq == size` and `prev == leaf`."""

    ledger: str
    size: int = 0
    leaf: bytes = ZERO_LEAF


def seal(head: Head, entry: Prepared) -> Sealed:
    """Place an entry right behind the head."""
    body = entries.encode(entry, ledger=head.ledger, prev=head.leaf.hex(), seq=head.size)
    return Sealed(head.size, entry.id, entry.type, entry.session_id, leaf_hash(body), body)


def seal_all(head: Head, batch: Iterable[Prepared]) -> list[Sealed]:
    """Place entries one behind the other, the first right behind the head."""
    ledger, leaf = head.ledger, head.leaf
    sealed = []
    for seq, entry in enumerate(batch, start=head.size):
        body = entries.encode(entry, ledger=ledger, prev=leaf.hex(), seq=seq)
        leaf = leaf_hash(body)
        sealed.append(Sealed(seq, entry.id, entry.type, entry.session_id, leaf, body))
    return sealed


def after(head: Head, sealed: Sealed) -> Head:
    """Return the head once `sealed` stands in the chain."""
    return Head(head.ledger, sealed.seq + 1, sealed.leaf)


def link(entry: Entry, *, ledger: str, seq: int, prev: str | None) -> Iterator[tuple[str, str]]:
    """Yield (kind, detail) for everything wrong with an entry read at `seq`.

    `prev` is the leaf hash of the entry before it, None when that one could not be read.
    """
    if entry.seq != seq:
        yield "seq", f"the entry stored as {seq} says it is {entry.seq}"
    if entry.ledger != ledger:
        yield "ledger", f"the entry belongs to ledger {entry.ledger}, not to {ledger}"
    if prev is not None and entry.prev != prev:
        yield "chain", f"it names {entry.prev[:12]} as the one before; that is {prev[:12]}"
    if entry.hash != data_hash(entry.data):
        yield "data", "the hash of the data is not the one that was sealed"
