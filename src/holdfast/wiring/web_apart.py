"""Work of the web page that takes much memory or time, in a process beside the server.

A process is asked one thing at a time, within a time limit, and ends when nobody asks for a while:
what its work took of memory goes with it. It holds the other end of a pipe and ends with the
server, however that ends. What it does is in `web_job`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.kernel import errors
from holdfast.kernel.errors import CouldNotLook, HoldfastError
from holdfast.kernel.limits import WEB_ANSWER_BYTES_MAX
from holdfast.web.values import Progress
from holdfast.wiring.places import Place

_package_folder: Final = str(Path(__file__).parents[2])


class Question(msgspec.Struct, frozen=True):
    """What a process is asked: a line of JSON."""

    job: str
    key: str = ""
    query: dict[str, str] = {}


class Problem(msgspec.Struct, frozen=True):
    """A refusal, as it crosses the pipe."""

    kind: str
    what: str
    meaning: str = ""
    remedy: str = ""


class Reply(msgspec.Struct, frozen=True):
    """A line that comes back: how far it is, or the answer, or why there is none."""

    far: tuple[int, int] | None = None
    """How much is done, and of how much; then more is to come."""
    problem: Problem | None = None
    answer: msgspec.Raw = msgspec.Raw(b"null")


def nothing(_done: int, _total: int) -> None:
    """Tell nobody how far it is."""


class Apart:
    """A process that is there while it is needed. Safe to ask from several threads."""

    def __init__(self, place: Place, *, what: str, remedy: str, idle_s: float = 0.0) -> None:
        self._place = place
        self._what = what
        self._remedy = remedy
        self._idle_s = idle_s
        self._asking = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._resting: threading.Timer | None = None
        self._closed = False
        self._late = False

    @property
    def pid(self) -> int | None:
        """The process, while there is one."""
        process = self._process
        return None if process is None else process.pid

    def ask(self, question: Question, limit_s: float, progress: Progress = nothing) -> msgspec.Raw:
        """Return what a process answers; what it refuses is raised here."""
        with self._asking:
            self._rest_no_more()
            process = self._started()
            self._late = False
            timer = threading.Timer(limit_s, self._too_late, (process,))
            timer.daemon = True
            timer.start()
            is_whole = False
            try:
                reply = self._reply(process, question, progress, limit_s)
                is_whole = True
            finally:
                timer.cancel()
                self._rest(process, is_whole=is_whole)
        if reply.problem is not None:
            raise _error(reply.problem)
        return reply.answer

    def close(self) -> None:
        """End the process; whoever waits for it is told so, and none is started again."""
        self._closed = True
        process = self._process
        if process is not None:
            _end(process)  # whoever waits for it goes on, and lets the next in
        with self._asking:
            self._rest_no_more()
            if self._process is not None:
                self._let_go(self._process)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise self._could_not("the server ends")
        if self._process is None or self._process.poll() is not None:
            path = os.pathsep.join(filter(None, (_package_folder, os.environ.get("PYTHONPATH"))))
            self._process = subprocess.Popen(
                # -P: modules of the folder that we happen to stand in are none of ours.
                [sys.executable, "-P", "-m", "holdfast.wiring.web_job", str(self._place.database)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # what it has to say it answers
                env={**os.environ, "PYTHONPATH": path},
                start_new_session=True,  # so that it can be ended with all that it started
            )
            if self._closed:  # in between
                _end(self._process)
        return self._process

    def _reply(
        self,
        process: subprocess.Popen[bytes],
        question: Question,
        progress: Progress,
        limit_s: float,
    ) -> Reply:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):  # it ended; then there is no answer to read
            process.stdin.write(msgspec.json.encode(question) + b"\n")
            process.stdin.flush()
        while line := process.stdout.readline(WEB_ANSWER_BYTES_MAX):
            if not line.endswith(b"\n"):
                break
            reply = msgspec.json.decode(line, type=Reply)
            if reply.far is None:
                return reply
            progress(*reply.far)
        if self._late:
            raise self._could_not(f"it took longer than {limit_s:g} s")
        raise self._could_not("the process for it ended without an answer")

    def _too_late(self, process: subprocess.Popen[bytes]) -> None:
        self._late = True
        _end(process)

    def _rest(self, process: subprocess.Popen[bytes], *, is_whole: bool) -> None:
        """Let the process go, when nobody asks for a while, or now."""
        if self._idle_s <= 0 or not is_whole or self._closed:
            self._let_go(process)
            return
        self._resting = threading.Timer(self._idle_s, self._rested, (process,))
        self._resting.daemon = True
        self._resting.start()

    def _rest_no_more(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None

    def _rested(self, process: subprocess.Popen[bytes]) -> None:
        with self._asking:
            if self._resting is not None and process is self._process:
                self._let_go(process)

    def _let_go(self, process: subprocess.Popen[bytes]) -> None:
        _end(process)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process = None

    def _could_not(self, why: str) -> CouldNotLook:
        return CouldNotLook(
            f"Could not {self._what}: {why}.",
            meaning="Nothing was found out, and nothing was changed.",
            remedy=self._remedy,
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and whatever it has started; it only looks, so nothing is torn."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _error(problem: Problem) -> HoldfastError:
    kind: Any = getattr(errors, problem.kind, None)
    plain = isinstance(kind, type) and issubclass(kind, HoldfastError)
    made: Callable[..., HoldfastError] = (
        kind if plain and kind is not errors.BootFailed else CouldNotLook
    )
    return made(problem.what, meaning=problem.meaning, remedy=problem.remedy)
