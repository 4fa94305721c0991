"""Decisions: which hold, which were superseded and by what, and what rests on a superseded one.

An item for each id of a decision, of a checkpoint that cites something, and of whatever they name:

    kind            decision, checkpoint; null for an id that is so far only named
    seq, session    where it stands
    subject, choice what it is about and what was chosen, bounded
    supersedes      ids it supersedes; cites: ids it rests on
    superseded_by   the first decision that superseded it
    cites_superseded  ids among `cites` that no longer hold
    unread          fields whose ids stand in the vault, where a fold does not look
    cited_by, cites_before, newer, older   see below

Rules. The first to supersede a decision is its `superseded_by`, for good; later ones are seen in
their own `supersedes`. An id that is named before it appears is superseded when it appears. Nothing
supersedes itself. Citing what one supersedes is no reason for a flag.

`apply` reaches only what changes: those who cite an id form a list from `cited_by` through
`cites_before[id]`, and the lists of current and of flagged decisions run through `older` and
`newer`, from the items CURRENT and FLAGGED, whose keys no entry can have as its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import Checkpoint, Decision, Model, VaultRef
from holdfast.stores.store import NO_CHANGES, Changes, Items, Value
from holdfast.stores.wording import told

CURRENT: Final = " current"
FLAGGED: Final = " flagged"


class Decisions:
    """The fold over decisions and what cites them."""

    name: Final = "decisions"
    version: Final = 1
    items_max: Final = 10_000_000

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Take a decision in: mark what it supersedes, and flag what rests on that."""
        match data:
            case Decision():
                about: dict[str, Value] = {
                    "choice": told(data.choice),
                    "kind": "decision",
                    "subject": None if data.subject is None else told(data.subject),
                }
                step = _Step(items)
                step.take(entry, about, _names(data.supersedes), _names(data.cites))
                return step.changes
            case Checkpoint(cites=cites) if cites:
                step = _Step(items)
                step.take(entry, {"kind": "checkpoint"}, [], _names(cites))
                return step.changes
            case _:
                return NO_CHANGES  # nothing else supersedes or cites


def newest(items: Items, which: str, limit: int | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the newest decisions of a list, CURRENT or FLAGGED, without looking at others."""
    head: Any = items.get(which)
    key = head["newest"] if head else None
    while key is not None and (limit is None or limit > 0):
        item: Any = items[key]
        yield key, item
        key = item["older"][which]
        limit = None if limit is None else limit - 1


def count(items: Items, which: str) -> int:
    """Return how many decisions a list holds."""
    head: Any = items.get(which)
    return int(head["count"]) if head else 0


class _Step:
    """What one entry changes, seen together with what was there before."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.changes: dict[str, Any] = {}

    def take(
        self,
        entry: Entry,
        about: dict[str, Value],
        supersedes: list[str] | None,
        cites: list[str] | None,
    ) -> None:
        """Put the entry among the items, then look at whom it supersedes."""
        item = self._at(entry.id)
        item |= about | {
            "cites": list(dict.fromkeys(cites or [])),
            "seq": entry.seq,
            "session": entry.session_id,
            "supersedes": list(dict.fromkeys(supersedes or [])),
            "unread": [
                name for name, ids in (("cites", cites), ("supersedes", supersedes)) if ids is None
            ],
        }
        for cited in item["cites"]:
            if cited != entry.id:
                self._cite(entry.id, cited)
        if item["kind"] == "decision" and item["superseded_by"] is None:
            self._link(CURRENT, entry.id)
            if item["cites_superseded"]:
                self._link(FLAGGED, entry.id)
        for superseded in item["supersedes"]:
            if superseded != entry.id:
                self._supersede(superseded, entry.id)

    def _cite(self, citer: str, cited: str) -> None:
        """Put the citer in front of those who cite the same, and flag it if that is superseded."""
        target = self._at(cited)
        item = self._at(citer)
        item["cites_before"][cited] = target["cited_by"]
        target["cited_by"] = citer
        if target["superseded_by"] is not None and cited not in item["supersedes"]:
            item["cites_superseded"].append(cited)

    def _supersede(self, superseded: str, by: str) -> None:
        target = self._at(superseded)
        if target["superseded_by"] is not None:
            return
        target["superseded_by"] = by
        self._unlink(CURRENT, superseded)
        self._unlink(FLAGGED, superseded)
        citer = target["cited_by"]
        while citer is not None:
            self._flag(citer, superseded)
            citer = self._at(citer)["cites_before"][superseded]

    def _flag(self, citer: str, cited: str) -> None:
        item = self._at(citer)
        if cited in item["supersedes"]:
            return
        item["cites_superseded"].append(cited)
        holds = item["kind"] == "decision" and item["superseded_by"] is None
        if holds and FLAGGED not in item["older"]:
            self._link(FLAGGED, citer)

    def _link(self, which: str, key: str) -> None:
        """Put an item in front of a list."""
        head = self._head(which)
        before = head["newest"]
        item = self._at(key)
        item["older"][which] = before
        item["newer"][which] = None
        if before is not None:
            self._at(before)["newer"][which] = key
        head |= {"count": head["count"] + 1, "newest": key}

    def _unlink(self, which: str, key: str) -> None:
        """Take an item out of a list, if it is on it."""
        item = self._at(key)
        if which not in item["older"]:
            return
        head = self._head(which)
        older, newer = item["older"].pop(which), item["newer"].pop(which)
        if older is not None:
            self._at(older)["newer"][which] = newer
        if newer is not None:
            self._at(newer)["older"][which] = older
        head |= {"count": head["count"] - 1}
        if newer is None:
            head["newest"] = older

    def _head(self, which: str) -> dict[str, Any]:
        if which not in self.changes:
            known: Any = self._items.get(which)
            self.changes[which] = dict(known) if known else {"count": 0, "newest": None}
        head: dict[str, Any] = self.changes[which]
        return head

    def _at(self, key: str) -> dict[str, Any]:
        """Return an item that may be changed: a copy of what is there, or one only named."""
        if key not in self.changes:
            known: Any = self._items.get(key)
            self.changes[key] = _copy(known) if known else _named()
        item: dict[str, Any] = self.changes[key]
        return item


def _names(names: list[str] | VaultRef | None) -> list[str] | None:
    """Return the ids, None when they stand in the vault."""
    return None if isinstance(names, VaultRef) else names or []


def _copy(item: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value.copy() if isinstance(value, (dict, list)) else value
        for key, value in item.items()
    }


def _named() -> dict[str, Any]:
    return {
        "choice": None,
        "cited_by": None,
        "cites": [],
        "cites_before": {},
        "cites_superseded": [],
        "kind": None,
        "newer": {},
        "older": {},
        "seq": None,
        "session": None,
        "subject": None,
        "superseded_by": None,
        "supersedes": [],
        "unread": [],
    }
