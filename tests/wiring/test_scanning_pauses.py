"""What changed while nothing was to be recorded is not recorded afterwards; later changes are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents import pausing as marks
from holdfast.kernel.limits import SCAN_PRIVATE_TAIL_S
from holdfast.storage.port import Selection
from holdfast.wiring import pausing
from tests.agents.hooks import Project
from tests.wiring.scanned import Scanned, scanned

PRIVATE = "a customer's own words"


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Scanned]:
    root = tmp_path / "project"
    root.mkdir()
    (root / "old.py").write_text("old = 1\n")
    (root / "gone.py").write_text("gone = 1\n")
    with scanned(root) as work:
        work.begin()
        yield work


def data_of(work: Scanned, kind: str) -> list[dict[str, Any]]:
    ledger = work.project.ledger
    return [ledger.data(entry) for entry in ledger.read(Selection(type=kind))]


def change(work: Scanned) -> None:
    (work.root / "old.py").write_text(f"old = {PRIVATE!r}\n")
    (work.root / "new.py").write_text(f"new = {PRIVATE!r}\n")
    (work.root / "gone.py").unlink()


@pytest.mark.req("X7")
@pytest.mark.parametrize("session", [None, "other"])
def test_what_changed_in_a_pause_is_not_recorded_afterwards(
    work: Scanned, session: str | None
) -> None:
    pausing.pause(work.project, session, None)
    change(work)
    resumed = pausing.resume(work.project, session)
    assert resumed is not None
    assert resumed.files == 3
    assert work.told() == []
    assert work.begin() == []
    assert data_of(work, "file_change") == []
    assert data_of(work, "recording_resumed")[0]["files"] == 3


@pytest.mark.req("X7")
def test_later_changes_are_recorded_and_say_that_they_began_from_nothing_known(
    work: Scanned,
) -> None:
    pausing.pause(work.project, None, None)
    change(work)
    pausing.resume(work.project, None)
    (work.root / "old.py").write_text("old = 3\n")
    (work.root / "new.py").unlink()
    found = {one["path"]: one for one in work.look()}
    assert sorted(found) == ["new.py", "old.py"]
    assert [found[name]["base"] for name in found] == ["unrecorded"] * 2
    assert [found[name]["hash_before"] for name in found] == [None] * 2
    assert (found["old.py"]["action"], found["new.py"]["action"]) == ("modify", "delete")
    assert work.content(found["old.py"]) == b"old = 3\n"
    (work.root / "old.py").write_text("old = 4\n")
    (next_one,) = work.look()
    assert "base" not in next_one
    assert next_one["hash_before"] == found["old.py"]["hash_after"]


def test_a_file_that_nobody_touched_in_the_pause_keeps_its_base(work: Scanned) -> None:
    pausing.pause(work.project, None, None)
    pausing.resume(work.project, None)
    (work.root / "old.py").write_text("old = 3\n")
    (found,) = work.look()
    assert "base" not in found
    assert found["hash_before"] is not None


def test_a_change_that_was_found_and_not_recorded_keeps_what_is_said_of_its_base(
    tmp_path: Path,
) -> None:
    from holdfast.wiring import scanning

    with scanned(tmp_path / "project") as work:
        work.begin()
        pausing.pause(work.project, None, None)
        (work.root / "new.py").write_text("new = 1\n")
        pausing.resume(work.project, None)
        (work.root / "new.py").write_text("new = 2\n")
        assert scanning.changes_after(work.project, work.event())  # and its process is killed
    with scanned(tmp_path / "project") as again:
        (found,) = again.look()
        assert found["base"] == "unrecorded"


def test_while_one_session_is_paused_nobody_records_what_may_be_its_changes(
    work: Scanned,
) -> None:
    pausing.pause(work.project, "other", None)
    change(work)
    found = work.look()
    assert [one["error_type"] for one in found] == ["files_not_looked_at"]
    assert "3 files" in found[0]["context"]
    mine = b"mine = 1\n"
    (work.root / "mine.py").write_bytes(mine)
    assert work.told({"mine.py": mine}, command=None) == ["create mine.py"]
    assert pausing.resume(work.project, "other") == pausing.Resumed(0, 0)
    assert work.told() == []


def test_more_files_than_a_look_records_are_all_taken_as_they_are(
    work: Scanned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.wiring.scan_looking.SCAN_CHANGES_MAX", 2)
    monkeypatch.setattr("holdfast.wiring.scan_looking.SCAN_HASHED_BYTES_MAX", 64)
    pausing.pause(work.project, None, None)
    for number in range(20):
        (work.root / f"new{number}.py").write_text(f"{PRIVATE} {number}")
    resumed = pausing.resume(work.project, None)
    assert resumed is not None
    assert resumed.files == 20
    assert work.told() == []


def test_what_was_remembered_of_a_pause_may_be_lost(work: Scanned) -> None:
    (work.root / "old.py").write_text("old = 2\n")
    assert work.told() == ["modify old.py"]
    pausing.pause(work.project, None, None)
    change(work)
    pausing.resume(work.project, None)
    (work.root / ".holdfast" / "intake" / "seen-files").unlink()
    assert work.told() == []
    (work.root / "old.py").write_text("old = 5\n")
    assert work.told() == ["modify old.py"]


def test_a_pause_holds_on_when_its_end_cannot_be_noted(
    work: Scanned, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdfast.kernel.errors import StorageFailed

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    pausing.pause(work.project, None, None)
    monkeypatch.setattr("holdfast.evidence.seen_files.write", fail)
    with pytest.raises(StorageFailed, match="No space left"):
        pausing.resume(work.project, None)
    assert [one.session for one in pausing.paused(work.project.place)] == [None]


def private(work: Scanned, event: str, at_ns: int) -> None:
    marks.note_private(str(work.project.place.folder), "p1", event, at_ns // 1000)


@pytest.mark.req("X7")
def test_what_changed_in_a_private_session_is_not_recorded_afterwards(work: Scanned) -> None:
    now = (work.root / "old.py").stat().st_ctime_ns
    private(work, "SessionStart", now)
    change(work)
    private(work, "SessionEnd", now + 60_000_000_000)
    found = work.look()
    assert [one["error_type"] for one in found] == ["files_not_looked_at"]
    assert work.told() == []
    assert data_of(work, "file_change") == []


def test_what_changed_before_or_after_a_private_session_is_recorded(work: Scanned) -> None:
    change(work)
    now = (work.root / "old.py").stat().st_ctime_ns
    private(work, "SessionStart", now + 60_000_000_000)
    private(work, "SessionEnd", now + 61_000_000_000)
    assert sorted(work.told()) == ["create new.py", "modify old.py"]
    # gone.py went at a time that no file tells, so it may have been the private session


def test_a_private_session_without_an_end_ends_some_time_after_its_last_word(
    work: Scanned,
) -> None:
    folder = work.root / ".holdfast" / "private"
    now = (work.root / "old.py").stat().st_ctime_ns
    private(work, "SessionStart", now - 2_000_000_000_000)
    (path,) = folder.iterdir()
    for before_s, told in ((SCAN_PRIVATE_TAIL_S - 60, []), (SCAN_PRIVATE_TAIL_S + 60, ["x"])):
        (work.root / "x").write_text(str(before_s))
        heard_ns = (work.root / "x").stat().st_ctime_ns - before_s * 1_000_000_000
        os.utime(path, ns=(heard_ns, heard_ns))
        assert [name.split()[1] for name in work.told()] == told


@pytest.mark.req("X7")
@pytest.mark.lesson("N12")
def test_a_private_run_of_real_hooks_leaves_no_file_in_the_ledger(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path)
    project.start()
    env = {"HOLDFAST_PRIVATE": "1"}
    ran = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}
    project.hook(project.told("SessionStart", "p1", source="startup"), env=env)
    (project.root / "secret.py").write_text(PRIVATE)
    project.hook(project.told("PostToolUse", "p1", **ran), env=env)
    project.hook(project.told("SessionEnd", "p1", reason="exit"), env=env)
    project.start("s2")
    assert project.entries("file_change") == []
    (project.root / "open.py").write_text("x = 1\n")
    project.hook(project.told("PostToolUse", "s2", **ran))
    assert [data["path"] for _, data in project.entries("file_change")] == ["open.py"]
    assert project.holds(PRIVATE) == [project.root / "secret.py"]


@pytest.mark.req("X7")
def test_a_pause_of_real_hooks_leaves_no_file_in_the_ledger(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from holdfast.cli.root import root

    project = Project(tmp_path / "project", tmp_path)
    project.start()
    ledger = ["--ledger", str(project.root)]
    runner = CliRunner()
    assert runner.invoke(root, [*ledger, "pause"]).exit_code == 0
    (project.root / "secret.py").write_text(PRIVATE)
    ran: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make"}}
    project.hook(project.told("PostToolUse", tool_use_id="t1", **ran))
    done = runner.invoke(root, [*ledger, "pause", "--off"])
    assert "1 file changed" in done.output
    project.hook(project.told("PostToolUse", tool_use_id="t2", **ran))
    assert project.entries("file_change") == []
    assert project.holds(PRIVATE) == [project.root / "secret.py"]
