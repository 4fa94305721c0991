"""Folding entries into the kept items, inside one transaction.

At every point (`points.py`) what changed so far is written, so that each item's row, or the one it
left behind, says what it was there. After a rollback there is always a point. So between a point
and the next one nothing ever goes back, and whoever starts from the nearest point never has to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import apsw

from holdfast.index.items import ChangingItems, Replayed
from holdfast.index.queries import SQL
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.kernel.limits import FOLD_POINT_ENTRIES, INTEGER_MAX
from holdfast.kernel.types import Model, Registry, RolledBack
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.stores import Changes, Store
from holdfast.stores.registry import Reading


class Folding:
    """All stores together, from where they stopped."""

    def __init__(
        self,
        connection: apsw.Connection,
        reader: Reader,
        stores: Sequence[Store],
        types: Registry,
    ) -> None:
        self._connection = connection
        self._reader = reader
        self._reading = Reading(stores, types)
        self._items = [(store, ChangingItems(connection, store.name)) for store in stores]
        self._takers: dict[str, list[tuple[Store, ChangingItems]]] = {}
        self._point = -1
        self.size = 0
        """How many entries they have seen."""
        self.leaf = ""
        """Of the last of those, in hex."""

    def start(self, size: int, leaf: str) -> None:
        """Go on behind so many entries."""
        self.size, self.leaf = size, leaf
        newest: Any = self._connection.execute(SQL["point"], (INTEGER_MAX,)).get
        self._point = 0 if newest is None else int(newest)

    def data(self, entry: Entry) -> Model | None:
        """Return what an entry says, None when nobody can tell."""
        try:
            return self._reading(entry)
        except HoldfastError:
            return None

    def take(self, entry: Entry, leaf: bytes) -> bool:
        """Take the next entry into every store, or into none if that cannot be."""
        data = self.data(entry)
        if data is None or entry.seq != self.size:
            return False
        if isinstance(data, RolledBack) and data.to < self.size:
            return self._go_back(entry, data, leaf)
        changes = [
            (store, items, store.apply(items, entry, data))
            for store, items in self._taking(entry.type)
        ]
        return self._put(changes, leaf)

    def flush(self) -> None:
        """Write what changed."""
        for _, items in self._items:
            items.flush(self.size, self._point)

    def _taking(self, type_name: str) -> list[tuple[Store, ChangingItems]]:
        """Return the stores that an entry of this type can change."""
        found = self._takers.get(type_name)
        if found is None:
            found = self._takers[type_name] = [
                (store, items)
                for store, items in self._items
                if store.takes is None or type_name in store.takes
            ]
        return found

    def _put(
        self,
        changes: Sequence[tuple[Store, ChangingItems, Changes]],
        leaf: bytes,
        as_of: int | None = None,
    ) -> bool:
        if not all(_fits(store, items, changed) for store, items, changed in changes):
            return False
        for _, items, changed in changes:
            for key, value in changed.items():
                items.put(key, value)
        self.size += 1
        self.leaf = leaf.hex()
        if self.size % FOLD_POINT_ENTRIES == 0 or as_of is not None:
            self.flush()
            self._connection.execute(SQL["put_point"], (self.size, as_of))
            self._point = self.size
        return True

    def _go_back(self, entry: Entry, data: RolledBack, leaf: bytes) -> bool:
        """Let the stores that go back be as they were right after an entry."""
        self.flush()
        then = self._replay(data.to + 1)
        if then is None:
            return False
        changes = [
            (store, items, store.apply(items, entry, data))
            for store, items in self._taking(entry.type)
            if not store.rolls_back
        ]
        changes += [
            (store, items, then[store.name].differences())
            for store, items in self._items
            if store.rolls_back
        ]
        return self._put(changes, leaf, data.to + 1)

    def _replay(self, size: int) -> Mapping[str, Replayed] | None:
        """Return the items of the stores that go back as they were after so many entries."""
        found: Any = self._connection.execute(SQL["point_to_go_back"], (size,)).get
        point, first = found or (0, 0)
        replayed = {
            store.name: Replayed(items, items.changed_since(point))
            for store, items in self._items
            if store.rolls_back
        }
        expected = first
        with suppress(Damaged):  # pages that cannot be read
            for stored in self._reader.read(Selection(first, size)):
                entry = read_entry(stored)
                data = None if entry is None or stored.seq != expected else self.data(entry)
                if entry is None or data is None:
                    break
                for store, _ in self._taking(entry.type):
                    if store.rolls_back:
                        replayed[store.name].take(store.apply(replayed[store.name], entry, data))
                expected += 1
        return replayed if expected == size else None


def _fits(store: Store, items: ChangingItems, changed: Changes) -> bool:
    """Tell whether a store may hold what it would with these changes."""
    if len(items) + len(changed) <= store.items_max:
        return True
    more = sum((value is not None) - (key in items) for key, value in changed.items())
    return len(items) + more <= store.items_max


def read_entry(stored: Stored) -> Entry | None:
    """Read an entry as it is stored, None when it is damaged."""
    try:
        return entries.read(stored.body)
    except Damaged:
        return None
