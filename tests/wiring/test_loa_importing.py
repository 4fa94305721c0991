"""Loa folders: what becomes of them, once; and whatever may stand there instead."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel.limits import LOA_DEPTH_MAX, LOA_FILE_BYTES_MAX
from holdfast.wiring import loa_folder
from tests.cli.harness import Holdfast, Result
from tests.wiring.loa_folders import NOTES, TRAJECTORY, make_loa

CODE = "class Queue:\n    def take(self):\n        return self.items.pop(0)\n"
ALL = {"imported": 18, "quarantined": 0, "duplicates": 0, "sessions": 1}


@pytest.fixture
def project(tmp_path: Path) -> Holdfast:
    """A project with a ledger and one file of code."""
    root, home = tmp_path / "project", tmp_path / "home"
    (root / "src").mkdir(parents=True)
    home.mkdir()
    (root / "src/queue.py").write_text(CODE)
    made = Holdfast(root, home)
    assert made("init").code == 0
    return made


@pytest.fixture
def folder(project: Holdfast) -> Path:
    return make_loa(project.folder)


def imported(project: Holdfast, *more: str | Path) -> Any:
    done = project("import", "loa", *more, "--json")
    assert done.code == 0, done.err
    return done.json()


def of_type(project: Holdfast, type_name: str) -> list[Any]:
    return [one["data"] for one in project.entries("--type", type_name)]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(one): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.req("X7")
def test_a_folder_becomes_entries_of_our_types_and_stays_as_it_is(
    project: Holdfast, folder: Path
) -> None:
    before = tree(folder)
    assert imported(project) == ALL
    assert tree(folder) == before
    assert [one["choice"] for one in of_type(project, "decision")] == [
        "Keep the pop",
        "Take the first item",
        "Rotating refresh tokens",
    ]
    [handoff] = of_type(project, "handoff_made")
    assert (handoff["task"], handoff["grounding_ratio"]) == ("bd-x7y8", 0.97)
    assert handoff["imported"]["other"]["test_scenarios"] == 3
    [delta] = of_type(project, "delta_synced")
    assert (delta["tokens"], delta["decisions_persisted"]) == (5000, 3)
    [check] = of_type(project, "metric")
    assert (check["name"], check["value"], check["passed"]) == ("loa_grounding_ratio", 0.95, True)
    steps = of_type(project, "hook_fired")
    assert [(one["agent"], one["event"]) for one in steps] == [
        ("implementing-tasks", "loa:intent"),
        ("reviewing-code", "loa:review_round_1"),
    ]
    assert steps[0]["payload"] == TRAJECTORY[0]
    said = of_type(project, "agent_said")
    assert [one["imported"]["kind"] for one in said] == ["feedback", "handoff", "notes"]
    assert said[1]["imported"]["to"] == "bob-agent"
    assert said[2]["text"] == NOTES
    assert project("verify").code == 0


@pytest.mark.req("X7")
def test_entries_say_where_they_come_from_and_when_that_was(
    project: Holdfast, folder: Path
) -> None:
    imported(project)
    entries = project.entries()
    assert all(one["data"]["imported"]["system"] == "loa" for one in entries)
    [handoff] = of_type(project, "handoff_made")
    assert handoff["imported"] | {"other": None} == {
        "system": "loa",
        "source": "a2a/trajectory/implementing-tasks-2026-01-15.jsonl",
        "line": 5,
        "timestamp": "2026-01-15T14:30:00Z",
        "other": None,
    }
    decided = of_type(project, "decision")[1:]
    lines = NOTES.splitlines()
    for one in decided:
        assert one["imported"]["timestamp"] in lines[one["imported"]["line"] - 1]
    assert [one["imported"].get("assumed_zone") for one in decided] == [None, "UTC"]


@pytest.mark.req("X7")
def test_a_folder_again_adds_nothing_also_when_a_log_was_archived(
    project: Holdfast, folder: Path
) -> None:
    imported(project)
    before = project("log", "--json").out
    again = ALL | {"imported": 0, "duplicates": 18}
    assert imported(project) == again
    archive = folder / "a2a/trajectory/archive"
    archive.mkdir()
    for log in (folder / "a2a/trajectory").glob("*.jsonl"):
        log.rename(archive / log.name)
    assert imported(project, folder) == again
    assert project("log", "--json").out == before


def test_what_was_added_since_comes_with_the_next_import(project: Holdfast, folder: Path) -> None:
    imported(project)
    log = next((folder / "a2a/trajectory").glob("*.jsonl"))
    with log.open("a") as file:
        file.write(json.dumps({"ts": "2026-01-17T00:00:00Z", "phase": "new"}) + "\n")
    notes = folder / "NOTES.md"
    notes.write_text(NOTES.replace("- [ ] [ACTIVE] The key", "- [x] [RESOLVED] The key"))
    ledger = folder / "ledger.json"
    ledger.write_text(ledger.read_text().replace("planned", "in_progress"))
    done = imported(project)
    assert (done["imported"], done["duplicates"]) == (4, 16)
    assert len(of_type(project, "pending_resolved")) == 2
    assert project("task", "show", "sprint-2", "--json").json()["status"] == "in_progress"


@pytest.mark.req("X7")
def test_the_work_goes_on_where_the_notes_left_it(project: Holdfast, folder: Path) -> None:
    imported(project)
    resumed = project("resume").text
    assert "bd-x7y8 (rotate the tokens)" in resumed
    assert "write the grace period, then its tests" in resumed
    assert "(blocker): The key of the staging host is missing" in resumed
    assert "The build was red" not in resumed
    assert [one["task"] for one in _tasks(project)] == ["sprint-2"]
    [closed] = of_type(project, "task_closed")
    assert (closed["task"], closed["reason"]) == ("sprint-1", "completed in Loa")


def _tasks(project: Holdfast) -> list[Any]:
    return [json.loads(line) for line in project("task", "list", "--json").out.splitlines()]


@pytest.mark.req("X7", "L6")
def test_what_the_code_does_not_bear_out_is_an_assumption(project: Holdfast, folder: Path) -> None:
    imported(project)
    grounds = [one["grounds"] for one in of_type(project, "decision")]
    assert [(one["cited"], one["exact"], one.get("assumption")) for one in grounds] == [
        (1, 1, None),
        (1, 1, None),
        (0, 0, True),
    ]
    assert of_type(project, "decision")[2]["imported"]["evidence"] == "`rotate()` [src/auth.py:9]"


def test_a_quote_that_is_invented_proves_nothing(project: Holdfast, folder: Path) -> None:
    (project.folder / "src/queue.py").write_text("nothing\n")
    imported(project)
    assert all(one["grounds"].get("assumption") for one in of_type(project, "decision"))


def test_handoffs_of_others_are_no_clears_of_ours(project: Holdfast, folder: Path) -> None:
    imported(project)
    assert project("handoff").code == 1
    assert "nothing was handed over yet" in project("metrics").text


def test_notes_that_holdfast_keeps_are_not_taken_for_loas(project: Holdfast, folder: Path) -> None:
    """Where NOTES.md of the folder is the one that is kept up to date from here."""
    project.settings.write_text('[notes]\npath = "grimoires/loa/NOTES.md"\n')
    assert project("decide", "Ours", "--because", "so").code == 0
    assert "Ours" in (folder / "NOTES.md").read_text()
    imported(project)
    choices = [one["choice"] for one in of_type(project, "decision")]
    assert choices.count("Ours") == 1
    assert project("decide", "More of ours", "--because", "so").code == 0
    assert imported(project)["imported"] == 0


BAD_LINES: dict[str, bytes] = {
    "torn": b'{"ts": "2026-01-01T00:00:00Z", "phase": "int',
    "no object": b"[1, 2]",
    "no JSON": b"hello",
    "not UTF-8": b'{"a": "\xff"}',
    "a key twice": b'{"a": 1, "a": 2}',
}


@pytest.mark.req("X7")
@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_line_that_cannot_be_read_is_kept_as_it_stands(
    project: Holdfast, folder: Path, kind: str
) -> None:
    (folder / "a2a/trajectory/x-2026-01-01.jsonl").write_bytes(BAD_LINES[kind] + b"\n")
    done = project("import", "loa", "--json")
    assert done.json() == ALL | {"quarantined": 1}
    assert "quarantined a2a/trajectory/x-2026-01-01.jsonl:1" in done.err
    assert imported(project) == ALL | {"imported": 0, "duplicates": 19}


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"phase": "session_handoff"},
        {"phase": "session_handoff", "grounding_ratio": "high", "notes_refs": 7},
        {"phase": "delta_sync", "tokens": -1, "decisions_persisted": 0},
        {"phase": "pivot", "reason": ""},
        {"phase": ["decision"], "decision": {"x": 1}},
        {"phase": "grounding_check", "status": "pass"},
        {"session_id": "", "agent": "a\nb", "phase": " "},
        {"session_id": {"a": 1}, "imported": 7, "agent": None},
        {"decision": "x", "evidence": [None, {"path": 1}, {"path": "/etc/passwd", "line": 1}]},
        {"decision": "x", "evidence": "`root` [${PROJECT_ROOT}/../../etc/passwd:1]"},
    ],
)
def test_a_step_of_another_shape_is_kept_whole(
    project: Holdfast, folder: Path, record: dict[str, Any]
) -> None:
    (folder / "a2a/trajectory/x-2026-01-01.jsonl").write_text(json.dumps(record))
    assert imported(project)["imported"] == 19
    assert project("verify").code == 0
    [kept] = [
        one["data"]
        for one in project.entries()
        if one["data"]["imported"]["source"].endswith("x-2026-01-01.jsonl")
    ]
    if kept.get("choice") is None:
        assert kept["payload"] == record
    else:
        assert kept["grounds"]["assumption"] is True


def _link_to_file(folder: Path, outside: Path) -> str:
    (folder / "a2a/linked.md").symlink_to(outside / "secret.md")
    return "a2a/linked.md"


def _link_to_folder(folder: Path, outside: Path) -> str:
    (folder / "a2a/linked").symlink_to(outside)
    return "a2a/linked"


def _link_to_notes(folder: Path, outside: Path) -> str:
    (folder / "NOTES.md").unlink()
    (folder / "NOTES.md").symlink_to(outside / "secret.md")
    return "NOTES.md"


def _pipe(folder: Path, _outside: Path) -> str:
    os.mkfifo(folder / "pipe.md")
    return "pipe.md"


def _deep(folder: Path, _outside: Path) -> str:
    deep = folder.joinpath(*["d"] * (LOA_DEPTH_MAX + 2))
    deep.mkdir(parents=True)
    (deep / "secret.md").write_text("the secret word")
    return "/".join(["d"] * (LOA_DEPTH_MAX + 1))


def _large(folder: Path, _outside: Path) -> str:
    (folder / "large.md").write_bytes(b"x" * (LOA_FILE_BYTES_MAX + 1))
    return "large.md"


@pytest.mark.req("X7")
@pytest.mark.parametrize(
    "make", [_link_to_file, _link_to_folder, _link_to_notes, _pipe, _deep, _large]
)
def test_nothing_outside_is_read_and_what_is_not_read_is_named(
    project: Holdfast, folder: Path, tmp_path: Path, make: Any
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("## Decisions\n**Decision: the secret word**\n")
    name = make(folder, outside)
    done = project("import", "loa", "--json")
    assert done.code == 0, done.err
    assert f"{name} was not taken in: it " in done.err
    assert b"the secret word" not in project("log", "--json").out


def test_files_beyond_the_bound_are_counted(
    project: Holdfast, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loa_folder, "LOA_FILES_MAX", 2)
    assert "4 files beyond the first 2" in project("import", "loa").err


def test_secrets_are_replaced_before_anything_is_written(project: Holdfast, folder: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    (folder / "a2a/trajectory/x-2026-01-01.jsonl").write_text(
        json.dumps({"phase": "x", "said": secret}) + "\n" + f'torn "{secret}'
    )
    (folder / "paper.md").write_text(f"the token is {secret}\n")
    imported(project)
    assert secret.encode() not in project("log", "--json").out
    assert secret.encode() not in b"".join(tree(project.folder / ".holdfast").values())


@pytest.mark.parametrize("content", ["", "[]", "{", '{"cycles": 7}', '{"cycles": [7, {}]}'])
def test_a_broken_list_of_sprints_stops_nothing(
    project: Holdfast, folder: Path, content: str
) -> None:
    (folder / "ledger.json").write_text(content)
    done = imported(project)
    assert (done["imported"], done["quarantined"]) == (16, int(content in ("", "[]", "{")))


@pytest.mark.parametrize("names", [("grimoires/loa",), (), ("loa-grimoire",)])
def test_the_folder_or_its_project_can_be_named(
    project: Holdfast, tmp_path: Path, names: tuple[str, ...]
) -> None:
    other = tmp_path / "other"
    made = make_loa(other)
    if names == ("loa-grimoire",):
        made.rename(other / "loa-grimoire")
    assert imported(project, other.joinpath(*names)) == ALL


def _refused(done: Result) -> None:
    assert done.code == 2
    assert "is not a Loa folder" in done.err


def test_what_is_no_loa_folder_is_refused(project: Holdfast, tmp_path: Path) -> None:
    _refused(project("import", "loa"))
    _refused(project("import", "loa", tmp_path / "nowhere"))
    (project.folder / "NOTES.md").write_text("# Notes of anybody\n")
    _refused(project("import", "loa"))
    make_loa(tmp_path / "other")
    (project.folder / "grimoires").symlink_to(tmp_path / "other/grimoires")
    _refused(project("import", "loa"))
    assert project("import", "loa", "--all").code == 2
    assert project.entries() == []


def test_init_offers_what_a_project_has(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    for name, has in (("bare", False), ("full", True)):
        root = tmp_path / name
        root.mkdir()
        if has:
            make_loa(root)
            (root / ".beads").mkdir()
            (root / ".beads/issues.jsonl").write_text("")
        told = Holdfast(root, tmp_path / "home")("init").err
        assert ("holdfast import loa" in told, "holdfast import beads" in told) == (has, has)


def test_a_sprint_that_is_no_task_is_counted_and_one_that_is_there_twice_settles(
    project: Holdfast, folder: Path
) -> None:
    sprints = [
        {"global_id": 1, "label": "first"},
        {"global_id": 1, "label": "second", "status": "completed"},
        {"global_id": "no\nname", "label": "third"},
    ]
    (folder / "ledger.json").write_text(json.dumps({"cycles": [{"id": "c", "sprints": sprints}]}))
    done = project("import", "loa")
    assert "1 sprints of it have no name that a task can have" in done.err
    assert "sprint-1: it is there more than once, the last counts" in done.err
    assert project("task", "show", "sprint-1", "--json").json()["title"] == "second"
    assert imported(project)["imported"] == 0
