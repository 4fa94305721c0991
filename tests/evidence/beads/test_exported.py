"""Beads by its exported file: every line stands by itself, and others' lines stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.evidence.beads import exported
from holdfast.evidence.beads.exported import Exported
from holdfast.evidence.beads.port import OURS
from holdfast.kernel.errors import CouldNotLook, StorageFailed
from tests.evidence.beads.places import issue_row, remark, wanted

OLD = b'{"id":"bd-1","title":"Old","status":"open","priority":0,"created":"2024-01-20"}'
ODD = b'{ "id" : "bd-2", "title":"Odd \\u00e9", "future":{"a":[1.50]}, "status":"hooked" }'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / ".beads"
    folder.mkdir()
    return folder / "issues.jsonl"


@pytest.mark.req("L14")
def test_old_files_without_our_fields_stay_valid(file: Path) -> None:
    file.write_bytes(OLD + b"\n" + ODD + b"\n")
    found = Exported(file.parents[1]).issues()
    assert [(one.id, one.title, one.priority) for one in found.issues] == [
        ("bd-1", "Old", 0),
        ("bd-2", "Odd é", None),
    ]
    assert found.unread == []


@pytest.mark.req("L14")
def test_only_the_line_of_the_issue_changes_and_each_line_parses_alone(file: Path) -> None:
    file.write_bytes(OLD + b"\n\n" + ODD + b"\n<<<<<<< HEAD\n")
    file.chmod(0o640)
    made = Exported(file.parents[1]).put(wanted("bd-1", remarks=[remark()], depends_on=["bd-2"]))
    assert (made.title, made.depends_on) == ("Rotate tokens", ["bd-2"])
    lines = file.read_bytes().split(b"\n")
    assert lines[1:] == [b"", ODD, b"<<<<<<< HEAD", b""]
    row = json.loads(lines[0])
    assert row["created"] == "2024-01-20"  # what nobody here knows stays
    assert row["metadata"][OURS]["next_steps"] == ["look"]
    assert row["comments"][0]["text"].startswith("Decision: rotate")
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_new_issue_is_a_new_line_and_writing_twice_changes_nothing(file: Path) -> None:
    file.write_bytes(OLD)  # without a line end
    place = Exported(file.parents[1])
    place.put(wanted(remarks=[remark()]))
    first = file.read_bytes()
    assert first.startswith(OLD + b"\n")
    assert json.loads(first.split(b"\n")[1])["created_at"] == "2026-11-15T12:00:00Z"
    place.put(wanted(remarks=[remark()]))
    assert file.read_bytes() == first


def test_dependencies_of_others_stay_and_ours_go_when_they_hold_no_longer(file: Path) -> None:
    theirs = {"issue_id": "hf-1a2b", "depends_on_id": "bd-9", "type": "related"}
    row = issue_row(id="hf-1a2b", dependencies=[theirs], metadata={"team": "x"})
    file.write_text(json.dumps(row) + "\n")
    place = Exported(file.parents[1])
    place.put(wanted(depends_on=["bd-1"]))
    place.put(wanted(depends_on=["bd-2"]))
    stored = json.loads(file.read_text())
    assert [one["depends_on_id"] for one in stored["dependencies"]] == ["bd-9", "bd-2"]
    assert stored["metadata"]["team"] == "x"


def test_a_status_of_beads_own_stays(file: Path) -> None:
    file.write_bytes(ODD + b"\n")
    Exported(file.parents[1]).put(wanted("bd-2"))
    assert json.loads(file.read_text())["status"] == "hooked"
    Exported(file.parents[1]).put(wanted("bd-2", status="closed", close_reason="done"))
    assert json.loads(file.read_text())["status"] == "closed"


def test_lines_that_cannot_be_read_are_named(file: Path) -> None:
    lines = [OLD, b"{broken", b"[1]", b'{"id":"bd-3"}', b'{"_type":"memory","key":"k"}', b"\xff"]
    deleted = b'{"id":"bd-4","title":"Gone","status":"tombstone"}'
    file.write_bytes(b"\n".join([*lines, deleted]))
    found = Exported(file.parents[1]).issues()
    assert [one.id for one in found.issues] == ["bd-1"]
    assert found.unread == [
        "line 2: it is not JSON",
        "line 3: it is no object",
        "line 4: it has no id and title",
        "line 6: it is not JSON",
    ]


@pytest.mark.lesson("N16")
def test_a_file_that_is_not_there_is_not_an_empty_one(file: Path) -> None:
    with pytest.raises(CouldNotLook, match="cannot be read"):
        Exported(file.parents[1]).issues()
    file.symlink_to("/dev/null")
    with pytest.raises(CouldNotLook, match="links are not followed"):
        Exported(file.parents[1]).issues()
    file.unlink()
    file.write_bytes(b"")
    assert Exported(file.parents[1]).issues().issues == []


def test_the_name_of_older_projects_is_found(file: Path) -> None:
    older = file.with_name("beads.jsonl")
    older.write_bytes(OLD)
    assert [one.id for one in Exported(file.parents[1]).issues().issues] == ["bd-1"]


@pytest.mark.lesson("N7")
def test_a_file_that_was_changed_in_between_is_merged_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_bytes(OLD + b"\n")
    real = exported.merged
    times: list[int] = []

    def slow(content: bytes, changes: list[object]) -> bytes:
        if not times:
            file.write_bytes(content + ODD + b"\n")  # somebody else, meanwhile
        times.append(1)
        return real(content, changes)  # type: ignore[arg-type]

    monkeypatch.setattr(exported, "merged", slow)
    Exported(file.parents[1]).put(wanted())
    assert len(times) == 2
    assert [json.loads(line)["id"] for line in file.read_bytes().splitlines()] == [
        "bd-1",
        "bd-2",
        "hf-1a2b",
    ]


def test_a_file_that_never_rests_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_bytes(OLD + b"\n")
    real = exported.merged

    def busy(content: bytes, changes: list[object]) -> bytes:
        file.write_bytes(content + ODD + b"\n")
        return real(content, changes)  # type: ignore[arg-type]

    monkeypatch.setattr(exported, "merged", busy)
    with pytest.raises(StorageFailed, match="keeps changing"):
        Exported(file.parents[1]).put(wanted())
    assert b"hf-1a2b" not in file.read_bytes()


def test_a_file_that_cannot_be_written_says_so(file: Path) -> None:
    with pytest.raises(StorageFailed, match="cannot be written"):
        Exported(file.parents[1], file.parent / "missing" / "issues.jsonl").put(wanted())


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), max_size=6))
def test_whatever_a_file_holds_its_other_lines_stay(lines: list[bytes]) -> None:
    content = b"\n".join(lines)
    after = exported.merged(content, [wanted()])
    before = content if not content or content.endswith(b"\n") else content + b"\n"
    assert after.startswith(before)
    assert json.loads(after[len(before) :])["id"] == "hf-1a2b"
    assert exported.merged(after, [wanted()]) == after
