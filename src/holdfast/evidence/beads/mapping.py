"""A task as Beads has issues: its own fields where there are some, the rest under metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from holdfast.evidence.beads.port import BLOCKS, OURS, Remark, Wanted
from holdfast.kernel.limits import (
    BEADS_PARTS_MAX,
    BEADS_TEXT_CHARS_MAX,
    BEADS_TITLE_CHARS_MAX,
    ITEM_CHARS_MAX,
)
from holdfast.ledger.task_items import TaskDecision, TaskHandoff, WholeTask
from holdfast.ledger.tasks import PRIORITY_DEFAULT, STATUSES
from holdfast.stores.wording import bounded

ISSUE_TYPES: Final = frozenset({"bug", "feature", "task", "epic", "chore", "decision"})
"""The kinds that every Beads knows; others need to be set up there."""

_COUNT_CHARS: Final = 12
"""Room for saying how much of a title is left out."""


def wanted_of(task: WholeTask) -> Wanted:
    """Return the issue that a task should be."""
    return Wanted(
        id=task.task,
        title=bounded(task.title.strip(), BEADS_TITLE_CHARS_MAX - _COUNT_CHARS),
        description=bounded(task.description or "", BEADS_TEXT_CHARS_MAX),
        status=task.status,
        priority=task.priority,
        issue_type=task.kind if task.kind in ISSUE_TYPES else None,
        depends_on=task.depends_on,
        close_reason=None if task.reason is None else bounded(task.reason, BEADS_TEXT_CHARS_MAX),
        ours=_ours(task),
        remarks=[_decided(one) for one in task.decisions[-BEADS_PARTS_MAX:]]
        + [_handed_over(one) for one in task.handoffs[-BEADS_PARTS_MAX:]],
        created_at=task.created_at,
        updated_at=task.updated_at,
        closed_at=task.closed_at,
    )


def _ours(task: WholeTask) -> dict[str, Any]:
    """Return what Beads has no field for. Nothing in it is a fraction: those do not all survive."""
    parts: dict[str, Sequence[Any]] = {
        "decisions": task.decisions,
        "test_scenarios": task.test_scenarios,
        "handoffs": task.handoffs,
        "next_steps": task.next_steps,
        "blockers": task.blockers,
    }
    given = {
        name: [_bounded(msgspec.to_builtins(one)) for one in part[-BEADS_PARTS_MAX:]]
        for name, part in parts.items()
    }
    left = {
        name: len(part) - BEADS_PARTS_MAX
        for name, part in parts.items()
        if len(part) > BEADS_PARTS_MAX
    }
    return {
        **given,
        "delta_synced": task.delta_synced,
        "completed": task.completed,
        "total": task.total,
        "kind": task.kind,
        "note": None if task.note is None else bounded(task.note, BEADS_TEXT_CHARS_MAX),
        "depends_on": task.depends_on,
        "left_out": left,
    }


def _bounded(value: Any) -> Any:
    match value:
        case str():
            return bounded(value, BEADS_TEXT_CHARS_MAX)
        case dict():
            return {name: _bounded(part) for name, part in value.items()}
        case list():
            return [_bounded(part) for part in value]
        case _:
            return value


def _decided(decision: TaskDecision) -> Remark:
    quotes = "".join(f"\n`{one.quote}` [{one.path}:{one.line}]" for one in decision.evidence)
    text = f"Decision: {decision.decision}\nBecause: {decision.rationale}{quotes}"
    return _remark(decision.id, text, decision.ts)


def _handed_over(handoff: TaskHandoff) -> Remark:
    text = f"Handoff of session {handoff.session_id or '-'}: notes {handoff.notes_ref or '-'}, "
    return _remark(handoff.id, f"{text}trajectory {handoff.trajectory_ref or '-'}", handoff.ended)


def _remark(id: str, text: str, ts: str) -> Remark:
    mark = f"[holdfast {bounded(id, ITEM_CHARS_MAX)}]"
    return Remark(mark, f"{bounded(text, BEADS_TEXT_CHARS_MAX)}\n\n{mark}", ts)


def row_of(wanted: Wanted, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the line of an export: what is known of the issue, with what should be so."""
    row = dict(known or {"id": wanted.id, "created_at": wanted.created_at})
    row |= {"title": wanted.title, "updated_at": wanted.updated_at}
    if row.get("status", "open") in STATUSES or wanted.status != "open":
        row["status"] = wanted.status  # else one of Beads' own, which is open to everybody else
    for name, value in (("description", wanted.description), ("close_reason", wanted.close_reason)):
        _set(row, name, value or None)
    _set(row, "closed_at", wanted.closed_at)
    row["priority"] = (
        row.get("priority", PRIORITY_DEFAULT) if wanted.priority is None else (wanted.priority)
    )
    row["issue_type"] = wanted.issue_type or row.get("issue_type", "task")
    _set(row, "dependencies", _dependencies(row, wanted) or None)
    metadata = row.get("metadata")
    row["metadata"] = (metadata if isinstance(metadata, dict) else {}) | {OURS: wanted.ours}
    _set(row, "comments", _comments(row, wanted) or None)
    return row


def _set(row: dict[str, Any], name: str, value: Any) -> None:
    if value is None:
        row.pop(name, None)
    else:
        row[name] = value


def _dependencies(row: dict[str, Any], wanted: Wanted) -> list[Any]:
    """Keep what others put there, and let ours be those that hold."""
    before = (row.get("metadata") or {}).get(OURS)
    ours = before.get("depends_on", []) if isinstance(before, dict) else []
    known = [one for one in row.get("dependencies") or [] if isinstance(one, dict)]
    kept = [
        one
        for one in known
        if one.get("type") != BLOCKS
        or one.get("depends_on_id") in wanted.depends_on
        or one.get("depends_on_id") not in ours
    ]
    there = {one.get("depends_on_id") for one in kept if one.get("type") == BLOCKS}
    return kept + [
        {
            "issue_id": wanted.id,
            "depends_on_id": other,
            "type": BLOCKS,
            "created_at": wanted.updated_at,
        }
        for other in wanted.depends_on
        if other not in there
    ]


def _comments(row: dict[str, Any], wanted: Wanted) -> list[Any]:
    known = [one for one in row.get("comments") or [] if isinstance(one, dict)]
    said = [str(one.get("text", "")) for one in known]
    return known + [
        {"issue_id": wanted.id, "author": "holdfast", "text": one.text, "created_at": one.ts}
        for one in wanted.remarks
        if not any(one.mark in text for text in said)
    ]
