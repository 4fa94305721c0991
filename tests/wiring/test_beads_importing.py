"""Issues of Beads as tasks: new ones, changed ones, what is said of them, and broken files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.testing import beads
from tests.cli.harness import Holdfast
from tests.wiring.test_tasks import Board

ISSUES: list[dict[str, Any]] = [
    {
        "id": "bd-1tj",
        "title": "Add --local",
        "description": "flags of run.md",
        "status": "in_progress",
        "priority": 1,
        "issue_type": "task",
        "created_at": "2026-02-05T16:30:55.181145Z",
        "created_by": "gumi",
        "updated_at": "2026-02-05T16:43:58.291106Z",
        "labels": ["sprint:1"],
        "design": "one flag, not two",
        "notes": "half of it is done",
        "comments": [
            {
                "id": 1,
                "issue_id": "bd-1tj",
                "author": "gumi",
                "text": "please before Friday",
                "created_at": "2026-02-05T17:00:00Z",
            },
            {"id": 2, "issue_id": "bd-1tj", "author": "holdfast", "text": "x\n\n[holdfast 1]"},
        ],
        "dependencies": [
            {"issue_id": "bd-1tj", "depends_on_id": "bd-2u0", "type": "blocks"},
            {"issue_id": "bd-1tj", "depends_on_id": "bd-113", "type": "parent-child"},
        ],
    },
    {
        "id": "bd-2u0",
        "title": "Add should-push",
        "status": "closed",
        "priority": 0,
        "issue_type": "feature",
        "created_at": "2026-02-05T16:30:51",
        "updated_at": "2026-02-05T16:34:28.219069Z",
        "closed_at": "2026-02-05T16:34:28.219025Z",
        "close_reason": "Shipped",
    },
]
ALL = {"imported": 5, "quarantined": 0, "duplicates": 0, "sessions": 0}


@pytest.fixture
def holdfast(tmp_path: Path) -> Holdfast:
    """A project with a ledger."""
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    made = Holdfast(root, home)
    assert made("init").code == 0
    return made


def write(folder: Path, issues: list[dict[str, Any]], more: bytes = b"") -> Path:
    path = folder / ".beads/issues.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in issues) + more)
    return path


def imported(holdfast: Holdfast, *more: str | Path) -> Any:
    done = holdfast("import", "beads", *more, "--json")
    assert done.code == 0, done.err
    return done.json()


def task(holdfast: Holdfast, name: str) -> Any:
    return holdfast("task", "show", name, "--json").json()


@pytest.mark.req("X7")
def test_issues_become_tasks_with_what_is_said_of_them(holdfast: Holdfast) -> None:
    path = write(holdfast.folder, ISSUES)
    before = path.read_bytes()
    assert imported(holdfast) == ALL
    assert path.read_bytes() == before
    first, second = task(holdfast, "bd-1tj"), task(holdfast, "bd-2u0")
    assert (first["title"], first["status"], first["priority"], first["depends_on"]) == (
        "Add --local",
        "in_progress",
        1,
        ["bd-2u0"],
    )
    assert (first["note"], first["kind"]) == ("half of it is done", "task")
    assert (second["status"], second["reason"], second["priority"]) == ("closed", "Shipped", 0)
    notes = [one["data"] for one in holdfast.entries() if "note" in one["data"]]
    assert [(one["note"], one["imported"]["field"]) for one in notes] == [
        ("please before Friday", "comments"),
        ("one flag, not two", "design"),
        ("half of it is done", "notes"),
    ]
    assert notes[0]["imported"]["author"] == "gumi"
    assert holdfast("verify").code == 0


@pytest.mark.req("X7")
def test_tasks_say_where_they_come_from_and_when_that_was(holdfast: Holdfast) -> None:
    write(holdfast.folder, ISSUES)
    imported(holdfast)
    added, _, other, closed = (
        one["data"]["imported"] for one in holdfast.entries() if "note" not in one["data"]
    )
    assert added == {
        "system": "beads",
        "source": "issues.jsonl",
        "line": 1,
        "timestamp": "2026-02-05T16:30:55.181145Z",
        "created_at": "2026-02-05T16:30:55.181145Z",
        "created_by": "gumi",
        "updated_at": "2026-02-05T16:43:58.291106Z",
        "labels": ["sprint:1"],
    }
    assert (other["line"], other["assumed_zone"]) == (2, "UTC")
    assert closed["closed_at"] == "2026-02-05T16:34:28.219025Z"


@pytest.mark.req("X7")
def test_issues_again_add_nothing_and_changed_ones_change(holdfast: Holdfast) -> None:
    write(holdfast.folder, ISSUES)
    imported(holdfast)
    before = holdfast("log", "--json").out
    assert imported(holdfast) == ALL | {"imported": 0, "duplicates": 5}
    assert holdfast("log", "--json").out == before
    changed = ISSUES[0] | {
        "title": "Add --local and more",
        "status": "closed",
        "close_reason": "done",
        "notes": "all of it is done",
    }
    write(holdfast.folder, [changed])
    done = imported(holdfast)
    assert (done["imported"], done["duplicates"]) == (2, 2)
    first = task(holdfast, "bd-1tj")
    assert (first["title"], first["status"], first["reason"], first["note"]) == (
        "Add --local and more",
        "closed",
        "done",
        "all of it is done",
    )
    assert task(holdfast, "bd-2u0")["title"] == "Add should-push", "what is gone there stays here"


@pytest.mark.req("X7")
def test_what_was_deleted_there_is_not_deleted_here(holdfast: Holdfast) -> None:
    write(holdfast.folder, ISSUES)
    imported(holdfast)
    memory = {"_type": "memory", "id": "m", "title": "t"}
    write(holdfast.folder, [ISSUES[0], ISSUES[1] | {"status": "tombstone"}, memory])
    done = holdfast("import", "beads", "--json")
    assert done.json()["imported"] == 0
    assert "1 issues were deleted there; here nothing is" in done.err
    assert "1 records of it are no issues" in done.err
    assert task(holdfast, "bd-2u0")["status"] == "closed"


@pytest.mark.req("X7")
@pytest.mark.parametrize(
    "line", [b'{"id": "bd-9", "tit', b"[]", b'{"id": "x"}', b'{"id": "\xff", "title": "a"}']
)
def test_a_line_that_is_no_issue_is_kept_as_it_stands(holdfast: Holdfast, line: bytes) -> None:
    write(holdfast.folder, ISSUES, line)
    done = holdfast("import", "beads", "--json")
    assert done.json() == ALL | {"quarantined": 1}
    assert "quarantined issues.jsonl:3" in done.err
    assert imported(holdfast) == ALL | {"imported": 0, "duplicates": 6}


def test_an_issue_that_cannot_be_a_task_is_named(holdfast: Holdfast) -> None:
    write(
        holdfast.folder,
        [
            {"id": "a b\n", "title": "A"},
            {"id": "c", "title": " "},
            {"id": "d", "title": "D", "dependencies": [{"depends_on_id": "gone"}], "notes": 7},
            {"id": "e", "title": "E", "priority": 99, "comments": [None, {"text": 1}], "labels": 3},
        ],
    )
    done = holdfast("import", "beads", "--json")
    assert done.json()["imported"] == 2
    for said in ("c: it has no title", "d: it depends on gone", "a b"):
        assert said in done.err


@pytest.mark.parametrize("where", [".beads/issues.jsonl", ".beads", "."])
def test_a_file_a_folder_or_a_project_can_be_named(
    holdfast: Holdfast, tmp_path: Path, where: str
) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    write(other, ISSUES)
    assert imported(holdfast, other / where) == ALL


def test_a_database_alone_is_no_list_of_issues(holdfast: Holdfast, tmp_path: Path) -> None:
    folder = holdfast.folder / ".beads"
    folder.mkdir()
    (folder / "beads.db").write_bytes(b"SQLite format 3\0")
    done = holdfast("import", "beads")
    assert done.code == 2
    assert "bd export -o .beads/issues.jsonl" in done.err
    (tmp_path / "real.jsonl").write_text(json.dumps(ISSUES[0]))
    (folder / "issues.jsonl").symlink_to(tmp_path / "real.jsonl")
    assert holdfast("import", "beads").code == 2
    assert holdfast("import", "beads", folder / "issues.jsonl").code == 2
    assert holdfast("import", "beads", "--all").code == 2
    other = tmp_path / "elsewhere"
    other.mkdir()
    write(other, ISSUES)
    shutil.rmtree(folder)
    folder.symlink_to(other / ".beads")
    assert holdfast("import", "beads").code == 2
    assert holdfast.entries() == []


def test_a_file_that_is_too_large_is_refused(holdfast: Holdfast) -> None:
    path = write(holdfast.folder, [])
    with path.open("wb") as file:
        file.truncate(INPUT_BYTES_MAX + 1)
    done = holdfast("import", "beads")
    assert (done.code, holdfast.entries()) == (2, [])


def test_where_bd_is_there_it_is_asked(tmp_path: Path) -> None:
    board = Board(tmp_path)
    store = board.folder / beads.STORE
    kept = json.loads(store.read_text()) if store.exists() else {"issues": {}}
    kept["issues"]["bd-7"] = ISSUES[1] | {"id": "bd-7"}
    store.write_text(json.dumps(kept))
    done = board("import", "beads", "--json")
    assert (done.code, done.json()["imported"]) == (0, 1), done.err
    assert task(board.holdfast, "bd-7")["reason"] == "Shipped"


SAME: dict[str, dict[str, Any]] = {
    "a secret": {"title": f"rotate ghp_{'a1B2' * 9}", "description": f"or ghp_{'c3D4' * 9}"},
    "a long title": {"title": "t" * 2_000},
    "a long text": {"title": "T", "description": "d" * 100_000},
    "blanks around": {"title": "  T  ", "description": "  "},
}


@pytest.mark.req("X7")
@pytest.mark.parametrize("kind", SAME)
def test_a_text_that_is_kept_differently_is_no_change(holdfast: Holdfast, kind: str) -> None:
    """Secrets are replaced here, and Beads is given less of a long text than there is."""
    write(holdfast.folder, [{"id": "x", **SAME[kind]}])
    assert imported(holdfast)["imported"] == 1
    assert imported(holdfast) == ALL | {"imported": 0, "duplicates": 1}
    write(holdfast.folder, [{"id": "x", **SAME[kind], "title": "another"}])
    assert imported(holdfast)["imported"] == 1
    assert task(holdfast, "x")["title"] == "another"


@pytest.mark.parametrize("metadata", ["[" * 5_000, "\ud800", "no JSON"])
def test_metadata_that_cannot_be_read_is_as_if_there_were_none(
    holdfast: Holdfast, metadata: str
) -> None:
    write(holdfast.folder, [{"id": "x", "title": "T", "metadata": metadata}])
    assert imported(holdfast)["imported"] == 1


def test_what_is_left_of_a_file_is_not_said_of_all_of_it(holdfast: Holdfast) -> None:
    write(holdfast.folder, [{"id": "a b\n", "title": "A"}, {"id": "b", "title": "B"}])
    done = holdfast("import", "beads")
    assert "a part of issues.jsonl was not taken in: The id 'a b\\n' cannot be used.\n" in done.err
