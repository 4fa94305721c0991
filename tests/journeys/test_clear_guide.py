"""The guide to clearing: every command of the page runs, and answers what is printed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "clear.md"
BIN = Path(sys.executable).parent


def parts() -> list[tuple[str, str]]:
    """Return each command of the page with what is printed below it."""
    found = []
    for snippet in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", snippet, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            found.append((typed, shown))
    return found


@pytest.mark.req("L5")
@pytest.mark.req("L15")
def test_the_guide_runs_and_shows_what_is_answered(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    foreign = {name: value for name, value in os.environ.items() if name[:9] != "HOLDFAST_"}
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    env = {**foreign, "PATH": path, "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    ran = 0
    for typed, shown in parts():
        done = subprocess.run(
            ["sh", "-c", typed],
            cwd=project,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == (1 if "Cannot clear" in shown else 0), (typed, done.stdout)
        if typed != "holdfast init":
            assert plain(done.stdout) == plain(shown), typed
        ran += 1
    assert ran >= 15


def plain(text: str) -> str:
    """Put a mark in the place of every id."""
    return re.sub(r"\b[0-9a-f-]{16,}\b", "#", text)
