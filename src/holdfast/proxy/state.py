"""The live State Map: the store, brought forward with every entry that is appended.

It is the same fold as everywhere else, fed with the same entries, so that it is at every moment
what anybody would work out from the ledger alone. One thread brings it forward; any may look.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from sys import intern
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
from holdfast.stores.state_map import StateMap
from holdfast.stores.store import Value

ENTITY: Final = "entity "
FILE: Final = "file "
_TIMES_SPARE: Final = 1000

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
        self._state = State(self._store, self._items)
        self._load = load
        self._texts = KeptTexts()
        self._times: dict[int, str] = {}
        """When the entries came that the items name."""
        self._authoritative: set[str] = set()
        self._watchers: list[Watcher] = []
        self._lock = threading.RLock()
        self._size = 0

    # Looking

    def __len__(self) -> int:
        """Return how many entities are authoritative."""
        return len(self._authoritative)

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
            return [found for one in self._listed() if (found := self.entity(one.entity))]

    def digest(self) -> str:
        """Return the hash over the whole store, as saves and boots have it."""
        with self._lock:
            return self._state.digest()

    def dump(self) -> bytes:
        """Return the canonical bytes of the whole store."""
        with self._lock:
            return self._state.dump()

    def standing(self) -> tuple[int, str, list[Listed]]:
        """Return the last entry taken in, the digest then, and by name every entity that is
        authoritative or a listed tombstone."""
        with self._lock:
            return self._size - 1, self._state.digest(), list(self._listed())

    def _listed(self) -> Iterator[Listed]:
        for key in sorted(key for key in self._items if key.startswith(ENTITY)):
            shown = self._items.shown(key)
            if shown.state is not None:
                when = self._times.get(shown.seq, "")
                yield Listed(key.removeprefix(ENTITY), shown.artifact, shown.state, when)

    # Bringing it forward

    def watch(self, watcher: Watcher) -> None:
        """Tell somebody of the entities that are authoritative, and of every change of that."""
        with self._lock:
            self._watchers.append(watcher)
            for name in sorted(self._authoritative):
                watcher.add(name)

    def apply(self, appended: Iterable[Entry]) -> None:
        """Take the next entries in."""
        with self._lock:
            for entry in appended:
                self._take(entry)

    def catch_up(self, reader: Reader) -> int:
        """Take in what others appended; return how many entries that were."""
        with self._lock:
            first, size = self._size, reader.head().size
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
            self._state.apply(entry, data)
            self._forget_times()
            for listener in self._listeners:
                listener.take(data)
        else:
            TYPES.check_known(entry)
        self._size += 1

    def _changed(self, key: str, value: Value) -> None:
        """Note what the store changed, and tell it on."""
        if not key.startswith(ENTITY):
            return
        name = key.removeprefix(ENTITY)
        is_authoritative = isinstance(value, dict) and value["state"] == "AUTHORITATIVE"
        if is_authoritative == (name in self._authoritative):
            return
        if is_authoritative:
            name = intern(name)  # lists and indexes of names share it
            self._authoritative.add(name)
        else:
            self._authoritative.remove(name)
        for watcher in self._watchers:
            (watcher.add if is_authoritative else watcher.remove)(name)

    def _forget_times(self) -> None:
        if len(self._times) <= 2 * len(self._items) + _TIMES_SPARE:
            return
        items = (item for item in self._items.values() if isinstance(item, dict))
        named = {item.get("seq") for item in items}
        self._times = {seq: when for seq, when in self._times.items() if seq in named}


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
