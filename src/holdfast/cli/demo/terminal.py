"""A terminal for the demo: runs `holdfast` in processes of its own, and keeps what they say."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec


class Terminal:
    """Types commands in a folder. What was typed and what was answered is in `lines`."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[str] = []
        self.ok = True
        """Whether every command so far exited as it should."""
        self._folder = folder

    def __call__(self, *arguments: str) -> str:
        """Run a command; return what it answered, data and talk alike."""
        return self._shown(arguments, code=0)

    def refused(self, *arguments: str) -> str:
        """Run a command that must answer no, with exit code 1; return what it answered."""
        return self._shown(arguments, code=1)

    def quietly(self, *arguments: str, code: int = 0) -> list[Any]:
        """Run a command with --json; return its lines, and show nothing."""
        answer = self._run((*arguments, "--json"), stderr=subprocess.DEVNULL, code=code)
        return [msgspec.json.decode(line) for line in answer.splitlines()]

    @staticmethod
    def environment() -> dict[str, str]:
        """Return this environment without what would lead to a ledger or session of the user's."""
        kept = {name: value for name, value in os.environ.items() if name[:9] != "HOLDFAST_"}
        return {**kept, "NO_COLOR": "1", "COLUMNS": "100"}

    def _shown(self, arguments: tuple[str, ...], *, code: int) -> str:
        said = self._run(arguments, stderr=subprocess.STDOUT, code=code)
        self.lines += [f"$ holdfast {shlex.join(arguments)}", *said.splitlines()]
        return said

    def _run(self, arguments: tuple[str, ...], *, stderr: int, code: int) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "holdfast", *arguments],
            cwd=self._folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=stderr,
            stdin=subprocess.DEVNULL,
            check=False,
            text=True,
        )
        self.ok = self.ok and done.returncode == code
        return done.stdout
