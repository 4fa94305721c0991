"""What is remembered of files comes back as it was, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.evidence import seen_files
from holdfast.evidence.seen_files import ANY, Pending, SeenFiles, record_of

RECORD = (3, 1_000, 2_000, 7, b"h" * 32)
SECOND_NS = 1_000_000_000


def test_it_comes_back_as_it_was(tmp_path: Path) -> None:
    seen = SeenFiles(
        folders={"": {"a": RECORD}, "b/c": {"d": RECORD, "é": RECORD}, "empty": {}},
        ignored={"build"},
        skipped={"": {"x.log"}},
        by_git=True,
        pending=[Pending("id", b"a", None), Pending("other", b"\xff", RECORD)],
        unlooked={"e": "why"},
        files=3,
        left=1,
        began_ns=5,
        cut=True,
    )
    seen_files.write(tmp_path / "seen", seen)
    assert seen_files.read(tmp_path / "seen") == seen
    assert list(tmp_path.iterdir()) == [tmp_path / "seen"]


def test_names_that_are_no_text_come_back(tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")
    seen = SeenFiles(
        folders={"": {odd: RECORD, "a": RECORD}, odd: {"b": RECORD}, "empty": {}},
        ignored={"build", odd},
        skipped={"": {odd, "x"}, odd: {"y"}},
    )
    seen_files.write(tmp_path / "seen", seen)
    found = seen_files.read(tmp_path / "seen")
    assert found is not None
    assert found.folders == seen.folders
    assert (found.ignored, found.skipped) == ({"build"}, {"": {"x"}}), "they are asked about again"


def test_what_is_torn_altered_or_something_else_counts_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "seen"
    assert seen_files.read(path) is None
    seen_files.write(path, SeenFiles(folders={"": {"a": RECORD}}))
    content = path.read_bytes()
    for end in range(len(content)):
        path.write_bytes(content[:end])
        assert seen_files.read(path) is None
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert seen_files.read(path) is None


def test_changes_that_were_not_recorded_are_taken_back_from_the_end() -> None:
    seen = SeenFiles(folders={"": {"a": RECORD, "b": RECORD, "c": RECORD}})
    before = (*RECORD[:4], b"o" * 32)
    seen.pending = [
        Pending("1", b"a", before),
        Pending("2", b"b", before),
        Pending("3", b"c", None),
    ]
    asked: list[str] = []

    def is_recorded(entry_id: str) -> bool:
        asked.append(entry_id)
        return entry_id == "1"

    seen.settle(is_recorded)
    assert seen.folders == {"": {"a": RECORD, "b": before}}
    assert (asked, seen.pending) == (["3", "2", "1"], [])


@pytest.mark.parametrize(
    ("mtime_ns", "ctime_ns", "is_suspect"),
    [
        (10 * SECOND_NS + 1, 10 * SECOND_NS + 1, False),
        (10 * SECOND_NS + 4, 10 * SECOND_NS + 1, False),
        (10 * SECOND_NS + 5, 10 * SECOND_NS + 1, True),
        (10 * SECOND_NS + 1, 10 * SECOND_NS + 5, True),
        (99 * SECOND_NS + 1, 10 * SECOND_NS + 1, True),
        (10 * SECOND_NS, 10 * SECOND_NS, True),
        (8 * SECOND_NS, 8 * SECOND_NS, False),
    ],
)
def test_a_file_written_in_the_tick_of_the_look_fits_no_file(
    mtime_ns: int, ctime_ns: int, is_suspect: bool
) -> None:
    """Where times are whole seconds, the clock may be that coarse."""
    status = _Status(3, mtime_ns, ctime_ns, 7)
    found = record_of(status, b"h", 10 * SECOND_NS + 5)  # type: ignore[arg-type]
    assert found == (3, ANY if is_suspect else mtime_ns, ctime_ns, 7, b"h")


class _Status:
    def __init__(self, size: int, mtime_ns: int, ctime_ns: int, inode: int) -> None:
        self.st_size = size
        self.st_mtime_ns = mtime_ns
        self.st_ctime_ns = ctime_ns
        self.st_ino = inode
