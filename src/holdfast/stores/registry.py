"""Every store there is. A store that is listed here takes part in every fold, save and boot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import NotFound
from holdfast.kernel.types import TYPES, Registry
from holdfast.stores.decisions import Decisions
from holdfast.stores.sessions import Sessions
from holdfast.stores.store import State, Store
from holdfast.stores.work import Work

STORES: tuple[Store, ...] = (Sessions(), Decisions(), Work())


class Fold:
    """All stores together, brought forward entry by entry."""

    def __init__(self, stores: Iterable[Store] = STORES, types: Registry = TYPES) -> None:
        self._states = {store.name: State(store) for store in stores}
        self._types = types
        self.size = 0
        """How many entries were taken in."""

    def apply(self, entry: Entry) -> None:
        """Take the next entry into every store. A type that nobody knows is a hard failure."""
        if entry.seq != self.size:
            raise ValueError(f"entry {entry.seq} cannot follow {self.size - 1} in a fold")
        data = self._types.read(entry)
        for state in self._states.values():
            state.apply(entry, data)
        self.size += 1

    def state(self, name: str) -> State:
        """Return one store's state."""
        if name not in self._states:
            raise NotFound(
                f"There is no store called {name[:60]!r}.",
                remedy=f"Known: {', '.join(self._states)}.",
            )
        return self._states[name]

    def digests(self) -> Mapping[str, str]:
        """Return the digest of every store."""
        return {name: state.digest() for name, state in self._states.items()}
