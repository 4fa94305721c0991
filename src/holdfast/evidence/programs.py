"""Other people's programs: found outside of the project, started without a shell, and bounded in
time and in what they say.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec

from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import PROGRAM_BYTES_READ

_TICK_S: Final = 0.05
"""How soon the end of a program is noticed whose children keep its output open."""


class Ran(msgspec.Struct, frozen=True):
    """How a program ended, and what it said."""

    code: int
    out: bytes
    err: bytes


def find(name: str, root: Path) -> str | None:
    """Return where a program is on the path; None when it is nowhere.

    Whoever wrote a project must not decide what runs here. So what lies below its root is passed
    over, also by a link or a relative folder; raises CouldNotLook when there is no other.
    """
    import shutil  # what it brings along is wanted by few who look for programs

    home = os.path.realpath(root)
    passed_over = None
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = shutil.which(name, path=folder or os.curdir)
        if found is None:
            continue
        if Path(folder).is_absolute() and not any(
            Path(os.path.realpath(place)).is_relative_to(home) for place in (folder, found)
        ):
            return found
        passed_over = passed_over or os.path.realpath(found)
    if passed_over is None:
        return None
    raise CouldNotLook(
        f"The `{name}` on the path is {passed_over}, a file of the project itself.",
        meaning="It was not run: whoever wrote the project would decide what runs here.",
        remedy="Install it outside of the project.",
    )


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    timeout_s: float,
    bytes_max: int,
) -> Ran:
    """Run a program to its end. One that takes too long or says too much is stopped."""
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise _stopped(argv, f"cannot be started: {error}") from error
    try:
        return _listen(process, argv, timeout_s, bytes_max)
    finally:
        _end(process)


def _listen(
    process: subprocess.Popen[bytes], argv: Sequence[str], timeout_s: float, bytes_max: int
) -> Ran:
    assert process.stdout is not None
    assert process.stderr is not None
    said: dict[IO[bytes], bytearray] = {
        process.stdout: bytearray(),
        process.stderr: bytearray(),
    }
    deadline = time.monotonic() + timeout_s
    with selectors.DefaultSelector() as selector:
        for stream in said:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            ended = process.poll() is not None
            ready = selector.select(0 if ended else _TICK_S)
            for key, _ in ready:
                stream = key.fileobj  # type: ignore[assignment]
                part = os.read(key.fd, PROGRAM_BYTES_READ)
                said[stream] += part
                if not part:
                    selector.unregister(stream)
            if sum(map(len, said.values())) > bytes_max:
                raise _stopped(argv, f"said more than {bytes_max:,} bytes and was stopped")
            if ended and not ready:
                break  # what it left behind in the background keeps its output open
            if time.monotonic() > deadline:
                raise _stopped(argv, f"did not end within {timeout_s:g} s and was stopped")
    try:
        code = process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise _stopped(argv, f"did not end within {timeout_s:g} s and was stopped") from error
    return Ran(code, bytes(said[process.stdout]), bytes(said[process.stderr]))


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def _stopped(argv: Sequence[str], why: str) -> CouldNotLook:
    return CouldNotLook(
        f"`{' '.join((Path(argv[0]).name, *argv[1:3]))}` {why}.",
        meaning="What it would have said is not known.",
        remedy="Run it by hand to see what keeps it.",
    )
