"""The beginning of a session: the installed files are verified, then it begins.

When it closes sessions that crashed, what they left is saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.ledger.sessions import Started
from holdfast.wiring.integrity import require_integrity
from holdfast.wiring.saving import AutoSaved, auto_save

if TYPE_CHECKING:
    from holdfast.evidence.integrity import IntegrityReport
    from holdfast.kernel.types import Holder
    from holdfast.wiring.project import Project


class Begun(msgspec.Struct, frozen=True):
    """A session that is open now."""

    started: Started
    save: AutoSaved | None
    """The session save that was made because others crashed."""
    integrity: IntegrityReport
    """What the files installed for agents were found to be."""


def start_session(
    project: Project,
    session_id: str | None,
    *,
    parent: str | None = None,
    holder: Holder | None = None,
    title: str | None = None,
    integrity: IntegrityReport | None = None,
) -> Begun:
    """Begin a session, or go on in one that is open; save before anything else is recorded in it,
    if there was a crash to recover from.

    Raises `Damaged` when the settings are strict and the installed files drifted; `integrity` is
    what was found by a caller who looked already.
    """
    report = require_integrity(project) if integrity is None else integrity
    started = project.sessions.start(session_id, parent=parent, holder=holder, title=title)
    save = auto_save(project, "SESSION") if started.crashed else None
    return Begun(started, save, report)
