"""A program in a terminal: keys go in, and what stands on its screen can be read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyte

COLUMNS, ROWS = 120, 60
ENTER = b"\r"


class Screen:
    """What a program shows, and the keyboard it listens to."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._shown = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._shown)

    def text(self) -> str:
        """Return what stands there, each blank between words one blank, as lines break anywhere."""
        return " ".join(" ".join(self._shown.display).split())

    def wait_for(self, words: str, timeout_s: float = 60) -> None:
        """Wait until something stands there."""
        deadline = time.monotonic() + timeout_s
        while words not in self.text():
            left = deadline - time.monotonic()
            assert left > 0, f"{words!r} never stood there; what does:\n{self.lines()}"
            assert self._take(left), f"it ended:\n{self.lines()}"

    def type(self, words: str) -> None:
        """Type a line; Enter counts once the line is seen to stand there."""
        os.write(self._terminal, words.encode())
        self.wait_for(f"❯ {words}")
        os.write(self._terminal, ENTER)

    def leave(self, words: str, timeout_s: float = 60) -> None:
        """Type what ends the program, and wait until it is gone."""
        self.type(words)
        deadline = time.monotonic() + timeout_s
        while self._take(deadline - time.monotonic()):
            assert time.monotonic() < deadline, f"it did not end:\n{self.lines()}"

    def lines(self) -> str:
        """Return the screen as it is."""
        return "\n".join(line.rstrip() for line in self._shown.display if line.strip())

    def _take(self, timeout_s: float) -> bool:
        """Take what the program writes within a time; say whether it is still there."""
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, timeout_s))
        if ready:
            try:
                self._stream.feed(os.read(self._terminal, 65536))
            except OSError:  # so a terminal says that the program is gone
                return False
        return True


@contextmanager
def on_screen(program: Path, folder: Path, env: Mapping[str, str]) -> Iterator[Screen]:
    """Run a program in a terminal of its own; it is ended by its id."""
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover - the program takes its place
        os.chdir(folder)
        os.execve(program, [str(program)], {"TERM": "xterm-256color", **env})
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        yield Screen(terminal)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(terminal)
