"""Where a ledger lies, and how it is found from anywhere in its project."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import holdfast
from holdfast.kernel.errors import NotALedger
from holdfast.testing import data_for
from holdfast.wiring.places import DATABASE, FOLDER, Place, discover, place_of, project_root


def git(folder: Path, *arguments: str) -> None:
    """Run git with no settings of this machine."""
    names = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(
        ["git", *who, *arguments],
        cwd=folder,
        env={**clean, **dict.fromkeys(names, os.devnull)},
        check=True,
        capture_output=True,
    )


def make_ledger(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with holdfast.open(folder) as ledger:
        return ledger.id


def test_a_projects_ledger_is_in_its_own_folder(tmp_path: Path) -> None:
    place = place_of(tmp_path)
    assert tmp_path / ".holdfast" / "ledger.db" == place.database
    assert tmp_path == place.project
    assert tmp_path / ".holdfast" / "config.toml" == place.settings


def test_the_folder_itself_names_the_same_ledger(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    assert place_of(tmp_path) == place_of(tmp_path / FOLDER)


def test_a_database_may_stand_alone(tmp_path: Path) -> None:
    place = place_of(tmp_path / "notes.db")
    assert tmp_path / "notes.db" == place.database
    assert place.project is None
    assert (tmp_path / "notes.lock", tmp_path / "notes.key") == (place.lock, place.key)


def test_a_relative_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert tmp_path / "x.db" == place_of(Path("x.db")).database
    assert Place(tmp_path / FOLDER / DATABASE) == place_of(Path())


def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tmp_path / "x.db" == place_of(Path("~/x.db")).database


@pytest.mark.parametrize("name", ["ledger.db", "x", "a.b.db", ".hidden", "with space.sqlite"])
def test_the_engine_and_the_place_agree_on_the_lock(tmp_path: Path, name: str) -> None:
    with holdfast.open(tmp_path / name) as ledger:
        ledger.append("decision", data_for("decision"))
    locks = [path.name for path in tmp_path.iterdir() if path.name.endswith(".lock")]
    assert [place_of(tmp_path / name).lock.name] == locks


def test_a_ledger_is_found_from_below(tmp_path: Path) -> None:
    make_ledger(tmp_path)
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)
    for start in (tmp_path, below, tmp_path / FOLDER):
        assert place_of(tmp_path) == discover(start)


def test_the_nearest_ledger_counts(tmp_path: Path) -> None:
    make_ledger(tmp_path)
    make_ledger(tmp_path / "inner")
    (tmp_path / "inner" / "src").mkdir()
    assert place_of(tmp_path / "inner") == discover(tmp_path / "inner" / "src")


def test_where_there_is_none_it_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotALedger, match="holdfast init"):
        discover(tmp_path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init")
    (main / "a.txt").write_text("a\n")
    git(main, "add", "a.txt")
    git(main, "commit", "-m", "first")
    return main


def test_a_worktree_uses_the_ledger_of_the_main_one(repository: Path, tmp_path: Path) -> None:
    make_ledger(repository)
    git(repository, "worktree", "add", str(tmp_path / "other"))
    inside = tmp_path / "other" / "src"
    inside.mkdir()
    for start in (tmp_path / "other", inside):
        assert place_of(repository) == discover(start)


def test_a_worktree_with_a_ledger_of_its_own_uses_that(repository: Path, tmp_path: Path) -> None:
    make_ledger(repository)
    git(repository, "worktree", "add", str(tmp_path / "other"))
    make_ledger(tmp_path / "other")
    assert place_of(tmp_path / "other") == discover(tmp_path / "other")


def test_a_worktree_of_a_project_without_a_ledger_has_none(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", str(tmp_path / "other"))
    with pytest.raises(NotALedger):
        discover(tmp_path / "other")


@pytest.mark.parametrize("text", ["", "gitdir:", "nonsense", "gitdir: ../nowhere", "\0\xff"])
def test_a_strange_git_file_is_passed_over(tmp_path: Path, text: str) -> None:
    make_ledger(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_bytes(text.encode("latin-1"))
    assert place_of(tmp_path) == discover(tmp_path / "sub")


def test_a_submodule_is_not_a_worktree(tmp_path: Path) -> None:
    make_ledger(tmp_path)
    modules = tmp_path / "elsewhere" / ".git" / "modules" / "sub"
    modules.mkdir(parents=True)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text(f"gitdir: {modules}\n")
    assert place_of(tmp_path) == discover(tmp_path / "sub")


def test_a_renamed_project_keeps_its_ledger(tmp_path: Path) -> None:
    before = make_ledger(tmp_path / "old")
    with holdfast.open(tmp_path / "old") as ledger:
        ledger.append("decision", data_for("decision"))
    (tmp_path / "old").rename(tmp_path / "new")
    with holdfast.open(tmp_path / "new") as ledger:
        assert (before, 1) == (ledger.id, ledger.head().size)
        ledger.append("decision", data_for("decision", 1))
        assert ledger.verify().ok


def test_the_root_is_where_the_ledger_is_or_git_or_here(tmp_path: Path) -> None:
    inner = tmp_path / "project" / "library" / "src"
    inner.mkdir(parents=True)
    assert project_root(inner) == inner
    (tmp_path / "project" / "library" / ".git").mkdir()
    assert project_root(inner) == tmp_path / "project" / "library"
    (tmp_path / "project" / ".holdfast").mkdir()
    (tmp_path / "project" / ".holdfast" / "ledger.db").touch()
    assert project_root(inner) == tmp_path / "project"


def test_the_root_of_a_worktree_is_its_own_though_the_ledger_is_anothers(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    (main / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (main / ".holdfast").mkdir()
    (main / ".holdfast" / "ledger.db").touch()
    (tree / "src").mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/tree\n")
    assert project_root(tree / "src") == tree
    assert discover(tree / "src").project == main
