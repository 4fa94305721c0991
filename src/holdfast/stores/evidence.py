"""Evidence: what each decision rests on, as it was when somebody last looked.

An item for each id of a decision, and of whatever checks name:

    seq, at        the decision's entry; the entry that last said what it rests on
    cited, exact   its citations, and those of them that stood word for word in the file
    faults         what is wrong with the others, each kind once
    assumption     nothing proves it, and it says so
    passed         how many checks of it passed
    failed         checks of it that failed when they were last run, by what they check
    failed_more    failed checks beyond CHECKS_FAILED_MAX; they count until it is grounded anew
    touched        the last entry that may have changed how it stands: it was decided, grounded
                   anew, or a check of it failed

The list TOUCHED has them all, the last touched first; ASSUMED those that say they are assumptions.

Rules. A decision is grounded when it has a citation, every citation was exact, and none of its
checks is failed. The same check run again takes the place of the run before.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import CHECKS_FAILED_MAX
from holdfast.kernel.types import (
    Decision,
    DecisionGrounded,
    EvidenceRecorded,
    Grounds,
    Model,
    VaultRef,
    grounds_of,
)
from holdfast.stores.lists import Editing, count, newest
from holdfast.stores.store import NO_CHANGES, Changes, Items

__all__ = [
    "ASSUMED",
    "ASSUMPTION",
    "FAILED_CHECK",
    "TOUCHED",
    "Evidence",
    "count",
    "faults_in",
    "is_grounded",
    "newest",
]

TOUCHED: Final = " touched"
ASSUMED: Final = " assumed"

FAILED_CHECK: Final = "failed-check"
"""The fault of a decision that a check speaks against."""

ASSUMPTION: Final = "[ASSUMPTION]"
"""A choice that begins with it is one, too."""


class Evidence:
    """The fold over what decisions rest on."""

    name: Final = "evidence"
    version: Final = 2
    items_max: Final = 10_000_000
    takes: Final = frozenset({"decision", "decision_grounded", "evidence_recorded"})
    reads: Final = takes
    rolls_back: Final = True

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Note what a decision rests on, or how a check of it came out."""
        step = _Step(items, _blank)
        match data:
            case Decision():
                marked = isinstance(data.choice, str) and data.choice.startswith(ASSUMPTION)
                numbers = _numbers(grounds_of(data.grounds), marked=marked)
                step.rest(entry.id, entry, numbers | {"seq": entry.seq})
            case DecisionGrounded(decision=decision):
                numbers = _numbers(grounds_of(data.grounds), marked=False)
                step.rest(decision, entry, numbers | {"failed_more": 0})
            case EvidenceRecorded(decision=str(decision)):
                step.check(decision, entry, data)
            case _:
                return NO_CHANGES  # a check of nothing that was decided
        return step.changes


class _Step(Editing):
    """What one entry changes."""

    def rest(self, key: str, entry: Entry, numbers: dict[str, Any]) -> None:
        """Note what a decision rests on from now on."""
        item = self.at(key)
        item |= numbers | {"at": entry.seq}
        self._touch(key, entry)
        if item["assumption"] and ASSUMED not in item["older"]:
            self.link(ASSUMED, key)
        elif not item["assumption"]:
            self.unlink(ASSUMED, key)

    def check(self, key: str, entry: Entry, data: EvidenceRecorded) -> None:
        """Note how a check came out; the same check run again takes the place of before."""
        item, checked = self.at(key), _checked(data)
        item["failed"].pop(checked, None)
        if data.passed:
            item["passed"] += 1
            return
        if len(item["failed"]) < CHECKS_FAILED_MAX:
            item["failed"][checked] = entry.seq
        else:
            item["failed_more"] += 1
        self._touch(key, entry)

    def _touch(self, key: str, entry: Entry) -> None:
        self.unlink(TOUCHED, key)
        self.link(TOUCHED, key)
        self.at(key)["touched"] = entry.seq


def is_grounded(item: Any) -> bool:
    """Tell whether a decision rests on quotes that were proved, and on no failed check."""
    if item is None or item["failed"] or item["failed_more"]:
        return False
    return bool(item["cited"]) and item["exact"] == item["cited"]


def faults_in(item: Any) -> list[str]:
    """Name what keeps a decision from being grounded."""
    if item is None:
        return ["no-citation"]
    named: list[str] = list(item["faults"])
    if not item["cited"] and "no-citation" not in named:
        named.append("no-citation")
    if item["failed"] or item["failed_more"]:
        named.append(FAILED_CHECK)
    return named


def _numbers(grounds: Grounds | None, *, marked: bool) -> dict[str, Any]:
    if grounds is None:
        return {"assumption": marked, "cited": 0, "exact": 0, "faults": []}
    faults = [] if isinstance(grounds.faults, VaultRef) else grounds.faults
    return {
        "assumption": marked or grounds.assumption,
        "cited": grounds.cited,
        "exact": grounds.exact,
        "faults": list(faults),
    }


def _checked(data: EvidenceRecorded) -> str:
    """Return a short name for what a check looks at: the same check has the same."""
    parts = (data.kind, data.command, data.path, data.pattern)
    spelled = "\0".join(part.hash if isinstance(part, VaultRef) else part or "" for part in parts)
    return sha256(spelled.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _blank() -> dict[str, Any]:
    return {
        "assumption": False,
        "at": None,
        "cited": 0,
        "exact": 0,
        "failed": {},
        "failed_more": 0,
        "faults": [],
        "passed": 0,
        "seq": None,
        "touched": None,
    }
