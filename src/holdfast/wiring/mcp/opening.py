"""How a call opens the project: as an agent, in its session; and what follows when it recorded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from holdfast import config
from holdfast.agents import pausing
from holdfast.agents.values import AGENTS
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.mcp_server.values import Caller
from holdfast.wiring.places import Place
from holdfast.wiring.project import Project, open_project

UNNAMED: Final = "mcp"
"""Who asks when a client does not say what it is called."""


class Served(msgspec.Struct, frozen=True):
    """What is served."""

    place: Place
    root: Path
    """Where the project's files are; a git worktree has its own."""
    folder: Path
    """Where the server was started."""
    session: str | None = None
    """The session that everything belongs to; None: the one that is open when it is asked for."""


class Opening:
    """Opens a project for each call; between calls nothing is held."""

    def __init__(self, served: Served) -> None:
        self._served = served

    @contextmanager
    def project(self, caller: Caller, session: str | None = None) -> Iterator[Project]:
        """Open the ledger. What an agent asks for is an agent's, whatever it says of itself."""
        place = self._served.place
        settings = config.load(place.settings).settings
        actor = Actor("agent", _name(caller))
        session = session or self._served.session
        with open_project(place, settings, actor, session_id=session) as project:
            yield project

    @contextmanager
    def recording(self, caller: Caller, session: str | None) -> Iterator[tuple[Project, list[str]]]:
        """Open the ledger to append; afterwards the views follow. What fails there is told, in the
        list beside the project."""
        told: list[str] = []
        with self.project(caller, session) as project:
            take_session(project)
            if (unwanted := why_not(project)) is not None:
                raise unwanted
            yield project, told
            try:
                project.publish()
            except (HoldfastError, OSError) as problem:
                told.append(f"It is recorded. The views could not be written: {problem}")


def why_not(project: Project) -> HoldfastError | None:
    """Return the refusal to record what an agent says, when a person wants it so; else None."""
    paused = pausing.paused_by(str(project.place.folder), project.ledger.session_id)
    if pausing.is_private(os.environ):
        what, remedy = "This run of the agent is private.", f"It ends with {pausing.PRIVATE}."
    elif paused is not None:
        what, remedy = "Recording is paused.", "`holdfast pause --off` ends it."
    else:
        return None
    return InvalidInput(
        what,
        meaning="Nothing was recorded, because the user wants it so. Looking is possible.",
        remedy=f"Go on without recording. It is the user's to change: {remedy}",
    )


def take_session(project: Project) -> None:
    """Let what follows belong to the session that is open, where that is clear."""
    if project.ledger.session_id is not None:
        return
    try:
        project.ledger.session_id = project.sessions.current()
    except InvalidInput as unclear:
        raise InvalidInput(
            unclear.what,
            meaning=unclear.meaning,
            remedy="Say which with `session`; or start the server with --session.",
        ) from unclear


def _name(caller: Caller) -> str:
    """Return the name of who asks; what a known agent's client is called means that agent."""
    claimed = (caller.name or UNNAMED).lower()
    return next((name for name in AGENTS if claimed.startswith(name)), caller.name or UNNAMED)
