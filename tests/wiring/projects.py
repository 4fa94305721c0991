"""Projects for tests of StateManager: what other processes do to them, and what was recorded."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import holdfast


def elsewhere(script: str, **env: str) -> str:
    """Run a script in a process of its own, warnings being errors; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"from holdfast import StateManager\n{script}"],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def killed(script: str) -> str:
    """Run a script in a process that is killed as soon as it has printed its last line."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"from holdfast import StateManager\n{script}\nprint('.', flush=True); input()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = list(iter(process.stdout.readline, ".\n"))
    process.kill()
    process.communicate()
    return "".join(lines).strip()


def entries(*types: str) -> list[holdfast.Entry]:
    with holdfast.open(".") as ledger:
        return [entry for entry in ledger.read() if not types or entry.type in types]


def data(*types: str) -> list[Any]:
    return [entry.value() for entry in entries(*types)]
