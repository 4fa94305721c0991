"""Rulings: the decisions that hold on a subject, and which of them a statement contradicts."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import ActorKind
from holdfast.kernel.limits import FORK_LOOKED_AT_MAX, FORK_SAME_MAX
from holdfast.kernel.types import VaultRef
from holdfast.kernel.types.evidence import grounds_of
from holdfast.storage.port import Selection
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
) -> Rulings:
    """Find the decisions that hold on what a statement is about. The folds MUST be up to date.

    With `same_only`, those on the very subject or definition, the newest of them.
    """
    items = views.items("subjects")
    if same_only:
        found, unlooked = _same(items, statement), 0
    else:
        found, unlooked = _candidates(items, statement)
    rulings = [
        ruling
        for key, item in found.items()
        if key not in without and (ruling := _of_item(ledger, key, item)) is not None
    ]
    rulings.sort(key=lambda one: -one.seq)
    on_it = [one for one in rulings if related(statement, one.statement)]
    far = [one for one in rulings if not related(statement, one.statement)]
    return Rulings(tuple(on_it), tuple(far), unlooked)


def ruling_of(ledger: Ledger, key: str) -> Ruling | None:
    """Read a decision as a ruling; None when there is none with this id."""
    for stored in ledger.reader.read(Selection(id=key)):
        entry = entries.read(stored.body)
        if entry.type == "decision":
            return _ruling(entry, ledger.data(entry))
    return None


def _same(items: Items, statement: Statement) -> dict[str, Any]:
    """Return the newest who are on the very subject or definition."""
    keys = [store.symbol_key(symbol) for symbol in statement.symbols]
    if statement.subject is not None:
        keys.append(store.same_key(store.subject_words(statement.subject)))
    return {key: item for which in keys for key, item in store.newest(items, which, FORK_SAME_MAX)}


def _candidates(items: Items, statement: Statement) -> tuple[dict[str, Any], int]:
    """Return who is on the same subject or definition or may be near, and how many were left."""
    found: dict[str, Any] = {}
    for symbol in statement.symbols:
        found |= dict(store.newest(items, store.symbol_key(symbol)))
    if statement.subject is None:
        return found, 0
    words = store.subject_words(statement.subject)
    found |= dict(store.newest(items, store.same_key(words)))
    room, unlooked = FORK_LOOKED_AT_MAX, 0
    # rare words first: they say more about what is near
    for which in sorted(map(store.word_key, words), key=lambda one: store.count(items, one)):
        near = dict(store.newest(items, which, room))
        unlooked += max(0, store.count(items, which) - len(near))
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
