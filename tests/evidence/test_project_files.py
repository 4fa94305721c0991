"""Files of a project are read, and no others, whatever they are called."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from holdfast.evidence.project_files import ProjectFile, ProjectFiles
from holdfast.kernel.errors import CouldNotLook, InvalidInput, NotFound


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("x = 1\n")
    (root / "top.py").write_text("y = 2\n")
    (tmp_path / "secret.txt").write_text("secret\n")
    return root


@pytest.fixture
def files(project: Path) -> ProjectFiles:
    return ProjectFiles(project, project / "src")


def test_a_file_is_read_by_each_of_its_names(files: ProjectFiles, project: Path) -> None:
    (project / "link.py").symlink_to("src/a.py")
    (project / "elsewhere").symlink_to("src")
    for name in ("a.py", "./a.py", "${PROJECT_ROOT}/src/a.py", str(project / "src/a.py")):
        assert files.read(name) == ProjectFile("src/a.py", "x = 1\n")
    for name in ("link.py", "elsewhere/a.py", "/src//a.py"):
        assert files.read("${PROJECT_ROOT}/" + name) == ProjectFile("src/a.py", "x = 1\n")


def test_a_root_behind_a_link_is_the_same_root(project: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(project)
    files = ProjectFiles(tmp_path / "alias", tmp_path / "alias" / "src")
    assert files.read("a.py").path == files.read(str(project / "src/a.py")).path == "src/a.py"


@pytest.mark.parametrize(
    "name",
    [
        "../../secret.txt",
        "/etc/hostname",
        "${PROJECT_ROOT}/../secret.txt",
        "out.txt",
        "out/secret.txt",
        "${PROJECT_ROOT}/src/out.txt",
        "../src/../../secret.txt",
        "../../project2/a.py",
        "",
        "a\0b",
    ],
)
def test_a_name_that_leads_out_is_refused_with_the_right_form(
    files: ProjectFiles, project: Path, tmp_path: Path, name: str
) -> None:
    (project / "src" / "out.txt").symlink_to(tmp_path / "secret.txt")
    (project / "src" / "out").symlink_to(tmp_path)
    (tmp_path / "project2").mkdir()
    (tmp_path / "project2" / "a.py").write_text("z = 3\n")
    with pytest.raises(InvalidInput) as raised:
        files.read(name)
    assert "${PROJECT_ROOT}/" in raised.value.remedy
    assert not files.has(name)


@pytest.mark.parametrize("name", ["../top.py", "${PROJECT_ROOT}/src/../top.py"])
def test_a_way_up_is_refused_with_the_name_that_it_stands_for(
    files: ProjectFiles, name: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        files.read(name)
    assert raised.value.remedy.endswith("${PROJECT_ROOT}/top.py")


def test_a_link_put_in_place_after_the_look_is_not_followed(
    files: ProjectFiles, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "locate", lambda _: "src/secret.txt")
    (project / "src" / "a.py").unlink()
    (project / "src").rmdir()
    (project / "src").symlink_to(tmp_path)
    with pytest.raises((CouldNotLook, NotFound)):
        files.read("a.py")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("b.py", "${PROJECT_ROOT}/src/a.py"),
        ("top.py", "${PROJECT_ROOT}/top.py"),
        ("${PROJECT_ROOT}/topp.py", "${PROJECT_ROOT}/top.py"),
        ("a.py/inner", ""),
        ("no/such/folder.py", ""),
    ],
)
def test_a_missing_file_is_named_with_near_ones(files: ProjectFiles, name: str, near: str) -> None:
    with pytest.raises(NotFound) as raised:
        files.read(name)
    assert near in raised.value.remedy
    assert name in raised.value.what


def test_what_is_no_text_is_not_looked_at(files: ProjectFiles, project: Path) -> None:
    (project / "src" / "binary").write_bytes(b"a\0b")
    (project / "src" / "latin").write_bytes("größer".encode("latin-1"))
    (project / "src" / "large").write_bytes(b"x" * 101)
    (project / "src" / "loop").symlink_to("loop")
    os.mkfifo(project / "src" / "pipe")
    said = {"binary": "NUL", "latin": "not UTF-8", "large": "more than 100 bytes", "loop": "link"}
    said |= {"pipe": "a pipe", "${PROJECT_ROOT}/src": "a folder", ".": "a folder"}
    for name, why in said.items():
        with pytest.raises(CouldNotLook, match=why):
            files.read(name, bytes_max=100)
    assert files.read("a.py", bytes_max=6).text == "x = 1\n"


def test_a_name_that_is_not_utf_8_is_spelled_so_that_json_can_hold_it(
    files: ProjectFiles, project: Path
) -> None:
    odd = os.fsdecode(b"\xff.py")
    (project / "src" / odd).write_text("x = 1\n")
    assert files.read(odd) == ProjectFile("src/\\xff.py", "x = 1\n")


def test_the_remedy_fits_what_kept_us_from_looking(files: ProjectFiles, project: Path) -> None:
    (project / "src" / "binary").write_bytes(b"a\0b")
    (project / "src" / "latin").write_bytes("größer".encode("latin-1"))
    (project / "src" / "large").write_bytes(b"x" * 101)
    (project / "src" / "loop").symlink_to("loop")
    os.mkfifo(project / "src" / "pipe")
    remedies = {
        "binary": "Name a text file, in UTF-8.",
        "latin": "Name a text file, in UTF-8.",
        "large": "Name a file of at most 100 bytes.",
        "loop": "It is a link that leads nowhere: name the file itself.",
        "pipe": "Name a plain file.",
        "${PROJECT_ROOT}/src": "It takes one file: name one of those in it.",
    }
    for name, remedy in remedies.items():
        with pytest.raises(CouldNotLook) as raised:
            files.read(name, bytes_max=100)
        assert raised.value.remedy == remedy


def test_a_file_that_may_not_be_read_is_told_as_that(
    files: ProjectFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *_: object) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(files, "_read", refuse)
    with pytest.raises(CouldNotLook, match="Permission denied") as raised:
        files.read("a.py")
    assert raised.value.remedy == "You may not read it: change its permissions, or name another."
