"""What an append answers."""

from __future__ import annotations

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Prepared, Sealed
from holdfast.ledger.admission import Admitted
from holdfast.storage.port import Stored


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """Proof that an entry is durable."""

    seq: int
    id: str
    hash: str
    leaf: str
    redactions: int = 0
    duplicate: bool = False
    """The id was there already; this is the receipt of the entry that has it."""
    differs: bool = False
    """The entry that has the id holds other data; what was given now was not recorded."""


def receipt_of(sealed: Sealed, entry: Prepared, admitted: Admitted) -> Receipt:
    """Answer for an entry that was appended."""
    return Receipt(sealed.seq, sealed.id, entry.hash, sealed.leaf.hex(), admitted.redactions)


def first_receipt(stored: Stored) -> Receipt:
    """Answer for an entry that was there already."""
    entry = entries.read(stored.body)
    return Receipt(entry.seq, entry.id, entry.hash, stored.leaf.hex())


def repeated(first: Receipt, entry: Prepared, admitted: Admitted) -> Receipt:
    """Give the first answer again; the same data has the same secrets in it."""
    differs = first.hash != entry.hash
    redactions = 0 if differs else admitted.redactions
    return Receipt(
        first.seq, first.id, first.hash, first.leaf, redactions, duplicate=True, differs=differs
    )
