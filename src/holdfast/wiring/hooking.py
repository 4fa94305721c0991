"""The long way of a hook, and taking in what waits: payloads become entries, each once.

`handle` is for the hook process, `drain` for everybody who opens a project. What a hook was told is
in the intake, without its secrets, before anything else is done with it: no failure here loses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast import config
from holdfast.agents import intake, short_way, terms
from holdfast.agents.registry import agent as agent_named
from holdfast.agents.terms import Terms
from holdfast.agents.values import Answer, Reply
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError, InvalidInput
from holdfast.kernel.limits import HOOK_LOCK_WAIT_S, HOOK_RAW_BYTES_MAX, HOOK_TURN_WAIT_S
from holdfast.wiring.places import DATABASE, Place

if TYPE_CHECKING:
    from holdfast.agents.short_way import Told
    from holdfast.agents.values import Event
    from holdfast.config import Settings
    from holdfast.wiring.project import Project
    from holdfast.wiring.tailing import Usage


UNANSWERED: Final = frozenset(
    {"tool_end", "tool_failed", "subagent_start", "subagent_stop", "other"}
)
"""Kinds of events that there is never anything to say to: what would say it is not even loaded."""


class Drained(msgspec.Struct, frozen=True):
    """What became of what waited."""

    events: int = 0
    entries: int = 0
    duplicates: int = 0
    quarantined: int = 0
    busy: bool = False
    """Another process was at it for longer than anybody waits."""
    usage: Mapping[str, Usage] = {}
    """How full the contexts of sessions were, as their transcripts say."""


def handle(told: Told) -> Answer:
    """Record what a hook was told, with all that waits before it, and answer it."""
    agent = agent_named(told.agent)
    if told.folder is None:
        return Answer()
    place = Place(Path(told.folder) / DATABASE)
    try:
        settings = config.load(place.settings, env=told.env).settings
    except HoldfastError as problem:
        return _only_keep(told, place, problem)
    heeded = heed(told.folder, told.env, settings)
    value = short_way.parse(told.payload)
    left = None if told.kept else _keep(told, value, place, settings, heeded)
    try:
        event = agent.read(value, told.at_us)
    except InvalidInput as problem:
        return _put_off(told, problem)
    if left is None and _waits_little(told, value, heeded):
        return Answer()
    try:
        return _record(place, settings, told, event, left)
    except HoldfastError as problem:
        return _put_off(told, problem)


def heed(folder: str, env: dict[str, str], settings: Settings) -> Terms:
    """Keep ready what the short way must know of the settings."""
    made = _terms(settings)
    intake.make(folder)
    terms.write(folder, env, made)
    return made


def _terms(settings: Settings) -> Terms:
    own = settings.redaction
    names = tuple(name.lower() for name in own.secret_names)
    return Terms(settings.attention.deny, own.entropy, settings.agents.file_bytes_max, names)


def _only_keep(told: Told, place: Place, problem: HoldfastError) -> Answer:
    """Keep an event while a file of settings cannot be used; it is recorded once it can be.

    What the user's own settings call a secret is one; if it is they that cannot be used, the rest.
    """
    try:
        settings = config.load(env=told.env).settings
    except HoldfastError:
        settings = config.Settings()
    intake.make(str(place.folder))
    if not told.kept:
        _keep(told, short_way.parse(told.payload), place, settings, _terms(settings))
    return _put_off(told, problem)


def _waits_little(told: Told, value: object, heeded: Terms) -> bool:
    """Tell whether an event may go on waiting in the intake: it asks for nothing."""
    assert told.folder is not None
    silent = isinstance(value, dict) and short_way.is_silent(told.agent, value, deny=heeded.deny)
    return silent and intake.size(told.folder) < intake.INTAKE_BYTES_MAX


def _record(
    place: Place, settings: Settings, told: Told, event: Event, left: intake.Record | None
) -> Answer:
    """Take in what waits, and say what there is to say."""
    from holdfast.wiring.project import open_project

    lock = msgspec.structs.replace(
        settings.lock, wait_s=min(settings.lock.wait_s, HOOK_LOCK_WAIT_S)
    )
    settings = msgspec.structs.replace(settings, lock=lock)
    actor = Actor("agent", told.agent)
    with open_project(place, settings, actor, takes_in=False) as project:
        drained = Drained()
        try:
            drained = drain(project)
        except OSError as problem:
            if left is None:
                raise  # it waits with the others
            intake.note_problem(str(place.folder), f"taking in: {problem}", told.at_us)
        if left is not None:
            from holdfast.wiring.taking_in import TakingIn

            taking = TakingIn(project)
            taking.take(left)
            taking.flush()
        _measure(project, drained.usage)
        reply = Reply() if event.kind in UNANSWERED else _reply(project, told, event)
        answer = agent_named(told.agent).answer(event, reply)
        if reply.context is not None:
            _note_given(project, event, reply, answer)
        return answer


def _note_given(project: Project, event: Event, reply: Reply, answer: Answer) -> None:
    """Record what the agent is told; it is told so whether or not that can be recorded."""
    try:
        from holdfast.wiring.giving import record_given

        record_given(project, event, reply, answer)
    except Exception as problem:  # whatever it is, the agent waits for its words
        why = problem.what if isinstance(problem, HoldfastError) else repr(problem)
        words = f"{event.agent} {event.name}: what it was told is not recorded: {why}"
        intake.note_problem(str(project.place.folder), words, event.at_us)


def _reply(project: Project, told: Told, event: Event) -> Reply:
    """Say what there is to say; what was recorded stays so when that cannot be found out."""
    from holdfast.wiring.returning import reply

    try:
        return reply(project, event)
    except HoldfastError as problem:
        words = f"{told.agent} {told.event}: recorded, but not answered: {problem.what}"
        intake.note_problem(str(project.place.folder), words, told.at_us)
        return Reply()


def _measure(project: Project, usage: Mapping[str, Usage]) -> None:
    """Take what transcripts say about how full contexts are."""
    if not usage:
        return
    from holdfast.wiring.attention import measure

    for session, used in usage.items():
        project.ledger.session_id = session
        tokens, model = used.context_tokens, used.model
        measure(project, tokens, counter="the model's own", source="transcript", model=model)


def _keep(
    told: Told, value: object, place: Place, settings: Settings, heeded: Terms
) -> intake.Record | None:
    """Make durable what could not be on the short way, without its secrets.

    Where the intake cannot be written, the record is returned for the ledger itself.
    """
    from holdfast.wiring.opening import redactor_of

    redactor, note = redactor_of(place, settings), told.note()
    files: tuple[tuple[str, bytes], ...] = ()
    cleaned: object = None
    if isinstance(value, dict):
        told.event = str(value.get("hook_event_name", ""))[:80]
        with suppress(InvalidInput, RecursionError):  # too deep to be searched value by value
            cleaned = redactor.clean(value)[0]
            files = short_way.attached(str(place.folder), value, heeded, redactor)
    if cleaned is None:
        note = intake.RAW
        text = told.payload[:HOOK_RAW_BYTES_MAX].decode("utf-8", "backslashreplace")
        cleaned = redactor.clean_text(text)[0]
    record = intake.Record(told.agent, told.at_us, dumps(cleaned).encode(), files, note)
    try:
        intake.append(str(place.folder), record)
    except OSError:
        return record
    told.kept = True
    return None


def _put_off(told: Told, problem: HoldfastError) -> Answer:
    """Say that what was kept could not be recorded or answered yet."""
    assert told.folder is not None
    intake.note_problem(told.folder, f"{told.agent} {told.event}: {problem.what}", told.at_us)
    if not told.kept:
        return Answer(stderr=f"holdfast: this event was not recorded: {problem.what}\n")
    return Answer(stderr=f"holdfast: this event is kept, to be recorded later: {problem.what}\n")


def drain(project: Project, *, wait_s: float = HOOK_TURN_WAIT_S) -> Drained:
    """Record what waits, in order, each once; one look at a folder when nothing does."""
    folder = str(project.place.folder)
    if project.place.project is None or not intake.waits(folder):
        return Drained()
    if folder in _draining:  # who opens the project while this goes on sees what is there so far
        return Drained(busy=True)
    _draining.add(folder)
    try:
        with intake.Turn(folder, wait_s) as mine:
            return _take_all(project, folder) if mine else Drained(busy=True)
    finally:
        _draining.discard(folder)


_draining: Final[set[str]] = set()


def _take_all(project: Project, folder: str) -> Drained:
    from holdfast.wiring.taking_in import TakingIn

    taking = TakingIn(project)
    for path in intake.take(folder):
        taking.take_file(path)
        Path(path).unlink()
    done = taking.counts
    counts = (done.events, done.entries, done.duplicates, done.quarantined)
    return Drained(*counts, usage=taking.usage)
