"""What a capsule is made of, gathered from the kept folds and a handful of entries.

Costs what is shown, not what there is: lists are followed from their newest item, and no further
than a bound. Only what entries say is looked at; whether files are still there is for whoever
shows the capsule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import (
    CAPSULE_DECISIONS,
    SCENARIOS_MIN,
    UNSEALED_LOOKED_AT,
)
from holdfast.kernel.types.evidence import Grounds, grounds_of
from holdfast.ledger.grounding import touched
from holdfast.stores import decisions as decided
from holdfast.stores import evidence
from holdfast.stores import gate as gates
from holdfast.stores import tasks as planned
from holdfast.stores.sessions import is_open
from holdfast.stores.store import Items
from holdfast.views.boilerplate import is_boilerplate
from holdfast.views.capsule import Known, Ruling, Unsealed
from holdfast.views.wording import one_line

if TYPE_CHECKING:
    from holdfast.ledger.documents import Gathering

_TASKS_LOOKED_AT: Final = 16
"""Tasks in progress that are looked at to see whether several sessions have one."""


class Standing(msgspec.Struct, frozen=True):
    """Where the work stands: the task and what comes next."""

    task: str = ""
    completed: int | None = None
    total: int | None = None
    next_step: str = ""


def known(gathering: Gathering, session_id: str | None = None) -> Known:
    """Gather what a capsule tells: as a session sees it, which may have a task of its own."""
    items = gathering.items
    standing = _standing(gathering, session_id)
    rulings = tuple(
        ruling_of(gathering, key, item)
        for key, item in decided.newest(items("decisions"), decided.CURRENT, CAPSULE_DECISIONS)
    )
    note = ""
    if not standing.task and not standing.next_step:
        note = gathering.capsule().text
    return Known(
        task=standing.task,
        completed=standing.completed,
        total=standing.total,
        next_step=standing.next_step,
        rulings=rulings,
        open_work=tuple(gathering.open_work()),
        unsealed=unsealed(gathering, session_id),
        note=note,
    )


def several_tasks(tasks: Items) -> bool:
    """Tell whether sessions have different tasks, so that the answer depends on who asks."""
    started = planned.newest(tasks, planned.STARTED, _TASKS_LOOKED_AT)
    return len({item["session"] for _, item in started}) > 1


def ruling_of(gathering: Gathering, key: str, item: Mapping[str, Any]) -> Ruling:
    """Return a decision with the place of its first quote that was proved."""
    proof: Any = gathering.items("evidence").get(key)
    assumed = proof is not None and proof["assumption"]
    place = None
    if proof is not None and proof["exact"]:
        grounds = grounds_in(gathering, key, item["seq"])
        place = None if grounds is None else _proved(grounds)
    path, line = place or ("", 0)
    choice = (item["choice"] or "").removeprefix(evidence.ASSUMPTION).strip()
    return Ruling(item["seq"], choice, path, line, assumed)


def grounds_in(gathering: Gathering, key: str, seq: int) -> Grounds | None:
    """Return what a decision rests on: as it was grounded last, else as it was made."""
    proof: Any = gathering.items("evidence").get(key)
    entry = gathering.entry(seq if proof is None or proof["at"] is None else proof["at"])
    return None if entry is None else grounds_of(gathering.data(entry).get("grounds"))


def _proved(grounds: Grounds) -> tuple[str, int] | None:
    cited = grounds.evidence if isinstance(grounds.evidence, list) else []
    for one in cited:
        if one.state == "exact" and isinstance(one.path, str):
            return one.path, one.line
    return None


# Where the work stands


def _standing(gathering: Gathering, session_id: str | None) -> Standing:
    """Say what is worked on: the task in progress, and where it is silent the last checkpoint."""
    tasks = gathering.items("tasks")
    item = planned.current(tasks, session_id)
    last = gathering.checkpoint
    told = _told(gathering, last)
    if item is None:
        return told if told.task or told.next_step else _ready(tasks)
    later = last is not None and last.seq > item["said"].get("next_steps", item["added"])
    step = one_line(item["next_steps"][0]) if item["next_steps"] else ""
    counted = item if item["total"] else {"completed": told.completed, "total": told.total}
    return Standing(
        f"{item['task']} {item['title']}",
        counted["completed"],
        counted["total"],
        told.next_step if later and told.next_step else step,
    )


def _told(gathering: Gathering, checkpoint: Entry | None) -> Standing:
    """Return what a checkpoint says, without words that say nothing."""
    if checkpoint is None:
        return Standing()
    data = gathering.data(checkpoint)
    task, step = (one_line(data.get(name)) for name in ("task", "next_action"))
    total, completed = data.get("total"), data.get("completed")
    return Standing(
        "" if is_boilerplate(task) else task,
        completed if isinstance(completed, int) else None,
        total if isinstance(total, int) else None,
        "" if is_boilerplate(step) else step,
    )


def _ready(tasks: Items) -> Standing:
    """Name a task that can be begun, when nothing is in progress."""
    for item in planned.ready(tasks):
        return Standing(next_step=f"{item['task']} {item['title']}")
    return Standing()


# What a clear left unsealed


def unsealed(gathering: Gathering, session_id: str | None = None) -> Unsealed | None:
    """Say what sessions that are over decided and never brought through the gate."""
    found, more = list[tuple[str, int]](), False
    sessions, over = gathering.items("sessions"), dict[str | None, bool]()
    for number, (key, item) in enumerate(_since_gate(gathering)):
        if number == UNSEALED_LOOKED_AT:
            more = True
            break
        if (of := item["session"]) not in over:
            over[of] = _is_over(sessions, of)
        if over[of]:
            found.append((key, item["seq"]))
    if not found:
        return None
    fails = tuple(_fails(gathering, [key for key, _ in found], session_id))
    return Unsealed(tuple(sorted((seq for _, seq in found), reverse=True)), more, fails)


def _since_gate(gathering: Gathering) -> Iterator[tuple[str, Any]]:
    """Yield the decisions that hold and were touched since the last clear, by the gate's word."""
    for key, item, _ in touched(gathering.items):
        yield key, item


def _is_over(sessions: Items, session_id: str | None) -> bool:
    session: Any = None if session_id is None else sessions.get(session_id)
    return session is not None and session["started"] is not None and not is_open(session)


def _fails(gathering: Gathering, keys: list[str], session_id: str | None) -> Iterator[str]:
    """Name what stands in the way of a clear, as far as the folds tell."""
    proofs: list[Any] = [gathering.items("evidence").get(key) for key in keys]
    claims = [proof for proof in proofs if proof is None or not proof["assumption"]]
    if lacking := sum(not evidence.is_grounded(proof) for proof in claims):
        yield f"{lacking} ungrounded"
    gate = gathering.items("gate")
    for which, word in ((gates.FORKS, "fork"), (gates.GHOSTS, "ghost"), (gates.SEARCHES, "pivot")):
        if count := gates.count(gate, which):
            yield f"{count} {word}{'s' if count > 1 else ''}"
    tasks = gathering.items("tasks")
    item = planned.current(tasks, session_id)
    task = None if item is None else item["task"]
    planned_for = planned.count(tasks, planned.scenarios_of(task, session_id))
    if planned_for < SCENARIOS_MIN:
        yield f"{planned_for}/{SCENARIOS_MIN} scenarios"
