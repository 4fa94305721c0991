"""Evidence: quotes of code that decisions rest on, checks that were run, and what conflicts."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from holdfast.kernel.types.model import Count, Model, Name, Names, Number, Text, Told, VaultRef

State: TypeAlias = Literal["exact", "moved", "changed", "gone", "unreadable", "refused"]
"""What became of a quote. `refused`: the citation itself cannot be used; nothing was looked up."""

GhostStatus: TypeAlias = Literal["confirmed", "present", "unverified", "could_not_look", "manual"]


class Citation(msgspec.Struct, frozen=True, kw_only=True):
    """A quote, where it is said to stand, and what was found there when somebody looked."""

    path: Text
    """Below the project's root, without `${PROJECT_ROOT}/`."""
    line: Count
    last: Count | None = None
    """The last line of a range."""
    quote: Text
    state: State
    fault: Name | None = None
    """Why it proves nothing: `relative-path`, `no-quote`, `leaves-root`, ..."""
    found: Count | None = None
    """The line where it stands instead."""
    symbol: Text | None = None
    """The definition around it."""
    file: Text | None = None
    """SHA-256 of the whole file."""
    section: Any = None
    """The text of that definition, or of the lines: kept in the vault."""


class Grounds(msgspec.Struct, frozen=True, kw_only=True):
    """What a decision rests on. The numbers are for folds, which do not look into the vault.

    Entries hold it as an object that this is read from (`grounds_of`): whoever writes one makes
    sure that it is small enough to stay out of the vault.
    """

    cited: Count
    """How many citations it has."""
    exact: Count
    """Of those, quotes that stood word for word where they were said to stand."""
    faults: Names = []
    """What is wrong with the others, each kind once."""
    assumption: bool = False
    """Nothing proves it, and it says so."""
    task: Name | None = None
    symbols: Names = []
    """The definitions that its quotes stand in, as `path::Class.method`."""
    evidence: list[Citation] | VaultRef | None = None


Grounded: TypeAlias = dict[str, Any]
"""Grounds as an entry holds them; or the reference to them, should they stand in the vault."""


def grounds_of(data: Grounded | None) -> Grounds | None:
    """Return what a decision rests on; None when it says nothing that can be read."""
    try:
        return None if data is None else msgspec.convert(data, Grounds)
    except msgspec.ValidationError:
        return None


class DecisionGrounded(Model, frozen=True, kw_only=True):
    """What a decision rests on now takes the place of what it rested on before."""

    decision: Name
    grounds: Grounded
    reason: Text | None = None


class EvidenceRecorded(Model, frozen=True, kw_only=True):
    """A check that somebody ran, and how it came out."""

    kind: Literal["file_exists", "grep", "command", "test"]
    passed: bool
    decision: Name | None = None
    command: Text | None = None
    exit_code: int | None = None
    path: Text | None = None
    pattern: Text | None = None
    matches: Count | None = None
    file: Text | None = None
    output: Text | None = None


class ForkOpened(Model, frozen=True, kw_only=True):
    """A statement conflicts with a recorded decision, or with the code."""

    fork: Name
    subject: Text
    statement: Told
    """The side that was recorded or said last."""
    against: Told
    """The side that it conflicts with."""
    reason: Told
    higher: Told
    """Which kind of source outranks the other, as the order of truth has it."""
    decision: Name | None = None
    """The decision that made the statement; null for a claim."""
    against_decision: Name | None = None
    """The decision on the other side; null when that is the code."""


class ForkResolved(Model, frozen=True, kw_only=True):
    """A fork is settled: the ledger was outdated, or the agent was wrong."""

    fork: Name
    ruling: Literal["ledger outdated", "agent wrong", "compatible"]
    because: Told
    decision: Name | None = None
    """The decision that says so."""


class GhostFlagged(Model, frozen=True, kw_only=True):
    """A feature is said to be missing in the code. Until that is verified it is only said."""

    ghost: Name
    claim: Text | None = None


class GhostQuery(msgspec.Struct, frozen=True, kw_only=True):
    """One search for a ghost: over what, by what, and how near the nearest came."""

    query: Text
    level: Name
    files: Count
    unread: Count
    hits: Count
    """Sections at or above the threshold."""
    best: Number | None = None
    model: Text | None = None
    index: Text | None = None
    nearest: Text | None = None


class GhostChecked(Model, frozen=True, kw_only=True):
    """An attempt to show that a feature is missing, whatever came of it."""

    ghost: Name
    status: GhostStatus
    queries: list[GhostQuery] | VaultRef
    threshold: Number | None = None
    jaccard: Number | None = None
    cosine: Number | None = None
    because: Text | None = None


class SearchRan(Model, frozen=True, kw_only=True):
    """An agent's search that found more than can be read: it waits for a pivot."""

    query: Text
    result_count: Count
    scope: Annotated[str, Meta(pattern="^(ledger|code)$")]


class PivotLogged(Model, frozen=True, kw_only=True):
    """Why a search was too broad, and what is assumed instead."""

    reason: Told
    result_count: Count
    hypothesis_failure: Told
    refined_hypothesis: Told
    search: Name | None = None
    """The search it is about; null for the newest of the session that waits."""
