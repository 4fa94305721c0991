"""Files that a shell command changed are found, and what they held is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.evidence.file_reading import FileReader
from holdfast.wiring import scan_looking, scanning
from tests.wiring.scanned import Scanned, scanned


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Scanned]:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one\n")
    (root / "b.txt").write_text("two\n")
    with scanned(root) as found:
        found.begin()
        yield found


@pytest.mark.req("X4")
@pytest.mark.lesson("N10")
def test_what_a_command_changed_is_recorded_with_hashes_and_its_call(work: Scanned) -> None:
    (work.root / "src" / "a.py").write_text("one\nand more\n")
    [found] = work.look()
    assert (found["path"], found["action"]) == ("src/a.py", "modify")
    assert found["hash_before"] == sha256(b"one\n").hexdigest()
    assert found["hash_after"] == sha256(b"one\nand more\n").hexdigest()
    assert (found["call"], found["seen_by"], found["agent"]) == ("call-2", "scan", "claude-code")
    assert work.content(found) == b"one\nand more\n"


@pytest.mark.lesson("N10")
def test_untracked_new_files_and_deleted_ones_are_seen(work: Scanned) -> None:
    (work.root / "new").mkdir()
    (work.root / "new" / "c.py").write_text("three\n")
    (work.root / "b.txt").unlink()
    assert work.told() == ["delete b.txt", "create new/c.py"]
    assert work.told() == []


def test_a_folder_that_is_gone_takes_its_files_with_it(work: Scanned) -> None:
    (work.root / "src" / "a.py").unlink()
    (work.root / "src").rmdir()
    assert work.told() == ["delete src/a.py"]
    assert work.told() == []


def test_a_file_in_a_folders_place_is_seen(work: Scanned) -> None:
    (work.root / "src" / "a.py").unlink()
    (work.root / "src").rmdir()
    (work.root / "src").write_text("now a file\n")
    assert work.told() == ["delete src/a.py", "create src"]


def test_a_renamed_file_says_where_it_came_from(work: Scanned) -> None:
    (work.root / "b.txt").rename(work.root / "c.txt")
    gone, new = work.look()
    assert (gone["action"], gone["path"], gone["hash_after"]) == ("delete", "b.txt", None)
    assert (new["action"], new["path"], new["moved_from"]) == ("create", "c.txt", "b.txt")


def test_a_renamed_folder_is_seen_though_its_files_have_old_times(work: Scanned) -> None:
    (work.root / "src").rename(work.root / "lib")
    assert work.told() == ["delete src/a.py", "create lib/a.py"]


def test_a_folder_renamed_between_sessions_is_seen(work: Scanned) -> None:
    (work.root / "src").rename(work.root / "lib")
    found = work.begin()
    assert [(one["path"], one["seen_by"]) for one in found] == [
        ("src/a.py", "baseline"),
        ("lib/a.py", "baseline"),
    ]


def test_binary_files_are_kept_byte_for_byte(work: Scanned) -> None:
    content = bytes(range(256)) * 300
    (work.root / "a.bin").write_bytes(content)
    [found] = work.look()
    assert work.content(found) == content
    assert found["content"] == {
        "$artifact": sha256(content).hexdigest(),
        "bytes": len(content),
        "form": "bytes",
    }


def test_an_empty_file_is_kept(work: Scanned) -> None:
    (work.root / "empty").touch()
    [found] = work.look()
    assert (found["size_after"], work.content(found)) == (0, b"")


def test_a_touched_file_is_no_change(work: Scanned) -> None:
    os.utime(work.root / "b.txt", (1, 1))
    assert work.told() == []


@pytest.mark.parametrize("times", [1, 30])
def test_other_content_of_the_same_size_and_time_is_found(work: Scanned, times: int) -> None:
    """Within one tick of the clock not even the time of the inode tells."""
    path = work.root / "b.txt"
    before = path.stat()
    for number in range(times):
        path.write_text(f"{number % 10}wo\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert work.told() == ["modify b.txt"]


def test_a_file_written_in_the_moment_of_the_look_is_read_again(
    work: Scanned, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same stamps, other bytes: told by reading, as the look began in the tick of the write."""
    path = work.root / "b.txt"
    path.write_text("2wo\n")
    stamps = path.stat()
    monkeypatch.setattr(scanning, "clock_ns", lambda _: stamps.st_ctime_ns)
    assert work.told() == ["modify b.txt"]
    read: list[str] = []
    real = FileReader.read

    def reading(self: FileReader, name: str, most: int) -> object:
        read.append(name)
        return real(self, name, most)

    monkeypatch.setattr(FileReader, "read", reading)
    assert work.told() == []
    assert work.told() == []
    monkeypatch.setattr(scanning, "clock_ns", lambda _: stamps.st_ctime_ns + 1)
    assert work.told() == []
    assert read, "suspect for as long as it may have been written in that tick"
    seen = len(read)
    assert work.told() == []
    assert len(read) == seen, "and no longer"


def test_more_files_than_are_looked_at_is_said_once_for_a_session(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for number in range(10):
        (root / f"folder{number}").mkdir(parents=True)
        (root / f"folder{number}" / "a").write_text("1")
    with scanned(root, scan_files_max=4) as work:
        [said] = work.begin()
        assert "agents.scan_files_max" in said["message"]
        assert said["context"] == "4 were looked at."
        size = work.project.ledger.head().size
        assert work.look() == [said]
        assert work.project.ledger.head().size == size


def test_more_changes_than_one_look_records_go_on_with_the_next(
    work: Scanned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_looking, "SCAN_CHANGES_MAX", 2)
    for number in range(5):
        (work.root / f"new{number}").write_text(str(number))
    first = work.look()
    assert [one.get("path") for one in first] == ["new0", "new1", None]
    assert first[-1]["message"].startswith("More files changed than one look records")
    assert first[-1]["context"] == "3 were left."
    assert scanning.scan_state(work.project.place).left == 3
    assert work.told() == ["create new2", "create new3"]
    assert work.told() == ["create new4"]
    assert work.told() == []


def test_more_bytes_than_one_look_keeps_go_on_with_the_next(
    work: Scanned, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_looking, "SCAN_KEPT_BYTES_MAX", 10)
    for number in range(3):
        (work.root / f"new{number}").write_text("x" * 8)
    assert [work.told() for _ in range(3)] == [["create new0", "create new1"], ["create new2"], []]


def test_at_the_first_look_nothing_is_known_to_have_changed(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "old").write_text("1")
    with scanned(root) as work:
        assert work.look() == []
        (root / "old").write_text("2")
        assert work.told() == ["modify old"]


def test_what_changed_between_sessions_is_told_apart(work: Scanned) -> None:
    (work.root / "b.txt").write_text("by hand\n")
    [found] = work.begin()
    assert (found["path"], found["seen_by"]) == ("b.txt", "baseline")
    assert work.content(found) == b"by hand\n"


def test_changes_that_were_not_recorded_are_found_again(work: Scanned) -> None:
    (work.root / "b.txt").write_text("changed\n")
    (work.root / "c.txt").write_text("new\n")
    lost = scanning.changes_after(work.project, work.event())
    assert [draft.data["path"] for draft in lost] == ["b.txt", "c.txt"]
    again = scanning.changes_after(work.project, work.event())
    assert [draft.id for draft in again] == [draft.id for draft in lost]
    work.project.ledger.append_many(again[:1])
    assert work.told() == ["create c.txt"]
    assert work.told() == []


@pytest.mark.parametrize("damage", ["delete", "cut", "alter"])
def test_without_what_was_remembered_nothing_is_lost(work: Scanned, damage: str) -> None:
    (work.root / "b.txt").write_text("by the agent\n")
    assert work.told() == ["modify b.txt"]
    path = work.project.place.folder / "intake" / "seen-files"
    content = path.read_bytes()
    if damage == "delete":
        path.unlink()
    else:
        path.write_bytes(content[:-5] if damage == "cut" else content[:-5] + b"other")
    (work.root / "b.txt").write_text("again\n")
    (work.root / "src" / "a.py").write_text("nobody knows what it was\n")
    assert work.told() == ["modify b.txt"]
    (work.root / "src" / "a.py").write_text("known from here on\n")
    assert work.told() == ["modify src/a.py"]


def test_the_same_state_twice_is_two_changes(work: Scanned) -> None:
    for text in ("three\n", "two\n", "three\n", "two\n"):
        (work.root / "b.txt").write_text(text)
        assert work.told() == ["modify b.txt"]
    for _ in range(2):
        (work.root / "b.txt").unlink()
        assert work.told() == ["delete b.txt"]
        (work.root / "b.txt").write_text("two\n")
        assert work.told() == ["create b.txt"]


def test_switched_off_nothing_is_looked_at(tmp_path: Path) -> None:
    with scanned(tmp_path / "project", scan=False) as work:
        work.begin()
        (work.root / "a").write_text("1")
        assert work.look() == []
        assert not scanning.scan_state(work.project.place).looked


def test_an_event_that_changes_nothing_is_not_followed_by_a_look(work: Scanned) -> None:
    (work.root / "b.txt").write_text("changed\n")
    assert work.look(kind="prompt", command=None) == []
    assert work.look(kind="tool_end", command=None) == []
    assert work.told(kind="stop", command=None) == ["modify b.txt"]
