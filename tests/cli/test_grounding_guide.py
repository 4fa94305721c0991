"""The guide to grounding: its commands run, and answer what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.evidence import citations
from tests.cli.harness import Holdfast

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "grounding.md"


def without_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f-]{16,}\b", "#", text)


@pytest.mark.req("L7", "L19")
def test_its_commands_answer_what_it_shows(bare: Holdfast) -> None:
    bin_folder = str(Path(sys.executable).parent)
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    for session in re.findall(r"```console\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            typed, _, shown = part.partition("\n")
            done = subprocess.run(
                ["sh", "-c", typed],
                cwd=bare.folder,
                env=bare.env(PATH=path),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=True,
            )
            if typed != "holdfast init":
                assert without_ids(done.stdout) == without_ids(shown), typed


def test_it_names_every_fault_and_every_state() -> None:
    faults = {
        value
        for name, value in vars(citations).items()
        if name.isupper() and isinstance(value, str) and re.fullmatch(r"[a-z]+-[a-z]+", value)
    }
    assert len(faults) > 9
    text = GUIDE.read_text()
    assert [fault for fault in sorted(faults) if f"`{fault}`" not in text] == []
    for state in ("exact", "moved", "changed", "gone", "unreadable", "refused"):
        assert f"| `{state}` |" in text
