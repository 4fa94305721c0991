"""What a StateManager gives back: the last checkpoint, whole sessions, the four metrics."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.wiring.project import Project

if TYPE_CHECKING:
    from holdfast.ledger.metrics import Measure
    from holdfast.ledger.restoring import Missing

LOST_NAMED_MAX: Final = 10
"""Ranges of lost entries that a message names; the others are counted."""

_NO_CHECKPOINT: Final = "No checkpoint yet: nothing is known of earlier work in this project."


class LastCheckpoint(msgspec.Struct, frozen=True):
    """Where the work stood. False when there was no checkpoint yet."""

    task: str = ""
    completed: int = 0
    total: int = 0
    files_created: Sequence[str] = ()
    files_modified: Sequence[str] = ()
    decisions_made: int = 0
    next_action: str = ""
    quick_resume: str = _NO_CHECKPOINT
    seq: int | None = None
    session_id: str | None = None

    def __bool__(self) -> bool:
        return self.seq is not None


def last_checkpoint(project: Project, session_id: str | None) -> LastCheckpoint:
    """Return the newest checkpoint of a session, or if it has none, of all."""
    checkpoints = project.checkpoints
    found = None if session_id is None else checkpoints.last(session_id)
    found = found or checkpoints.last()
    if found is not None:
        told = project.ledger.data(found) | {"seq": found.seq, "session_id": found.session_id}
        return msgspec.convert(told, LastCheckpoint)
    if project.ledger.head().size == 0:
        return LastCheckpoint()
    from holdfast.wiring.resuming import resume

    return LastCheckpoint(quick_resume=resume(project).text)


def restore_session(project: Project, session_id: str, *, partial: bool) -> list[Entry]:
    """Return all entries of a session, proved; with `partial`, what is left of them."""
    from holdfast.ledger.restoring import restore
    from holdfast.wiring.restoring import index_of

    with index_of(project.place) as where:
        restored = restore(project.ledger.reader, project.archives, session_id, where=where)
    if not restored.entries and not restored.missing:
        project.sessions.resolve(session_id)  # refuses one that never was
    if not restored.whole and not partial:
        problems = restored.missing or restored.damaged
        lost = sum(one.last - one.first + 1 for one in restored.missing)
        raise Damaged(
            f"Session {session_id} is not whole: {_named(problems)}.",
            meaning=f"{lost} entries cannot be given back, {len(restored.entries)} are proved and "
            "come with partial=True.",
            remedy="Put the archive back from a backup, then try again.",
        )
    return [entries.read(stored.body) for stored in restored.entries]


def measure_all(project: Project) -> dict[str, Measure]:
    """Measure the four numbers on this ledger, and what clears come to."""
    from holdfast.ledger.metrics import Subject, measure
    from holdfast.wiring.looking import open_reader
    from holdfast.wiring.targets import targets

    subject = Subject(
        fresh=lambda: open_reader(project.place.database, inspect=True),
        reader=project.ledger.reader,
        check=project.archives.check,
        timer=time.perf_counter,
    )
    return {one.name: one for one in (*measure(subject), *targets(project))}


def _named(missing: Sequence[Missing]) -> str:
    more = len(missing) - LOST_NAMED_MAX
    named = [
        f"{one.first} to {one.last} ({one.archive or 'not archived'}: {one.why})"
        for one in missing[:LOST_NAMED_MAX]
    ]
    return "; ".join(f"entries {one}" for one in named) + (
        f"; and {more} ranges more" if more > 0 else ""
    )
