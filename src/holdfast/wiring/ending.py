"""The end of a session: a checkpoint of what is not in one yet, the end, a save, sealing, a copy.

The copy of the text state goes into git, where there is git; the next process that ends a session
makes up for one that was killed in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.wiring.git_copy import Copied, copy_state
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
    copy: Copied = Copied()
    """What of it is in git, or why nothing is."""


def end_session(project: Project, session_id: str, reason: str) -> Ended:
    """End a session. Refuses one that is not there or is over already, before anything else."""
    project.sessions.check_open(session_id)
    checkpoint = project.checkpoints.at_end(session_id)
    ended = project.sessions.end(session_id, reason)
    made = None if checkpoint is None else checkpoint.seq
    save = auto_save(project, "SESSION")
    sealed, put_off = _seal(project)
    return Ended(session_id, ended.seq, made, sealed, save, put_off, copy_state(project))


def _seal(project: Project) -> tuple[int, str | None]:
    """Move old entries into an archive; return how many, and why not."""
    try:
        return project.sealer.seal(trigger="session_end").sealed, None
    except (HoldfastError, OSError) as problem:
        # the end is durable by now, and the next seal takes these entries too
        return 0, str(problem)
