"""What agents tell by themselves: hooks, compactions, pauses; handoffs between them; peers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from holdfast.kernel.types.model import Count, Model, Name, Text, Texts, Told, VaultRef

LedgerId = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z")]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class ToolBegun(Model, frozen=True, kw_only=True):
    """A tool is about to be used: known even if its end never comes."""

    tool: Told
    call: Name | None = None
    params: Any = None


class HookFired(Model, frozen=True, kw_only=True):
    """An event of an agent that has no type of its own, as it came."""

    agent: Name
    event: Told
    payload: Any = None


class ContextCompacted(Model, frozen=True, kw_only=True):
    """An agent's context was replaced by a summary."""

    agent: Name
    trigger: Text | None = None
    summary: Text | None = None
    """Word for word; null when the agent does not tell it."""


class ContextGiven(Model, frozen=True, kw_only=True):
    """Words that holdfast put before an agent's model, as they were given."""

    agent: Name
    event: Told
    """What the agent calls the event that they answered."""
    source: Text | None = None
    """Of a session's start: startup, resume, clear, compact, fork; null where nobody said."""
    text: Told
    tokens: Count
    counter: Told
    """Who counted the tokens."""
    about: list[Count] | VaultRef | None = None
    """Numbers of the entries that it names or was made from."""
    of_session: Name | None = None
    """The session whose work it tells of."""
    as_of: Count | None = None
    """The last entry that was taken into account."""
    left_out: dict[str, Any] | None = None
    """What there was no room for: how much of each kind. A large one is a reference."""


class RecordingPaused(Model, frozen=True, kw_only=True):
    """From here on nothing is recorded, because somebody wants it so."""

    reason: Text | None = None
    session: Name | None = None
    """The session it concerns; null for all of them."""


class RecordingResumed(Model, frozen=True, kw_only=True):
    """Recording goes on."""

    session: Name | None = None
    unrecorded: Count | None = None
    """Events that came meanwhile; null when they were not counted."""
    files: Count | None = None
    """Files that changed meanwhile and are not recorded; null where none was found."""


class HandoffOffered(Model, frozen=True, kw_only=True):
    """Work that is offered to another agent or session."""

    to: Name
    """An agent's name, or a session's id."""
    title: Told
    task: Name | None = None
    next_steps: Texts | None = None
    refs: Texts | None = None
    note: Text | None = None


class HandoffAnswered(Model, frozen=True, kw_only=True):
    """An offered handoff was taken, or not; once."""

    handoff: Name
    """Id of the offer."""
    answer: Literal["accepted", "declined"]
    by: Name
    reason: Text | None = None


class PeerMerged(Model, frozen=True, kw_only=True):
    """The verified entries of another ledger, up to a tree head, are kept beside this one."""

    ledger: LedgerId
    size: Count
    root: Digest
    source: Text | None = None


class PeerRefused(Model, frozen=True, kw_only=True):
    """Another ledger told two things about one number; both are kept, and neither believed anew."""

    ledger: LedgerId
    seq: Count
    known: Digest
    told: Digest
    reason: Told
    evidence: Any = None
