"""Which process is which: its number, and what tells it from a later one with the same number.

A session lives and dies with a process, its holder. Whether a holder is gone is said only when it
is known: what cannot be looked at counts as alive.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Final, Protocol

import msgspec

from holdfast.kernel.types import Holder

ANCESTORS_MAX: Final = 64
"""Generations of processes that are looked at."""

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"})
_LAUNCHERS: Final = frozenset({"uv", "uvx", "timeout", "sudo"})
"""Programs that run one command and wait for it."""


class Processes(Protocol):
    """What sessions ask about processes."""

    def holder(self, pid: int) -> Holder | None:
        """Return how a process is known, None when it is not there or cannot be looked at."""

    def is_gone(self, holder: Holder) -> bool:
        """Tell whether a process is known to have ended."""

    def line(self) -> list[Holder]:
        """Return this process, its parent, and so on."""


class SystemProcesses:
    """The processes of this machine."""

    def holder(self, pid: int) -> Holder | None:
        """Return how a process is known, None when it is not there or cannot be looked at."""
        found = _look(pid)
        return None if found is None else Holder(pid, found.started)

    def is_gone(self, holder: Holder) -> bool:
        """Tell whether a process is known to have ended."""
        if not _exists(holder.pid):
            return True
        found = _look(holder.pid)
        return found is not None and (found.ended or found.started != holder.started)

    def line(self) -> list[Holder]:
        """Return this process, its parent, and so on."""
        pid, found = os.getpid(), list[Holder]()
        while pid > 0 and len(found) < ANCESTORS_MAX:
            process = _look(pid)
            if process is None:
                break
            found.append(Holder(pid, process.started))
            pid = process.parent
        return found


def caller(pid: int | None = None) -> int:
    """Return the process that runs this command: its parent, or whoever told a shell to run it.

    A shell that was started for one command (`sh -c`) is gone with it, and holds nothing; the same
    goes for other programs that run one command.
    """
    pid = os.getppid() if pid is None else pid
    for _ in range(ANCESTORS_MAX):
        process = _look(pid)
        if process is None or process.parent <= 0 or not _runs_one_command(_arguments(pid)):
            break
        pid = process.parent
    return pid


class _Process(msgspec.Struct, frozen=True):
    parent: int
    started: str
    ended: bool
    """It is over, and only its parent has not asked how it went."""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # it is somebody else's, or cannot be asked for
    return True


def _look(pid: int) -> _Process | None:
    if pid <= 0:
        return None
    return _look_in_proc(pid) if _has_proc() else _ask_ps(pid)


@cache
def _has_proc() -> bool:
    return Path("/proc/self/stat").exists()


def _look_in_proc(pid: int) -> _Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # the name stands in parentheses and may hold anything, parentheses too
    fields = stat.rpartition(")")[2].split()
    return _Process(int(fields[1]), f"{_boot()}:{fields[19]}", fields[0] in "ZXx")


@cache
def _boot() -> str:
    """Return what tells this start of the machine from others."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _ask_ps(pid: int) -> _Process | None:
    said = _ps(pid, "ppid=,stat=,lstart=").split(maxsplit=2)
    if len(said) < 3:
        return None
    return _Process(int(said[0]), " ".join(said[2].split()), said[1].startswith("Z"))


def _ps(pid: int, fields: str) -> str:
    import subprocess

    try:
        done = subprocess.run(
            ["ps", "-o", fields, "-p", str(pid)],
            env={"LC_ALL": "C", "PATH": os.defpath, "TZ": "UTC"},
            capture_output=True,
            check=False,
            text=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def _arguments(pid: int) -> list[str]:
    if not _has_proc():
        return _ps(pid, "args=").split()
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
    except OSError:
        return []


def _runs_one_command(arguments: list[str]) -> bool:
    """Tell a shell that was handed its one command from a shell that goes on."""
    name = arguments[0].rpartition("/")[2].lstrip("-") if arguments else ""
    if name not in _SHELLS:
        return name in _LAUNCHERS
    options = takewhile(lambda word: word.startswith("-"), arguments[1:])
    return any("c" in word and not word.startswith("--") for word in options)
