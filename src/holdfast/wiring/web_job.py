"""The process beside the server of the web page: looks, and answers line by line.

It is this module run by itself. It reads questions from its standard input, one JSON line each,
and ends at once, with all that it started, when that input ends: then nobody waits any more.
Nothing is recorded here.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import BootFailed, Damaged, HoldfastError
from holdfast.kernel.limits import WEB_BLOCKS_MAX
from holdfast.web.values import Asked, Progress
from holdfast.wiring.places import Place
from holdfast.wiring.web_apart import Problem, Question, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.storage.port import Reader
    from holdfast.wiring.project import Project

Job: TypeAlias = Callable[[Place, Question, Progress], Any]

NICE: Final = 5
"""How much a job that nobody waits for stands back for the server and for the agent's work."""


class Here:
    """A project for a page that is made here."""

    def __init__(self, project: Project) -> None:
        self.project = project

    @property
    def place(self) -> Place:
        """Where it lies."""
        return self.project.place

    @property
    def reader(self) -> Reader:
        """Its ledger."""
        return self.project.ledger.reader


def gate(place: Place, question: Question, progress: Progress) -> Any:
    """Look at everything that a clear of the newest session needs."""
    del question, progress
    from holdfast.stores.sessions import open_ids
    from holdfast.wiring.gate import look

    os.nice(NICE)
    with _project(place) as project:
        project.views.fold_up(project.ledger.reader)
        sessions: Any = project.views.items("sessions")
        if project.ledger.session_id is None:  # else the one that the settings name
            project.ledger.session_id = next(reversed(open_ids(sessions)), None)
        report = look(project)
    told: dict[str, Any] = msgspec.to_builtins(report)
    told["count"] = len(report.blocks)
    told["blocks"] = told["blocks"][:WEB_BLOCKS_MAX]
    return told


def at(place: Place, question: Question, progress: Progress) -> Any:
    """Make a page about a moment, or about two."""
    del progress
    from holdfast.wiring.web_time import folded

    with _project(place) as project:
        return folded(Here(project), question.job, Asked(question.key, question.query))


def boot(place: Place, question: Question, progress: Progress) -> Any:
    """Boot a save from the log alone, and say how that went."""
    from holdfast.wiring.booting import boot as boots
    from holdfast.wiring.looking import open_reader
    from holdfast.wiring.saves import SavesFolder

    os.nice(NICE)
    save = SavesFolder(place.saves).find(question.key)
    try:
        with closing(open_reader(place.database)) as reader:
            booted = boots(reader, save, database=place.database, progress=progress)
    except BootFailed as failed:
        where = {"step": failed.step, "expected": failed.expected, "found": failed.found}
        return {"state": "failed", "why": failed.what, "remedy": failed.remedy} | where
    except Damaged as problem:
        return {"state": "failed", "why": problem.what, "remedy": "Run `holdfast verify`."}
    return {"state": "works", "steps": len(booted.steps), "digests": len(booted.digests)}


def views(place: Place, question: Question, progress: Progress) -> Any:
    """Bring the views up to date."""
    del question
    from holdfast.index.views import Views
    from holdfast.wiring.looking import open_reader

    with closing(open_reader(place.database)) as reader, Views(str(place.views)) as kept:
        return {"size": kept.catch_up(reader, progress=progress)}


JOBS: Final[Mapping[str, Job]] = {
    "gate": gate,
    "at": at,
    "diff": at,
    "boot": boot,
    "views": views,
}


@contextmanager
def _project(place: Place) -> Iterator[Project]:
    """Open the project without taking anything in: this process only looks."""
    from holdfast import config
    from holdfast.wiring.project import open_project

    settings = config.load(place.settings).settings
    with open_project(place, settings, Actor("holdfast", "web"), takes_in=False) as project:
        yield project


def main(database: str) -> None:
    """Answer until the input ends."""
    questions: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(questions,), daemon=True).start()
    while True:
        _say(_answered(Place(Path(database)), questions.get()))


def _read(questions: SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        questions.put(line)
    if os.getpgrp() == os.getpid():  # git, or whatever else was started for an answer
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _answered(place: Place, line: bytes) -> Reply:
    try:
        question = msgspec.json.decode(line, type=Question)
        answer = JOBS[question.job](place, question, _tell)
        return Reply(answer=msgspec.Raw(msgspec.json.encode(answer)))
    except HoldfastError as problem:
        kind = type(problem).__name__
        told = Problem(kind, problem.what, problem.meaning, problem.remedy)
    except Exception as problem:  # the server says so on the page
        what = f"The page failed: {type(problem).__name__}: {problem}"
        told = Problem("CouldNotLook", what, "Nothing was found out.", "`holdfast doctor`")
    return Reply(problem=told)


def _tell(done: int, total: int) -> None:
    _say(Reply(far=(done, total)))


def _say(reply: Reply) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
