"""Rulings: the decisions that hold on a subject, and which of them a statement contradicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.limits import FORK_LOOKED_AT_MAX, FORK_SAME_MAX, RULINGS_KEPT_MAX
from holdfast.kernel.types import VaultRef
from holdfast.kernel.types.evidence import grounds_of
from holdfast.storage.port import Selection, Stored
from holdfast.stores import subjects as store
from holdfast.stores.store import Items
from holdfast.views.contradictions import Conflict, Statement, conflict, related
from holdfast.views.truth import source_of

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger


class Ruling(msgspec.Struct, frozen=True):
    """A decision that holds."""

    id: str
    seq: int
    by: ActorKind
    task: str | None
    statement: Statement


class Rulings(msgspec.Struct, frozen=True):
    """What was decided before about the same thing, the newest first."""

    found: tuple[Ruling, ...] = ()
    far: tuple[Ruling, ...] = ()
    """Others, whose subject has a word in common with it."""
    unlooked: int = 0
    """Older decisions with a subject that is only near, which were not looked at."""

    def against(self, new: Statement) -> list[tuple[Ruling, Conflict]]:
        """Return those that a statement contradicts."""
        judged = ((one, conflict(new, one.statement)) for one in (*self.found, *self.far))
        return [(ruling, found) for ruling, found in judged if found is not None]


NO_RULINGS = Rulings()


def rulings_on(
    ledger: Ledger,
    views: Views,
    statement: Statement,
    *,
    without: Collection[str] = (),
    same_only: bool = False,
    before: int | None = None,
    lists: Lists | None = None,
) -> Rulings:
    """Find the decisions that hold on what a statement is about. The folds MUST be up to date.

    With `same_only`, those on the very subject or definition, the newest of them. Of those that
    are found, `before` leaves the ones with a smaller number.
    """
    lists = lists or Lists(views.items("subjects"))
    if same_only:
        found, unlooked = _same(lists, statement), 0
    else:
        found, unlooked = _candidates(lists, statement)
    rulings = [
        ruling
        for key, item in found.items()
        if key not in without
        and (before is None or item["seq"] < before)
        and (ruling := _of_item(ledger, key, item)) is not None
    ]
    rulings.sort(key=lambda one: -one.seq)
    near = [related(statement, one.statement) for one in rulings]
    on_it = [one for one, is_near in zip(rulings, near, strict=True) if is_near]
    far = [one for one, is_near in zip(rulings, near, strict=True) if not is_near]
    return Rulings(tuple(on_it), tuple(far), unlooked)


class Lists:
    """Who is on which list of the subjects, as the store has it."""

    def __init__(self, items: Items) -> None:
        self._items = items

    def newest(self, which: str, limit: int | None = None) -> Iterable[tuple[str, Any]]:
        """Return the newest on a list, with their keys."""
        return store.newest(self._items, which, limit)

    def count(self, which: str) -> int:
        """Return how many are on a list."""
        return store.count(self._items, which)


class KeptLists(Lists):
    """The same, remembered for one statement after the other, as many as there is room for.

    Only while nothing is folded meanwhile.
    """

    def __init__(self, items: Items) -> None:
        super().__init__(items)
        self._kept: dict[str, list[tuple[str, Any]]] = {}
        self._is_all: dict[str, bool] = {}
        self._room = RULINGS_KEPT_MAX

    def newest(self, which: str, limit: int | None = None) -> Iterable[tuple[str, Any]]:
        """Return the newest on a list, with their keys."""
        if limit == 0:
            return []
        kept = self._kept.get(which)
        if kept is None or not (self._is_all[which] or (limit and limit <= len(kept))):
            kept = self._look_up(which, limit)
        return kept if limit is None else kept[:limit]

    def _look_up(self, which: str, limit: int | None) -> list[tuple[str, Any]]:
        found = list(super().newest(which, limit))
        self._room -= len(found) - len(self._kept.pop(which, ()))
        self._kept[which] = found
        self._is_all[which] = limit is None or len(found) < limit
        for oldest in list(self._kept):
            if self._room >= 0 or oldest == which:
                break
            self._room += len(self._kept.pop(oldest))
        return found


def list_names(statement: Statement) -> list[str]:
    """Return the lists of those on the very subject or definition."""
    names = [store.symbol_key(symbol) for symbol in statement.symbols]
    if statement.subject is not None:
        names.append(store.same_key(store.subject_words(statement.subject)))
    return names


def ruling_of(ledger: Ledger, key: str, held: Stored | None = None) -> Ruling | None:
    """Read a decision as a ruling; None when there is none with this id.

    Whoever has found its entry before gives it.
    """
    for stored in ledger.reader.read(Selection(id=key)) if held is None else (held,):
        entry = entries.read(stored.body)
        if entry.type == "decision":
            return _ruling(entry, ledger.data(entry))
    return None


def _same(lists: Lists, statement: Statement) -> dict[str, Any]:
    """Return the newest who are on the very subject or definition."""
    names = list_names(statement)
    return {key: item for which in names for key, item in lists.newest(which, FORK_SAME_MAX)}


def _candidates(lists: Lists, statement: Statement) -> tuple[dict[str, Any], int]:
    """Return who is on the same subject or definition or may be near, and how many were left."""
    found: dict[str, Any] = {}
    for which in list_names(statement):
        found |= dict(lists.newest(which))
    if statement.subject is None:
        return found, 0
    words = store.subject_words(statement.subject)
    room, unlooked = FORK_LOOKED_AT_MAX, 0
    # rare words first: they say more about what is near
    for which in sorted(map(store.word_key, words), key=lists.count):
        near = dict(lists.newest(which, room))
        unlooked += max(0, lists.count(which) - len(near))
        room -= len(near)
        found |= near
    return found, unlooked


def _of_item(ledger: Ledger, key: str, item: Any) -> Ruling | None:
    """Return a decision by what the store repeats of it; by its entry, where that was cut."""
    if not item["whole"]:
        return ruling_of(ledger, key)
    kind, task = item["actor"], item["task"]
    statement = Statement(
        choice=item["choice"],
        subject=item["subject"],
        symbols=tuple(item["symbols"]),
        alternatives=tuple(item["alternatives"]),
        source=source_of(kind, task=task),
    )
    return Ruling(key, item["seq"], kind, task, statement)


def _ruling(entry: entries.Entry, data: dict[str, Any]) -> Ruling:
    grounds = grounds_of(data.get("grounds"))
    task = None if grounds is None else grounds.task
    symbols = () if grounds is None or isinstance(grounds.symbols, VaultRef) else grounds.symbols
    statement = Statement(
        choice=_text(data["choice"]),
        subject=None if data.get("subject") is None else _text(data["subject"]),
        symbols=tuple(symbols),
        alternatives=tuple(_text(one) for one in data["alternatives"]),
        source=source_of(entry.actor.kind, task=task),
    )
    return Ruling(entry.id, entry.seq, entry.actor.kind, task, statement)


def _text(value: Any) -> str:
    """Return a text; of one that was erased there is nothing left to compare."""
    return value if isinstance(value, str) else ""
