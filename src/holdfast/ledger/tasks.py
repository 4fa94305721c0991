"""Tasks as callers move them: what they name is looked up beforehand, and no cycle is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import TASK_DEPENDENCIES_MAX
from holdfast.ledger import task_names
from holdfast.ledger.now import items_now
from holdfast.ledger.task_items import Task, TaskScenario, WholeTask, listed
from holdfast.ledger.task_reading import TaskReading
from holdfast.stores import tasks as store
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

STATUSES: Final = ("open", "in_progress", "blocked", "deferred", "closed")
PRIORITY_DEFAULT: Final = 2
"""Where a task without a priority stands among others; as in Beads."""

_ID_CHARS: Final = 4

Listing: TypeAlias = list[Task]
Scenarios: TypeAlias = list[TaskScenario]
Names: TypeAlias = list[str]
"""Inside the class `list` is a verb."""


class TaskChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a task; what is null stays. Lists are given whole."""

    title: str | None = None
    status: str | None = None
    description: str | None = None
    priority: int | None = None
    depends_on: Sequence[str] | None = None
    next_steps: Sequence[str] | None = None
    blockers: Sequence[str] | None = None
    completed: int | None = None
    total: int | None = None
    delta_synced: bool | None = None
    note: str | None = None


class Tasks:
    """The tasks of one ledger."""

    def __init__(self, ledger: Ledger, views: Views) -> None:
        self._ledger = ledger
        self._views = views
        self._reading = TaskReading(ledger)

    def add(
        self,
        title: str,
        *,
        task: str | None = None,
        description: str | None = None,
        kind: str | None = None,
        priority: int | None = None,
        depends_on: Sequence[str] = (),
        source: str | None = None,
    ) -> tuple[Receipt, str]:
        """Record that there is something to do. A name can be given once."""
        items = self._items()
        name = self._new_name(items) if task is None else entries.check_name("The task's id", task)
        if store.item_of(items, name) is not None:
            raise InvalidInput(
                f"There is a task {name} already.",
                meaning="Nothing was recorded.",
                remedy=f"`holdfast task update {name}` changes it; or use another --id.",
            )
        data = _given(
            task=name,
            title=title,
            description=description,
            kind=kind,
            priority=priority,
            depends_on=self._dependencies(items, name, depends_on) or None,
            source=source,
        )
        return self._ledger.append("task_added", data), name

    def update(self, key: str, changes: TaskChanges) -> tuple[Receipt, Task]:
        """Change a task, and return it as it is then."""
        items = self._items()
        name = task_names.find(items, key)["task"]
        if changes.status == "closed":
            raise InvalidInput(
                "A task is closed with a reason.",
                meaning="Nothing was recorded.",
                remedy=f"`holdfast task close {name} --reason …` closes it.",
            )
        given = _given(**msgspec.structs.asdict(changes))
        if changes.depends_on is not None:
            given["depends_on"] = self._dependencies(items, name, changes.depends_on)
        for listing in ("next_steps", "blockers"):
            if listing in given:
                given[listing] = _said(name, given[listing])
        if not given:
            raise InvalidInput(
                f"Nothing was named that is to change about {name}.",
                meaning="Nothing was recorded.",
                remedy="`holdfast task update --help` lists what can.",
            )
        receipt = self._ledger.append("task_updated", {"task": name, **given})
        return receipt, self.find(name)

    def start(self, key: str) -> tuple[Receipt, Task]:
        """Begin a task: from now on it is the current one of the session."""
        return self.update(key, TaskChanges(status="in_progress"))

    def close(self, key: str, reason: str) -> tuple[Receipt, Task]:
        """Record that a task is done, or will not be done."""
        item = task_names.find(self._items(), key)
        if item["status"] == "closed":
            raise InvalidInput(
                f"Task {item['task']} is closed already: {item['reason']}",
                meaning="Nothing was recorded.",
                remedy=f"`holdfast task update {item['task']} --status open` opens it again.",
            )
        data = {"task": item["task"], "reason": reason}
        return self._ledger.append("task_closed", data), self.find(item["task"])

    def scenario(
        self, name: str, *, type: str, expected: str, task: str | None = None
    ) -> tuple[Receipt, str | None]:
        """Say how a task will be tested; without a task, what is done in this session."""
        of = None if task is None else task_names.find(self._items(), task)["task"]
        data = _given(task=of, name=name, type=type, expected=expected)
        return self._ledger.append("scenario_added", data), of

    def list(self, *, statuses: Iterable[str] = (), finished: bool = False) -> Listing:
        """Return tasks, the most urgent first; of closed ones only what is asked for."""
        wanted = frozenset(statuses)
        items = self._items()
        which = store.TASKS if finished or "closed" in wanted else store.UNFINISHED
        found = [item for _, item in store.newest(items, which)]
        return _in_order(
            listed(items, item) for item in found if not wanted or item["status"] in wanted
        )

    def ready(self) -> Listing:
        """Return the open tasks whose dependencies are all closed, the most urgent first."""
        items = self._items()
        return _in_order(listed(items, item) for item in store.ready(items))

    def current(self, session_id: str | None) -> Task | None:
        """Return the task that a session works on: its newest in progress, else anybody's."""
        items = self._items()
        item = store.current(items, session_id)
        return None if item is None else listed(items, item)

    def find(self, key: str) -> Task:
        """Return the task that an id, or the beginning of one, names."""
        items = self._items()
        return listed(items, task_names.find(items, key))

    def show(self, key: str) -> WholeTask:
        """Return a task with everything that belongs to it, each text whole."""
        items = self._items()
        return self._reading.whole(items, task_names.find(items, key))

    def every(self) -> Iterator[WholeTask]:
        """Yield every task whole, the oldest first."""
        items = self._items()
        for _, item in reversed(list(store.newest(items, store.TASKS))):
            yield self._reading.whole(items, item)

    def scenarios_of(self, task: str | None = None, *, session: str | None = None) -> Scenarios:
        """Return the scenarios of a task, or of a session; the oldest first."""
        items = self._items()
        name = None if task is None else task_names.find(items, task)["task"]
        return self._reading.scenarios(items, store.scenarios_of(name, session))

    def _items(self) -> Items:
        return items_now(self._ledger.reader, self._views, "tasks")

    def _new_name(self, items: Items) -> str:
        """Make a short name, longer where others have the short one."""
        made = self._ledger.new_id().replace("-", "").lower()
        for chars in range(_ID_CHARS, len(made)):
            name = f"hf-{made[-chars:]}"
            if store.item_of(items, name) is None:
                return name
        return f"hf-{made}"

    def _dependencies(self, items: Items, task: str, keys: Sequence[str]) -> Names:
        """Return the tasks that are named, or refuse them when one of them waits for this one."""
        names = list(dict.fromkeys(task_names.find(items, key)["task"] for key in keys))
        if len(names) > TASK_DEPENDENCIES_MAX:
            raise InvalidInput(
                f"{len(names)} dependencies were named.",
                meaning="Nothing was recorded.",
                remedy=f"A task depends on at most {TASK_DEPENDENCIES_MAX} others.",
            )
        if (way := task_names.cycle(items, task, names)) is not None:
            raise InvalidInput(
                f"That would be a cycle: {task_names.spelled(way)}.",
                meaning="Nothing was recorded; they would wait for each other for ever.",
                remedy="Leave one of these dependencies out.",
            )
        return names


def _in_order(tasks: Iterable[Task]) -> list[Task]:
    """Put the most urgent first, and among equals the oldest."""
    return sorted(
        tasks,
        key=lambda one: (PRIORITY_DEFAULT if one.priority is None else one.priority, one.added),
    )


def _said(task: str, texts: Sequence[str]) -> list[str]:
    """Return texts of which each says something."""
    if all(text.strip() for text in texts):
        return list(texts)
    raise InvalidInput(
        f"A next step or a blocker of {task} is blank.",
        meaning="Nothing was recorded.",
        remedy=f"Say what it is; `holdfast task update {task} --clear next` empties the list.",
    )


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
