"""Holding what a peer says now against what it said before: the same beginning, or a contradiction.

A contradiction is two entries of one ledger with one number and other content, both in their place.
Whoever shows both proves it, whatever the peer says later.
"""

from __future__ import annotations

import msgspec

from holdfast.kernel import merkle
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import ZERO_LEAF, leaf_hash
from holdfast.ledger.peers.source import Source, TreeHead, unproved
from holdfast.ledger.peers.taking import read_entry
from holdfast.storage.port import Reader, Selection, Stored


class Contradiction(msgspec.Struct, frozen=True):
    """What a ledger said of one number before, and what it says now."""

    seq: int
    known: str
    told: str
    """Leaf hashes; of a whole beginning whose entries are not here any more, the roots."""
    reason: str
    evidence: tuple[bytes, bytes] | None = None
    """Both entries, byte for byte."""


def contradiction(
    source: Source, told: TreeHead, known: TreeHead, kept: Reader
) -> Contradiction | None:
    """Tell where a ledger contradicts a head that it had before; None when it only went on.

    `kept` is what is here of it. A proof that does not hold while every entry is the same is no
    contradiction, and no answer: Damaged.
    """
    if _goes_on(source, told, known, kept):
        return None
    shared = min(known.size, told.size)
    found = _first_difference(source, known.ledger, kept, shared)
    if found is not None:
        return found
    if kept.head().size < shared:
        return _other_root(source, known)
    raise unproved("Its entries are those that it had, but its tree is not theirs.")


def _goes_on(source: Source, told: TreeHead, known: TreeHead, kept: Reader) -> bool:
    if told.size < known.size:
        if kept.head().size < told.size:
            raise unproved(
                f"It has {told.size} entries; it had {known.size}, which are not here any more."
            )
        return told.size == 0 or kept.node(0, told.size) == told.root_bytes()
    if known.size == 0:
        return True
    proof = source.consistency(known.size, told.size)
    return merkle.verify_consistency(
        known.size, known.root_bytes(), told.size, told.root_bytes(), proof
    )


def _first_difference(
    source: Source, ledger: str, kept: Reader, shared: int
) -> Contradiction | None:
    """Compare the entries that are here one by one with those that are told now."""
    stop, prev = min(shared, kept.head().size), ZERO_LEAF
    told = source.read(0, stop)
    for expected, stored in enumerate(kept.read(Selection(stop=stop))):
        _check_kept(stored, expected)
        body = next(told, None)
        if body is None:
            raise unproved(f"It does not give its entry {expected}, which it had.")
        if body != stored.body:
            read_entry(body, ledger=ledger, seq=expected, prev=prev.hex())
            leaves = stored.leaf.hex(), leaf_hash(body).hex()
            what = f"Its entry {expected} was another one before."
            return Contradiction(expected, *leaves, what, (stored.body, body))
        prev = stored.leaf
    return None


def _other_root(source: Source, known: TreeHead) -> Contradiction | None:
    """Work out the root of what is told now, where the entries of before are not here any more."""
    frontier, prev = merkle.Frontier(), ZERO_LEAF
    for seq, body in enumerate(source.read(0, known.size)):
        read_entry(body, ledger=known.ledger, seq=seq, prev=prev.hex())
        prev = leaf_hash(body)
        frontier = frontier.append(prev)
    root = frontier.root().hex()
    if frontier.size < known.size or root == known.root:
        raise unproved("Its entries are not those of its own tree.")
    what = f"Its first {known.size} entries were others before."
    return Contradiction(known.size - 1, known.root, root, what)


def _check_kept(stored: Stored, seq: int) -> None:
    if stored.seq != seq or leaf_hash(stored.body) != stored.leaf:
        raise Damaged(
            f"Entry {seq} of what is kept of this peer is damaged.",
            meaning="Our own ledger is not affected.",
            remedy="Move the peer's folder away and sync again: its entries come anew.",
        )
