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

from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import Checkpoint, Decision, Model, VaultRef
from holdfast.stores.lists import Editing, count, newest
from holdfast.stores.store import NO_CHANGES, Changes, Items, Value
from holdfast.stores.wording import told

__all__ = ["CURRENT", "FLAGGED", "Decisions", "count", "newest"]

CURRENT: Final = " current"
FLAGGED: Final = " flagged"


class Decisions:
    """The fold over decisions and what cites them."""

    name: Final = "decisions"
    version: Final = 1
    items_max: Final = 10_000_000
    takes: Final = frozenset({"decision", "checkpoint"})
    reads: Final = takes
    rolls_back: Final = True

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Take a decision in: mark what it supersedes, and flag what rests on that."""
        match data:
            case Decision():
                about: dict[str, Value] = {
                    "choice": told(data.choice),
                    "kind": "decision",
                    "subject": None if data.subject is None else told(data.subject),
                }
                step = _Step(items, _named)
                step.take(entry, about, _names(data.supersedes), _names(data.cites))
                return step.changes
            case Checkpoint(cites=cites) if cites:
                step = _Step(items, _named)
                step.take(entry, {"kind": "checkpoint"}, [], _names(cites))
                return step.changes
            case _:
                return NO_CHANGES  # nothing else supersedes or cites


class _Step(Editing):
    """What one decision or checkpoint changes."""

    def take(
        self,
        entry: Entry,
        about: dict[str, Value],
        supersedes: list[str] | None,
        cites: list[str] | None,
    ) -> None:
        """Put the entry among the items, then look at whom it supersedes."""
        item = self.at(entry.id)
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
            self.link(CURRENT, entry.id)
            if item["cites_superseded"]:
                self.link(FLAGGED, entry.id)
        for superseded in item["supersedes"]:
            if superseded != entry.id:
                self._supersede(superseded, entry.id)

    def _cite(self, citer: str, cited: str) -> None:
        """Put the citer in front of those who cite the same, and flag it if that is superseded."""
        target = self.at(cited)
        item = self.at(citer)
        item["cites_before"][cited] = target["cited_by"]
        target["cited_by"] = citer
        if target["superseded_by"] is not None and cited not in item["supersedes"]:
            item["cites_superseded"].append(cited)

    def _supersede(self, superseded: str, by: str) -> None:
        target = self.at(superseded)
        if target["superseded_by"] is not None:
            return
        target["superseded_by"] = by
        self.unlink(CURRENT, superseded)
        self.unlink(FLAGGED, superseded)
        citer = target["cited_by"]
        while citer is not None:
            self._flag(citer, superseded)
            citer = self.at(citer)["cites_before"][superseded]

    def _flag(self, citer: str, cited: str) -> None:
        item = self.at(citer)
        if cited in item["supersedes"]:
            return
        item["cites_superseded"].append(cited)
        holds = item["kind"] == "decision" and item["superseded_by"] is None
        if holds and FLAGGED not in item["older"]:
            self.link(FLAGGED, citer)


def _names(names: list[str] | VaultRef | None) -> list[str] | None:
    """Return the ids, None when they stand in the vault."""
    return None if isinstance(names, VaultRef) else names or []


def _named() -> dict[str, Any]:
    return {
        "choice": None,
        "cited_by": None,
        "cites": [],
        "cites_before": {},
        "cites_superseded": [],
        "kind": None,
        "seq": None,
        "session": None,
        "subject": None,
        "superseded_by": None,
        "supersedes": [],
        "unread": [],
    }
