"""A command that somebody wants run, here and now: by its arguments, without a shell.

It has no input. Of its output the end is kept, and how much came before is said. It is ended, with
whatever it started, when it takes too long.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import CHECK_OUTPUT_BYTES_MAX, CHECK_TIMEOUT_S

_CHUNK_BYTES: Final = 64 * 1024
_LOOK_MS: Final = 50
"""How often to see whether a command ended that left its output open to others."""


class Ran(msgspec.Struct, frozen=True):
    """How a command came out."""

    exit_code: int | None
    """Negative for a signal; None when it was ended because it took too long."""
    output: str
    """Both streams as they came, the end; it says so when there was more."""
    timeout_s: float

    @property
    def passed(self) -> bool:
        """It ended by itself and said that all is well."""
        return self.exit_code == 0


def run(argv: Sequence[str], *, folder: Path, timeout_s: float = CHECK_TIMEOUT_S) -> Ran:
    """Run a command to its end, or to the end of its time."""
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that it can be ended with whatever it started
        )
    except (OSError, ValueError) as error:
        raise CouldNotLook(
            f"{argv[0]!r} could not be started: {error}.",
            meaning="Nothing was found out, and nothing was recorded.",
            remedy="Name a program that is there, behind `--`.",
        ) from error
    kept = _Tail(CHECK_OUTPUT_BYTES_MAX)
    try:
        in_time = _watch(process, kept, time.monotonic() + timeout_s)
    except BaseException:
        _end(process)
        raise
    if not in_time:
        _end(process)
        return Ran(None, f"{kept.text()}\n… ended after {timeout_s:g} s", timeout_s)
    assert process.stdout is not None
    process.stdout.close()
    return Ran(process.wait(), kept.text(), timeout_s)


def _watch(process: subprocess.Popen[bytes], kept: _Tail, deadline: float) -> bool:
    """Take the output until the command is over; False when time runs out first."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    poll = select.poll()
    poll.register(pipe, select.POLLIN | select.POLLHUP)
    while time.monotonic() < deadline:
        if poll.poll(_LOOK_MS):
            part = os.read(pipe, _CHUNK_BYTES)
            if part:
                kept.take(part)
                continue
            return _ends_by(process, deadline)
        if process.poll() is not None:
            return True  # others hold its output, and say nothing
    return False


def _ends_by(process: subprocess.Popen[bytes], deadline: float) -> bool:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # should it have left its group
    assert process.stdout is not None
    process.stdout.close()
    process.wait()


class _Tail:
    """The end of a stream of bytes."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._kept = bytearray()
        self._gone = 0

    def take(self, part: bytes) -> None:
        self._kept += part
        over = len(self._kept) - self._bytes_max
        if over > 0:
            del self._kept[:over]
            self._gone += over

    def text(self) -> str:
        text = self._kept.decode("utf-8", "replace")
        return f"… the first {self._gone:,} bytes are left out\n{text}" if self._gone else text
