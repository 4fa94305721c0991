"""What the notes should say."""

from __future__ import annotations

import msgspec


class Active(msgspec.Struct, frozen=True):
    """Where the work stands."""

    task: str | None = None
    """The current task's id."""
    title: str | None = None
    checkpoint: str | None = None
    """When the last checkpoint was made."""
    reasoning: str | None = None
    """Where the work was left."""


class Identifier(msgspec.Struct, frozen=True):
    """A place in the code that is worth going back to."""

    path: str
    """Below the project's root."""
    first: int
    last: int
    purpose: str
    verified: str
    """When its text was last seen to be there: an ISO 8601 time."""


class Quote(msgspec.Struct, frozen=True):
    """A quote of the code, and where it stood."""

    text: str
    path: str
    first: int
    last: int | None = None
    state: str = "exact"


class Noted(msgspec.Struct, frozen=True):
    """A decision as the notes show it."""

    id: str
    seq: int
    timestamp: str
    title: str
    decision: str
    rationale: str
    evidence: tuple[Quote, ...] = ()
    scenarios: tuple[str, ...] = ()


class State(msgspec.Struct, frozen=True):
    """What the notes should say, as of an entry."""

    as_of_seq: int
    active: Active = Active()
    identifiers: tuple[Identifier, ...] = ()
    decisions: tuple[Noted, ...] = ()
    """Those that hold, the newest first."""
    older: int = 0
    """Decisions that hold as well, and are not shown."""
    assumptions: tuple[Noted, ...] = ()
    older_assumptions: int = 0
