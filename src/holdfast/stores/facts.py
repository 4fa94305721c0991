"""Facts: what is so, what was so, and what may be told of it. The seed of every working set.

An item for each fact, by its id, which follows from kind and payload:

    kind, payload           what is so; the payload as canonical JSON, so that no float is in it
    visibility, precision   how it may be told; those of the newest entry that says it
    provenance, unnamed     ids of entries that it rests on, the newest; how many more there are
    seq, again, session     the entry that said it first, the newest that did, and its session
    superseded_by           the fact that took its place, null while it is so
    withdrawn               the entry that took it back, null while it is so

A fact is never edited: another kind or payload is another fact. One that was superseded or
withdrawn and is said again is so again. To supersede a fact that nobody has said changes nothing.
Facts that are so stand on the list CURRENT.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import FACT_PROVENANCE_MAX
from holdfast.kernel.types import FactRecorded, FactWithdrawn, Model
from holdfast.stores import lists
from holdfast.stores.lists import Editing
from holdfast.stores.store import NO_CHANGES, Changes, Items

CURRENT: Final = " current"

ID_HEX: Final = 32


class Facts:
    """The fold over what is said to be so."""

    name: Final = "facts"
    version: Final = 1
    items_max: Final = 1_000_000
    takes: Final = frozenset({"fact_recorded", "fact_withdrawn"})
    reads: Final = takes
    rolls_back: Final = True

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Take a fact in, or take one back."""
        match data:
            case FactRecorded():
                return _recorded(items, entry, data)
            case FactWithdrawn(fact=fact):
                editing = Editing(items, dict)
                if editing.known(fact) and is_current(items, fact):
                    editing.unlink(CURRENT, fact)
                    editing.at(fact)["withdrawn"] = entry.seq
                return editing.changes
            case _:
                return NO_CHANGES  # nothing else says what is so


def fact_id(kind: str, payload: Any) -> str:
    """Return the id of a fact: the beginning of a hash over kind and payload."""
    return sha256(canonical.encode([kind, payload])).hexdigest()[:ID_HEX]


def current(items: Items, limit: int | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the newest facts that are so, by id."""
    return lists.newest(items, CURRENT, limit)


def count_current(items: Items) -> int:
    """Return how many facts are so."""
    return lists.count(items, CURRENT)


def is_current(items: Items, fact: str) -> bool:
    """Tell whether a fact was said and is still so."""
    item: Any = items.get(fact)
    return item is not None and item["superseded_by"] is None and item["withdrawn"] is None


def _recorded(items: Items, entry: Entry, data: FactRecorded) -> Changes:
    key = fact_id(data.kind, data.payload)
    editing = Editing(items, dict)
    known = editing.known(key)
    fact = editing.at(key)
    if known and is_current(items, key):
        editing.unlink(CURRENT, key)  # said again, it is the newest
    if not known:
        fact |= {"kind": data.kind, "payload": _spelled(data), "seq": entry.seq}
    rests_on = list(dict.fromkeys([*(data.provenance or ()), *fact.get("provenance", [])]))
    fact |= {
        "again": entry.seq,
        "precision": data.precision,
        "provenance": rests_on[:FACT_PROVENANCE_MAX],
        "session": entry.session_id,
        "superseded_by": None,
        "unnamed": fact.get("unnamed", 0) + len(rests_on[FACT_PROVENANCE_MAX:]),
        "visibility": data.visibility,
        "withdrawn": None,
    }
    editing.link(CURRENT, key)
    for superseded in data.supersedes or ():
        if superseded != key and is_current(items, superseded):
            editing.unlink(CURRENT, superseded)
            editing.at(superseded)["superseded_by"] = key
    return editing.changes


def _spelled(data: FactRecorded) -> str:
    """Return the payload as the entry has it; a large one is a reference into the vault."""
    return canonical.encode(data.payload).decode()
