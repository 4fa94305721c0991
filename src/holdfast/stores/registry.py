"""Every store there is. A store that is listed here takes part in every fold, save and boot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias, TypeVar

from holdfast.kernel.entry import Entry, Outline
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.kernel.types import TYPES, Model, Registry, RolledBack
from holdfast.stores.attention import Attention
from holdfast.stores.decisions import Decisions
from holdfast.stores.evidence import Evidence
from holdfast.stores.facts import Facts
from holdfast.stores.gate import Gate
from holdfast.stores.handoffs import Handoffs
from holdfast.stores.open_work import OpenWork
from holdfast.stores.sessions import Sessions
from holdfast.stores.state_map import StateMap
from holdfast.stores.store import UNREAD, Items, State, Store
from holdfast.stores.story import Story
from holdfast.stores.subjects import Subjects
from holdfast.stores.tasks import Tasks
from holdfast.stores.unlocks import Unlocks

STORES: Final[tuple[Store, ...]] = (
    Facts(),
    Unlocks(),
    Story(),
    Sessions(),
    Decisions(),
    OpenWork(),
    Gate(),
    Evidence(),
    Tasks(),
    Subjects(),
    Attention(),
    StateMap(),
    Handoffs(),
)

Outlined = TypeVar("Outlined", bound=Outline)

FORMER: Final[tuple[Store, ...]] = ()
"""Older versions of stores, so that saves made under them still boot."""


class Reading:
    """What stores are given of an entry's data: decoded where one of them looks at it."""

    def __init__(self, stores: Iterable[Store], types: Registry) -> None:
        self._types = types
        self._read = frozenset({"rolled_back"}).union(*(store.reads for store in stores))

    def looks_at(self, type_name: str) -> bool:
        """Tell whether a store looks at the data of such entries."""
        return type_name in self._read

    def __call__(self, entry: Entry) -> Model:
        """Return the data. A type that nobody knows, or a version, is a hard failure."""
        if entry.type in self._read:
            return self._types.read(entry)
        self._types.check_known(entry)
        return UNREAD


class Route(NamedTuple):
    """Where the entries of a type go."""

    version: int
    """The newest one; others are read first."""
    read: bool
    """A store looks at their data."""
    plain: bool
    """They change only what every entry changes."""
    states: list[State]


_NOWHERE: Final = Route(-1, True, False, [])
"""For a type that nobody knows: its data is read, which refuses it."""

Past: TypeAlias = Callable[[int], Mapping[str, Items]]
"""Returns the items of the stores that go back, as they were right after an entry."""


class Fold:
    """All stores together, brought forward entry by entry.

    It starts empty, or from `items` as they were when `size` entries were taken in, with their
    hashes if somebody took them from the same bytes; then `past` is asked for what was true before
    that, should an entry go back so far.
    """

    def __init__(
        self,
        stores: Iterable[Store] = STORES,
        types: Registry = TYPES,
        *,
        size: int = 0,
        items: Mapping[str, Items] | None = None,
        hashes: Mapping[str, Mapping[str, bytes]] | None = None,
        past: Past | None = None,
    ) -> None:
        known, hashed, stores = items or {}, hashes or {}, tuple(stores)
        self._states = {
            store.name: State(store, known.get(store.name), hashed.get(store.name))
            for store in stores
        }
        self._reading = Reading(stores, types)
        self._past = past
        self._first = size
        self.size = size
        """How many entries were taken in."""
        self._always = [state for state in self._states.values() if state.store.takes is None]
        self._routes = {name: self._route(name, types.spec(name).version) for name in types}
        self._plain = {name: route.version for name, route in self._routes.items() if route.plain}

    def apply(self, entry: Entry) -> None:
        """Take the next entry into every store. A type that nobody knows is a hard failure."""
        if entry.seq != self.size:
            raise ValueError(f"entry {entry.seq} cannot follow {self.size - 1} in a fold")
        route = self._routes.get(entry.type, _NOWHERE)
        data = self._reading(entry) if route.read or entry.v != route.version else UNREAD
        for state in route.states:
            state.apply(entry, data)
        if type(data) is RolledBack:
            self._go_back(entry.seq, data.to)
        self.size += 1

    def apply_all(self, outlines: Iterable[Outlined], read: Callable[[Outlined], Entry]) -> None:
        """Take entries in, as `apply` does one by one. Where many in a row belong to one session
        and say nothing that a store reads, their outlines are enough; others are read."""
        plain, run, session_id = self._plain, list[Outline](), None
        for outline in outlines:
            is_plain = plain.get(outline.type) == outline.v
            if run and not (is_plain and outline.session_id == session_id):
                self._apply_run(run)
                run = []
            if is_plain:
                run.append(outline)
                session_id = outline.session_id
            else:
                self.apply(read(outline))
        if run:
            self._apply_run(run)

    def _apply_run(self, run: list[Outline]) -> None:
        size = self.size + len(run)
        if [outline.seq for outline in run] != list(range(self.size, size)):
            raise ValueError(f"these entries cannot follow {self.size - 1} in a fold")
        for state in self._always:
            state.apply_run(run)
        self.size = size

    def state(self, name: str) -> State:
        """Return one store's state."""
        if name not in self._states:
            raise NotFound(
                f"There is no store called {name[:60]!r}.",
                remedy=f"Known: {', '.join(self._states)}.",
            )
        return self._states[name]

    def items(self) -> dict[str, Items]:
        """Return the items of every store, by its name."""
        return {name: state.items for name, state in self._states.items()}

    def hashes(self) -> dict[str, Mapping[str, bytes]]:
        """Return the hash of each item of every store, by its name."""
        return {name: state.hashes() for name, state in self._states.items()}

    def digests(self) -> dict[str, str]:
        """Return the digest of every store, by its name."""
        return {name: state.digest() for name, state in self._states.items()}

    def _route(self, type_name: str, version: int) -> Route:
        states = [
            state
            for state in self._states.values()
            if state.store.takes is None or type_name in state.store.takes
        ]
        read = self._reading.looks_at(type_name)
        plain = not read and states == self._always and all(state.takes_runs for state in states)
        return Route(version, read, plain, states)

    def _go_back(self, seq: int, to: int) -> None:
        """Undo what came after entry `to`, in the stores that go back; `to` may be any number."""
        states = [state for state in self._states.values() if state.store.rolls_back]
        if to >= self._first - 1:
            for state in states:
                state.go_back(seq, to)
            return
        if self._past is None:
            raise Damaged(
                f"Entry {seq} goes back to {to}, before what this fold started from.",
                meaning="What is true after it cannot be worked out from here.",
                remedy="Fold from the first entry.",
            )
        past = self._past(to)
        for state in states:
            state.become(seq, past[state.store.name])
