"""The grounding ratio: how many of the current decisions rest on proof.

Counted are the decisions that hold and were touched since the last clear that had nothing in its
way: made, grounded anew, or failed by a check. Assumptions are listed apart, all of them that hold,
however old, and counted on neither side. What no decision rests on is whole: none at all is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from holdfast.stores import decisions, evidence, gate
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.index.views import Views


ItemsOf: TypeAlias = Callable[[str], Items]
"""Returns the items of a store."""


class Ungrounded(msgspec.Struct, frozen=True):
    """A decision that lacks proof, and what is wrong with what it has."""

    id: str
    seq: int
    choice: str
    faults: list[str]


class Rested(msgspec.Struct, frozen=True):
    """A decision that counts as grounded, and what has to be looked at to prove it."""

    id: str
    seq: int
    choice: str
    at: int
    """The entry that last said what it rests on."""
    cited: int


class Ratio(msgspec.Struct, frozen=True):
    """How many decisions are grounded, of how many; and which are not."""

    total: int
    grounded: int
    assumptions: list[tuple[str, int]]
    """Ids and numbers, the newest first; not among `total`."""
    ungrounded: list[Ungrounded]
    value: float


def ratio(views: Views) -> Ratio:
    """Return the grounding ratio as the views have it; bring those up to date first."""
    return ratio_and_rested(views)[0]


def ratio_and_rested(views: Views) -> tuple[Ratio, list[Rested]]:
    """Return the ratio, and which decisions it counts as grounded, the last touched first."""
    ungrounded: list[Ungrounded] = []
    rested: list[Rested] = []
    for key, decision, proof in touched(views.items):
        if proof["assumption"]:
            continue
        said = (key, decision["seq"], decision["choice"])
        if evidence.is_grounded(proof):
            rested.append(Rested(*said, proof["at"], proof["cited"]))
        else:
            ungrounded.append(Ungrounded(*said, evidence.faults_in(proof)))
    ungrounded.sort(key=lambda one: -one.seq)
    grounded, total = len(rested), len(rested) + len(ungrounded)
    value = grounded / total if total else 1.0
    return Ratio(total, grounded, assumptions(views.items), ungrounded, value), rested


def touched(items: ItemsOf) -> Iterator[tuple[str, Any, Any]]:
    """Yield decisions that hold and were touched since the last clear, with what they rest on."""
    held, proofs = items("decisions"), items("evidence")
    since = gate.last_pass(items("gate"))
    for key, proof in evidence.newest(proofs, evidence.TOUCHED):
        if proof["touched"] <= since:
            return
        if (decision := _holding(held, key)) is not None:
            yield key, decision, proof


def assumptions(items: ItemsOf) -> list[tuple[str, int]]:
    """Return the decisions that hold and say that nothing proves them, the newest first."""
    held, proofs = items("decisions"), items("evidence")
    found = [
        (key, int(decision["seq"]))
        for key, _ in evidence.newest(proofs, evidence.ASSUMED)
        if (decision := _holding(held, key)) is not None
    ]
    return sorted(found, key=lambda one: -one[1])


def _holding(held: Items, key: str) -> Any:
    """Return a decision that nothing superseded, else None."""
    item: Any = held.get(key)
    return item if item is not None and decisions.CURRENT in item["older"] else None
