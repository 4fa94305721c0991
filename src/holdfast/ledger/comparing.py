"""Holding many decisions against each other: each is read once, and so is what it is about.

What is found, and in which order, is as if each decision were taken by itself, one after the
other. They are gone through subject by subject, so that what was read of one serves the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import FORK_COMPARED_CHARS_MAX
from holdfast.ledger.conflicts import Fork, fork_of
from holdfast.ledger.forks import FOUND_AT_ONCE, Forks
from holdfast.ledger.rulings import KeptLists, Ruling, list_names, ruling_of, rulings_on

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger


class Unopened(msgspec.Struct, frozen=True):
    """Forks between decisions that nobody opened."""

    forks: list[Fork]
    more: int = 0
    """How many there are behind those."""


class _Asked(msgspec.Struct, frozen=True):
    """A decision that is to be held against others."""

    lists: list[str]
    place: int
    """In the order in which they were asked for."""
    key: str
    ruling: Ruling | None
    """None for one that is long: it is read again when its turn comes."""


def unopened(
    ledger: Ledger,
    views: Views,
    keys: Iterable[str],
    *,
    same_only: bool = False,
    limit: int | None = None,
) -> Unopened:
    """Find the forks between decisions and older ones that nobody opened. Writes nothing.

    The folds MUST be up to date. With `same_only`, decisions are held against the newest on the
    very same subject or definition only. More than `limit` are counted.
    """
    asked = sorted(_asked(ledger, keys), key=lambda one: (one.lists, one.place))
    places = {one.key: one.place for one in asked}
    lists = KeptLists(views.items("subjects"))
    found = (
        fork_of(ruling.statement, other, conflict, decision=ruling.id)
        for ruling in (one.ruling or ruling_of(ledger, one.key) for one in asked)
        if ruling is not None
        for other, conflict in rulings_on(
            ledger,
            views,
            ruling.statement,
            without={ruling.id},
            same_only=same_only,
            before=ruling.seq,
            lists=lists,
        ).against(ruling.statement)
    )
    kept, count = list[tuple[int, int, Fork]](), 0
    for fork in Forks(ledger, views).never_opened(found):
        kept.append((places[fork.decision or ""], count, fork))
        count += 1
        if limit is not None and len(kept) > limit + FOUND_AT_ONCE:
            kept = sorted(kept)[:limit]
    forks = [fork for _, _, fork in sorted(kept)[:limit]]
    return Unopened(forks, count - len(forks))


def _asked(ledger: Ledger, keys: Iterable[str]) -> Iterator[_Asked]:
    """Read decisions; yield those that are about something."""
    for place, (key, ruling) in enumerate(_rulings(ledger, keys)):
        if ruling is None or not (ruling.statement.subject or ruling.statement.symbols):
            continue
        is_short = len(ruling.statement.choice) <= FORK_COMPARED_CHARS_MAX
        yield _Asked(list_names(ruling.statement), place, key, ruling if is_short else None)


def _rulings(ledger: Ledger, keys: Iterable[str]) -> Iterator[tuple[str, Ruling | None]]:
    waiting = iter(keys)
    while some := list(islice(waiting, FOUND_AT_ONCE)):
        try:
            held = ledger.find(some)
        except Damaged:  # who is meant is told when each is asked for
            held = {}
        for key in some:
            yield key, ruling_of(ledger, key, held.get(key))
