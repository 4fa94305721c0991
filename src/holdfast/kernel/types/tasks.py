"""Tasks: what there is to do, in which order, and how it will be tested."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from holdfast.kernel.types.model import Count, Model, Name, Names, Text, Texts, Told

TaskStatus: TypeAlias = Literal["open", "in_progress", "blocked", "deferred", "closed"]
Priority: TypeAlias = Annotated[int, Meta(ge=0, le=4)]
"""0 is the most urgent."""


class TaskAdded(Model, frozen=True, kw_only=True):
    """There is something to do."""

    task: Name
    title: Told
    description: Text | None = None
    kind: Text | None = None
    priority: Priority | None = None
    depends_on: Names | None = None
    source: Text | None = None
    """Where it came from, when it was not made here."""


class TaskUpdated(Model, frozen=True, kw_only=True):
    """What changed about a task; what is null stays. Lists are given whole."""

    task: Name
    title: Told | None = None
    status: TaskStatus | None = None
    description: Text | None = None
    priority: Priority | None = None
    depends_on: Names | None = None
    next_steps: Texts | None = None
    blockers: Texts | None = None
    completed: Count | None = None
    total: Count | None = None
    delta_synced: bool | None = None
    note: Text | None = None


class TaskClosed(Model, frozen=True, kw_only=True):
    """A task is done, or will not be done."""

    task: Name
    reason: Told


class ScenarioAdded(Model, frozen=True, kw_only=True):
    """How a task will be tested; null for the session's, where there is no task."""

    task: Name | None = None
    name: Told
    type: Told
    expected: Told
