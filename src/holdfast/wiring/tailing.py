"""The end of a session's transcript: what the agent said and used, which no hook is told.

How far a transcript was read is remembered in `intake/tails`, derived and harmless to delete: the
ids of entries follow from what the lines say, so what is read again is not recorded again. Because
whoever asks may die before it has recorded what it got, a reading only counts when the last entry
that came of it is in the ledger.

The path is the payload's claim. It is read only where this agent keeps its transcripts, under the
name of the session, and never through a link.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias
from weakref import WeakKeyDictionary

import msgspec

from holdfast.agents import keys
from holdfast.agents.transcripts import claude_code, codex
from holdfast.agents.transcripts.making import Counted, Odd
from holdfast.agents.values import AgentName, Event
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import TAIL_BYTES_MAX, TAILS_MAX
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft
from holdfast.storage.port import Selection
from holdfast.wiring.transcript_files import home_of
from holdfast.wiring.unrecorded import Unrecorded

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

FILE: Final = "tails"

_TAKEN: Final[Mapping[str, frozenset[str]]] = {
    "claude-code": frozenset({"agent_said", "context_compacted"}),
    # Its hooks tell neither how a command ended nor of a patch that did not fit.
    "codex": frozenset({"agent_said", "context_compacted", "tool_called", "command_ran"}),
}

_Reader: TypeAlias = claude_code.Reader | codex.Reader


class Usage(msgspec.Struct, frozen=True):
    """What the model was last given, in tokens as its maker counts them."""

    context_tokens: int
    """What stands before the model, with what it answered: the next request is about this long."""
    model: str | None
    told: Mapping[str, Any]


class Tail(msgspec.Struct, frozen=True):
    """What a transcript says that was not read before."""

    drafts: tuple[Draft, ...] = ()
    usage: Usage | None = None


class _Spot(msgspec.Struct, frozen=True):
    """A place in a transcript, and what was said in the turn before it."""

    offset: int = 0
    turn: str | None = None
    times: dict[str, int] = {}


class _Mark(msgspec.Struct, frozen=True):
    """How far a transcript was read."""

    sure: _Spot
    """Everything before it is recorded."""
    ahead: _Spot | None = None
    last_id: str | None = None
    """Of the entry with which everything before `ahead` is recorded."""


def said_since(project: Project, event: Event, env: Mapping[str, str] | None = None) -> Tail:
    """Return what the transcript of an event's session says that was not asked for before."""
    if event.agent not in _TAKEN or event.kind == "other":
        return Tail()
    path = _path_of(event, env)
    handle = None if path is None else _open(path)
    if path is None or handle is None:
        return Tail()
    with open(handle, "rb") as file:  # noqa: PTH123 (a handle that was checked)
        return _tails_of(project).read(keys.digest(str(path)), file, event)


class _Tails:
    """The marks of all transcripts, in memory and beside the intake."""

    def __init__(self, project: Project) -> None:
        self._ledger = project.ledger
        self._unrecorded = Unrecorded(project.ledger, project.place)
        self._file = project.place.folder / "intake" / FILE
        self._marks = _load(self._file)
        self._here: dict[str, _Spot] = {}
        """How far this process read; what it got it is about to record."""

    def read(self, name: str, file: BinaryIO, event: Event) -> Tail:
        """Read on from where a transcript was left, and remember where that is now."""
        sure = self._sure(name, event)
        spot = self._here.get(name, sure)
        size = os.fstat(file.fileno()).st_size
        if size < spot.offset:  # another file of this name
            sure = spot = _Spot(turn=event.turn)
        if size == spot.offset:
            return Tail()
        if spot.offset == 0 and size > TAIL_BYTES_MAX:
            spot = _Spot(size - TAIL_BYTES_MAX, spot.turn)  # what is older is for an import
        reading = _Reading(event, spot)
        drafts = self._unrecorded.left(reading.take(file))
        self._here[name] = reading.spot
        if drafts:
            mark = _Mark(sure, reading.spot, drafts[-1].id)
        elif (known := self._marks.get(name)) is not None and known.last_id is not None:
            mark = msgspec.structs.replace(known, ahead=reading.spot)
        else:
            mark = _Mark(reading.spot)
        self._keep(name, mark)
        return Tail(tuple(drafts), _usage(reading.usage))

    def _sure(self, name: str, event: Event) -> _Spot:
        """Return before which place everything is recorded."""
        mark = self._marks.get(name)
        if mark is None:
            return _Spot(turn=event.turn)
        if mark.ahead is None or mark.last_id is None:
            return mark.sure
        if not any(self._ledger.lines(Selection(id=mark.last_id))):
            return mark.sure
        self._marks[name] = _Mark(mark.ahead)
        return mark.ahead

    def _keep(self, name: str, mark: _Mark) -> None:
        self._marks.pop(name, None)  # the newest are the last
        self._marks[name] = mark
        self._save()

    def _save(self) -> None:
        """Write the marks down; where that fails, more is read the next time."""
        while len(self._marks) > TAILS_MAX:
            self._marks.pop(next(iter(self._marks)))
        draft = self._file.with_name(f"{FILE}.{os.getpid()}.new")
        try:
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            draft.write_bytes(msgspec.json.encode(self._marks))
            draft.replace(self._file)
        except OSError:
            draft.unlink(missing_ok=True)


class _Reading:
    """Reads lines from a spot on; goes back to where a call began that is not over."""

    def __init__(self, event: Event, spot: _Spot) -> None:
        self.spot = spot
        self.usage: Mapping[str, Any] | None = None
        self._taken = _TAKEN[event.agent]
        self._counted = Counted(spot.turn, dict(spot.times))
        self._reader = _reader(event, self._counted)
        self._begun: dict[str, _Spot] = {}

    def take(self, file: BinaryIO) -> list[Draft]:
        """Return the entries of the lines that are whole."""
        drafts: list[Draft] = []
        for start, stop, content in _lines(file, self.spot.offset):
            before = self._at(start)
            made = self._read(content)
            for draft in made:
                if draft.type == "tool_begun":
                    self._begun[str(draft.data["call"])] = before
                elif draft.type == "tool_called":
                    self._begun.pop(str(draft.data["call"]), None)
            drafts += [draft for draft in made if draft.type in self._taken]
            self.spot = self._at(stop)
        self.usage = self._reader.usage
        if self._begun and "command_ran" in self._taken:
            self.spot = min(self._begun.values(), key=lambda spot: spot.offset)
        return drafts

    def _read(self, content: bytes) -> list[Draft]:
        try:
            return self._reader.read(Line("", 0, content), origin=False)
        except Odd:
            return []  # an import keeps it

    def _at(self, offset: int) -> _Spot:
        """Return a place; in a turn in which nothing was said yet nothing is counted."""
        turn, counted = self._reader.turn, self._counted
        return _Spot(offset, turn, dict(counted.times) if counted.turn == turn else {})


def _lines(file: BinaryIO, offset: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield whole lines with where they begin and end; after a leap, from the next line on.

    A line that is too long comes as an empty one.
    """
    file.seek(max(offset - 1, 0))
    if offset and file.read(1) != b"\n":
        offset += len(file.readline(TAIL_BYTES_MAX))
    stop = offset + TAIL_BYTES_MAX
    while offset < stop:
        content = file.readline(TAIL_BYTES_MAX)
        if not content.endswith(b"\n"):
            if len(content) < TAIL_BYTES_MAX:
                return  # it is still being written
            yield offset, offset + len(content), b""  # too long for a hook: an import takes it in
        else:
            yield offset, offset + len(content), content[:-1]
        offset += len(content)


def _reader(event: Event, counted: Counted) -> _Reader:
    session = event.session or ""
    worker = event.worker if event.kind == "subagent_stop" else None
    if event.agent == "codex":
        return codex.Reader(session, worker, counted, model=event.model)
    return claude_code.Reader(session, worker, counted)


def _path_of(event: Event, env: Mapping[str, str] | None) -> Path | None:
    """Return the transcript of an event, when it is where this agent keeps them."""
    told: Any = event.transcript
    if event.kind == "subagent_stop" and isinstance(event.payload, dict):
        told = event.payload.get("agent_transcript_path") or told
    if not isinstance(told, str) or "\0" in told or not event.session:
        return None
    try:
        home = home_of(event.agent, env).resolve()
        path = Path(told)
        if not path.is_absolute() or path.is_symlink() or path.suffix != ".jsonl":
            return None
        found = path.parent.resolve() / path.name
    except (OSError, InvalidInput, RuntimeError):
        return None
    named = event.session in (found.stem, *found.parts) or found.stem.endswith(event.session)
    return found if named and found.is_relative_to(home) else None


def _open(path: Path) -> int | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


_kept: WeakKeyDictionary[Project, _Tails] = WeakKeyDictionary()


def _tails_of(project: Project) -> _Tails:
    if project not in _kept:
        _kept[project] = _Tails(project)
    return _kept[project]


def _load(path: Path) -> dict[str, _Mark]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, _Mark])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return {}


_COUNTED: Final[Mapping[AgentName, tuple[str, ...]]] = {
    "claude-code": (
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ),
    "codex": ("input_tokens", "output_tokens"),
}


def _usage(told: Mapping[str, Any] | None) -> Usage | None:
    if told is None:
        return None
    names = _COUNTED["claude-code" if "cache_read_input_tokens" in told else "codex"]
    counts = [told[name] for name in names if isinstance(told.get(name), int)]
    model = told.get("model")
    return Usage(sum(counts), model if isinstance(model, str) else None, told) if counts else None
