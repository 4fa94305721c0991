"""Past sessions of agents into the ledger: every line, once, whatever recorded it first.

Nothing is remembered of how far an import came: the ids of entries follow from what the lines say,
so that one that was cut short is simply started again, and what is there is counted and left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from holdfast.agents import keys
from holdfast.agents.transcripts import claude_code, codex, opencode
from holdfast.agents.transcripts.making import Odd
from holdfast.agents.values import AgentName
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.ledger.importing.intake import Found, Imported, Intake, upkeep_put_off
from holdfast.ledger.importing.lines import Line, Unread, read_lines
from holdfast.ledger.ledger import Draft
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Selection
from holdfast.wiring.forked_transcripts import copied_into
from holdfast.wiring.opencode_rows import Rows, opened
from holdfast.wiring.transcript_files import Source, home_of, is_below, sources_in, sources_of
from holdfast.wiring.unrecorded import Unrecorded

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

DATABASE = "opencode.db"


class Reader(Protocol):
    """Reads the lines of one file, in order."""

    def read(self, line: Line, *, origin: bool = True) -> list[Draft]:
        """Return the entries of a line; raise Odd for one that is none."""

    def finish(self) -> list[Draft]:
        """Return what is left to say when no line comes any more."""

    def session_ends(self) -> list[Draft]:
        """Return the ends of the sessions that were read, for those that say none themselves."""


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
    taking = _Taking(project, agent, progress)
    # What moves to archives does so with the appends after it: it would take longer than this.
    with upkeep_put_off(project.ledger):
        if agent == "opencode":
            place = home if path is None else path
            return taking.database(place, None if path is not None else root)
        if path is not None or root is None:
            sources, unread = sources_in(agent, home if path is None else path)
        else:
            sources, unread = sources_of(agent, home, root)
        return taking.files(sources, unread)


class _Taking:
    """Takes in one agent's transcripts."""

    def __init__(self, project: Project, agent: AgentName, progress: Progress) -> None:
        self._ledger = project.ledger
        self._unrecorded = Unrecorded(project.ledger, project.place)
        self._paused = 0
        self._agent = agent
        self._progress = progress
        self._intake = Intake(project.ledger, Actor("tool", agent))
        self._copied = 0

    def files(self, sources: list[Source], unread: list[Unread]) -> Imported:
        """Take in files of lines, oldest first."""
        total, done = sum(source.bytes for source in sources), 0
        for source in sources:
            for line in self._file(source):
                if isinstance(line, Unread):
                    unread.append(line)
                    continue
                done += len(line.content) + 1
                self._progress(min(done, total), total)
        return self._report(unread)

    def _file(self, source: Source) -> Iterator[Line | Unread]:
        reader = _reader(self._agent, source)
        last: Line | None = None
        for line in read_lines(source.folder, source.name):
            if isinstance(line, Line):
                self._take(reader, source, line)
                last = line
            yield line
        if last is None:
            return
        self._record(last, reader.finish())
        self._intake.flush()
        ends = [end for end in reader.session_ends() if self._is_ours(end)]
        self._record(last, ends)
        if isinstance(reader, claude_code.Reader):
            self._copied += reader.copied

    def _take(self, reader: Reader, source: Source, line: Line) -> None:
        try:
            if line.part is not None:
                raise Odd("the line is too long to be looked at")
            self._record(line, reader.read(line))
        except Odd as odd:
            where = f"{line.number}:{line.part or 0}:"
            said = self._ledger.redact(line.content.decode("utf-8", "surrogateescape"))
            key = keys.other(self._agent, source.session, "odd", where + said)
            draft = self._intake.quarantine(line, str(odd), keys.entry_id(key))
            self._offer(Found(line, draft))

    def _record(self, line: Line, drafts: list[Draft]) -> None:
        for draft in drafts:
            self._offer(Found(line, draft))

    def _offer(self, found: Found) -> None:
        """Take in an entry, unless nothing was to be recorded when it came."""
        if self._unrecorded.hides(found.draft):
            self._paused += 1
        else:
            self._intake.take(found)

    def _is_ours(self, end: Draft) -> bool:
        """Tell whether the session was begun by an import: of others a hook tells the end."""
        if end.session_id is None:
            return False
        key = keys.session_start(self._agent, end.session_id, None)
        for stored in self._ledger.lines(Selection(id=keys.entry_id(key))):
            return "imported" in entries.read(stored.body).value()
        return False

    # opencode

    def database(self, place: Path, root: Path | None) -> Imported:
        """Take in the sessions of a database, of one project or all of them."""
        place = place / DATABASE if place.is_dir() else place
        if not place.is_file():
            raise NotFound(
                f"There is no database of opencode's: {place} is not there.",
                meaning="Nothing was recorded.",
                remedy=f"Name {DATABASE}, or the folder that holds it.",
            )
        with opened(place) as rows:
            sessions = [
                one for one in rows.sessions() if root is None or is_below(one.directory, root)
            ]
            total, done = sum(rows.weight(one.id) for one in sessions), 0
            for session in sessions:
                for size in self._session(rows, session, place.name):
                    done += size
                    self._progress(min(done, total), total)
        return self._report([])

    def _session(self, rows: Rows, session: opencode.Session, source: str) -> Iterator[int]:
        reader = opencode.Reader(source, session)
        self._row(source, reader.start())
        for message in rows.messages(session.id):
            parts = rows.parts(message.id)
            for made in reader.read(message, parts):
                self._row(source, made, session.id)
            yield sum(len(part.data) for part in parts)
        self._intake.flush()
        if self._is_ours(end := reader.end()):
            self._row(source, end)

    def _row(self, source: str, made: Draft | opencode.Row, session: str = "") -> None:
        if isinstance(made, Draft):
            line = Line(source, 0, b"")
            self._offer(Found(line, made))
            return
        line = Line(f"{source}:{made.id}", 0, made.data.encode("utf-8", "surrogatepass"))
        key = keys.other(self._agent, session, "odd", self._ledger.redact(made.data))
        draft = self._intake.quarantine(line, "it is not a JSON object", keys.entry_id(key))
        self._offer(Found(line, draft))

    def _report(self, unread: list[Unread]) -> Imported:
        self._intake.flush()
        done = self._intake.report(unread)
        copied = done.duplicates + self._copied
        return msgspec.structs.replace(done, duplicates=copied, paused=self._paused)


def _reader(agent: AgentName, source: Source) -> Reader:
    if agent == "codex":
        return codex.Reader(source.session, source.worker)
    copied = copied_into(source) if source.worker is None else None
    if copied is None:
        return claude_code.Reader(source.session, source.worker)
    return claude_code.Reader(source.session, parent=copied.parent, copies=copied.lines)
