"""Reading transcripts piece by piece: the entries that their lines become, in order.

Nothing is asked of the ledger here, so that a process of its own can do it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from holdfast.agents import keys
from holdfast.agents.transcripts import claude_code, codex, opencode
from holdfast.agents.transcripts.making import Odd
from holdfast.agents.values import AgentName
from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import TRANSCRIPT_PIECE_BYTES, TRANSCRIPT_PIECE_ENTRIES
from holdfast.ledger.importing.admitting import Found, quarantine
from holdfast.ledger.importing.lines import Line, Unread, read_lines
from holdfast.ledger.ledger import Draft
from holdfast.ledger.redaction import Redactor
from holdfast.wiring.forked_transcripts import copied_into
from holdfast.wiring.opencode_rows import Rows, opened
from holdfast.wiring.transcript_files import Source


class Work(msgspec.Struct, frozen=True):
    """What is to be read: files of lines, or sessions of a database."""

    agent: AgentName
    bytes: int
    """About how much it is."""
    sources: tuple[Source, ...] = ()
    database: Path | None = None
    sessions: tuple[opencode.Session, ...] = ()

    @property
    def count(self) -> int:
        """How many files or sessions it is."""
        return len(self.sources) + len(self.sessions)

    def part(self, first: int, stop: int | None = None) -> Work:
        """Return some of the files, or of the sessions."""
        sources, sessions = self.sources[first:stop], self.sessions[first:stop]
        return msgspec.structs.replace(self, sources=sources, sessions=sessions)


class Piece(msgspec.Struct):
    """What was read in one go."""

    found: list[Found] = []
    bytes: int = 0
    unread: list[Unread] = []
    ends: list[Found] = []
    """Ends of sessions. They come after everything that was found before."""
    copied: int = 0
    """Lines of a fork that stand in its parent's file too."""

    @property
    def is_full(self) -> bool:
        """Whether it is to be handed on."""
        return len(self.found) >= TRANSCRIPT_PIECE_ENTRIES or self.bytes >= TRANSCRIPT_PIECE_BYTES


class Reader(Protocol):
    """Reads the lines of one file, in order."""

    def read(self, line: Line, *, origin: bool = True) -> list[Draft]:
        """Return the entries of a line; raise Odd for one that is none."""

    def finish(self) -> list[Draft]:
        """Return what is left to say when no line comes any more."""

    def session_ends(self) -> list[Draft]:
        """Return the ends of the sessions that were read, for those that say none themselves."""


def read_pieces(work: Work, redactor: Redactor) -> Generator[Piece, None, None]:
    """Yield what the transcripts say, a piece at a time."""
    reading = _Reading(work.agent, redactor)
    for source in work.sources:
        yield from reading.file(source)
    if work.database is not None:
        with opened(work.database) as rows:
            for session in work.sessions:
                yield from reading.session(rows, session, work.database.name)


class _Reading:
    """Reads one agent's transcripts."""

    def __init__(self, agent: AgentName, redactor: Redactor) -> None:
        self._agent = agent
        self._actor = Actor("tool", agent)
        self._redactor = redactor

    def file(self, source: Source) -> Iterator[Piece]:
        """Yield what a file of lines says."""
        reader = _reader(self._agent, source)
        piece, last = Piece(), None
        for line in read_lines(source.folder, source.name):
            if isinstance(line, Unread):
                piece.unread.append(line)
                continue
            last = line
            piece.found += self._line(reader, source, line)
            piece.bytes += len(line.content) + 1
            if piece.is_full:
                yield piece
                piece = Piece()
        if last is not None:
            piece.found += [Found(last, draft) for draft in reader.finish()]
            piece.ends += [Found(last, draft) for draft in reader.session_ends()]
        if isinstance(reader, claude_code.Reader):
            piece.copied = reader.copied
        yield piece

    def _line(self, reader: Reader, source: Source, line: Line) -> list[Found]:
        try:
            if line.part is not None:
                raise Odd("the line is too long to be looked at")
            return [Found(line, draft) for draft in reader.read(line)]
        except Odd as odd:
            where = f"{line.number}:{line.part or 0}:"
            text = where + self._clean(line.content.decode("utf-8", "surrogateescape"))
            return [self._odd(line, str(odd), keys.other(self._agent, source.session, "odd", text))]

    def session(self, rows: Rows, session: opencode.Session, source: str) -> Iterator[Piece]:
        """Yield what a session in a database says."""
        reader, line = opencode.Reader(source, session), Line(source, 0, b"")
        piece = Piece([Found(line, reader.start())])
        for message in rows.messages(session.id):
            parts = rows.parts(message.id)
            for made in reader.read(message, parts):
                if isinstance(made, Draft):
                    piece.found.append(Found(line, made))
                else:
                    piece.found.append(self._row(source, session, made))
            piece.bytes += sum(len(part.data) for part in parts)
            if piece.is_full:
                yield piece
                piece = Piece()
        piece.ends.append(Found(line, reader.end()))
        yield piece

    def _row(self, source: str, session: opencode.Session, row: opencode.Row) -> Found:
        line = Line(f"{source}:{row.id}", 0, row.data.encode("utf-8", "surrogatepass"))
        key = keys.other(self._agent, session.id, "odd", self._clean(row.data))
        return self._odd(line, "it is not a JSON object", key)

    def _odd(self, line: Line, reason: str, key: str) -> Found:
        """Keep a line that is none of the agent's."""
        name = keys.entry_id(key)
        draft = quarantine(line, reason, name, actor=self._actor, redactor=self._redactor)
        return Found(line, draft)

    def _clean(self, text: str) -> str:
        return self._redactor.clean_text(text)[0]


def _reader(agent: AgentName, source: Source) -> Reader:
    if agent == "codex":
        return codex.Reader(source.session, source.worker)
    copied = copied_into(source) if source.worker is None else None
    if copied is None:
        return claude_code.Reader(source.session, source.worker)
    return claude_code.Reader(source.session, parent=copied.parent, copies=copied.lines)
