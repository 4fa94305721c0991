"""The guide to forks: its commands run, and answer what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.harness import Holdfast

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "forks.md"
OPEN = re.compile(r"fork-[0-9a-f]{12}")


@pytest.mark.req("L2")
def test_its_commands_answer_what_it_shows(bare: Holdfast) -> None:
    bins = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    codes, fork = {}, ""
    for session in re.findall(r"```console\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            done = subprocess.run(
                ["sh", "-c", f"exec 2>&1; {typed.replace('fork-FORK', fork)}"],
                cwd=bare.folder,
                env=bare.env(PATH=bins),
                capture_output=True,
                text=True,
                check=False,
            )
            codes[" ".join(typed.split()[1:3])] = done.returncode
            fork = next(iter(OPEN.findall(done.stdout)), fork)
            if shown:
                assert OPEN.sub("fork-FORK", done.stdout) == shown, typed
    assert codes == {
        "init": 0,
        'decide "Keep': 1,
        'decide "Expire': 0,
        "fork resolve": 0,
        "fork list": 0,
        "fork check": 1,
    }
