"""The store: what is true now, as a fold over entries.

A store is a set of items, each a key and a value. `apply` looks at the items and one entry and
returns what changes; it is a pure function, so the same entries always give the same items. The
digest is taken over the hashes of the items in sorted order: only what changed is hashed anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import digest_of, item_hash
from holdfast.kernel.types import Model

Value: TypeAlias = bool | int | str | list["Value"] | dict[str, "Value"] | None
"""What an item may hold: no floats, and by agreement no clock."""

Items: TypeAlias = Mapping[str, Value]
Changes: TypeAlias = Mapping[str, Value]
"""New values by key; null means that the item is gone."""

NO_CHANGES: Changes = {}


class Store(Protocol):
    """A fold. Its version changes whenever the same entries would give other items."""

    @property
    def name(self) -> str:
        """What it is called in saves and commands."""

    @property
    def version(self) -> int:
        """Which fold this is; old ones are kept so that old saves still boot."""

    @property
    def items_max(self) -> int:
        """How many items it may hold."""

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Return what one entry changes. MUST NOT look at anything else, nor change `items`."""


class State:
    """The items of one store, and their digest, as of some entry."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._items: dict[str, Value] = {}
        self._hashes: dict[str, bytes] = {}

    @property
    def items(self) -> Items:
        """The items; a view that MUST NOT be changed."""
        return self._items

    def apply(self, entry: Entry, data: Model) -> None:
        """Take one entry in."""
        for key, value in self.store.apply(self._items, entry, data).items():
            self._put(key, value)
        if len(self._items) > self.store.items_max:
            raise Damaged(
                f"The store {self.store.name} holds more than {self.store.items_max} items.",
                meaning=f"No entry is lost; what is true at {entry.seq} cannot be worked out.",
                remedy="Check what records so many of them.",
            )

    def digest(self) -> str:
        """Return the hash over all items."""
        return digest_of(self._hashes.values())

    def dump(self) -> bytes:
        """Return the canonical bytes of the whole store."""
        return canonical.encode(
            {"items": self._items, "store": self.store.name, "version": self.store.version}
        )

    def _put(self, key: str, value: Value) -> None:
        if value is None:
            self._items.pop(key, None)
            self._hashes.pop(key, None)
            return
        _refuse_floats(value)
        self._items[key] = value
        self._hashes[key] = item_hash(key, canonical.encode(value))


def _refuse_floats(value: object) -> None:
    """Floats are spelled differently by different machines' folds; a store has none."""
    if isinstance(value, float):
        raise TypeError("a store's items hold no floats: use text or scaled integers")
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            _refuse_floats(part)
