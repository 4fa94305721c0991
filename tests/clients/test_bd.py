"""The real `bd`: what the recorded one is trusted to do, done by the one that people have."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.evidence.beads.program import Program
from holdfast.kernel.errors import CouldNotLook
from tests.cli.harness import Holdfast
from tests.evidence.beads.places import remark, wanted

pytestmark = pytest.mark.clients


@pytest.fixture
def root(programs: Path, tmp_path: Path) -> Path:
    """A git repository that `bd` keeps issues of."""
    root = tmp_path / "project"
    root.mkdir()
    for words in (["git", "init", "-q"], [str(programs / "bd"), "init", "--prefix", "bd"]):
        subprocess.run(words, cwd=root, check=True, capture_output=True, timeout=120)
    return root


def test_an_issue_is_made_changed_linked_commented_and_closed(programs: Path, root: Path) -> None:
    bd = Program(root, str(programs / "bd"), timeout_s=60)
    assert bd.issue("hf-1a2b") is None
    bd.put(wanted("hf-0000"))
    made = bd.put(wanted(remarks=[remark()], depends_on=["hf-0000"]))
    assert (made.title, made.depends_on) == ("Rotate tokens", ["hf-0000"])
    bd.put(wanted(remarks=[remark()], title="--force it", status="in_progress"))
    closed = bd.put(wanted(remarks=[remark()], status="closed", close_reason="merged"))
    assert (closed.status, len(closed.comments)) == ("closed", 1)
    assert {one.id for one in bd.issues().issues} == {"hf-0000", "hf-1a2b"}


def test_a_folder_without_a_database_is_not_an_empty_list(programs: Path, tmp_path: Path) -> None:
    (tmp_path / ".beads").mkdir()
    with pytest.raises(CouldNotLook):
        Program(tmp_path, str(programs / "bd"), timeout_s=60).issues()


def test_tasks_are_mirrored_and_imported(programs: Path, root: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    holdfast = Holdfast(root, tmp_path / "home")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"

    def run(*words: str) -> Any:
        done = holdfast(*words, "--json", PATH=path)
        assert (done.code, done.err) == (0, "")
        return done.json()

    run("init")
    task = run("task", "add", "Rotate", "--priority", "0")["task"]
    run("task", "start", task)
    run("task", "close", task, "--reason", "merged")
    assert run("task", "import")["unchanged"] == 1
