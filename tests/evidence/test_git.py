"""Git by its plumbing: objects and one ref, and nothing that a user would notice."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.evidence import git as plumbing
from holdfast.evidence.git import Blob, Git, find
from holdfast.kernel.errors import CouldNotLook
from tests.evidence.repositories import git, repository, seen

REF = "refs/holdfast/test"
WHEN = "@1794726000 +0000"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "project")


def found(folder: Path) -> Git:
    it = find(folder)
    assert isinstance(it, Git)
    return it


def committed(it: Git, files: dict[str, bytes], *, old: str | None = None) -> str:
    tree = it.make_tree({name: it.keep(content) for name, content in files.items()})
    commit = it.commit(tree, "a message\n", parents=[old] if old else [], when=WHEN)
    assert it.move_ref(REF, commit, old=old)
    return commit


def test_what_is_committed_reads_back_byte_for_byte(folder: Path) -> None:
    git(folder, "config", "core.autocrlf", "true")
    files = {"a.md": b"one\r\ntwo\n", "b": bytes(range(256)), "c": b""}
    it = found(folder)
    commit = committed(it, files)
    assert {name: it.read(f"{commit}:{name}") for name in files} == files
    assert it.files(commit)["b"] == Blob(it.resolve(f"{commit}:b") or "", 256)
    assert it.read(f"{commit}:none") is None


def test_the_same_files_give_the_same_commit(folder: Path, tmp_path: Path) -> None:
    other = repository(tmp_path / "other", commits=0)
    one, two = (committed(found(one), {"a": b"x"}) for one in (folder, other))
    assert one == two


@pytest.mark.req("L12")
def test_nothing_that_a_user_sees_changes(folder: Path) -> None:
    before = seen(folder)
    committed(found(folder), {"a": b"x"})
    assert seen(folder) == before
    assert git(folder, "rev-parse", REF)


def test_a_ref_moves_only_from_where_it_was(folder: Path) -> None:
    it = found(folder)
    first = committed(it, {"a": b"1"})
    second = committed(it, {"a": b"2"}, old=first)
    assert not it.move_ref(REF, first, old=first)
    assert not it.move_ref(REF, first, old=None)
    assert it.resolve(REF) == second
    assert it.history(REF, commits_max=9) == [second, first]


def test_no_hook_of_the_repository_runs(folder: Path) -> None:
    hooks = folder / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-update", "update", "pre-commit", "post-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {folder}/ran-{name}\nexit 1\n")
        (hooks / name).chmod(0o755)
    committed(found(folder), {"a": b"x"})
    assert not list(folder.glob("ran-*"))


def test_no_program_that_settings_name_runs(folder: Path) -> None:
    program = folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {folder}/ran\ncat\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "filter.x.clean", "gpg.program", "core.editor"):
        git(folder, "config", name, str(program))
    git(folder, "config", "commit.gpgSign", "true")
    (folder / ".gitattributes").write_text("* filter=x\n")
    committed(found(folder), {"a": b"x"})
    assert not (folder / "ran").exists()


def test_no_reflog_is_written_even_where_all_refs_have_one(folder: Path) -> None:
    git(folder, "config", "core.logAllRefUpdates", "always")
    before = seen(folder)
    committed(found(folder), {"a": b"x"})
    assert seen(folder) == before


def test_variables_of_the_caller_do_not_lead_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other")
    before = seen(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git/objects"))
    commit = committed(found(folder), {"a": b"x"})
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.delenv(name)
    assert git(folder, "rev-parse", REF) == commit
    assert seen(other) == before


def test_without_git_or_a_repository_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find(tmp_path) == "this is not in a git repository"
    monkeypatch.setenv("PATH", str(tmp_path))
    said = find(tmp_path)
    assert isinstance(said, str)
    assert "it is not installed" in said


def test_a_git_that_hangs_is_given_up(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\nexec cat /dev/zero > /dev/null\n")
    program.chmod(0o755)
    monkeypatch.setattr(plumbing, "PROGRAM", str(program))
    said = find(folder, timeout_s=0.2)
    assert isinstance(said, str)
    assert "took more than 0.2 s" in said


def test_what_git_cannot_do_is_told_in_its_words(folder: Path) -> None:
    with pytest.raises(CouldNotLook) as caught:
        found(folder).make_tree({"a": "0" * 40})
    assert "git mktree did not work" in caught.value.what
    assert "The ledger has everything" in caught.value.remedy


def test_a_file_that_is_too_large_is_not_read(folder: Path) -> None:
    it = found(folder)
    commit = committed(it, {"a": b"x" * 100})
    with pytest.raises(CouldNotLook):
        it.read(f"{commit}:a", bytes_max=99)


def test_a_name_that_looks_like_an_option_is_none(folder: Path) -> None:
    assert found(folder).resolve("--all") is None


@pytest.mark.parametrize("also", [True, False])
def test_a_git_inside_the_project_is_never_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, also: bool
) -> None:
    program = folder / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {folder}/ran\n")
    program.chmod(0o755)
    elsewhere = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{elsewhere if also else ''}")
    it = find(folder)
    assert isinstance(it, Git) if also else "a file of the project itself" in str(it)
    assert not (folder / "ran").exists()
