"""Tasks: what there is to do, what it waits for, and what belongs to it.

    "task <id>"        a task; on the list TASKS, and on UNFINISHED until it is closed
    "decision <id>"    a decision made for a task, on that task's list
    "scenario <seq>"   how a task will be tested, on its list; or on that of a session
    "handoff <seq>"    a session that handed a task over, on its list

Texts in items are bounded; `said` names the entry that holds each of them whole. What a task is
given twice counts as said the last time. What is said about a task that was never added changes
nothing, except that decisions, scenarios and handoffs are kept for when it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import TASK_DEPENDENCIES_MAX, TASK_STEPS_MAX
from holdfast.kernel.types import (
    Decision,
    DecisionGrounded,
    DeltaSynced,
    HandoffMade,
    Model,
    ScenarioAdded,
    TaskAdded,
    TaskClosed,
    TaskUpdated,
    VaultRef,
)
from holdfast.kernel.types.evidence import grounds_of
from holdfast.stores.lists import Editing, count, newest
from holdfast.stores.store import NO_CHANGES, Changes, Items
from holdfast.stores.wording import told

__all__ = ["TASKS", "UNFINISHED", "Tasks", "count", "current", "item_of", "newest", "waits_for"]

TASKS: Final = " tasks"
UNFINISHED: Final = " unfinished"
STARTED: Final = " started"
"""Tasks in progress, the one that was started last first."""

_LISTED: Final = ("next_steps", "blockers")
_COUNTED: Final = ("completed", "total", "delta_synced")


def item_of(items: Items, task: str) -> Any:
    """Return the item of a task, None when there is no such task."""
    return items.get(f"task {task}")


def current(items: Items, session: str | None) -> Any:
    """Return the task that a session started last and that goes on, else anybody's; or None."""
    for which in ([] if session is None else [started_by(session)]) + [STARTED]:
        for _, item in newest(items, which, 1):
            return item
    return None


def waits_for(items: Items, item: Mapping[str, Any]) -> list[str]:
    """Return what a task depends on and is not closed; what was never added is not."""
    return [name for name in item["depends_on"] if not _is_closed(items, name)]


def ready(items: Items) -> Iterator[Any]:
    """Yield the open tasks that wait for nothing, the newest first."""
    for _, item in newest(items, UNFINISHED):
        if item["status"] == "open" and not item["depends_more"] and not waits_for(items, item):
            yield item


def decisions_of(task: str) -> str:
    """Return the name of the list of a task's decisions."""
    return f" decisions of {task}"


def handoffs_of(task: str) -> str:
    """Return the name of the list of a task's handoffs."""
    return f" handoffs of {task}"


def scenarios_of(task: str | None, session: str | None) -> str:
    """Return the name of the list of a task's scenarios; without a task, of a session's."""
    if task is not None:
        return f" scenarios of task {task}"
    return " scenarios" if session is None else f" scenarios of session {session}"


def started_by(session: str) -> str:
    """Return the name of the list of tasks in progress that a session started."""
    return f" started by {session}"


class Tasks:
    """The fold over tasks, and what is said about them."""

    name: Final = "tasks"
    version: Final = 1
    items_max: Final = 10_000_000
    takes: Final = frozenset(
        {
            "task_added",
            "task_updated",
            "task_closed",
            "scenario_added",
            "decision",
            "decision_grounded",
            "handoff_made",
            "delta_synced",
        }
    )
    reads: Final = takes
    rolls_back: Final = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Add a task, change it, or put something to it."""
        step = _Step(items, dict)
        match data:
            case TaskAdded():
                step.add(entry, data)
            case TaskUpdated():
                step.update(entry, data)
            case TaskClosed():
                step.close(entry, data)
            case ScenarioAdded():
                step.plan(entry, data)
            case Decision():
                step.decide(entry, data)
            case DecisionGrounded(decision=decision):
                step.ground(entry, decision)
            case HandoffMade(task=str(task)):
                step.hand_over(entry, data, task)
            case DeltaSynced(task=str(task)):
                step.sync(entry, task)
            case _:
                return NO_CHANGES
        return step.changes


class _Step(Editing):
    """What one entry changes."""

    def add(self, entry: Entry, data: TaskAdded) -> None:
        """Put a task on the lists. One that is known takes what is said about it now."""
        key = f"task {data.task}"
        if not self.known(key):
            self.at(key).update(_blank(entry, data.task))
            self.link(TASKS, key)
            self.link(UNFINISHED, key)
        item = self.at(key)
        self._say(entry, item, title=data.title, description=data.description)
        self._depend(entry, item, data.depends_on)
        for name, value in (("kind", data.kind), ("source", data.source)):
            item[name] = item[name] if value is None else told(value)
        item["priority"] = item["priority"] if data.priority is None else data.priority
        item["updated"] = entry.seq

    def update(self, entry: Entry, data: TaskUpdated) -> None:
        """Change what is named; the rest stays."""
        key = f"task {data.task}"
        if not self.known(key):
            return
        item = self.at(key)
        self._say(entry, item, title=data.title, description=data.description, note=data.note)
        self._depend(entry, item, data.depends_on)
        for name in _LISTED:
            self._list(entry, item, name, getattr(data, name))
        for name in _COUNTED:
            value = getattr(data, name)
            item[name] = item[name] if value is None else value
        item["priority"] = item["priority"] if data.priority is None else data.priority
        item["updated"] = entry.seq
        if data.status is not None:
            self._move(entry, key, data.status)

    def close(self, entry: Entry, data: TaskClosed) -> None:
        """Take a task off the lists of what is to do."""
        key = f"task {data.task}"
        if not self.known(key):
            return
        self._move(entry, key, "closed")
        item = self.at(key)
        self._say(entry, item, reason=data.reason)
        item["updated"] = entry.seq

    def plan(self, entry: Entry, data: ScenarioAdded) -> None:
        """Put a scenario to its task, or to the session."""
        key = f"scenario {entry.seq}"
        self.at(key).update(
            _where(entry)
            | {"expected": told(data.expected), "name": told(data.name), "type": told(data.type)}
        )
        self.link(scenarios_of(data.task, entry.session_id), key)

    def decide(self, entry: Entry, data: Decision) -> None:
        """Put a decision to its task, of which no longer all is written down elsewhere."""
        grounds = grounds_of(data.grounds)
        if grounds is None or grounds.task is None:
            return
        key = f"decision {entry.id}"
        self.at(key).update(_where(entry) | {"choice": told(data.choice), "grounds": entry.seq})
        self.link(decisions_of(grounds.task), key)
        if self.known(f"task {grounds.task}"):
            self.at(f"task {grounds.task}")["delta_synced"] = False

    def ground(self, entry: Entry, decision: str) -> None:
        """Note where it stands what a decision rests on now."""
        if self.known(f"decision {decision}"):
            self.at(f"decision {decision}")["grounds"] = entry.seq

    def hand_over(self, entry: Entry, data: HandoffMade, task: str) -> None:
        """Note that a session handed a task over."""
        key = f"handoff {entry.seq}"
        refs = [] if isinstance(data.notes_refs, VaultRef) else data.notes_refs
        trajectory = data.trajectory_ref
        self.at(key).update(
            _where(entry)
            | {
                "notes_ref": told(refs[0]) if refs else None,
                "trajectory_ref": None if trajectory is None else told(trajectory),
            }
        )
        self.link(handoffs_of(task), key)

    def sync(self, entry: Entry, task: str) -> None:
        """Note that what is known of a task is written down."""
        if self.known(f"task {task}"):
            self.at(f"task {task}").update({"delta_synced": True, "updated": entry.seq})

    def _move(self, entry: Entry, key: str, status: str) -> None:
        """Give a task another status, and let it stand on the lists that go with it."""
        item = self.at(key)
        before, item["status"] = item["status"], status
        for which in [name for name in item["older"] if name.startswith(STARTED)]:
            self.unlink(which, key)
        if status == "closed":
            self.unlink(UNFINISHED, key)
            item["closed"] = entry.seq
        elif before == "closed":
            self.link(UNFINISHED, key)
            item |= {"closed": None, "reason": None}
        if status == "in_progress":
            item["session"] = entry.session_id
            self.link(STARTED, key)
            if entry.session_id is not None:
                self.link(started_by(entry.session_id), key)

    def _say(self, entry: Entry, item: dict[str, Any], **texts: str | VaultRef | None) -> None:
        for name, text in texts.items():
            if text is not None:
                item[name] = told(text)
                item["said"][name] = entry.seq

    def _list(
        self, entry: Entry, item: dict[str, Any], name: str, texts: list[Any] | VaultRef | None
    ) -> None:
        if texts is None:
            return
        given = [texts] if isinstance(texts, VaultRef) else texts
        item[name] = [told(text) for text in given[:TASK_STEPS_MAX]]
        item[f"{name}_more"] = max(0, len(given) - TASK_STEPS_MAX)
        item["said"][name] = entry.seq

    def _depend(
        self, entry: Entry, item: dict[str, Any], names: list[str] | VaultRef | None
    ) -> None:
        if names is None:
            return
        known = [] if isinstance(names, VaultRef) else list(dict.fromkeys(names))
        item["depends_on"] = known[:TASK_DEPENDENCIES_MAX]
        # A fold does not look into the vault: it is not known what such a task waits for.
        unread = isinstance(names, VaultRef)
        item["depends_more"] = 1 if unread else max(0, len(known) - TASK_DEPENDENCIES_MAX)
        item["said"]["depends_on"] = entry.seq


def _blank(entry: Entry, task: str) -> dict[str, Any]:
    return {
        "added": entry.seq,
        "blockers": [],
        "blockers_more": 0,
        "closed": None,
        "completed": None,
        "delta_synced": False,
        "depends_more": 0,
        "depends_on": [],
        "description": None,
        "kind": None,
        "next_steps": [],
        "next_steps_more": 0,
        "note": None,
        "priority": None,
        "reason": None,
        "said": {},
        "session": entry.session_id,
        "source": None,
        "status": "open",
        "task": task,
        "title": "",
        "total": None,
        "updated": entry.seq,
    }


def _where(entry: Entry) -> dict[str, Any]:
    return {"id": entry.id, "seq": entry.seq, "session": entry.session_id}


def _is_closed(items: Items, task: str) -> bool:
    item = item_of(items, task)
    return item is not None and item["status"] == "closed"
