"""Issues of Beads taken in as tasks: what is new is added, what differs is changed, the rest stays.

Decisions and comments that stand there are not taken in: whoever made them did not record them
here, and this ledger does not speak for others. They are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.evidence.beads.mapping import wanted_of
from holdfast.evidence.beads.port import OURS, Found, Issue, differing
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import IMPORT_BATCH_ENTRIES, TASK_DEPENDENCIES_MAX
from holdfast.ledger.ledger import Draft
from holdfast.ledger.tasks import STATUSES

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger
    from holdfast.ledger.task_items import WholeTask
    from holdfast.ledger.tasks import Tasks

_REASON: Final = "closed in Beads"
_LISTS: Final = ("next_steps", "blockers")


class Imported(msgspec.Struct, frozen=True):
    """What came of an import."""

    added: int
    changed: int
    unchanged: int
    left_out: list[str]
    """What could not be taken in, each with why."""
    not_taken: int
    """Decisions, handoffs and comments that stay where they are."""


def take_in(
    ledger: Ledger,
    tasks: Tasks,
    found: Found,
    source: str,
    came: Mapping[str, dict[str, Any]] | None = None,
) -> Imported:
    """Record what issues say that the tasks do not say yet.

    `came` says of issues, by their id, where and when they were written; entries keep that.
    """
    known = {one.task: one for one in tasks.every()}
    intake = _Intake(known, source, list(found.unread), came or {})
    batch: list[Draft] = []
    for given in intake.usable(found.issues):
        # as it is recorded: else what holds a secret would differ from its task for ever
        title, about = ledger.redact(given.title), ledger.redact(given.description)
        issue = msgspec.structs.replace(given, title=title, description=about)
        batch += intake.drafts(issue)
        if len(batch) >= IMPORT_BATCH_ENTRIES:
            ledger.append_many(batch)
            batch = []
    ledger.append_many(batch)
    return Imported(
        intake.added, intake.changed, intake.unchanged, intake.left_out, intake.not_taken
    )


class _Intake:
    """Turns issues into entries, and counts."""

    def __init__(
        self,
        known: Mapping[str, WholeTask],
        source: str,
        left_out: list[str],
        came: Mapping[str, dict[str, Any]],
    ) -> None:
        self._known = known
        self._came = came
        self._source = source
        self._graph = {name: list(task.depends_on) for name, task in known.items()}
        self._named: set[str] = set()
        self.left_out = left_out
        self.added = self.changed = self.unchanged = self.not_taken = 0

    def usable(self, issues: Iterable[Issue]) -> list[Issue]:
        """Return the issues that can be tasks; the others are named."""
        usable: dict[str, Issue] = {}
        for issue in issues:
            try:
                entries.check_name("The id", issue.id)
            except InvalidInput as problem:
                self.left_out.append(f"{problem.what.removesuffix('.')}")
                continue
            if not issue.title.strip():
                self.left_out.append(f"{issue.id}: it has no title")
                continue
            if usable.pop(issue.id, None) is not None:
                self.left_out.append(f"{issue.id}: it is there more than once, the last counts")
            usable[issue.id] = issue
        self._named = set(usable)
        return list(usable.values())

    def drafts(self, issue: Issue) -> list[Draft]:
        """Return the entries that take an issue in."""
        ours = issue.metadata.get(OURS)
        ours = ours if isinstance(ours, dict) else {}
        self.not_taken += len(issue.comments) + sum(
            len(_rows(ours, name)) for name in ("decisions", "handoffs")
        )
        depends_on = self._dependencies(issue)
        task = self._known.get(issue.id)
        if task is None:
            self.added += 1
            return self._marked(issue, self._add(issue, ours, depends_on))
        drafts = self._marked(issue, self._change(issue, task, depends_on))
        self.changed += bool(drafts)
        self.unchanged += not drafts
        return drafts

    def _marked(self, issue: Issue, drafts: Iterable[Draft]) -> list[Draft]:
        """Say of entries where they come from, when that is known."""
        came = self._came.get(issue.id)
        if came is None:
            return list(drafts)
        return [msgspec.structs.replace(one, data={**one.data, "imported": came}) for one in drafts]

    def _add(self, issue: Issue, ours: Mapping[str, Any], depends_on: list[str]) -> Iterator[Draft]:
        kind = ours.get("kind")
        yield _draft(
            "task_added",
            task=issue.id,
            title=issue.title,
            description=issue.description or None,
            kind=kind if isinstance(kind, str) else issue.issue_type,
            priority=issue.priority,
            depends_on=depends_on or None,
            source=self._source,
        )
        more = {name: texts for name in _LISTS if (texts := _texts(ours, name))}
        status = self._status(issue)
        if more or status not in ("open", "closed"):
            changed = None if status in ("open", "closed") else status
            yield _draft("task_updated", task=issue.id, status=changed, **more)
        for row in _rows(ours, "test_scenarios"):
            scenario = {name: row.get(name) for name in ("name", "type", "expected")}
            if all(isinstance(text, str) and text.strip() for text in scenario.values()):
                yield _draft("scenario_added", task=issue.id, **scenario)
            else:
                self.left_out.append(f"{issue.id}: a scenario without name, type and expected")
        if status == "closed":
            yield _draft("task_closed", task=issue.id, reason=issue.close_reason or _REASON)

    def _change(self, issue: Issue, task: WholeTask, depends_on: list[str]) -> Iterator[Draft]:
        fields = [
            name
            for name in differing(issue, wanted_of(task))  # which is shorter than a long text
            if getattr(issue, name) != getattr(task, name, None)
        ]
        changes: dict[str, Any] = {
            name: getattr(issue, name)
            for name in ("title", "description", "priority")
            if name in fields
        }
        if set(depends_on) != set(task.depends_on):
            changes["depends_on"] = depends_on
        status = self._status(issue)
        if "status" in fields and status != "closed":
            changes["status"] = status
        if changes:
            yield _draft("task_updated", task=issue.id, **changes)
        if "status" in fields and status == "closed":
            yield _draft("task_closed", task=issue.id, reason=issue.close_reason or _REASON)

    def _status(self, issue: Issue) -> str:
        return issue.status if issue.status in STATUSES else "open"

    def _dependencies(self, issue: Issue) -> list[str]:
        """Return what an issue depends on; what is nowhere, or goes in a circle, is named."""
        taken: list[str] = []
        self._graph[issue.id] = taken
        for other in issue.depends_on:
            if other not in self._graph and other not in self._named:
                self.left_out.append(f"{issue.id}: it depends on {other}, which is not here")
            elif self._reaches(other, issue.id):
                self.left_out.append(f"{issue.id}: that it depends on {other} would be a cycle")
            elif len(taken) == TASK_DEPENDENCIES_MAX:
                self.left_out.append(f"{issue.id}: it depends on more than {len(taken)} others")
                break
            else:
                taken.append(other)
        return taken

    def _reaches(self, first: str, last: str) -> bool:
        seen, waiting = {first}, [first]
        while waiting:
            name = waiting.pop()
            if name == last:
                return True
            further = [one for one in self._graph.get(name, ()) if one not in seen]
            seen.update(further)
            waiting += further
        return False


def _draft(type_name: str, **fields: Any) -> Draft:
    return Draft(type_name, {name: value for name, value in fields.items() if value is not None})


def _rows(ours: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = ours.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(ours: Mapping[str, Any], name: str) -> list[str]:
    value = ours.get(name)
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
