"""Whole tasks, read from the entries that say what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from holdfast.kernel import entry as entries
from holdfast.ledger.task_items import (
    TaskDecision,
    TaskEvidence,
    TaskHandoff,
    TaskScenario,
    WholeTask,
)
from holdfast.stores import tasks as store
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger

PROJECT_ROOT: Final = "${PROJECT_ROOT}/"


class TaskReading:
    """Reads tasks whole."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def whole(self, items: Items, item: Mapping[str, Any]) -> WholeTask:
        """Return a task with everything that belongs to it."""
        name, said = item["task"], _Said(self._ledger, item)
        same = "status kind priority completed total delta_synced source session"
        return WholeTask(
            task=name,
            title=said.text("title") or "",
            description=said.text("description"),
            depends_on=said.texts("depends_on"),
            waits_for=store.waits_for(items, item),
            next_steps=said.texts("next_steps"),
            blockers=said.texts("blockers"),
            note=said.text("note"),
            reason=said.text("reason") if item["status"] == "closed" else None,
            created_at=said.time(item["added"]),
            updated_at=said.time(item["updated"]),
            closed_at=None if item["closed"] is None else said.time(item["closed"]),
            decisions=[
                self._decision(one) for one in _oldest_first(items, store.decisions_of(name))
            ],
            test_scenarios=self.scenarios(items, store.scenarios_of(name, None)),
            handoffs=[self._handoff(one) for one in _oldest_first(items, store.handoffs_of(name))],
            **{field: item[field] for field in same.split()},
        )

    def _decision(self, item: Mapping[str, Any]) -> TaskDecision:
        entry = self._entry(item["seq"])
        data = self._ledger.data(entry)
        grounds = self._ledger.data(self._entry(item["grounds"]))["grounds"]
        return TaskDecision(
            ts=entry.timestamp,
            decision=_text(data["choice"]),
            rationale=_text(data["reasoning"]),
            evidence=[_evidence(cited) for cited in _rows(grounds.get("evidence"))],
            id=entry.id,
            seq=entry.seq,
        )

    def scenarios(self, items: Items, which: str) -> list[TaskScenario]:
        """Return the scenarios on a list, the oldest first."""
        found = [
            self._ledger.data(self._entry(item["seq"])) for item in _oldest_first(items, which)
        ]
        return [
            TaskScenario(
                name=_text(one["name"]), type=_text(one["type"]), expected=_text(one["expected"])
            )
            for one in found
        ]

    def _handoff(self, item: Mapping[str, Any]) -> TaskHandoff:
        return TaskHandoff(
            session_id=item["session"],
            ended=self._entry(item["seq"]).timestamp,
            notes_ref=item["notes_ref"],
            trajectory_ref=item["trajectory_ref"],
            id=item["id"],
            seq=item["seq"],
        )

    def _entry(self, seq: int) -> entries.Entry:
        return entries.read(self._ledger.get(seq).body)


class _Said:
    """What was said about a task, whole, from the entries that said it."""

    def __init__(self, ledger: Ledger, item: Mapping[str, Any]) -> None:
        self._ledger = ledger
        self._said: Mapping[str, int] = item["said"]
        self._read: dict[int, tuple[str, dict[str, Any]]] = {}

    def text(self, name: str) -> str | None:
        """Return a text, None when there is none."""
        seq = self._said.get(name)
        return None if seq is None else _text(self._at(seq)[1][name])

    def texts(self, name: str) -> list[str]:
        """Return a list of texts."""
        seq = self._said.get(name)
        found = [] if seq is None else self._at(seq)[1].get(name) or []
        return [_text(one) for one in (found if isinstance(found, list) else [found])]

    def time(self, seq: int) -> str:
        """Return when an entry was recorded."""
        return self._at(seq)[0]

    def _at(self, seq: int) -> tuple[str, dict[str, Any]]:
        if seq not in self._read:
            entry = entries.read(self._ledger.get(seq).body)
            self._read[seq] = (entry.timestamp, self._ledger.data(entry))
        return self._read[seq]


def _evidence(cited: Mapping[str, Any]) -> TaskEvidence:
    return TaskEvidence(
        path=PROJECT_ROOT + _text(cited["path"]), line=cited["line"], quote=_text(cited["quote"])
    )


def _rows(value: Any) -> list[Any]:
    """Return the rows of a list; one whose bytes were erased has none."""
    return value if isinstance(value, list) else []


def _oldest_first(items: Items, which: str) -> list[Any]:
    return [item for _, item in store.newest(items, which)][::-1]


def _text(value: Any) -> str:
    """Return a text; one whose bytes were erased is named by its hash."""
    if isinstance(value, str):
        return value
    return f"({value['$artifact'][:12]} was erased)" if isinstance(value, dict) else str(value)
