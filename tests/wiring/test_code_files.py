"""Which files are searched: those of the project, inside the root, and the others are named."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.wiring import code_files
from holdfast.wiring.code_files import BINARY, Source
from tests.wiring.code_projects import Code


@pytest.fixture
def code(tmp_path: Path) -> Code:
    return Code(tmp_path / "project")


def test_git_says_which_files_belong_to_the_project(code: Code) -> None:
    code.git("init", "-q")
    code.write(".gitignore", "build/\n*.log\n")
    for path in ("a.py", "deep/b.py", "build/c.py", "d.log", "kept.log"):
        code.write(path, "x = 1\n")
    code.git("add", "-f", "kept.log", "a.py")
    listed = code.files().list()
    assert sorted(listed.stamps) == [".gitignore", "a.py", "deep/b.py", "kept.log"]
    assert (listed.by, listed.unread) == ("git", {})


def test_a_file_that_git_knows_and_the_folder_does_not_have_is_no_file(code: Code) -> None:
    code.git("init", "-q")
    code.write("a.py", "x = 1\n")
    code.git("add", "a.py")
    (code.folder / "a.py").unlink()
    assert code.files().list().stamps == {}


def test_without_git_all_files_count_but_those_of_caches(code: Code) -> None:
    for path in ("a.py", "deep/b.py", "node_modules/c.js", ".venv/d.py", ".holdfast/e.py"):
        code.write(path, "x = 1\n")
    listed = code.files().list()
    assert (sorted(listed.stamps), listed.by) == (["a.py", "deep/b.py"], "folders")


def test_a_repository_around_that_ignores_the_project_does_not_speak_for_it(tmp_path: Path) -> None:
    outer = Code(tmp_path / "outer")
    outer.git("init", "-q")
    outer.write(".gitignore", "scratch/\n")
    inner = Code(tmp_path / "outer" / "scratch" / "project")
    inner.write("a.py", "x = 1\n")
    listed = inner.files().list()
    assert (list(listed.stamps), listed.by) == (["a.py"], "folders")


def test_an_empty_repository_has_no_files(code: Code) -> None:
    code.git("init", "-q")
    code.write(".gitignore", "*\n")
    code.write("a.py", "x = 1\n")
    listed = code.files().list()
    assert (listed.stamps, listed.by) == ({}, "git")


def test_a_repository_inside_is_named_as_not_searched(code: Code) -> None:
    code.git("init", "-q")
    code.write("inner/a.py", "x = 1\n")
    code.git("init", "-q", "inner")
    assert code.files().list().unread == {"inner": "a repository of its own"}


def test_git_runs_no_program_that_the_project_names(code: Code) -> None:
    code.git("init", "-q")
    seen = code.folder.parent / "ran"
    hook = code.write("hook.sh", f"#!/bin/sh\ntouch {seen}\n")
    hook.chmod(0o755)
    code.git("config", "core.fsmonitor", str(hook))
    assert code.files().list().by == "git"
    assert not seen.exists()


def test_variables_of_the_caller_do_not_point_git_elsewhere(
    code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Code(tmp_path / "other")
    other.git("init", "-q")
    other.write("secret.py", "x = 1\n")
    code.git("init", "-q")
    code.write("a.py", "x = 1\n")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    assert list(code.files().list().stamps) == ["a.py"]


@pytest.mark.parametrize("git", [True, False])
def test_no_link_is_followed_at_the_end_or_on_the_way(code: Code, git: bool) -> None:
    outside = code.folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("wolverine = 1\n")
    if git:
        code.git("init", "-q")
    (code.folder / "link.py").symlink_to(outside / "secret.py")
    (code.folder / "linked").symlink_to(outside)
    listed = code.files().list()
    assert listed.stamps == {}
    assert sorted(listed.unread) == ["link.py", "linked"]
    assert all("symbolic link" in why for why in listed.unread.values())
    for path in ("link.py", "linked/secret.py"):
        assert isinstance(code.files().read(path), str)


def test_a_folder_that_became_a_link_is_not_followed(code: Code) -> None:
    code.git("init", "-q")
    code.write("deep/a.py", "x = 1\n")
    code.git("add", ".")
    (code.folder / "deep" / "a.py").unlink()
    (code.folder / "deep").rmdir()
    outside = code.folder.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("wolverine = 1\n")
    (code.folder / "deep").symlink_to(outside)
    code.catch_up()
    assert code.search("wolverine").hits == []


def test_what_holds_no_text_or_too_much_is_told_apart(
    code: Code, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_files, "SOURCE_BYTES_MAX", 1000)
    monkeypatch.setattr(code_files, "SOURCE_LINE_BYTES_MAX", 100)
    code.write("a.bin", b"ab\0c")
    code.write("b.js", "x" * 200)
    code.write("c.py", "x\n" * 2000)
    code.write("d.txt", "caf\u00e9".encode("latin-1"))
    os.mkfifo(code.folder / "pipe")
    read = {path: code.files().read(path) for path in ("a.bin", "b.js", "c.py", "d.txt", "pipe")}
    assert isinstance(read["a.bin"], Source)
    assert read["a.bin"].problem == BINARY
    assert isinstance(read["b.js"], Source)
    assert "a line of 200 bytes" in str(read["b.js"].problem)
    assert read["c.py"] == "4,000 bytes: more than is searched"
    assert isinstance(read["d.txt"], Source)
    assert read["d.txt"].text == "caf\u00e9"
    assert "no plain file" in str(read["pipe"])
    assert code.files().read("gone.py") is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_with_its_mark_is_text(code: Code, encoding: str) -> None:
    code.write("a.cs", "\ufeffclass A {}\n".encode(encoding))
    code.write("half.cs", "\ufeffclass A {}\n".encode(encoding) + b"\0")
    read = code.files().read("a.cs")
    assert isinstance(read, Source)
    assert (read.text, read.problem) == ("class A {}\n", None)
    half = code.files().read("half.cs")
    assert isinstance(half, Source)
    assert (half.text, half.problem) == (None, BINARY)


def test_what_git_could_not_look_at_is_named(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    said = (
        b"warning: could not open directory 'a b/': Permission denied\n"
        b"warning: unable to access 'deep/.gitignore': Permission denied\n"
        b"warning: something else\n"
    )
    done = subprocess.CompletedProcess[bytes]([], 0, b"", said)
    monkeypatch.setattr(code_files, "run_git", lambda _folder, _words: done)
    assert code.files().list().unread == {
        ".": "git says: warning: something else",
        "a b": "Permission denied",
        "deep/.gitignore": "Permission denied",
    }


def test_a_file_of_a_sparse_checkout_is_named_as_not_searched(code: Code) -> None:
    code.git("init", "-q")
    code.write("kept/a.py", "x = 1\n")
    code.write("out/b.py", "x = 1\n")
    code.git("add", ".")
    code.git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "x")
    code.git("sparse-checkout", "set", "kept")
    listed = code.files().list()
    assert (list(listed.stamps), listed.unread) == (["kept/a.py"], {"out/b.py": "not checked out"})


def test_a_name_that_is_not_utf8_is_named_as_not_searched(code: Code) -> None:
    (code.folder / os.fsdecode(b"\xff.py")).write_text("x = 1\n")
    listed = code.files().list()
    assert listed.stamps == {}
    assert list(listed.unread.values()) == ["its name is not UTF-8"]
    code.catch_up()
    assert code.search("x").unread[0][1] == "its name is not UTF-8"
