"""What stands between the work and a clear: open forks, unverified ghosts, searches that wait for
a pivot, and how the gate went last.

    "fork <name>"    an open fork, on the list FORKS; gone when it is resolved
    "ghost <name>"   a feature said to be missing; on the list GHOSTS until that is verified
    "search <id>"    a search with too many results, on the list SEARCHES; gone with its pivot
    PASSED, FAILED   the last run of the gate that passed, that failed
    CLEARED          the last clear that the gate itself passed with nothing in its way: what was
                     decided before it has been looked at
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.kernel.entry import Actor, Entry
from holdfast.kernel.types import (
    ForkOpened,
    ForkResolved,
    GateRan,
    GhostChecked,
    GhostFlagged,
    Model,
    PivotLogged,
    SearchRan,
)
from holdfast.stores.lists import Editing, count, newest
from holdfast.stores.store import NO_CHANGES, Changes, Items
from holdfast.stores.wording import told

__all__ = [
    "CLEAR",
    "CLEARED",
    "FAILED",
    "FORKS",
    "GATE",
    "GHOSTS",
    "PASSED",
    "SEARCHES",
    "Gate",
    "count",
    "last_pass",
    "newest",
]

FORKS: Final = " forks"
GHOSTS: Final = " ghosts"
SEARCHES: Final = " searches"
PASSED: Final = " passed"
FAILED: Final = " failed"
CLEARED: Final = " cleared"

GATE: Final = Actor("holdfast", "gate")
"""Who says how the gate went. Nobody can record under this name by a command."""

CLEAR: Final = "clear"
"""What makes the gate run when a context is about to be cleared."""

_SETTLED: Final = frozenset({"confirmed", "present", "manual"})
"""What ends the doubt about a ghost: it is missing, it is not, or somebody vouches for it."""


class Gate:
    """The fold over what blocks a clear."""

    name: Final = "gate"
    version: Final = 2
    items_max: Final = 1_000_000
    takes: Final = frozenset(
        {
            "fork_opened",
            "fork_resolved",
            "ghost_flagged",
            "ghost_checked",
            "search_ran",
            "pivot_logged",
            "gate_ran",
        }
    )
    reads: Final = takes
    rolls_back: Final = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Put something in the way of a clear, or out of it."""
        step = _Step(items, dict)
        match data:
            case ForkOpened():
                step.open_fork(entry, data)
            case ForkResolved(fork=fork):
                step.remove(f"fork {fork}")
            case GhostFlagged(ghost=ghost):
                step.flag(entry, ghost)
            case GhostChecked(ghost=ghost, status=status):
                step.check(entry, ghost, status)
            case SearchRan(query=query, result_count=found, scope=scope):
                step.wait(entry, {"query": told(query), "results": found, "scope": scope})
            case PivotLogged(search=search):
                step.pivot(entry, search)
            case GateRan():
                step.note(entry, data)
            case _:
                return NO_CHANGES
        return step.changes


class _Step(Editing):
    """What one entry changes."""

    def open_fork(self, entry: Entry, data: ForkOpened) -> None:
        """Put a fork on the list; one that is open already stays as it is."""
        key = f"fork {data.fork}"
        if self.known(key):
            return
        item = self.at(key)
        item |= _where(entry) | {
            "against": told(data.against),
            "against_decision": data.against_decision,
            "decision": data.decision,
            "fork": data.fork,
            "higher": told(data.higher),
            "reason": told(data.reason),
            "statement": told(data.statement),
            "subject": told(data.subject),
        }
        self.link(FORKS, key)

    def flag(self, entry: Entry, ghost: str) -> None:
        """Put a ghost on the list; flagged again, what was found before no longer counts."""
        key = f"ghost {ghost}"
        attempts = self.at(key).get("attempts", 0)
        item = self.at(key)
        item |= _where(entry) | {"attempts": attempts, "ghost": ghost, "status": "unverified"}
        if GHOSTS not in item["older"]:
            self.link(GHOSTS, key)

    def check(self, entry: Entry, ghost: str, status: str) -> None:
        """Note what an attempt came to."""
        key = f"ghost {ghost}"
        if not self.known(key):
            self.flag(entry, ghost)
        item = self.at(key)
        item |= {"attempts": item["attempts"] + 1, "checked": entry.seq, "status": status}
        if status in _SETTLED:
            self.unlink(GHOSTS, key)
        elif GHOSTS not in item["older"]:
            self.link(GHOSTS, key)

    def wait(self, entry: Entry, about: dict[str, Any]) -> None:
        """Let a search wait for its pivot."""
        key = f"search {entry.id}"
        item = self.at(key)
        item |= _where(entry) | about
        self.link(SEARCHES, key)

    def pivot(self, entry: Entry, search: str | None) -> None:
        """Settle the search that a pivot names, else the newest of its session that waits."""
        if search is not None:
            self.remove(f"search {search}")
            return
        for key in self.each(SEARCHES):
            item: Any = self.changes.get(key) or self._items[key]
            if item["session"] == entry.session_id:
                self.remove(key)
                return

    def note(self, entry: Entry, data: GateRan) -> None:
        """Keep how the gate went. What was let pass, or only looked at, is still to be cleared."""
        ran = _where(entry) | {"trigger": told(data.trigger)}
        self.changes[PASSED if data.passed else FAILED] = ran
        clean = data.passed and data.trigger == CLEAR and data.blocks == []
        if clean and entry.actor == GATE:
            self.changes[CLEARED] = dict(ran)

    def remove(self, key: str) -> None:
        """Take something out of the way, if it is there."""
        if self.known(key):
            self.drop(key)


def last_pass(items: Items) -> int:
    """Return the last clear with nothing in its way, by the gate's own word; -1 if none was."""
    cleared: Any = items.get(CLEARED)
    return -1 if cleared is None else int(cleared["seq"])


def _where(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "seq": entry.seq, "session": entry.session_id}
