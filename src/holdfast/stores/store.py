"""The store: what is true now, as a fold over entries.

A store is a set of items, each a key and a value. `apply` looks at the items and one entry and
returns what changes; it is a pure function, so the same entries always give the same items. The
digest is taken over the hashes of the items in sorted order: only what changed is hashed anew.

Some stores go back: after a `rolled_back` entry their items are again what they were. That is not
up to `apply`; a state remembers what each entry changed (`State.go_back`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Final, Protocol, TypeAlias

from holdfast.kernel import exact
from holdfast.kernel.entry import Entry, Outline
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import digest_of, item_hash
from holdfast.kernel.types import Model

Value: TypeAlias = bool | int | str | list["Value"] | dict[str, "Value"] | None
"""What an item may hold: no floats, and by agreement no clock."""

Items: TypeAlias = Mapping[str, Value]
Changes: TypeAlias = Mapping[str, Value]
"""New values by key; null means that the item is gone."""

NO_CHANGES: Changes = {}

Run: TypeAlias = Callable[[Items, Sequence[Outline]], Changes]
"""`apply_run`, which a store MAY have that takes every type: it returns what entries in a row
change that belong to one session and whose data it does not read. MUST be as one by one."""

UNREAD: Final = Model()
"""Stands for the data of an entry that no store looks at: then it is not decoded."""


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

    @property
    def takes(self) -> frozenset[str] | None:
        """The types of entries that can change it; null for all."""

    @property
    def reads(self) -> frozenset[str]:
        """The types of entries whose data it looks at; of others it is given `UNREAD`."""

    @property
    def rolls_back(self) -> bool:
        """It goes back with a rollback."""

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Return what one entry changes. MUST NOT look at anything else, nor change `items`.

        Asks for items by key only: there may be very many of them.
        """


class State:
    """The items of one store, and their digest, as of some entry."""

    def __init__(
        self,
        store: Store,
        items: Items | None = None,
        hashes: Mapping[str, bytes] | None = None,
    ) -> None:
        """Begin with nothing, or with items; `hashes` are theirs, if somebody took them already.

        Items that can be changed are the state's own from then on.
        """
        self.store = store
        self._run: Run | None = getattr(store, "apply_run", None)
        self._items: MutableMapping[str, Value] = (
            items
            if isinstance(items, MutableMapping) and not isinstance(items, dict)
            else dict(items or {})
        )
        self._hashes: dict[str, bytes] = dict(hashes or {})
        self._stale: set[str] = set(self._items).difference(self._hashes)
        """Keys of items that are not hashed yet as they are, or are gone."""
        self._journal: list[tuple[int, str, Value]] | None = [] if store.rolls_back else None
        """Which entry changed which item, and what it was before."""

    @property
    def items(self) -> Items:
        """The items; a view that MUST NOT be changed."""
        return self._items

    def apply(self, entry: Entry, data: Model) -> None:
        """Take one entry in."""
        changes = self.store.apply(self._items, entry, data)
        if changes:
            self._change(entry.seq, changes)

    @property
    def takes_runs(self) -> bool:
        """The store can take entries in a row by their outlines."""
        return self._run is not None

    def apply_run(self, run: Sequence[Outline]) -> None:
        """Take entries in a row, all of one session, none of a type whose data the store reads."""
        assert self._run is not None
        if changes := self._run(self._items, run):
            self._change(run[-1].seq, changes)

    def go_back(self, seq: int, to: int) -> None:
        """Let everything that changed after entry `to` be as it was; `seq` is the entry that says
        so. What was before the first entry this state took in itself cannot be known."""
        if self._journal is None:
            return
        before: dict[str, Value] = {}
        for changed, key, value in reversed(self._journal):
            if changed <= to:
                break
            before[key] = value
        self._change(seq, before)

    def become(self, seq: int, items: Items) -> None:
        """Let the items be others, from entry `seq` on."""
        gone: dict[str, Value] = {key: None for key in self._items if key not in items}
        self._change(seq, gone | dict(items))

    def hashes(self) -> Mapping[str, bytes]:
        """Return the hash of each item; MUST NOT be changed."""
        for key in self._stale:
            value = self._items.get(key)
            if value is None:
                self._hashes.pop(key, None)
            else:
                self._hashes[key] = item_hash(key, exact.encode(value))
        self._stale.clear()
        return self._hashes

    def digest(self) -> str:
        """Return the hash over all items."""
        return digest_of(self.hashes().values())

    def dump(self) -> bytes:
        """Return the canonical bytes of the whole store."""
        return exact.encode(
            {"items": dict(self._items), "store": self.store.name, "version": self.store.version}
        )

    def _change(self, seq: int, changes: Changes) -> None:
        items, journal = self._items, self._journal
        if journal is not None:
            journal.extend((seq, key, items.get(key)) for key in changes)
        self._stale.update(changes)
        for key, value in changes.items():
            if value is None:
                items.pop(key, None)
            else:
                items[key] = value
        if len(items) > self.store.items_max:
            raise too_many(self.store, seq)


def too_many(store: Store, seq: int) -> Damaged:
    """Return what is said of a store that holds more than it may."""
    return Damaged(
        f"The store {store.name} holds more than {store.items_max} items.",
        meaning=f"No entry is lost; what is true at {seq} cannot be worked out.",
        remedy="Check what records so many of them.",
    )
