"""Decisions as callers make them: what they supersede and cite is looked up beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import INTEGER_MAX
from holdfast.storage.port import Selection

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

NAMED_MAX: Final = 5
"""Decisions that an answer names; the others are counted."""


class Asked(msgspec.Struct, frozen=True):
    """A decision as somebody puts it. What it supersedes and cites: numbers, ids, beginnings."""

    choice: str
    reasoning: str
    question: str
    alternatives: tuple[str, ...] = ()
    confidence: float | None = None
    subject: str | None = None
    supersedes: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()


class Decided(msgspec.Struct, frozen=True):
    """A decision that is recorded, and what it means for others."""

    receipt: Receipt
    superseded_before: tuple[str, ...]
    """Of what it supersedes: no longer held anyway."""
    cites_superseded: tuple[str, ...]
    """Of what it cites: no longer holds."""
    resting: tuple[int, ...]
    """Numbers of entries that cite what no longer holds because of this, the newest first."""
    resting_more: int
    """How many more there are."""


class Decisions:
    """The decisions of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views

    def decide(self, asked: Asked, *, id: str | None = None) -> Decided:
        """Record a decision. Superseding what is not there or is no decision is refused."""
        self._views.catch_up(self._ledger.reader)
        supersedes = _once(self._decision(key) for key in asked.supersedes)
        cites = _once(self._entry(key)[0] for key in asked.cites)
        gone = {key for key in (*supersedes, *cites) if self._superseded(key)}
        receipt = self._ledger.append("decision", _data(asked, supersedes, cites), id=id)
        self._views.catch_up(self._ledger.reader)
        resting = _once(
            seq
            for key in supersedes
            if key not in gone
            for seq in self._resting_on(key)
            if seq != receipt.seq
        )
        return Decided(
            receipt,
            tuple(key for key in supersedes if key in gone),
            tuple(key for key in cites if key in gone and key not in supersedes),
            resting[:NAMED_MAX],
            max(0, len(resting) - NAMED_MAX),
        )

    def _decision(self, key: str) -> str:
        """Return the id of the decision that a number, an id or the beginning of one names."""
        try:
            found, type_name = self._entry(key)
        except NotFound:
            return self._by_prefix(key)
        if type_name == "decision":
            return found
        raise InvalidInput(
            f"Entry {key} is no decision but a {type_name}.",
            meaning="Nothing was recorded.",
            remedy="`holdfast log --type decision` lists those that can be superseded.",
        )

    def _entry(self, key: str) -> tuple[str, str]:
        """Return id and type of an entry; what looks like a number is one."""
        by_seq = key.isascii() and key.isdigit() and int(key[:20]) < INTEGER_MAX
        wanted = Selection(int(key), int(key) + 1) if by_seq else Selection(id=key)
        for stored in self._ledger.reader.read(wanted):
            entry = entries.read(stored.body)
            return entry.id, entry.type
        raise _unknown(key)

    def _by_prefix(self, prefix: str) -> str:
        items = self._views.items("decisions")
        matching = (
            key
            for key, item in items.items()
            if key.startswith(prefix) and isinstance(item, dict) and item.get("kind") == "decision"
        )
        found = list(islice(matching, NAMED_MAX + 1)) if prefix.strip() else []
        if len(found) == 1:
            return found[0]
        if not found:
            raise _unknown(prefix)
        more = " and more" if len(found) > NAMED_MAX else ""
        raise InvalidInput(
            f"Several decisions begin with {prefix!r}: {', '.join(found[:NAMED_MAX])}{more}.",
            meaning="Nothing was recorded.",
            remedy="Give more of the id, or its number.",
        )

    def _superseded(self, key: str) -> bool:
        item: Any = self._views.items("decisions").get(key)
        return item is not None and item["superseded_by"] is not None

    def _resting_on(self, key: str) -> Iterator[int]:
        """Yield what cites a decision, the newest first."""
        items = self._views.items("decisions")
        item: Any = items.get(key)
        citer = None if item is None else item["cited_by"]
        while citer is not None:
            item = items[citer]
            yield item["seq"]
            citer = item["cites_before"][key]


def _data(asked: Asked, supersedes: Sequence[str], cites: Sequence[str]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "question": asked.question,
        "choice": asked.choice,
        "reasoning": asked.reasoning,
        "alternatives": list(asked.alternatives),
    }
    optional = {
        "confidence": asked.confidence,
        "subject": asked.subject,
        "supersedes": list(supersedes) or None,
        "cites": list(cites) or None,
    }
    return data | {name: value for name, value in optional.items() if value is not None}


def _once(values: Iterator[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _unknown(key: str) -> NotFound:
    return NotFound(
        f"There is no entry {key!r}.",
        meaning="Nothing was recorded.",
        remedy="`holdfast log --type decision` lists the decisions.",
    )
