"""What a story is made of: facts, what may be told of them, scenes, and what waits for an answer.

A *campaign* is a whole undertaking, a *scene* one piece of it. For a person at a game table these
are what the words say; for one who works with an agent, a campaign is a project and a scene a task.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta

from holdfast.kernel.limits import FACT_PROVENANCE_MAX, FACT_SUPERSEDES_MAX, PENDING_STEPS_MAX
from holdfast.kernel.types.model import Model, Name, Text, Told

Visibility: TypeAlias = Literal["OPEN", "HIDDEN"]
Precision: TypeAlias = Literal["EXACT", "APPROXIMATE", "LOCKED"]
Scope: TypeAlias = Literal["SCENE", "SESSION", "CAMPAIGN"]

PENDING_ROLL: Final = "PENDING_ROLL"
PENDING_CONSENT: Final = "PENDING_CONSENT"
PENDING_HANDOUT: Final = "PENDING_HANDOUT"

FactId: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}$")]


class FactRecorded(Model, frozen=True, kw_only=True):
    """Something that is so. Its id follows from kind and payload; it is superseded, never edited.

    HIDDEN facts and those whose precision is LOCKED are known and never told.
    """

    kind: Name
    payload: Any
    provenance: Annotated[list[Name], Meta(max_length=FACT_PROVENANCE_MAX)] | None = None
    """Ids of entries that it rests on."""
    visibility: Visibility = "OPEN"
    precision: Precision = "EXACT"
    supersedes: Annotated[list[FactId], Meta(max_length=FACT_SUPERSEDES_MAX)] | None = None
    """Ids of facts that are no longer so because of this one."""


class FactWithdrawn(Model, frozen=True, kw_only=True):
    """A fact that is no longer so, without another in its place."""

    fact: FactId
    reason: Told


class UnlockGranted(Model, frozen=True, kw_only=True):
    """A fact, or another handle, may be told: until the scene or the session ends, or for good."""

    handle: Name
    scope: Scope
    reason: Text | None = None


class StorySet(Model, frozen=True, kw_only=True):
    """Where the story takes place, and in which mode. What is null stays as it is."""

    campaign: Name | None = None
    world: Name | None = None
    mode: Name | None = None


class SceneStarted(Model, frozen=True, kw_only=True):
    """A scene began. One that was going on is over with that."""

    scene: Name
    title: Text | None = None
    mode: Name | None = None


class SceneEnded(Model, frozen=True, kw_only=True):
    """A scene is over: what was unlocked for it is locked again."""

    scene: Name
    outcome: Text | None = None


class MilestoneReached(Model, frozen=True, kw_only=True):
    """A point worth a save of everything."""

    title: Told


class PendingOpened(Model, frozen=True, kw_only=True):
    """Something that waits for somebody: a roll, a consent, a handout, a question, an approval.

    With `steps`, each has to be taken, all of them in one session.
    """

    pending: Name
    kind: Name
    prompt: Told
    steps: Annotated[list[Name], Meta(max_length=PENDING_STEPS_MAX)] | None = None
    details: Any = None


class PendingStepTaken(Model, frozen=True, kw_only=True):
    """One step of what is pending was taken."""

    pending: Name
    step: Name


class PendingResolved(Model, frozen=True, kw_only=True):
    """What was pending is settled, and how."""

    pending: Name
    outcome: Told
