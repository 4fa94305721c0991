"""Reading many files quickly gives what reading each with care gives."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.evidence.project_files import ProjectFile, ProjectFiles
from holdfast.evidence.reading import ReadingFiles
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import INPUT_BYTES_MAX


@pytest.fixture
def files(tmp_path: Path) -> ProjectFiles:
    root = tmp_path / "project"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "deep.py").write_text("deep\n")
    (root / "a" / "one.py").write_text("one\r\ntwo\n")
    (root / "top.py").write_text("")
    (root / "binary").write_bytes(b"a\0b")
    (root / "latin").write_bytes(b"\xfc")
    (root / "inside.py").symlink_to("a/one.py")
    (root / "folder").symlink_to("a")
    (tmp_path / "outside.py").write_text("secret\n")
    (root / "outside.py").symlink_to(tmp_path / "outside.py")
    (root / "up").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    (root / "\u200bhidden.py").write_text("hidden\n")
    with (root / "huge").open("wb") as huge:
        huge.truncate(INPUT_BYTES_MAX + 1)
    return ProjectFiles(root, root)


PATHS = [
    *("a/b/deep.py", "a/one.py", "top.py", "inside.py", "folder/one.py", "binary", "latin"),
    *("outside.py", "up/outside.py", "pipe", "a", "a/", "/a/one.py", "a//one.py", "./top.py"),
    *("a/../top.py", "nothing.py", "no/folder.py", "top.py/x", "", "\u200bhidden.py", "huge"),
    *("a/b/deep.py", "x" * 300),
]


def read_by(read: ReadingFiles | ProjectFiles, path: str) -> ProjectFile | type[HoldfastError]:
    try:
        return read.read(path)
    except HoldfastError as error:
        return type(error)


@pytest.mark.req("L18")
def test_it_gives_what_reading_one_by_one_gives(files: ProjectFiles) -> None:
    with ReadingFiles(files) as reading:
        quickly = [read_by(reading, path) for path in PATHS]
    carefully = [read_by(files, "${PROJECT_ROOT}/" + path) for path in PATHS]
    assert carefully == quickly
    assert ProjectFile("a/one.py", "one\r\ntwo\n") in quickly


@pytest.mark.req("L18")
def test_nothing_outside_is_read(files: ProjectFiles) -> None:
    with ReadingFiles(files) as reading:
        for path in PATHS:
            found = read_by(reading, path)
            assert not isinstance(found, ProjectFile) or "secret" not in found.text


def test_no_descriptor_stays_open(files: ProjectFiles) -> None:
    before = next_descriptor()
    with ReadingFiles(files) as reading:
        for path in PATHS:
            read_by(reading, path)
    assert before == next_descriptor()


def next_descriptor() -> int:
    """Return the lowest number that is free."""
    opened = os.open(os.devnull, os.O_RDONLY)
    os.close(opened)
    return opened
