"""What a person would see: `holdfast` on a terminal of a given width, drawn by an emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyte

from tests.cli.harness import Holdfast

LINES = 200
LINK = re.compile(rb"\x1b\]8;[^;]*;([^\x1b]*)\x1b\\")


class Screen:
    """What was on it when the process ended."""

    def __init__(self, raw: bytes, columns: int, code: int) -> None:
        self.raw = raw
        self.code = code
        self._screen = pyte.Screen(columns, LINES)
        # the emulator knows no links; a terminal shows the text between their marks
        pyte.ByteStream(self._screen).feed(re.sub(rb"\x1b\]8;.*?\x1b\\", b"", raw))

    @property
    def rows(self) -> list[str]:
        rows = [row.rstrip() for row in self._screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def text(self) -> str:
        return "\n".join(self.rows)

    @property
    def links(self) -> list[str]:
        return [found.decode() for found in LINK.findall(self.raw) if found]

    def colour(self, text: str) -> str:
        """Return the colour of the first place that shows a text."""
        for y, row in enumerate(self._screen.display):
            if (x := row.find(text)) >= 0:
                cell: Any = self._screen.buffer[y][x]
                return ("bold " if cell.bold else "") + str(cell.fg)
        raise AssertionError(f"{text!r} is not on the screen")


def on_terminal(
    holdfast: Holdfast,
    *args: str | Path,
    columns: int = 80,
    command: list[str] | None = None,
    answer: Callable[[bytes], bytes] = lambda _: b"",
    **env: str,
) -> Screen:
    """Run a command whose input and output are a terminal, to its end.

    `answer` is given what was shown so far, and returns what somebody types then.
    """
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    plain = {name: value for name, value in holdfast.env(**env).items() if name not in _TOLD}
    process = subprocess.Popen(
        command or holdfast.command(*args),
        cwd=holdfast.folder,
        env={"TERM": "xterm-256color", **plain, **env},
        stdin=other,
        stdout=other,
        stderr=other,
        start_new_session=True,
        preexec_fn=_take_terminal,
    )
    os.close(other)
    raw = b""
    try:
        while chunk := _read(main):
            raw += chunk
            os.write(main, answer(raw))
        return Screen(raw, columns, process.wait(60))
    finally:
        process.kill()
        process.wait()
        os.close(main)


def _take_terminal() -> None:
    """Make what is stdin the process's own terminal, so that Ctrl-C on it is a signal."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


_TOLD = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM", "CI"}
"""What would tell a program another terminal than the one it has."""


def _read(main: int) -> bytes:
    try:
        return os.read(main, 65536)
    except OSError:  # the other side was closed: the process has ended
        return b""
