"""Facts as callers give them: what they supersede and rest on is looked up beforehand.

Also what may be told of them: unlocking a fact, or any other handle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.kernel.types.story import Precision, Scope
from holdfast.ledger.now import items_now
from holdfast.storage.port import Selection
from holdfast.stores import facts as store
from holdfast.stores import story as told
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

NAMED_MAX: Final = 5
"""Facts that a message names; that there are more is said."""

PREFIX_HEX_MIN: Final = 8
"""Digits that stand for the fact whose id begins with them."""

_PREFIX: Final = re.compile(rf"[0-9a-f]{{{PREFIX_HEX_MIN},{store.ID_HEX}}}")


class NewFact(msgspec.Struct, frozen=True):
    """Something that is so. `supersedes`: ids of facts or beginnings; `because`: entries."""

    kind: str
    payload: Any
    hidden: bool = False
    precision: Precision = "EXACT"
    supersedes: tuple[str, ...] = ()
    because: tuple[str, ...] = ()


class Said(msgspec.Struct, frozen=True):
    """A fact that is recorded."""

    receipt: Receipt
    fact: str
    again: bool
    """It was said before."""


class Facts:
    """The facts of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views

    def add(self, fact: NewFact, *, id: str | None = None) -> Said:
        """Record a fact. To supersede what is not so any more is refused."""
        items = self._items()
        superseded = [self._current(items, key) for key in fact.supersedes]
        own = store.fact_id(fact.kind, fact.payload)
        if own in superseded:
            raise InvalidInput(
                "A fact cannot supersede itself: kind and payload are the same.",
                meaning="Nothing was recorded.",
                remedy="Give the new payload, or withdraw the fact.",
            )
        optional = {
            "provenance": [self._entry(key) for key in fact.because],
            "visibility": "HIDDEN" if fact.hidden else None,
            "precision": None if fact.precision == "EXACT" else fact.precision,
            "supersedes": list(dict.fromkeys(superseded)),
        }
        data = {"kind": fact.kind, "payload": fact.payload}
        data |= {name: value for name, value in optional.items() if value}
        receipt = self._ledger.append("fact_recorded", data, id=id)
        said = self._kept_id(receipt) if not receipt.differs else own
        return Said(receipt, said, again=said in items)

    def withdraw(self, key: str, reason: str, *, id: str | None = None) -> tuple[Receipt, str]:
        """Record that a fact is no longer so."""
        fact = self._current(self._items(), key)
        receipt = self._ledger.append("fact_withdrawn", {"fact": fact, "reason": reason}, id=id)
        return receipt, fact

    def unlock(
        self, handle: str, scope: Scope, *, reason: str | None = None, id: str | None = None
    ) -> tuple[Receipt, str]:
        """Let a handle be told, for good or until the scene or the session is over.

        The beginning of a fact's id stands for that fact; any other handle is taken as it is.
        """
        if handle[:1].isspace():
            raise InvalidInput(
                "A handle does not begin with a blank.",
                meaning="Nothing was recorded.",
                remedy="`holdfast fact list` shows the ids of facts.",
            )
        self._check_scope(scope)
        found = self._matching(self._items(), handle) if _PREFIX.fullmatch(handle) else []
        handle = _only(handle, found) if found else handle
        data = {"handle": handle, "scope": scope} | ({"reason": reason} if reason else {})
        return self._ledger.append("unlock_granted", data, id=id), handle

    def current(self, limit: int | None = None) -> Iterator[tuple[str, Any]]:
        """Yield the facts that are so, the newest first."""
        return store.current(self._items(), limit)

    def all(self) -> list[tuple[str, Any]]:
        """Return every fact there ever was, the one that was said last first."""
        return sorted(_facts(self._items()), key=lambda one: -one[1]["again"])

    def unlocks(self) -> Items:
        """Return what may be told, as the store has it."""
        return items_now(self._ledger.reader, self._views, "unlocks")

    def count(self) -> int:
        """Return how many facts are so."""
        return store.count_current(self._items())

    def _items(self) -> Items:
        return items_now(self._ledger.reader, self._views, "facts")

    def _kept_id(self, receipt: Receipt) -> str:
        """Return the id of a fact as it is kept: secrets are not, and large payloads elsewhere."""
        kept: Any = entries.read(self._ledger.get(receipt.seq).body).value()
        return store.fact_id(kept["kind"], kept["payload"])

    def _check_scope(self, scope: Scope) -> None:
        """Refuse a grant that nothing would end, or that would not hold at all."""
        if scope == "SESSION" and self._ledger.session_id is None:
            raise InvalidInput(
                "No session is open that the handle could be unlocked for.",
                meaning="Nothing was recorded.",
                remedy="`holdfast session start` opens one, or use --scope campaign.",
            )
        story = items_now(self._ledger.reader, self._views, "story")
        if scope == "SCENE" and told.place(story)["scene"] is None:
            raise InvalidInput(
                "No scene is going on that the handle could be unlocked for.",
                meaning="Nothing was recorded.",
                remedy="`holdfast scene start` begins one, or use --scope session or campaign.",
            )

    def _current(self, items: Items, key: str) -> str:
        """Return the fact that an id or the beginning of one names, if it is still so."""
        found = self._matching(items, key) if key.strip() else []
        if not found:
            raise NotFound(
                f"There is no fact {key[:80]!r}.",
                meaning="Nothing was recorded.",
                remedy="`holdfast fact list` shows those there are.",
            )
        fact = _only(key, found)
        if not store.is_current(items, fact):
            raise NotFound(
                f"Fact {fact} is no longer so.",
                meaning="Nothing was recorded.",
                remedy="`holdfast fact list --all` says what became of it.",
            )
        return fact

    def _matching(self, items: Items, prefix: str) -> list[str]:
        if len(prefix) == store.ID_HEX:
            return [prefix] if prefix in items else []
        matching = (key for key, _ in _facts(items) if key.startswith(prefix))
        return list(islice(matching, NAMED_MAX + 1))

    def _entry(self, key: str) -> str:
        """Return the id of an entry; what looks like a number is one."""
        by_seq = key.isascii() and key.isdigit() and int(key[:20]) < INTEGER_MAX
        wanted = Selection(int(key), int(key) + 1) if by_seq else Selection(id=key)
        for stored in self._ledger.reader.read(wanted):
            return entries.read(stored.body).id
        raise NotFound(
            f"There is no entry {key[:80]!r}.",
            meaning="Nothing was recorded.",
            remedy="`holdfast log` lists them.",
        )


def _facts(items: Items) -> Iterator[tuple[str, Any]]:
    """Yield every fact; goes through all items."""
    return ((key, item) for key, item in items.items() if not key.startswith(" "))


def _only(key: str, found: list[str]) -> str:
    if len(found) == 1:
        return found[0]
    more = " and more" if len(found) > NAMED_MAX else ""
    raise InvalidInput(
        f"Several facts begin with {key!r}: {', '.join(found[:NAMED_MAX])}{more}.",
        meaning="Nothing was recorded.",
        remedy="Give more of the id.",
    )
