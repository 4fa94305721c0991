"""Where the work stands: task, progress and next action, given or worked out from facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from holdfast.kernel.limits import FACT_LINE_CHARS_MAX
from holdfast.views.boilerplate import is_boilerplate
from holdfast.views.facts import Facts
from holdfast.views.wording import cut_middle, first_sentence, one_line


class Standing(msgspec.Struct, frozen=True):
    """Task, progress and next action: given, else carried on, else made from facts."""

    task: str = ""
    completed: int | None = None
    total: int | None = None
    next_action: str = ""
    derived: tuple[str, ...] = ()
    """Which of these nobody ever said."""

    def label(self, said: str) -> str:
        """Name the task, unless that is said already, with its progress. Zero is a value."""
        task = one_line(self.task)
        task = "" if is_boilerplate(task) or task in said else task
        if self.completed is None and self.total is None:
            return task
        return f"{task} {self.completed or 0}/{self.total or 0}".strip()


def standing_of(
    facts: Facts,
    *,
    task: str | None = None,
    completed: int | None = None,
    total: int | None = None,
    next_action: str | None = None,
) -> Standing:
    """Put together what is given and what the last checkpoint and the facts say."""
    said = {"task", "next_action"}
    earlier, was_said = _earlier(facts, "task")
    if task is None:
        task = earlier if earlier and (was_said or facts.prompt is None) else _task_of(facts)
        said -= set() if was_said else {"task"}
    if task == earlier:
        completed = _carried(facts, "completed") if completed is None else completed
        total = _carried(facts, "total") if total is None else total
    if next_action is None:
        next_action = next_action_of(facts)
        said -= set() if (next_action, True) == _earlier(facts, "next_action") else {"next_action"}
    said |= {name for name, n in (("completed", completed), ("total", total)) if n is not None}
    return Standing(task, completed, total, next_action, tuple(sorted(_FIELDS - said)))


_FIELDS: Final = frozenset({"task", "completed", "total", "next_action"})


def next_action_of(facts: Facts) -> str:
    """Work out what comes next when nobody said so; empty when nothing tells."""
    failing = None if facts.passed_since else facts.failing
    fix = f"fix: {one_line(failing.command)} (exit {failing.exit_code})" if failing else ""
    earlier, was_said = _earlier(facts, "next_action")
    candidates = (
        fix if failing and failing.seq is not None else "",
        earlier if was_said and facts.prompt is None else "",
        f"finish: {facts.open_work[0]}" if facts.open_work else "",
        facts.prompt or "",
        first_sentence(facts.said or ""),
        earlier if not earlier.startswith(_WORKED_OUT) else "",
        fix,
        f"go on from: {facts.decisions[0][1]}" if facts.decisions else "",
        f"go on with {facts.files[0][0]}" if facts.files else "",
        f"go on after: {facts.tool}" if facts.tool else "",
    )
    found = next((text for text in candidates if not is_boilerplate(text)), "")
    return cut_middle(found, FACT_LINE_CHARS_MAX)


_WORKED_OUT: Final = ("fix: ", "finish: ", "go on ")
"""How next actions begin that are only as good as the facts they were made from."""


def _task_of(facts: Facts) -> str:
    texts = (facts.prompt or "", *facts.open_work[:1])
    found = next((text for text in texts if not is_boilerplate(text)), "")
    return cut_middle(found, FACT_LINE_CHARS_MAX)


def _earlier(facts: Facts, field: str) -> tuple[str, bool]:
    """Return a text of the last checkpoint, and whether somebody gave it."""
    before = facts.before or {}
    text = one_line(before.get(field))
    return ("", False) if is_boilerplate(text) else (text, field not in _derived(before))


def _carried(facts: Facts, field: str) -> int | None:
    before = facts.before or {}
    count = before.get(field)
    return count if isinstance(count, int) and field not in _derived(before) else None


def _derived(checkpoint: Mapping[str, Any]) -> Sequence[Any]:
    named = checkpoint.get("derived")
    return named if isinstance(named, list) else ()
