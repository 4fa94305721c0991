"""The owner's side of a parse worker: one child, asked one text at a time."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Final

import msgspec

from holdfast.code import CouldNotLook, Reading
from holdfast.code.patterns import PatternMap
from holdfast.code.source import checked_source
from holdfast.kernel.limits import (
    PARSE_ANSWER_BYTES_MAX,
    PARSE_MEMORY_BYTES_MAX,
    PARSE_SPARE_BYTES,
    PARSE_START_TIMEOUT_S,
    PARSE_TEXTS_MAX,
    PARSE_TIMEOUT_S,
)
from holdfast.workers.frames import HEADER_BYTES, Answer, Job, Read, Ready, Refused, framed
from holdfast.workers.python import command, places

_CHILD: Final = "holdfast.workers.child"
_START: Final = """
import sys
module, memory, sys.path[:] = sys.argv[1], sys.argv[2], sys.argv[3:]
# msgspec does without the first; grammars look for their own queries with the second, we have ours.
sys.modules["typing_extensions"] = None
resources = sys.modules["importlib.resources"] = type(sys)("importlib.resources")
resources.files = None
# A Python that can hash without OpenSSL, and tell dates without those in Python, goes without.
for own, other in (("_sha2", "_hashlib"), ("_sha256", "_hashlib"), ("_datetime", "datetime")):
    try:
        found = __import__(own)
    except ImportError:
        continue
    sys.modules[other] = found if other == "datetime" else None
__import__(module)
sys.modules[module].main(int(memory))
"""
"""What the child begins with: where modules are, and what is not loaded, as it takes as long as all
the rest together, and as much memory as the grammars."""
_TRIM_VARIABLE: Final = "MALLOC_TRIM_THRESHOLD_"
"""How the GNU C library is told what it may keep that nobody uses."""
_PIPE_BYTES: Final = 64 * 1024
_decoder: Final = msgspec.msgpack.Decoder(Answer)


class ParseWorker:
    """Read code in a child that is ended when it takes too long or too much.

    May be used by several threads: they wait for each other. `close` ends the child; a worker
    that is used again after that starts another.
    """

    def __init__(
        self,
        *,
        timeout_s: float = PARSE_TIMEOUT_S,
        memory_bytes: int = PARSE_MEMORY_BYTES_MAX,
        known: PatternMap | None = None,
    ) -> None:
        """`known` are patterns of the user's, for languages that have no grammar."""
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._known = known
        self._child: _Child | None = None
        self._lock = threading.Lock()

    def read_symbols(self, text: str, language: str, *, known: PatternMap | None = None) -> Reading:
        """Return the definitions of a text, or raise `CouldNotLook`.

        `known` takes the place of the patterns that the worker was made with.
        """
        checked_source(text)  # what is refused anyway need not travel
        with self._lock:
            child = self._ready_child()
            try:
                job = Job(text, language, self._timeout_s, known or self._known)
                answer = child.ask(job, self._timeout_s)
            except BaseException:
                self._end()  # whatever it was, its pipes are out of step
                raise
            if child.texts >= PARSE_TEXTS_MAX:
                self._end()
        match answer:
            case Read(reading):
                return reading
            case Refused(what, meaning, remedy):
                raise CouldNotLook(what, meaning=meaning, remedy=remedy)
            case Ready():
                raise AssertionError("a child is ready once")

    @property
    def pid(self) -> int | None:
        """The child's process id, None when there is none."""
        return None if self._child is None else self._child.pid

    def close(self) -> None:
        """End the child and wait until it is gone."""
        with self._lock:
            self._end()

    def __enter__(self) -> ParseWorker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _ready_child(self) -> _Child:
        if self._child is not None and not self._child.is_alive():
            self._end()  # it died between two texts; nobody asked it anything
        if self._child is None:
            self._child = _Child(self._memory_bytes)
            try:
                self._child.wait_until_ready()
            except BaseException:
                self._end()
                raise
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """One process and its two pipes."""

    def __init__(self, memory_bytes: int) -> None:
        self._process = subprocess.Popen(
            [*command(_START), _CHILD, str(memory_bytes), *places()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a parser that aborts says why to nobody
            env={**os.environ, _TRIM_VARIABLE: str(PARSE_SPARE_BYTES)},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._to, False)
        os.set_blocking(self._from, False)
        self.texts = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until_ready(self) -> None:
        self._receive(_Deadline(PARSE_START_TIMEOUT_S))

    def ask(self, job: Job, timeout_s: float) -> Answer:
        self.texts += 1
        deadline = _Deadline(timeout_s)
        self._send(framed(job), deadline)
        return self._receive(deadline)

    def end(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        self._process.wait()

    def _send(self, data: bytes, deadline: _Deadline) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._to, select.POLLOUT, deadline)
            try:
                rest = rest[os.write(self._to, rest[:_PIPE_BYTES]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._died() from None

    def _receive(self, deadline: _Deadline) -> Answer:
        size = int.from_bytes(self._take(HEADER_BYTES, deadline), "big")
        if size > PARSE_ANSWER_BYTES_MAX:
            raise _could_not(
                f"The reading of the text is larger than {PARSE_ANSWER_BYTES_MAX} bytes"
            )
        answer: Answer = _decoder.decode(self._take(size, deadline))
        return answer

    def _take(self, size: int, deadline: _Deadline) -> bytes:
        taken = bytearray()
        while len(taken) < size:
            self._wait(self._from, select.POLLIN, deadline)
            try:
                part = os.read(self._from, size - len(taken))
            except BlockingIOError:
                continue
            if not part:
                raise self._died()
            taken += part
        return bytes(taken)

    def _wait(self, pipe: int, event: int, deadline: _Deadline) -> None:
        poll = select.poll()
        poll.register(pipe, event)
        if not poll.poll(deadline.left_ms()):
            raise _could_not(f"The text took longer than {deadline.seconds:g} s to read")

    def _died(self) -> CouldNotLook:
        code = self._process.wait()
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return _could_not(f"The process that read the text went over its bounds and ended {how}")


class _Deadline:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    def left_ms(self) -> float:
        return max(0.0, self._at - time.monotonic()) * 1000


def _could_not(why: str) -> CouldNotLook:
    return CouldNotLook(
        f"{why}.",
        meaning="The code was not looked at; what it defines is not known.",
        remedy="Look at a part of it.",
    )
