"""Proving one stored entry: its bytes, its place, the one before it. For sealing and restoring."""

from __future__ import annotations

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import ZERO_LEAF, leaf_hash
from holdfast.storage.port import Reader, Stored

UNLINKED = "chain"
"""The kind of fault of two neighbours that do not fit; either may be the wrong one."""


def fault_of(stored: Stored, *, ledger: str, prev: bytes) -> tuple[str, str] | None:
    """Say what is wrong with an entry, as (kind, why); None when it is the one that was sealed."""
    if leaf_hash(stored.body) != stored.leaf:
        return "leaf", "its bytes are not those that were sealed"
    try:
        entry = entries.read(stored.body)
    except Damaged as problem:
        return "entry", problem.what
    return next(chain.link(entry, ledger=ledger, seq=stored.seq, prev=prev.hex()), None)


def leaf_before(reader: Reader, seq: int) -> bytes:
    """Return the kept leaf hash of the entry before `seq`."""
    return ZERO_LEAF if seq == 0 else reader.node(seq - 1, seq)
