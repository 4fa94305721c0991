"""StateManager: the append-only state protocol's own interface, over a ledger.

    from holdfast import StateManager

    with StateManager() as sm:
        print(f"Quick Resume: {sm.get_last_checkpoint().quick_resume}")
        sm.start_session()

Instances hold nothing that counts: whatever one of them records, all others see, in this process
and in every other. What is logged belongs to the session that this process started, else to the one
in the environment, else to the one that is open in the project.
"""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast import config
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Entry
from holdfast.kernel.errors import HoldfastError, InvalidInput, NotALedger, NotFound
from holdfast.ledger.decisions import Asked
from holdfast.ledger.ledger import Ledger, Receipt
from holdfast.wiring.deciding import Evidence, Outcome, decide, question_of
from holdfast.wiring.file_changes import FileChanges, Remembered
from holdfast.wiring.opening import make_ledger, open_ledger
from holdfast.wiring.places import Place, discover, place_of
from holdfast.wiring.project import Project
from holdfast.wiring.recording import Recorder
from holdfast.wiring.recovering import (
    LastCheckpoint,
    last_checkpoint,
    measure_all,
    restore_session,
)
from holdfast.wiring.watching import Root

if TYPE_CHECKING:
    from types import TracebackType

    from holdfast.ledger.metrics import Measure
    from holdfast.ledger.sealing import SealReport
    from holdfast.recall.search import Found
    from holdfast.wiring.attention import Measured
    from holdfast.wiring.clearing import Cleared
    from holdfast.wiring.ending import Ended
    from holdfast.wiring.gate import GateReport
    from holdfast.wiring.saving import AutoSaved


class _Held(msgspec.Struct):
    """What this process knows about a ledger, whichever instance asks."""

    session_id: str | None = None
    remembered: Remembered = msgspec.field(default_factory=Remembered)


_held: dict[tuple[Path, str], _Held] = {}


class StateManager(Recorder):
    """A project's state: sessions, decisions, changes, checkpoints. Safe to make anew each time."""

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, actor: Actor | None = None
    ) -> None:
        """Open the ledger of a project, of a database, or of the current folder's project.

        Where there is none, one is made.
        """
        place = named_place(path)
        make_ledger(place)
        settings = config.load(place.settings).settings
        ledger = open_ledger(
            place.database,
            create=False,
            actor=actor or Actor("agent", settings.record.actor),
            session_id=settings.record.session,
            secret_names=settings.redaction.secret_names,
            entropy=settings.redaction.entropy,
            wait_s=settings.lock.wait_s,
            seal=settings.seal,
        )
        self._project = Project(place, settings, ledger)
        head = ledger.head()
        self._held = _held.setdefault((place.database.resolve(), head.ledger), _Held())
        self._published = head.size
        self._closer = weakref.finalize(self, _close, self._project, os.getpid())

    def __enter__(self) -> StateManager:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Bring the views on disk up to date if anything was recorded, and let go of the files."""
        if not self._closer.alive:
            return
        try:
            if self.ledger.head().size != self._published:
                self._publish()
        finally:
            self._closer()

    @property
    def ledger(self) -> Ledger:
        """The ledger itself, for everything that is not here."""
        return self._open.ledger

    @property
    def _open(self) -> Project:
        if self._closer.alive:
            return self._project
        raise InvalidInput(
            "This StateManager is closed.",
            meaning="Nothing was recorded.",
            remedy="Make another one: StateManager().",
        )

    # Sessions

    @property
    def session_id(self) -> str | None:
        """The session that entries belong to, None outside any."""
        named = self._held.session_id or self.ledger.session_id
        return named or self._open.sessions.current()

    def start_session(
        self, session_id: str | None = None, *, parent: str | None = None, title: str | None = None
    ) -> str:
        """Begin a session that lives and dies with this process, or go on in an open one.

        Sessions whose process is gone are closed as crashed, and a save is made of what they left.
        """
        from holdfast.wiring.starting import start_session

        named = session_id or self._open.settings.record.session
        begun = start_session(self._open, named, parent=parent, title=title)
        if begun.save is not None:
            _warn_unsaved(begun.save)
        for one in begun.integrity.faults:
            warnings.warn(f"{one.subject}: {one.detail}. {one.remedy}", stacklevel=2)
        self._held.session_id = begun.started.session_id
        return begun.started.session_id

    def end_session(self, reason: str = "completed") -> Ended:
        """Make a last checkpoint, end the session, save, seal old entries, publish the views."""
        from holdfast.wiring.ending import end_session

        session_id = self.session_id
        if session_id is None:
            raise NotFound(
                "No session is open.",
                meaning="Nothing was recorded.",
                remedy="start_session begins one.",
            )
        ended = end_session(self._open, session_id, reason)
        if self._held.session_id == session_id:
            self._held.session_id = None
        self._publish()
        return ended

    # Clearing

    def measure_attention(
        self,
        tokens: int,
        *,
        counter: str = "caller",
        model: str | None = None,
        window: int | None = None,
    ) -> Measured:
        """Say how full the context is; what its zone asks for is done. Nothing is ever refused."""
        from holdfast.wiring.attention import measure

        with self._in_session() as project:
            return measure(
                project, tokens, counter=counter, source="api", model=model, window=window
            )

    def check_clear(self) -> GateReport:
        """Look at what is in the way of a clear; record nothing."""
        from holdfast.wiring.gate import look

        with self._in_session() as project:
            return look(project)

    def clear(self) -> Cleared:
        """Pass the gate and hand over, which ends the session. Blocked, it is logged as failed."""
        from holdfast.wiring.clearing import clear

        with self._in_session() as project:
            cleared = clear(project)
        if cleared.handoff is not None:
            self._held.session_id = None
        self._publish()
        return cleared

    @contextmanager
    def _in_session(self) -> Iterator[Project]:
        """Let everything belong to the current session for a while."""
        ledger, named = self.ledger, self.ledger.session_id
        ledger.session_id = self.session_id
        try:
            yield self._open
        finally:
            ledger.session_id = named

    # Checkpoints

    @property
    def calls_since_checkpoint(self) -> int:
        """How many tool calls the session made since its last checkpoint, in any process.

        A file change that was logged by itself counts as a call.
        """
        since = self._open.checkpoints.since(self.session_id)
        return sum(entry.type == "tool_called" or _stands_alone(entry) for entry in since.entries)

    def create_checkpoint(
        self,
        task: str | None = None,
        completed: int | None = None,
        total: int | None = None,
        next_action: str | None = None,
        quick_resume: str | None = None,
    ) -> Receipt:
        """Record where the work stands; what is not told is made from what was recorded."""
        receipt = self._open.checkpoints.create(
            self.session_id,
            task=task,
            completed=completed,
            total=total,
            next_action=next_action,
            quick_resume=quick_resume,
        )
        self._publish()
        return receipt

    def get_last_checkpoint(self) -> LastCheckpoint:
        """Return the newest checkpoint: of our own session, or if it has none, of all."""
        return last_checkpoint(self._open, self._held.session_id or self.ledger.session_id)

    def quick_restore(self) -> str:
        """Return the quick resume of the last checkpoint."""
        return self.get_last_checkpoint().quick_resume

    # Coming back

    def full_restore(self, session_id: str, *, partial: bool = False) -> list[Entry]:
        """Return all entries of a session, proved, from the active log and the archives.

        What cannot be given back is an error that names it; `partial` asks for the rest.
        """
        return restore_session(self._open, session_id, partial=partial)

    def search(self, query: str, **filters: Any) -> Found:
        """Find entries by their words, in the active log and every archive.

        Filters: types, session, path, since, until, superseded, limit.
        """
        from holdfast.recall.search import Query, search

        reader = self.ledger.reader
        self._open.views.catch_up(reader)
        return search(self._open.views, reader, Query(query, **filters))

    def entry(self, key: int | str) -> dict[str, Any]:
        """Return one entry whole, by number or id, with every large part put back."""
        body = self.ledger.get(key).body
        told: dict[str, Any] = msgspec.json.decode(body)
        return told | {"data": self.ledger.data(entries.read(body))}

    def metrics(self) -> dict[str, Measure]:
        """Measure restore time, integrity, compression, loss and what clears come to, here."""
        return measure_all(self._open)

    # Sealing

    def seal(self, *, keep: int | None = None) -> SealReport:
        """Move all but the newest entries, in full, into an archive."""
        return self._seal("request", keep)

    compress = seal

    def report_context_pressure(self) -> SealReport:
        """Say that the agent's context is filling up: old entries are sealed, a save is made."""
        from holdfast.wiring.saving import auto_save

        report = self._seal("pressure", None)
        _warn_unsaved(auto_save(self._open, "SESSION"))
        return report

    def _seal(self, trigger: str, keep: int | None) -> SealReport:
        report = self._open.sealer.seal(keep=keep, trigger=trigger)
        self._publish()
        return report

    # What the recorder needs

    @cached_property
    def files(self) -> FileChanges:
        """What looks at the project's files."""
        return FileChanges(Root(self._open.place), self.ledger, self._held.remembered)

    def question(self, task: str | None) -> str | None:
        """Return the title of a task, else of what the session works on."""
        return question_of(self._open, task, self.session_id)

    def record_decision(self, asked: Asked, evidence: Evidence, id: str | None) -> Outcome:
        """Record a decision with everything that belongs to it."""
        return decide(self._open, asked, evidence, id=id, session_id=self.session_id)

    def after_call(self) -> None:
        """Make a checkpoint if one is due."""
        session_id = self.session_id
        if self._open.checkpoints.after_call(session_id) is not None:
            self._publish()

    def _publish(self) -> None:
        """Write the views. What was recorded is durable, so a failure is told, not raised."""
        project = self._open
        try:
            project.publish()
        except (HoldfastError, OSError) as problem:
            warnings.warn(
                f"The files in {project.place.state} could not be brought up to date: {problem} "
                "The ledger is not affected.",
                RuntimeWarning,
                stacklevel=3,
            )
        else:
            self._published = project.ledger.head().size


def named_place(path: str | os.PathLike[str] | None) -> Place:
    """Return the place that is named, found from here upwards, or else the current folder's."""
    named = config.named_ledger() if path is None else path
    if named is not None:
        return place_of(Path(named))
    try:
        return discover(Path.cwd())
    except NotALedger:
        return place_of(Path.cwd())


def _close(project: Project, pid: int) -> None:
    """Let go of the files, in the process that opened them."""
    if pid == os.getpid():
        project.close()


def _stands_alone(entry: Entry) -> bool:
    """Tell a file change that was logged by itself from one that belongs to a tool call."""
    return entry.type == "file_change" and "call" not in entry.value()


def _warn_unsaved(save: AutoSaved) -> None:
    """Say why there is no save; what it came with is recorded all the same."""
    if save.put_off is not None:
        warnings.warn(f"No save was made: {save.put_off}", RuntimeWarning, stacklevel=3)
