"""The real `ck`: it is found, says its version, and searches without a model."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from holdfast.evidence.ck import search
from holdfast.evidence.programs import Ran, run
from holdfast.kernel.errors import CouldNotLook
from tests.cli.harness import Holdfast

pytestmark = pytest.mark.clients


def ck(programs: Path, folder: Path, *words: str) -> Ran:
    return run(
        [str(programs / "ck"), *words],
        folder=folder,
        env={"HOME": str(folder), "PATH": "/usr/bin:/bin"},
        timeout_s=60,
        bytes_max=1_000_000,
    )


def test_it_says_its_version(programs: Path, tmp_path: Path) -> None:
    ran = ck(programs, tmp_path, "--version")
    assert (ran.code, bool(re.fullmatch(rb"ck \d+\.\d+\.\d+\n", ran.out))) == (0, True)


def test_it_searches_without_a_model(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def rotate_tokens():\n    return 1\n")
    ran = ck(programs, tmp_path, "--jsonl", "rotate_tokens", ".")
    [hit] = [json.loads(line) for line in ran.out.splitlines()]
    assert hit["path"].endswith("a.py")


def test_its_pins_hold_until_another_program_has_its_name(programs: Path, tmp_path: Path) -> None:
    folder, home, other = tmp_path / "project", tmp_path / "home", tmp_path / "bin"
    for made in (folder, home, other):
        made.mkdir()
    (folder / ".loa-version.json").write_text('{"dependencies": {"ck": {"version": ">=0.7.0"}}}')
    holdfast = Holdfast(folder, home)
    holdfast("init")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    pinned = holdfast("integrity", "--pin", "--json", PATH=path)
    assert (pinned.code, pinned.json()["ok"]) == (0, True)
    assert "Pinned: ck 0." in pinned.err
    assert holdfast("integrity", PATH=path).code == 0
    (other / "ck").write_text("#!/bin/sh\necho ck 0.8.1\n")
    (other / "ck").chmod(0o755)
    drifted = holdfast("integrity", "--json", PATH=f"{other}{os.pathsep}{path}")
    assert (drifted.code, drifted.json()["ok"]) == (1, False)


def test_without_a_model_it_could_not_look_and_found_not_nothing(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.py").write_text("def rotate_tokens():\n    return 1\n")
    with pytest.raises(CouldNotLook):
        search(str(programs / "ck"), project, "payment refunds", 0.4)
