"""Changing a task on behalf of an agent: what changes, then how it will be tested."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.ledger.tasks import TaskChanges
from holdfast.mcp_server.values import TaskUpdate
from holdfast.wiring.deciding import scenarios_of
from holdfast.wiring.mcp.telling import lines, recorded, task
from holdfast.wiring.tasks import mirror

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


def update(project: Project, asked: TaskUpdate, told: list[str]) -> str:
    """Change a task. Scenarios are read before anything is recorded."""
    changes = TaskChanges(
        title=asked.title,
        status=asked.status,
        description=asked.description,
        priority=asked.priority,
        depends_on=asked.depends_on,
        next_steps=asked.next,
        blockers=asked.blockers,
        completed=asked.completed,
        total=asked.total,
        note=asked.note,
    )
    found = project.tasks.find(asked.task)
    scenarios = scenarios_of(asked.scenarios, found.task)
    said = []
    if not scenarios or any(value is not None for value in msgspec.structs.astuple(changes)):
        receipt, found = project.tasks.update(found.task, changes)
        said.append(recorded(receipt))
    for one in scenarios:
        receipt, _ = project.tasks.scenario(
            str(one.name), type=str(one.type), expected=str(one.expected), task=found.task
        )
        said.append(recorded(receipt))
    if found.waits_for and asked.status == "in_progress":
        told.append(f"It still waits for {', '.join(found.waits_for)}.")
    told += mirror(project, found.task)
    return lines([task(found), *said])
