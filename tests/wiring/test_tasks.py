"""Tasks beside Beads: mirrored where a project uses it, told when that fails, never in the way."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import BEADS_PARTS_MAX
from holdfast.testing import beads
from tests.cli.harness import Holdfast, Result


class Board:
    """A project with a ledger, Beads and the recorded `bd`."""

    def __init__(self, folder: Path) -> None:
        (folder / "home").mkdir()
        self.root = folder / "project"
        self.folder = beads.begin(self.root)
        self.bin = beads.install(folder / "bin").parent
        self.holdfast = Holdfast(self.root, folder / "home")
        self.holdfast("init")
        self.quirks = ""

    def __call__(self, *words: str | Path) -> Result:
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        return self.holdfast(*words, PATH=path, RECORDED_BD=self.quirks)

    def add(self, title: str, *options: str) -> str:
        done = self("task", "add", title, *options, "--json")
        assert done.code == 0, done.err
        return str(done.json()["task"])

    def issues(self) -> Any:
        return json.loads((self.folder / beads.STORE).read_text())["issues"]


@pytest.fixture
def board(tmp_path: Path) -> Board:
    return Board(tmp_path)


@pytest.mark.req("L14")
@pytest.mark.lesson("N16")
def test_every_change_of_a_task_reaches_bd(board: Board) -> None:
    first = board.add("Rotate tokens", "--priority", "0", "--kind", "bug")
    second = board.add("Migrate", "--depends-on", first)
    assert board.issues()[first] | {"metadata": None} == {
        "id": first,
        "title": "Rotate tokens",
        "status": "open",
        "priority": 0,
        "issue_type": "bug",
        "created_at": beads.NOW,
        "updated_at": beads.NOW,
        "created_by": "somebody",
        "metadata": None,
    }
    assert board.issues()[second]["dependencies"][0]["depends_on_id"] == first
    board("task", "start", first)
    board("task", "update", first, "--next", "look", "--blocker", "the key")
    board("task", "scenario", "Edge", "--type", "edge_case", "--expected", "grace")
    ours = board.issues()[first]["metadata"]["holdfast"]
    assert (ours["next_steps"], ours["blockers"]) == (["look"], ["the key"])
    assert ours["test_scenarios"] == [{"name": "Edge", "type": "edge_case", "expected": "grace"}]
    assert board.issues()[first]["status"] == "in_progress"
    closed = board("task", "close", first, "--reason", "merged")
    assert (closed.code, closed.err) == (0, "")
    assert board.issues()[first]["close_reason"] == "merged"
    board("task", "update", first, "--status", "open")
    assert board.issues()[first]["status"] == "open"


@pytest.mark.req("L14")
def test_decisions_and_handoffs_are_comments_each_once(board: Board) -> None:
    task = board.add("Rotate")
    grounds = {
        "cited": 1,
        "exact": 1,
        "task": task,
        "evidence": [{"path": "a.py", "line": 2, "quote": "x = 1", "state": "exact"}],
    }
    board.holdfast.record("decision", 0, choice="Rotate", reasoning="Replay.", grounds=grounds)
    board.holdfast.record("handoff_made", 0, task=task)
    for note in ("one", "two"):
        assert board("task", "update", task, "--note", note).err == ""
    said = [one["text"] for one in board.issues()[task]["comments"]]
    assert len(said) == 2
    assert said[0].startswith(
        "Decision: Rotate\nBecause: Replay.\n`x = 1` [${PROJECT_ROOT}/a.py:2]"
    )
    assert said[1].startswith("Handoff of session")


@pytest.mark.lesson("N7", "N16")
@pytest.mark.parametrize("quirk", ["forgets-metadata", "unreachable", "elsewhere", "chatty"])
def test_a_mirror_that_failed_is_told_and_the_ledger_has_the_task(board: Board, quirk: str) -> None:
    board.quirks = quirk
    done = board("task", "add", "Rotate", "--json")
    assert done.code == 0
    assert "Beads was not brought up to date; the ledger is." in done.err
    assert "bd init" not in done.err
    task = done.json()["task"]
    assert board("task", "show", task, "--json").json()["title"] == "Rotate"
    board.quirks = ""
    assert board("task", "update", task, "--note", "again").err == ""
    assert board.issues()[task]["metadata"]["holdfast"]["note"] == "again"


def test_what_a_task_depends_on_is_there_before_it(board: Board) -> None:
    one = board.holdfast("task", "add", "One", "--json").json()["task"]  # without `bd`
    two = board.holdfast("task", "add", "Two", "--depends-on", one, "--json").json()["task"]
    assert board.issues() == {}
    assert board("task", "update", two, "--note", "now").err == ""
    assert set(board.issues()) == {one, two}


def test_where_beads_is_not_used_nothing_is_started(board: Board) -> None:
    board.holdfast.settings.write_text('[tasks]\nbeads = "never"\n')
    board.quirks = "unreachable"
    assert board("task", "add", "Rotate").err == ""
    board.holdfast.settings.unlink()
    (board.folder / beads.STORE).unlink()
    for left in board.folder.iterdir():
        left.unlink()
    board.folder.rmdir()
    assert board("task", "add", "Rotate").err == ""


def test_tasks_are_imported_from_bd_and_an_unreachable_one_is_no_empty_list(board: Board) -> None:
    rows = {
        f"bd-{n}": {"id": f"bd-{n}", "title": f"Number {n}", "status": "open", "priority": 2}
        for n in range(60)
    }
    (board.folder / beads.STORE).write_text(json.dumps({"prefix": "bd", "issues": rows}))
    board.quirks = "unreachable"
    refused = board("task", "import", "--json")
    assert refused.code == 2
    assert "not the same as no tasks" in refused.err
    assert board.holdfast.entries() == []
    board.quirks = "envelope"
    assert board("task", "import", "--json").json()["added"] == 60
    assert board("task", "import", "--json").json()["unchanged"] == 60


def test_more_decisions_than_beads_is_given_are_counted(board: Board) -> None:
    task = board.holdfast("task", "add", "Rotate", "--json").json()["task"]
    grounds = {"cited": 0, "exact": 0, "task": task}
    for n in range(BEADS_PARTS_MAX + 2):
        board.holdfast.record("decision", n, grounds=grounds)
    exported = json.loads(board.holdfast("task", "export").out)
    ours = exported["metadata"]["holdfast"]
    assert (len(ours["decisions"]), ours["left_out"]) == (BEADS_PARTS_MAX, {"decisions": 2})
    assert ours["decisions"][-1]["decision"] == f"Way {BEADS_PARTS_MAX + 1}"


def test_long_titles_and_texts_fit_and_say_what_is_missing(board: Board) -> None:
    task = board.add("t" * 700, "--description", "d" * 20_000)
    assert board.issues()[task]["title"].endswith("… +212")
    assert board.issues()[task]["description"].endswith("… +4000")
    assert board("task", "import", "--json").json()["unchanged"] == 1
    assert board("task", "show", task, "--json").json()["title"] == "t" * 700


def test_a_program_inside_the_project_is_never_run(board: Board) -> None:
    board.bin = beads.install(board.root / "bin").parent
    done = board("task", "add", "Rotate")
    assert done.code == 0
    assert "a file of the project itself" in done.err
    assert board.issues() == {}
    assert board("task", "import").code == 2


@pytest.mark.req("L18")
def test_no_secret_reaches_beads(board: Board) -> None:
    secret = "ghp_" + "a1B2" * 9
    task = board.add(f"Rotate {secret}", "--description", f"password={secret}")
    board("task", "update", task, "--note", f"token {secret}", "--next", secret)
    stored = json.dumps(board.issues())
    assert secret not in stored
    assert "[REDACTED" in stored
