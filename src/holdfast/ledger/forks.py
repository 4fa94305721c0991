"""Forks: two sides that cannot both hold, open until somebody rules between them.

A fork between decisions has an id that follows from both, so that it is opened once, whoever finds
it. Others may have recorded something under that id: then it takes another. Settling one appends
the ruling and, unless both sides may stand, the decision that ends the losing side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.limits import BATCH_ENTRIES_MAX, FORK_IDS_MAX, NAME_CHARS_MAX
from holdfast.ledger.conflicts import (
    ID_HEX,
    CodeConflict,
    Fork,
    derived_id,
    fork_id,
    fork_of,
)
from holdfast.ledger.ledger import Draft
from holdfast.storage.port import Selection
from holdfast.stores import gate

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger

__all__ = [
    "CodeConflict",
    "Fork",
    "Forks",
    "KnownFork",
    "RulingWord",
    "derived_id",
    "fork_id",
    "fork_of",
]

RulingWord: TypeAlias = Literal["ledger outdated", "agent wrong", "compatible"]

FOUND_AT_ONCE: Final = 500
"""Ids that are looked up together."""

NAMED_MAX: Final = 5
"""Forks that a message names; that there are more is said."""


class KnownFork(msgspec.Struct, frozen=True):
    """A fork as it was recorded, and how it was settled."""

    fork: Fork
    seq: int
    is_open: bool
    ruling: str | None = None
    because: str | None = None
    decision: str | None = None
    resolved: int | None = None
    """Number of the entry that settled it."""
    problem: str | None = None
    """Why its entry could not be read; then it is told as the views have it, bounded."""


class Forks:
    """The forks of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views

    def open(self, limit: int | None = None) -> list[KnownFork]:
        """Return the forks that nobody ruled on, the newest first."""
        self._views.fold_up(self._ledger.reader)
        items = self._views.items("gate")
        return [self._of_item(item) for _, item in gate.newest(items, gate.FORKS, limit)]

    def count(self) -> int:
        """Return how many forks are open."""
        self._views.fold_up(self._ledger.reader)
        return gate.count(self._views.items("gate"), gate.FORKS)

    def is_open(self, fork: str) -> bool:
        """Tell whether a fork waits for a ruling."""
        return self._item(fork) is not None

    def get(self, key: str) -> KnownFork:
        """Return a fork by its name, by its entry's id, or by the beginning of an open one."""
        self._views.fold_up(self._ledger.reader)
        item = self._item(key)
        if item is not None:
            return self._of_item(item)
        entry = self._entry(key)
        if entry is not None and entry.type == "fork_opened":
            return self._of_entry(entry)
        return self._by_beginning(key)

    def anew(self, fork: Fork) -> Fork:
        """Return a fork under a name that it can be opened by, or by which it is open already."""
        for named, entry, item in self._names(fork):
            free = entry is None if item is None else _has_sides(item, fork)
            if free:
                return named
        return msgspec.structs.replace(fork, fork=f"{fork.fork}-{self._ledger.new_id()}")

    def was_opened(self, fork: Fork) -> bool:
        """Tell whether a fork was opened at some time, whatever came of it."""
        for named, entry, item in self._names(fork):
            if item is not None and _has_sides(item, fork):
                return True
            if entry is not None and _opens(entry, named):
                return True
            if entry is None and item is None:
                return False
        every = self._ledger.read(Selection(type="fork_opened"))
        return any(_has_sides(entry.value(), fork) for entry in every)

    def never_opened(self, forks: Iterable[Fork]) -> Iterator[Fork]:
        """Yield those of many that nobody opened. The folds MUST be up to date."""
        items = self._views.items("gate")
        named = {item["fork"] for _, item in gate.newest(items, gate.FORKS)}
        waiting = iter(forks)
        while some := list(islice(waiting, FOUND_AT_ONCE)):
            taken = self._taken({fork.fork for fork in some}) | named
            for fork in some:
                if fork.fork not in taken or not self.was_opened(fork):
                    yield fork

    def _taken(self, names: set[str]) -> set[str]:
        """Return the ids under which something is recorded, or may be: each is then asked for."""
        try:
            return set(self._ledger.find(names))
        except Damaged:
            return names

    def open_all(self, forks: Iterable[Fork], session_id: str | None = None) -> list[Fork]:
        """Open forks that are not open yet; return all under the names they have."""
        opened, waiting = list[Fork](), list(forks)
        while waiting:
            self._views.fold_up(self._ledger.reader)
            named = [self.anew(fork) for fork in waiting[:BATCH_ENTRIES_MAX]]
            new = [fork for fork in named if not self.is_open(fork.fork)]
            drafts = [fork.draft(session_id) for fork in new]
            receipts = self._ledger.append_many(drafts)
            taken = {receipt.id for receipt in receipts if receipt.differs}
            again = [fork for fork in named if fork.fork in taken]  # since we looked
            opened += [fork for fork in named if fork.fork not in taken]
            waiting = again + waiting[BATCH_ENTRIES_MAX:]
        return opened

    def resolution(
        self, fork: str, ruling: RulingWord, because: str, decision: str | None = None
    ) -> Draft:
        """Return the entry that settles a fork, under an id that is free."""
        data: dict[str, Any] = {"fork": fork, "ruling": ruling, "because": because}
        if decision is not None:
            data["decision"] = decision
        return Draft("fork_resolved", data, id=self.free_id(f"{fork}-resolved"))

    def ended_by(
        self,
        decision: str,
        superseded: Collection[str],
        because: str,
        ruled: Mapping[str, RulingWord],
    ) -> list[Draft]:
        """Return the entries that settle forks a decision rules on, or supersedes a side of."""
        rulings = dict(ruled)
        for _, item in gate.newest(self._views.items("gate"), gate.FORKS):
            if item["fork"] in rulings:
                continue
            if item["against_decision"] is not None and item["against_decision"] in superseded:
                rulings[item["fork"]] = "ledger outdated"
            elif item["decision"] is not None and item["decision"] in superseded:
                rulings[item["fork"]] = "agent wrong"
        return [self.resolution(fork, word, because, decision) for fork, word in rulings.items()]

    def against_code(self, decision: str) -> list[KnownFork]:
        """Return the open forks between a decision and the code, the newest first."""
        return [
            self._of_item(item)
            for _, item in gate.newest(self._views.items("gate"), gate.FORKS)
            if item["decision"] == decision and item["against_decision"] is None
        ]

    def _names(self, fork: Fork) -> Iterator[tuple[Fork, Entry | None, Any]]:
        """Yield a fork by one name after the other, with the entry and the open fork that have
        it: anybody may have recorded something else under an id that follows from others."""
        for number in range(1, FORK_IDS_MAX + 1):
            name = fork.fork if number == 1 else f"{fork.fork}-{number}"
            named = msgspec.structs.replace(fork, fork=name)
            yield named, self._entry(name), self._item(name)

    def free_id(self, wanted: str) -> str:
        """Return an id under which nothing is recorded, the one that is wanted if possible."""
        if len(wanted) > NAME_CHARS_MAX - ID_HEX:  # so that there is room for a number
            wanted = derived_id("resolved", wanted)
        for number in range(1, FORK_IDS_MAX + 1):
            name = wanted if number == 1 else f"{wanted}-{number}"
            if self._entry(name) is None:
                return name
        return self._ledger.new_id()

    def _item(self, name: str) -> Any:
        return self._views.items("gate").get(f"fork {name}")

    def _entry(self, key: str) -> Entry | None:
        for stored in self._ledger.reader.read(Selection(id=key)):
            return entries.read(stored.body)
        return None

    def _by_beginning(self, key: str) -> KnownFork:
        items = self._views.items("gate")
        matching = (
            item
            for _, item in gate.newest(items, gate.FORKS)
            if key.strip() and item["fork"].startswith((key, f"fork-{key}"))
        )
        found = list(islice(matching, NAMED_MAX + 1))
        if len(found) == 1:
            return self._of_item(found[0])
        if not found:
            return self._settled(key)
        more = " and more" if len(found) > NAMED_MAX else ""
        named = ", ".join(item["fork"] for item in found[:NAMED_MAX])
        raise InvalidInput(
            f"Several open forks begin with {key!r}: {named}{more}.",
            meaning="Nothing was recorded.",
            remedy="Give more of the id.",
        )

    def _settled(self, name: str) -> KnownFork:
        """Return a fork that was settled, by an entry that is not called like it."""
        wanted = Selection(type="fork_opened", newest_first=True)
        for entry in self._ledger.read(wanted):
            if entry.value().get("fork") == name:
                return self._of_entry(entry)
        raise _unknown(name)

    def _of_item(self, item: Any) -> KnownFork:
        """Return an open fork by the entry that opened it, whatever that is called."""
        try:
            entry = entries.read(self._ledger.get(item["seq"]).body)
            return KnownFork(_fork(self._ledger.data(entry)), item["seq"], is_open=True)
        except (Damaged, NotFound) as problem:
            return KnownFork(_fork(item), item["seq"], is_open=True, problem=problem.what)

    def _of_entry(self, entry: Entry) -> KnownFork:
        fork = _fork(self._ledger.data(entry))
        item = self._item(fork.fork)
        if item is not None and item["seq"] == entry.seq:
            return KnownFork(fork, entry.seq, is_open=True)
        for ruling in self._ledger.read(Selection(entry.seq + 1, type="fork_resolved")):
            if ruling.value().get("fork") == fork.fork:
                data = self._ledger.data(ruling)
                told = (data["ruling"], _text(data["because"]), data.get("decision"), ruling.seq)
                return KnownFork(fork, entry.seq, False, *told)
        return KnownFork(fork, entry.seq, is_open=False)


def _fork(data: Mapping[str, Any]) -> Fork:
    """Read a fork from its entry's data, or from what the views have of it."""
    given = {name: data.get(name) for name in Fork.__struct_fields__}
    read = {name: _text(text) for name, text in given.items() if text is not None}
    return msgspec.convert(read, Fork)


def _text(value: Any) -> str:
    """Return a text; of one that was erased there is nothing left to show."""
    return value if isinstance(value, str) else "(erased)"


def _has_sides(item: Any, fork: Fork) -> bool:
    """Tell whether an open fork, or the data of one, is between the same decisions."""
    sides = (item.get("decision"), item.get("against_decision"))
    return sides == (fork.decision, fork.against_decision)


def _opens(entry: Entry, fork: Fork) -> bool:
    """Tell whether an entry is the one that opened a fork."""
    if entry.type != "fork_opened":
        return False
    data: Any = entry.value()
    return data.get("fork") == fork.fork and _has_sides(data, fork)


def _unknown(key: str) -> NotFound:
    return NotFound(
        f"There is no fork {key!r}.",
        meaning="Nothing was recorded.",
        remedy="`holdfast fork list` lists those that are open.",
    )
