"""Ledgers with a winding history: things that supersede each other, and many ways back."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeAlias

from hypothesis import strategies as st

from holdfast.ledger.ledger import Draft, Ledger
from holdfast.stores.facts import fact_id
from holdfast.testing.builders import data_for

KINDS = (
    "decision",
    "checkpoint",
    "fact_recorded",
    "fact_withdrawn",
    "unlock_granted",
    "story_set",
    "scene_started",
    "scene_ended",
    "pending_opened",
    "pending_step_taken",
    "pending_resolved",
    "session_started",
    "session_ended",
    "work_opened",
    "work_closed",
    "error",
    "rolled_back",
)

Step: TypeAlias = tuple[str, int, int]
"""A type, and two numbers that say which things it is about."""

steps = st.lists(
    st.tuples(st.sampled_from(KINDS), st.integers(0, 60), st.integers(0, 6)), max_size=60
)


def walk(ledger: Ledger, taken: Sequence[Step]) -> None:
    """Record a step after the other."""
    first = ledger.head().size
    ledger.append_many([_draft(first + n, *step) for n, step in enumerate(taken)])


def wander(ledger: Ledger, count: int, seed: int, kinds: Sequence[str] = KINDS) -> None:
    """Record so many steps, which ones is chance."""
    chance = random.Random(seed)
    size = ledger.head().size
    walk(
        ledger,
        [
            (chance.choice(kinds), chance.randrange(size + n + 1), chance.randrange(7))
            for n in range(count)
        ],
    )


def name_of(seq: int) -> str:
    """Return the id of the entry with this number, whichever type it has."""
    return f"e-{seq}"


def _draft(seq: int, kind: str, a: int, b: int) -> Draft:
    return Draft(kind, _data(kind, a, b), session_id=f"s{b}" if b else None, id=name_of(seq))


def _data(kind: str, a: int, b: int) -> dict[str, Any]:
    match kind:
        case "decision":
            data = data_for(kind, a, cites=[name_of(b)])
            return data | ({"supersedes": [name_of(a)]} if b % 2 else {})
        case "checkpoint":
            return data_for(kind, a, cites=[name_of(a), name_of(b)])
        case "fact_recorded":
            return data_for(kind, b, supersedes=[_fact(b + 1)] if a % 3 == 0 else None)
        case "fact_withdrawn":
            return data_for(kind, fact=_fact(b))
        case "unlock_granted":
            return data_for(kind, handle=_fact(b), scope=("SCENE", "SESSION", "CAMPAIGN")[a % 3])
        case "pending_opened":
            return data_for(kind, b, steps=["ask", "agree"] if a % 2 else None)
        case "rolled_back":
            return data_for(kind, a)
        case _:
            return data_for(kind, b)


def _fact(n: int) -> str:
    data = data_for("fact_recorded", n)
    return fact_id(data["kind"], data["payload"])
