"""The beginning of a session: when it closes sessions that crashed, what they left is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from holdfast.ledger.sessions import Started
from holdfast.wiring.saving import AutoSaved, auto_save

if TYPE_CHECKING:
    from holdfast.kernel.types import Holder
    from holdfast.wiring.project import Project


class Begun(msgspec.Struct, frozen=True):
    """A session that is open now."""

    started: Started
    save: AutoSaved | None
    """The session save that was made because others crashed."""


def start_session(
    project: Project,
    session_id: str | None,
    *,
    parent: str | None = None,
    holder: Holder | None = None,
    title: str | None = None,
) -> Begun:
    """Begin a session, or go on in one that is open; save before anything else is recorded in it,
    if there was a crash to recover from."""
    started = project.sessions.start(session_id, parent=parent, holder=holder, title=title)
    return Begun(started, auto_save(project, "SESSION") if started.crashed else None)
