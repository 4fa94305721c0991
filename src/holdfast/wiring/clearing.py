"""A clear: the seven steps, and at their end one batch that says all of it or nothing.

What can be made again comes first: the task is brought up to date, the decision log written, what
decays worked out, the save made. Then, in one append, the gate's run, the handoff and the end of
the session. Whoever is killed before that has not cleared, and clears again; whoever is killed
after it has, and clearing again only finishes what can be made again from the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Busy, Conflict, HoldfastError, NotFound
from holdfast.kernel.limits import ASSUMPTIONS_NAMED, CLEAR_LOOKS_MAX, NOTES_REFS_MAX
from holdfast.ledger.checkpoints import Given
from holdfast.ledger.ledger import Draft
from holdfast.ledger.sources import timestamp
from holdfast.storage.locks import file_lock
from holdfast.storage.port import Selection
from holdfast.stores.gate import CLEAR, GATE
from holdfast.views.decay import Decay
from holdfast.wiring import gate_checks
from holdfast.wiring.attention import written_refs
from holdfast.wiring.gate import GateReport, could_not_look, draft, look, with_block
from holdfast.wiring.handoffs import (
    Handoff,
    decay_since,
    first_of,
    gate_of,
    handoff_of,
    last_handoff,
    report_of,
    root_span,
)

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

CLEARED: Final = "cleared"
"""How a session ends that was cleared."""

WAIT_S: Final = 30.0
"""How long a clear waits for another one."""
SESSIONS_NAMED: Final = 5
"""Open sessions that a refusal names, the newest."""

_TAIL: Final = frozenset({"session_ended", "compression"})
"""What comes after a handoff by itself, and is no work."""
_TAIL_ENTRIES_MAX: Final = 8


class Cleared(msgspec.Struct, frozen=True):
    """What came of a clear."""

    report: GateReport
    handoff: Handoff | None = None
    """Null when it was blocked."""
    decay: Decay = Decay(())
    told: tuple[str, ...] = ()
    """What could not be done, and is not needed for the clear to count."""
    again: bool = False
    """It was cleared before, and nothing was done since."""


class _Gathered:
    """What the steps have come to so far."""

    def __init__(self, report: GateReport) -> None:
        self.report = report
        self.item: Any = None
        self.next_steps: list[str] = []
        self.refs: list[str] = []
        self.decay = Decay(())
        self.save: str | None = None


def clear(project: Project) -> Cleared:
    """Run the seven steps. Blocked, it is logged as failed; else it ends with the handoff."""
    require_session(project)
    with _alone(project):
        cleared = _cleared(project)
    if cleared.handoff is None:
        return cleared
    return _finish(project, cleared.handoff, cleared.report.told, again=cleared.again)


def require_session(project: Project) -> None:
    """Refuse a session that was never started and did nothing: there is nothing to hand over."""
    session_id = project.ledger.session_id
    if session_id is None:
        return
    entries.check_name("The session id", session_id)
    if any(True for _ in project.ledger.reader.read(Selection(session_id=session_id))):
        return
    going_on = project.sessions.open()
    named = ", ".join(going_on[-SESSIONS_NAMED:])
    raise NotFound(
        f"There is no session {session_id!r}.",
        meaning="Nothing was recorded, and nothing is handed over.",
        remedy=f"Name one that is open with --session: {named}."
        if named
        else "No session is open; `holdfast session list` names those there were.",
    )


@contextmanager
def _alone(project: Project) -> Iterator[None]:
    """Let one clear at a time do its steps; who waited sees what the other handed over."""
    with file_lock(str(project.place.folder / "clear.lock"), wait_s=WAIT_S) as handle:
        if handle is None:
            raise _busy("Another clear is going on.")
        yield


def _cleared(project: Project) -> Cleared:
    """Look, do the steps and hand over; look again when others recorded something meanwhile."""
    for _ in range(CLEAR_LOOKS_MAX):
        before = last_handoff(project)
        if before is not None and _is_all(project, before):
            return Cleared(report_of(project, before), before, again=True)
        size = project.ledger.head().size
        gathered = _Gathered(look(project))
        if gathered.report.ok:
            size += _run(project, gathered)
        report = gathered.report
        if not report.ok:
            project.ledger.append_many([draft(report, CLEAR)])
            return Cleared(report)
        with suppress(Conflict):
            return Cleared(report, _hand_over(project, gathered, size))
    raise _busy("Others kept recording while the gate was looking.")


def _busy(what: str) -> Busy:
    return Busy(
        what,
        meaning="Nothing was cleared.",
        remedy="Try again: `holdfast clear`.",
    )


# The steps


def update_task(project: Project, gathered: _Gathered) -> int:
    """Step 4: the task says what comes next. What a checkpoint says is written down there."""
    gathered.item = item = gate_checks.current_task(project)
    said = gate_checks.next_action(project)
    steps = gate_checks.next_steps(item) if item is not None else []
    if item is not None and (more := item["next_steps_more"]):
        steps.append(f"and {more:,} more: `holdfast task show {item['task']}`")
    gathered.next_steps = steps or ([] if said is None else [said])
    if item is None or steps or said is None:
        return 0
    project.ledger.append("task_updated", {"task": item["task"], "next_steps": [said]})
    return 1


def write_checkpoint(project: Project, gathered: _Gathered) -> int:
    """Write down where the work stands, if anything was done since the last time."""
    session_id, item = project.ledger.session_id, gathered.item or {}
    if session_id is None:
        return 0
    given = Given(
        item.get("title"),
        item.get("completed"),
        item.get("total"),
        gathered.next_steps[0] if gathered.next_steps else None,
    )
    return 0 if project.checkpoints.at_end(session_id, given) is None else 1


def write_log(project: Project, gathered: _Gathered) -> int:
    """Step 3: every decision stands in the decision log."""
    refs = list(dict.fromkeys(written_refs(project).values()))
    gathered.refs = refs[:NOTES_REFS_MAX]
    return 0


def let_decay(project: Project, gathered: _Gathered) -> int:
    """Step 6: raw output becomes identifiers."""
    from holdfast.wiring.decay import decay_of

    session_id = project.ledger.session_id
    gathered.decay = decay_of(project.ledger, session_id, first=first_of(project, session_id))
    return 0


def save(project: Project, gathered: _Gathered) -> int:
    """Save what is true now, so that the next session can be proved to go on from it."""
    from holdfast.wiring.saving import make_save

    gathered.save = make_save(project, "SESSION").snapshot.snapshot_id
    return 0


Step = Callable[["Project", _Gathered], int]
"""Does a step that can be done again; returns how many entries it appended."""

STEPS: Final[tuple[tuple[int, str, Step], ...]] = (
    (4, "the current task", update_task),
    (4, "where the work stands", write_checkpoint),
    (3, "the decision log", write_log),
    (6, "what decays", let_decay),
    (5, "the session save", save),
)
"""What comes before the handoff, in this order; each can be done again."""


def _run(project: Project, gathered: _Gathered) -> int:
    """Do the steps; one that fails is in the way like anything else. Returns entries appended."""
    appended = 0
    for number, what, step in STEPS:
        try:
            appended += step(project, gathered)
        except Exception as problem:
            block = could_not_look(number, what, problem)
            gathered.report = with_block(gathered.report, block)
    return appended


def _hand_over(project: Project, gathered: _Gathered, size: int) -> Handoff:
    """Say in one batch that the gate was passed, what is handed over, and that it is over.

    It says so of the first `size` entries: when there are others, nothing is recorded.
    """
    session_id, now_us = project.ledger.session_id, project.ledger.now_us()
    drafts = [
        draft(gathered.report, CLEAR),
        Draft("handoff_made", _data(project, gathered, timestamp(now_us)[:10]), actor=GATE),
    ]
    if session_id is not None and _is_open(project, session_id):
        drafts.append(Draft("session_ended", {"reason": CLEARED}, session_id=session_id))
    receipt = project.ledger.append_many(drafts, now_us=now_us, at=size)[1]
    return handoff_of(project, entries.read(project.ledger.get(receipt.seq).body))


def _data(project: Project, gathered: _Gathered, day: str) -> dict[str, Any]:
    report, decay, span = gathered.report, gathered.decay, root_span(project)
    told = f"{project.place.trajectory.name}/{day}.jsonl"
    data: dict[str, Any] = {
        "task": None if gathered.item is None else gathered.item["task"],
        "notes_refs": gathered.refs,
        "edd_verified": not any(block.step == 7 for block in report.blocks),
        "grounding_ratio": 0.0 if report.grounding_ratio is None else report.grounding_ratio,
        "next_steps": gathered.next_steps,
        "root_span_id": span,
        "next_session_ready": not report.blocks,
        "save": gathered.save,
        "trajectory_ref": told if span is None else f"{told}:{span}",
        "assumptions": _assumptions(project),
        "tokens_full": decay.tokens_full,
        "tokens_kept": decay.tokens_kept,
    }
    return {name: value for name, value in data.items() if value is not None}


def _assumptions(project: Project) -> list[str]:
    """Return the ids of decisions that nothing proves and that say so, the newest."""
    try:
        found = gate_checks.ratio_of(project).assumptions
    except HoldfastError:
        return []  # the report says that it could not look
    return [key for key, _seq in islice(found, ASSUMPTIONS_NAMED)]


def _is_open(project: Project, session_id: str) -> bool:
    return session_id in project.sessions.open()


def _is_all(project: Project, handoff: Handoff) -> bool:
    """Tell whether nothing was done since a handoff but what comes after one by itself."""
    mine = project.ledger.session_id
    if (mine is not None and mine != handoff.session_id) or gate_of(project, handoff) is None:
        return False
    later = project.ledger.read(Selection(handoff.seq + 1))
    return all(
        number < _TAIL_ENTRIES_MAX and entry.type in _TAIL for number, entry in enumerate(later)
    )


# After the handoff: everything here can be made again from the ledger


def mirror_task(project: Project, handoff: Handoff) -> list[str]:
    """Let Beads have the task as it is now, where a project uses it."""
    from holdfast.wiring.tasks import mirror

    task = handoff.data.get("task")
    return mirror(project, task) if isinstance(task, str) else []


def write_notes(project: Project, handoff: Handoff) -> list[str]:
    """Let the notes say that this was the last checkpoint."""
    del handoff
    written_refs(project)
    return []


def publish(project: Project, handoff: Handoff) -> list[str]:
    """Write the views."""
    del handoff
    project.publish()
    return []


def seal(project: Project, handoff: Handoff) -> list[str]:
    """Move old entries into an archive, as at the end of every session."""
    if handoff.session_id is not None:
        project.sealer.seal(trigger="session_end")
    return []


def copy(project: Project, handoff: Handoff) -> list[str]:
    """Keep a copy of the text state in git."""
    from holdfast.wiring.git_copy import copy_state

    del handoff
    put_off = copy_state(project).put_off
    return [] if put_off is None else [put_off]


After = Callable[["Project", Handoff], list[str]]
"""Does something that can be made again; returns what has to be told."""

AFTER: Final[tuple[tuple[str, After], ...]] = (
    ("The task could not be brought up to date", mirror_task),
    ("The notes could not be brought up to date", write_notes),
    ("Old entries were not sealed", seal),
    ("The views could not be written", publish),
    ("There is no copy in git", copy),
)
"""What comes after the handoff, in this order."""


def _finish(
    project: Project, handoff: Handoff, before: Sequence[str], *, again: bool = False
) -> Cleared:
    """Bring what is derived up to date. The handoff counts, whatever fails here."""
    told: list[str] = list(before)
    for failing, act in AFTER:
        try:
            told += act(project, handoff)
        except (HoldfastError, OSError) as problem:
            told.append(f"{failing}: {problem}")
    report = report_of(project, handoff)
    return Cleared(report, handoff, decay_since(project, handoff), tuple(told), again)
