"""The notes file: replaced at once, never through a link that leaves, nobody's text lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from holdfast.evidence.notes_file import NotesFile
from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel.errors import CouldNotLook, InvalidInput, StorageFailed
from holdfast.kernel.limits import NOTES_FILE_BYTES_MAX


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def notes(root: Path, path: str = "NOTES.md") -> NotesFile:
    return NotesFile(ProjectFiles(root, root), path)


def contents(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_there_may_be_no_notes(root: Path) -> None:
    assert notes(root).read() is None
    assert notes(root, "docs/notes/NOTES.md").read() is None
    assert contents(root) == []


def test_notes_are_made_where_there_are_none(root: Path) -> None:
    file = notes(root, "docs/NOTES.md")
    assert file.replace(None, "words\r\n") is None
    assert (root / "docs/NOTES.md").read_bytes() == b"words\r\n"
    assert stat.S_IMODE((root / "docs/NOTES.md").stat().st_mode) == 0o644
    assert contents(root / "docs") == ["NOTES.md"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o664])
def test_notes_keep_their_mode(root: Path, mode: int) -> None:
    (root / "NOTES.md").write_text("old")
    (root / "NOTES.md").chmod(mode)
    file = notes(root)
    assert file.replace(file.read(), "new") is None
    assert (root / "NOTES.md").read_text() == "new"
    assert stat.S_IMODE((root / "NOTES.md").stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o464])
def test_a_file_that_its_owner_made_read_only_is_not_replaced(root: Path, mode: int) -> None:
    (root / "NOTES.md").write_text("old")
    (root / "NOTES.md").chmod(mode)
    file = notes(root)
    with pytest.raises(StorageFailed, match="read-only for its owner"):
        file.replace(file.read(), "new")
    assert (root / "NOTES.md").read_text() == "old"
    assert contents(root) == ["NOTES.md"]


def test_a_link_within_the_project_is_followed_and_stays(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs/real.md").write_text("old")
    (root / "NOTES.md").symlink_to("docs/real.md")
    file = notes(root)
    file.replace(file.read(), "new")
    assert (root / "NOTES.md").is_symlink()
    assert (root / "docs/real.md").read_text() == "new"


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_link_that_leaves_the_project_is_refused(root: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "NOTES.md").write_text("theirs")
    if link == "file":
        (root / "NOTES.md").symlink_to(outside / "NOTES.md")
    else:
        (root / "docs").symlink_to(outside)
    with pytest.raises(InvalidInput, match="leads out of the project"):
        notes(root, "NOTES.md" if link == "file" else "docs/NOTES.md")
    assert (outside / "NOTES.md").read_text() == "theirs"


@pytest.mark.parametrize(
    "path",
    [
        "../NOTES.md",
        "a/../../b.md",
        ".git/config.md",
        ".holdfast/x.md",
        "src/main.py",
        "x",
        "/tmp/x.md",
        "//x.md",
    ],
)
def test_a_place_that_is_not_for_notes_is_refused(root: Path, path: str) -> None:
    with pytest.raises(InvalidInput):
        notes(root, path)


@pytest.mark.lesson("L10")
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n", r"conflict markers \(line 2\)"),
        (b"a\0b", "NUL"),
        (b"\xff\xfe\x00#", "NUL"),
        (b"caf\xe9", "UTF-8"),
        (bytes(range(1, 64 + 1)) + b"\0", "binary"),
    ],
)
def test_damage_is_refused_and_left_for_healing(root: Path, content: bytes, why: str) -> None:
    (root / "NOTES.md").write_bytes(content)
    with pytest.raises(CouldNotLook, match=why) as refusal:
        notes(root).read()
    assert "holdfast heal" in refusal.value.remedy
    assert (root / "NOTES.md").read_bytes() == content


@pytest.mark.parametrize(
    "text",
    [
        "```\n<<<<<<< HEAD\n>>>>>>> x\n```\n",
        "Title\n=======\n",
        "<<<<<<< alone\n",
        ">>>>>>> quoted\n",
    ],
)
def test_what_only_looks_like_a_conflict_is_none(root: Path, text: str) -> None:
    (root / "NOTES.md").write_text(text)
    found = notes(root).read()
    assert found is not None
    assert found.text == text


def test_a_folder_or_too_long_a_file_is_no_notes(root: Path) -> None:
    (root / "NOTES.md").mkdir()
    with pytest.raises(CouldNotLook, match="folder"):
        notes(root).read()
    (root / "long.md").write_bytes(b"x" * (NOTES_FILE_BYTES_MAX + 1))
    with pytest.raises(CouldNotLook, match="bytes"):
        notes(root, "long.md").read()


@pytest.mark.lesson("N11")
def test_a_file_that_changed_since_it_was_read_is_not_replaced(root: Path) -> None:
    place = root / "NOTES.md"
    place.write_text("old")
    file = notes(root)
    before = file.read()
    place.write_text("theirs")
    assert file.replace(before, "ours") == "theirs"
    assert place.read_text() == "theirs"
    assert contents(root) == ["NOTES.md"]


@pytest.mark.lesson("N11")
def test_text_written_into_the_old_file_at_the_last_moment_is_handed_back(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = root / "NOTES.md"
    place.write_text("old")
    file = notes(root)
    before = file.read()
    really = Path.replace

    def late(self: Path, target: Path) -> Path:
        Path(target).write_text("theirs, late")
        return really(self, target)

    monkeypatch.setattr(Path, "replace", late)
    assert file.replace(before, "ours") == "theirs, late"


def test_a_file_that_somebody_made_meanwhile_is_not_replaced(root: Path) -> None:
    file = notes(root)
    assert file.read() is None
    (root / "NOTES.md").write_text("theirs")
    assert file.replace(None, "ours") == "theirs"
    assert (root / "NOTES.md").read_text() == "theirs"


def test_a_file_that_was_removed_meanwhile_has_its_text_handed_back(root: Path) -> None:
    (root / "NOTES.md").write_text("old")
    file = notes(root)
    before = file.read()
    (root / "NOTES.md").unlink()
    assert file.replace(before, "ours") == "old"
    assert contents(root) == []


def test_what_a_killed_process_left_is_swept(root: Path) -> None:
    for name in ("NOTES.md.0123abcd.new", "NOTES.md.mine.new", "other.0123abcd.new"):
        (root / name).write_text("x")
    notes(root).replace(None, "words")
    assert contents(root) == ["NOTES.md", "NOTES.md.mine.new", "other.0123abcd.new"]


def test_a_disk_that_refuses_is_told_and_the_file_stays(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "NOTES.md").write_text("old")
    file = notes(root)
    before = file.read()

    def full(_handle: int, _mode: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(StorageFailed, match="No space left"):
        file.replace(before, "new")
    assert (root / "NOTES.md").read_text() == "old"
    assert contents(root) == ["NOTES.md"]
