"""What is asked of Beads, whichever way it is reached."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final, Protocol

import msgspec

from holdfast.kernel.errors import StorageFailed
from holdfast.ledger.tasks import STATUSES

OURS: Final = "holdfast"
"""The key in an issue's metadata under which stands what Beads has no field for."""

BLOCKS: Final = "blocks"
"""The kind of dependency that keeps an issue from being ready."""


class Remark(msgspec.Struct, frozen=True):
    """A comment that is written once: `mark` is part of its text, and of no other's."""

    mark: str
    text: str
    ts: str


class Issue(msgspec.Struct, frozen=True, kw_only=True):
    """An issue as Beads has it. `raw` is everything it said, also what nobody here knows."""

    id: str
    title: str
    description: str
    status: str
    priority: int | None
    issue_type: str | None
    depends_on: list[str]
    close_reason: str | None
    metadata: dict[str, Any]
    comments: list[str]
    raw: dict[str, Any]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """An issue as it should be. What is not named here is left as it is."""

    id: str
    title: str
    description: str
    status: str
    priority: int | None
    issue_type: str | None
    """Null for what it is anyway; so is a priority."""
    depends_on: list[str]
    close_reason: str | None
    ours: dict[str, Any]
    """What goes under `metadata.holdfast`."""
    remarks: list[Remark]
    created_at: str
    updated_at: str
    closed_at: str | None


class Found(msgspec.Struct, frozen=True):
    """The issues there are, and what could not be read, each with why."""

    issues: list[Issue]
    unread: list[str] = []


class Beads(Protocol):
    """A place where Beads keeps issues.

    A driver MUST raise CouldNotLook where it cannot look: an empty answer means that there is
    nothing. It MUST read back what it wrote, and raise StorageFailed where that is something else.
    It MUST NOT touch what it is not given: notes, labels, other metadata, other issues.
    """

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def issues(self) -> Found:
        """Return all issues, closed ones too."""

    def issue(self, id: str) -> Issue | None:
        """Return one issue, None when there is none with exactly this id."""

    def put(self, wanted: Wanted) -> Issue:
        """Let an issue be as it should be, and return it as it was read back."""


FIELDS: Final = ("title", "description", "priority", "issue_type", "status")


def differing(issue: Issue, wanted: Wanted) -> list[str]:
    """Return the fields that are not as they should be."""
    return [name for name in FIELDS if not _is_so(name, issue, wanted)]


def _is_so(name: str, issue: Issue, wanted: Wanted) -> bool:
    has, wants = getattr(issue, name), getattr(wanted, name)
    if name == "status" and has not in STATUSES:
        return bool(wants == "open")  # one of Beads' own, which is open to everybody else
    return has == wants or (wants is None and name in ("priority", "issue_type"))


def gone(issue: Issue, wanted: Wanted) -> list[str]:
    """Return the dependencies of an issue that were put there from here, and hold no longer."""
    before = issue.metadata.get(OURS)
    ours = before.get("depends_on") if isinstance(before, dict) else None
    known = ours if isinstance(ours, list) else []
    return [one for one in issue.depends_on if one in known and one not in wanted.depends_on]


def differences(issue: Issue, wanted: Wanted, dropped: Collection[str] = ()) -> Iterator[str]:
    """Yield what is not as it should be, with what stands there."""
    for name in differing(issue, wanted):
        yield f"{name} is {_short(getattr(issue, name))} instead of {_short(getattr(wanted, name))}"
    missing = [name for name in wanted.depends_on if name not in issue.depends_on]
    if missing:
        yield f"dependencies lack {', '.join(missing)}"
    if left := [name for name in dropped if name in issue.depends_on]:
        yield f"dependencies still have {', '.join(left)}"
    if wanted.status == "closed" and not issue.close_reason and wanted.close_reason:
        yield "close_reason is empty"
    if issue.metadata.get(OURS) != wanted.ours:
        yield f"metadata.{OURS} is {_short(issue.metadata.get(OURS))}"
    for remark in wanted.remarks:
        if not any(remark.mark in text for text in issue.comments):
            yield f"comments lack {remark.mark}"


def compare(
    place: str, issue: Issue | None, wanted: Wanted, dropped: Collection[str] = ()
) -> Issue:
    """Return what was read back if it is what was written; else say what stands where."""
    found = ["it is not there"] if issue is None else list(differences(issue, wanted, dropped))
    if issue is None or found:
        raise StorageFailed(
            f"{place} took issue {wanted.id} without an error, but read back: {'; '.join(found)}.",
            meaning="The task stands in the ledger as it was recorded; Beads has something else.",
            remedy=f"`bd show {wanted.id}` shows what it has; the next change is mirrored again.",
        )
    return issue


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}… +{len(text) - 80}"
