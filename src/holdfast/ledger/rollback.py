"""Going back: facts, unlocks, story and decisions read again as they did after an earlier entry.

That is an entry like any other. Nothing is removed, and going back can itself be gone back on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.errors import NotFound
from holdfast.ledger.history import Difference, diff, fold_at
from holdfast.storage.port import Reader
from holdfast.stores import STORES

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt


class GoneBack(msgspec.Struct, frozen=True):
    """A rollback that is recorded, and what reads differently because of it."""

    receipt: Receipt
    difference: Difference


class Rollback:
    """Goes back in one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views

    def difference(self, to: int) -> Difference:
        """Return what would read differently, of the stores that go back."""
        reader = self._ledger.reader
        check_seq(reader, to)
        self._views.fold_up(reader)
        now = fold_at(reader, reader.head().size, self._views)
        then = fold_at(reader, to + 1, self._views)
        going_back = {store.name for store in STORES if store.rolls_back}
        found = diff(now, then)
        kept = tuple(one for one in found.stores if one.store in going_back)
        return msgspec.structs.replace(found, stores=kept)

    def go_back(self, to: int, reason: str, *, id: str | None = None) -> GoneBack:
        """Record that things are again as right after entry `to`."""
        difference = self.difference(to)
        receipt = self._ledger.append("rolled_back", {"to": to, "reason": reason}, id=id)
        return GoneBack(receipt, difference)


def check_seq(reader: Reader, seq: int) -> None:
    """Refuse the number of an entry that is not there."""
    size = reader.head().size
    if 0 <= seq < size:
        return
    raise NotFound(
        f"There is no entry {seq}.",
        meaning=f"The ledger holds entries 0 to {size - 1}." if size else "The ledger is empty.",
        remedy="`holdfast log` lists them.",
    )


def check_store(name: str) -> None:
    """Refuse a store that is not there, before anything is worked out."""
    known = [store.name for store in STORES]
    if name not in known:
        raise NotFound(
            f"There is no store called {name[:60]!r}.",
            meaning="Nothing was looked at.",
            remedy=f"Known: {', '.join(known)}.",
        )
