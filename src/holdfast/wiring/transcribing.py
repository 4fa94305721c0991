"""Past sessions of agents into the ledger: every line, once, whatever recorded it first.

Nothing is remembered of how far an import came: the ids of entries follow from what the lines say,
so that one that was cut short is simply started again, and what is there is counted and left.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.agents import keys
from holdfast.agents.values import AgentName
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.ledger.importing.intake import Found, Imported, Intake, upkeep_put_off
from holdfast.ledger.importing.lines import Unread
from holdfast.ledger.ledger import Draft
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Selection
from holdfast.wiring.opencode_rows import opened
from holdfast.wiring.transcript_apart import pieces_of
from holdfast.wiring.transcript_files import home_of, is_below, sources_in, sources_of
from holdfast.wiring.transcript_pieces import Piece, Work
from holdfast.wiring.unrecorded import Unrecorded

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

DATABASE = "opencode.db"

_LOOKED_UP: Final = 20
"""Entries of a file that are looked for, to tell whether it was taken in before."""


def import_transcripts(
    project: Project,
    agent: AgentName,
    path: Path | None = None,
    *,
    everything: bool = False,
    home: Path | None = None,
    progress: Progress = no_progress,
) -> Imported:
    """Take in the transcripts at a path; without one those of this project, or all of them.

    `home` is the folder in which the agent keeps them, where it is not the usual one.
    """
    home = home_of(agent) if home is None else home
    root = None if everything else project.place.project
    if path is None and root is None and not everything:
        raise InvalidInput(
            "This ledger belongs to no project, so no transcript is about it.",
            meaning="Nothing was recorded.",
            remedy="Name a transcript or a folder, or use --all.",
        )
    unread: list[Unread] = []
    if agent == "opencode":
        place = home if path is None else path
        work = _in_database(place, None if path is not None else root)
    else:
        if path is not None or root is None:
            sources, unread = sources_in(agent, home if path is None else path)
        else:
            sources, unread = sources_of(agent, home, root)
        work = Work(agent, sum(source.bytes for source in sources), tuple(sources))
    # What moves to archives does so with the appends after it: it would take longer than this.
    with upkeep_put_off(project.ledger):
        return _Taking(project, work, unread, progress).all()


class _Taking:
    """Takes in one agent's transcripts."""

    def __init__(
        self, project: Project, work: Work, unread: list[Unread], progress: Progress
    ) -> None:
        self._ledger = project.ledger
        self._work = work
        self._unread = unread
        self._progress = progress
        self._unrecorded = Unrecorded(project.ledger, project.place)
        self._intake = Intake(project.ledger, Actor("tool", work.agent))
        self._paused = 0
        self._copied = 0

    def all(self) -> Imported:
        """Take in everything, oldest first."""
        done = 0
        pieces = pieces_of(self._work, self._ledger._redactor, self._is_known)
        with closing(pieces):
            for piece in pieces:
                self._take(piece)
                done += piece.bytes
                self._progress(min(done, self._work.bytes), self._work.bytes)
        self._intake.flush()
        report = self._intake.report(self._unread)
        copied = report.duplicates + self._copied
        return msgspec.structs.replace(report, duplicates=copied, paused=self._paused)

    def _is_known(self, piece: Piece) -> bool:
        """Tell whether most of what a piece begins with is recorded already."""
        some = {found.draft.id for found in piece.found[:_LOOKED_UP] if found.draft.id is not None}
        return len(self._ledger.find(some)) * 2 >= len(some)

    def _take(self, piece: Piece) -> None:
        self._offer(piece.found)
        self._unread += piece.unread
        self._copied += piece.copied
        if piece.ends:
            self._intake.flush()
            self._offer([end for end in piece.ends if self._is_ours(end.draft)])

    def _offer(self, some: list[Found]) -> None:
        """Take in entries, unless nothing was to be recorded when they came."""
        for found in some:
            if self._unrecorded.hides(found.draft):
                self._paused += 1
            else:
                self._intake.take(found)

    def _is_ours(self, end: Draft) -> bool:
        """Tell whether the session was begun by an import: of others a hook tells the end."""
        if end.session_id is None:
            return False
        key = keys.session_start(self._work.agent, end.session_id, None)
        for stored in self._ledger.lines(Selection(id=keys.entry_id(key))):
            return "imported" in entries.read(stored.body).value()
        return False


def _in_database(place: Path, root: Path | None) -> Work:
    """Return the sessions of opencode's database, of one project or all of them."""
    place = place / DATABASE if place.is_dir() else place
    if not place.is_file():
        raise NotFound(
            f"There is no database of opencode's: {place} is not there.",
            meaning="Nothing was recorded.",
            remedy=f"Name {DATABASE}, or the folder that holds it.",
        )
    with opened(place) as rows:
        found = [one for one in rows.sessions() if root is None or is_below(one.directory, root)]
        size = sum(rows.weight(one.id) for one in found)
    return Work("opencode", size, database=place, sessions=tuple(found))
