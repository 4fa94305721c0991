"""The live State Map: the store, brought forward with every entry that is appended.

It is the same fold as everywhere else, fed with the same entries, so that it is at every moment
what anybody would work out from the ledger alone. One thread brings it forward; any may look.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, cast

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.kernel.types import TYPES, Model
from holdfast.proxy.kept import KeptItems, KeptTexts
from holdfast.proxy.values import Entity, Proposal
from holdfast.storage.port import Reader, Selection
from holdfast.stores import State
from holdfast.stores.state_map import ENTITY, StateMap
from holdfast.stores.store import Changes, too_many

FILE: Final = "file "
_TIMES_SPARE: Final = 1000
_AUTHORITATIVE: Final = "AUTHORITATIVE"

Load: TypeAlias = Callable[[str], bytes | None]
"""Returns what the vault holds under a SHA-256."""


class Watcher(Protocol):
    """Told which entities can be put before a model; `Names` is one."""

    def add(self, entity: str) -> None:
        """It is authoritative from now on."""

    def remove(self, entity: str) -> None:
        """It is so no longer."""


class Listener(Protocol):
    """Told of every entry that the State Map takes in; `Recent` is one."""

    def take(self, data: Model) -> None:
        """Note what an entry says."""


class Listed(msgspec.Struct, frozen=True, gc=False):
    """What is shown of an entity."""

    entity: str
    artifact: str | None
    state: str
    updated: str
    """When the entry came that last changed it."""


class LiveMap:
    """The State Map as of the last entry that it was given."""

    def __init__(self, load: Load, *, listeners: Sequence[Listener] = ()) -> None:
        self._store = StateMap()
        self._listeners = listeners
        self._items = KeptItems(self._changed)
        self._load = load
        self._texts = KeptTexts()
        self._times: dict[int, str] = {}
        """When the entries came that the items name."""
        self._authoritative = 0
        self._watchers: list[Watcher] = []
        self._lock = threading.RLock()
        self._size = 0

    # Looking

    def __len__(self) -> int:
        """Return how many entities are authoritative."""
        return self._authoritative

    @property
    def size(self) -> int:
        """How many entries of the ledger were taken in."""
        return self._size

    def entity(self, name: str) -> Entity | None:
        """Return what is known of an entity."""
        item = self._items.get(ENTITY + name)
        return None if item is None else _entity(name, cast("dict[str, Any]", item))

    def symbols(self, path: str) -> tuple[str, ...]:
        """Return the symbols of a file that are authoritative, in the order of their names."""
        item = cast("dict[str, Any] | None", self._items.get(FILE + path))
        return () if item is None else tuple(item["symbols"])

    def proposed(self, path: str) -> tuple[str, ...]:
        """Return the symbols of a file that have proposals, in the order of their names."""
        item = cast("dict[str, Any] | None", self._items.get(FILE + path))
        return () if item is None else tuple(item["proposed"])

    def file(self, path: str) -> str | None:
        """Return the digest of a file's whole text, where it is known."""
        item = cast("dict[str, Any] | None", self._items.get(FILE + path))
        return None if item is None else item["digest"]

    def text(self, digest: str) -> str | None:
        """Return a text of the vault; None where it is not kept."""
        known = self._texts.get(digest)
        if known is not None:
            return known
        data = self._load(digest)
        if data is None:
            return None
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        self._texts.put(digest, text, len(data))
        return text

    def entities(self) -> list[Entity]:
        """Return every entity that is authoritative or a listed tombstone, by name."""
        with self._lock:
            listed = _listed(self._items, self._times)
            return [found for one in listed if (found := self.entity(one.entity))]

    def digest(self) -> str:
        """Return the hash over the whole store, as saves and boots have it."""
        return self._state().digest()

    def dump(self) -> bytes:
        """Return the canonical bytes of the whole store."""
        return self._state().dump()

    def standing(self) -> tuple[int, str, list[Listed]]:
        """Return the last entry taken in, the digest then, and by name every entity that is
        authoritative or a listed tombstone."""
        with self._lock:
            last, items, times = self._size - 1, self._items.copy(), self._times
        return last, State(self._store, items).digest(), list(_listed(items, times))

    def _state(self) -> State:
        """Return the store as it is now. Its hashes are made when they are asked for, which is
        seldom, and not kept: they would take as much as the items."""
        with self._lock:
            return State(self._store, self._items.copy())

    # Bringing it forward

    def watch(self, watcher: Watcher) -> None:
        """Tell somebody of the entities that are authoritative, and of every change of that."""
        with self._lock:
            self._watchers.append(watcher)
            for one in _listed(self._items, self._times):
                if one.state == _AUTHORITATIVE:
                    watcher.add(one.entity)

    def apply(self, appended: Iterable[Entry]) -> None:
        """Take the next entries in."""
        with self._lock:
            for entry in appended:
                self._take(entry)

    def catch_up(self, reader: Reader, size: int | None = None) -> int:
        """Take in what was appended, until there are so many entries; return how many it were."""
        with self._lock:
            first, size = self._size, reader.head().size if size is None else size
            for stored in reader.read(Selection(first=first, stop=size)):
                self._take(entries.read(stored.body))
            if self._size < size:
                raise _missing(self._size)
            return self._size - first

    def _take(self, entry: Entry) -> None:
        if entry.seq != self._size:
            raise _missing(self._size)
        if entry.type in self._store.takes:
            self._times[entry.seq] = entry.timestamp
            data = TYPES.read(entry)
            self._change(self._store.apply(self._items, entry, data))
            self._forget_times()
            for listener in self._listeners:
                listener.take(data)
        else:
            TYPES.check_known(entry)
        self._size += 1

    def _change(self, changes: Changes) -> None:
        for key, value in changes.items():
            if value is None:
                self._items.pop(key, None)
            else:
                self._items[key] = value
        if len(self._items) > self._store.items_max:
            raise too_many(self._store, self._size)

    def _changed(self, name: str, before: str | None, now: str | None) -> None:
        """Tell on which entities can be put before a model."""
        was, is_one = before == _AUTHORITATIVE, now == _AUTHORITATIVE
        if was == is_one:
            return
        self._authoritative += 1 if is_one else -1
        for watcher in self._watchers:
            (watcher.add if is_one else watcher.remove)(name)

    def _forget_times(self) -> None:
        if len(self._times) <= 2 * len(self._items) + _TIMES_SPARE:
            return
        items = (item for item in self._items.values() if isinstance(item, dict))
        named = {item.get("seq") for item in items}
        self._times = {seq: when for seq, when in self._times.items() if seq in named}


def _listed(items: KeptItems, times: Mapping[int, str]) -> Iterator[Listed]:
    for name in sorted(items.entities()):
        shown = items.shown(name)
        if shown.state is not None:
            yield Listed(name, shown.artifact, shown.state, times.get(shown.seq, ""))


def _entity(name: str, item: dict[str, Any]) -> Entity:
    path, _, symbol = name.partition("::")
    return Entity(
        name,
        path,
        symbol,
        item["artifact"],
        item["version"],
        item["state"],
        item["seq"],
        item["nodes"],
        item["tokens"],
        item["withheld"],
        item["stale"],
        tuple(
            Proposal(one["version"], one["artifact"], one["nodes"], one["tokens"], one["sound"])
            for one in item["proposals"]
        ),
    )


def _missing(seq: int) -> Damaged:
    return Damaged(
        f"Entry {seq} is missing.",
        meaning="What is true after it cannot be worked out.",
        remedy="Run `holdfast verify` to see what else is.",
    )
