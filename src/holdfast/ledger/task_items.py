"""Tasks as values with names: one on a list, and one whole, as others exchange it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast.stores import tasks as store
from holdfast.stores.store import Items


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A task on a list. Its texts are bounded; `Tasks.show` has them whole."""

    task: str
    title: str
    status: str
    kind: str | None
    priority: int | None
    depends_on: list[str]
    waits_for: list[str]
    """What it depends on and is not closed."""
    ready: bool
    next_steps: list[str]
    blockers: list[str]
    completed: int | None
    total: int | None
    delta_synced: bool
    session: str | None
    """Who started it last; before that, who added it."""
    decisions: int
    scenarios: int
    handoffs: int
    added: int
    updated: int
    """Numbers of entries."""


class TaskEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """A quote that a decision rests on."""

    path: str
    line: int
    quote: str


class TaskDecision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision made for a task."""

    ts: str
    decision: str
    rationale: str
    evidence: list[TaskEvidence]
    id: str
    seq: int


class TaskScenario(msgspec.Struct, frozen=True, kw_only=True):
    """How a task will be tested."""

    name: str
    type: str
    expected: str


class TaskHandoff(msgspec.Struct, frozen=True, kw_only=True):
    """A session that handed a task over."""

    session_id: str | None
    ended: str
    notes_ref: str | None
    trajectory_ref: str | None
    id: str
    seq: int


class WholeTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task with everything that belongs to it, oldest first, no text cut."""

    task: str
    title: str
    description: str | None
    status: str
    kind: str | None
    priority: int | None
    depends_on: list[str]
    waits_for: list[str]
    next_steps: list[str]
    blockers: list[str]
    completed: int | None
    total: int | None
    delta_synced: bool
    note: str | None
    reason: str | None
    source: str | None
    session: str | None
    created_at: str
    updated_at: str
    closed_at: str | None
    decisions: list[TaskDecision]
    test_scenarios: list[TaskScenario]
    handoffs: list[TaskHandoff]


def listed(items: Items, item: Mapping[str, Any]) -> Task:
    """Read an item for a list."""
    task, waits = item["task"], store.waits_for(items, item)
    same = (
        "title status kind priority depends_on next_steps blockers completed total "
        "delta_synced session added updated"
    )
    return Task(
        task=task,
        waits_for=waits,
        ready=item["status"] == "open" and not waits and not item["depends_more"],
        decisions=store.count(items, store.decisions_of(task)),
        scenarios=store.count(items, store.scenarios_of(task, None)),
        handoffs=store.count(items, store.handoffs_of(task)),
        **{name: item[name] for name in same.split()},
    )
