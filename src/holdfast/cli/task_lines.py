"""Tasks for people: one on a line, and one on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.cli.output import visible
from holdfast.cli.summary import shorten
from holdfast.ledger.task_items import Task, TaskDecision, WholeTask


def line(one: Task) -> str:
    """Say on one line what a task is and where it stands."""
    urgent = "" if one.priority is None else f"  P{one.priority}"
    notes = [
        f"{one.completed}/{one.total}" if one.total else "",
        f"waits for {', '.join(one.waits_for)}" if one.waits_for else "",
        f"blocked by {shorten(one.blockers[0])}" if one.blockers else "",
    ]
    told = "; ".join(note for note in notes if note)
    shown = f"{one.task}{urgent}  {one.status}  {shorten(one.title)}"
    return visible(f"{shown}  ({told})" if told else shown)


def page(task: WholeTask) -> Iterator[str]:
    """Yield the lines of a task with everything that belongs to it."""
    yield visible(f"{task.task}  {task.status}  {task.title}")
    facts = {
        "priority": None if task.priority is None else f"P{task.priority}",
        "kind": task.kind,
        "progress": f"{task.completed or 0} of {task.total}" if task.total else None,
        "depends on": ", ".join(task.depends_on),
        "waits for": ", ".join(task.waits_for),
        "source": task.source,
        "closed": task.reason,
        "note": task.note,
    }
    for label, fact in facts.items():
        if fact:
            yield visible(f"  {label}: {fact}")
    if task.description:
        yield from _text("description", [task.description])
    yield from _text("next steps", task.next_steps)
    yield from _text("blockers", task.blockers)
    yield from _text(
        "scenarios", [f"{one.type}: {one.name}: {one.expected}" for one in task.test_scenarios]
    )
    if task.decisions:
        yield "  decisions:"
        for decision in task.decisions:
            yield from _decision(decision)
    yield from _text(
        "handoffs",
        [f"{one.ended}  {one.session_id or '-'}  {one.notes_ref or '-'}" for one in task.handoffs],
    )
    yield f"  delta synced: {'yes' if task.delta_synced else 'no'}"


def _decision(decision: TaskDecision) -> Iterator[str]:
    yield visible(f"    - {decision.ts}  {decision.decision}")
    yield visible(f"      because {decision.rationale}")
    for cited in decision.evidence:
        yield visible(f"      `{cited.quote}` [{cited.path}:{cited.line}]")


def _text(label: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield f"  {label}:"
    for text in texts:
        first, *rest = visible(text, lines=True).split("\n")
        yield f"    - {first}"
        yield from (f"      {more}" for more in rest)
