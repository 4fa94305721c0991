"""The end of a session: a checkpoint of what is not in one yet, the end, a save, then sealing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.wiring.saving import AutoSaved, auto_save

if TYPE_CHECKING:
    from holdfast.wiring.project import Project


class Ended(msgspec.Struct, frozen=True):
    """How a session was ended."""

    session_id: str
    seq: int
    checkpoint: int | None
    """The entry that says where the work stands; null when nothing was done since the last one."""
    sealed: int
    """Entries that moved into an archive."""
    save: AutoSaved
    """The session save, or why there is none."""
    put_off: str | None = None
    """Why old entries stayed where they are, when that failed."""


def end_session(project: Project, session_id: str, reason: str) -> Ended:
    """End a session. Refuses one that is not there or is over already, before anything else."""
    project.sessions.check_open(session_id)
    checkpoint = project.checkpoints.at_end(session_id)
    ended = project.sessions.end(session_id, reason)
    made = None if checkpoint is None else checkpoint.seq
    save = auto_save(project, "SESSION")
    try:
        sealed = project.sealer.seal(trigger="session_end").sealed
    except (HoldfastError, OSError) as problem:
        # the end is durable by now, and the next seal takes these entries too
        return Ended(session_id, ended.seq, made, 0, save, put_off=str(problem))
    return Ended(session_id, ended.seq, made, sealed, save)
