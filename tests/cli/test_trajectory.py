"""The trajectory through the command line: every decision once, whatever happens to the files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import Holdfast


def folder(holdfast: Holdfast) -> Path:
    return holdfast.folder / ".holdfast" / "trajectory"


def files(holdfast: Holdfast) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder(holdfast).iterdir())}


def told(holdfast: Holdfast, phase: str) -> list[Any]:
    lines = [json.loads(line) for one in files(holdfast).values() for line in one.splitlines()]
    return [line for line in lines if line["phase"] == phase]


@pytest.mark.req("L10")
def test_every_decision_is_told_once_before_and_after_a_seal(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    made = [holdfast.record("decision", n, "--session", "s1")["id"] for n in range(6)]
    assert [line["decision_id"] for line in told(holdfast, "decision")] == made
    assert holdfast("seal", "--keep", "1").code == 0
    made.append(holdfast.record("decision", 9, "--session", "s1")["id"])
    assert [line["decision_id"] for line in told(holdfast, "decision")] == made
    shutil.rmtree(folder(holdfast))
    made.append(holdfast.record("decision", 10, "--session", "s1")["id"])
    assert [line["decision_id"] for line in told(holdfast, "decision")] == made


@pytest.mark.req("L10")
def test_the_files_come_back_byte_for_byte(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    for kind in ("decision", "fork_opened", "gate_ran", "handoff_made", "healed", "delta_synced"):
        holdfast.record(kind, 1, "--session", "s1")
    before = files(holdfast)
    shutil.rmtree(folder(holdfast))
    holdfast.record("prompt_given", 1)
    assert files(holdfast) == before
    for path in folder(holdfast).iterdir():
        path.write_bytes(path.read_bytes()[:50])
    holdfast.record("prompt_given", 2)
    assert files(holdfast) == before


@pytest.mark.lesson("L6")
def test_a_failed_checkpoint_is_told_as_failed(holdfast: Holdfast) -> None:
    holdfast.record("gate_ran", 1, passed=False)
    holdfast.record("gate_ran", 2, passed=True)
    lines = told(holdfast, "synthesis_checkpoint")
    assert [line["status"] for line in lines] == ["failed", "passed"]


def test_the_files_are_for_the_owner_alone(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    assert folder(holdfast).stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder(holdfast).iterdir())


def test_a_link_in_their_place_is_not_followed(holdfast: Holdfast, tmp_path: Path) -> None:
    holdfast.record("decision", 1)
    outside = tmp_path / "outside"
    outside.write_text("theirs\n")
    [path] = folder(holdfast).iterdir()
    path.unlink()
    path.symlink_to(outside)
    holdfast.record("decision", 2)
    assert outside.read_text() == "theirs\n"
    assert not path.is_symlink()
    assert len(told(holdfast, "decision")) == 2
