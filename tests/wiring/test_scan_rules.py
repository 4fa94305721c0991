"""What is not looked at for changed files: by rule, by name, by size; and that it is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.wiring import scan_rules, scanning
from tests.wiring.scanned import Scanned, git, scanned


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Scanned]:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("one\n")
    (root / "b.txt").write_text("two\n")
    with scanned(root) as found:
        found.begin()
        yield found


def test_git_says_what_is_ignored(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\nbuild/\n!kept.log\n")
    with scanned(root) as work:
        work.begin()
        for name in ("a.log", "kept.log", "src/b.log", "src/c.py", "build/d.py", "src/build/e.py"):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(name)
        assert work.told() == ["create kept.log", "create src/c.py"]
        for name in ("a.log", "src/b.log", "build/d.py", "build/new.py"):
            (root / name).write_text("again")
        assert work.told() == []


def test_a_tracked_file_counts_though_a_rule_ignores_it(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.log").write_text("1")
    git(root, "add", "-f", "a.log")
    (root / ".gitignore").write_text("*.log\n")
    with scanned(root) as work:
        work.begin()
        (root / "a.log").write_text("2")
        assert work.told() == ["modify a.log"]


def test_a_rule_that_changes_counts_at_once(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "out").mkdir(parents=True)
    git(root, "init", "-q")
    (root / ".gitignore").write_text("out/\n")
    (root / "out" / "a").write_text("1")
    (root / "b.tmp").write_text("1")
    with scanned(root) as work:
        work.begin()
        (root / ".gitignore").write_text("*.tmp\n")
        (root / "b.tmp").write_text("2")
        assert work.told() == ["modify .gitignore"], "and what was there before is no news"
        (root / "out" / "a").write_text("2")
        (root / "b.tmp").unlink()
        assert work.told() == ["modify out/a"]


@pytest.mark.lesson("N10")
@pytest.mark.parametrize("name", [".git", "node_modules", ".venv", "__pycache__", ".holdfast"])
def test_folders_of_caches_and_the_like_are_left_out(work: Scanned, name: str) -> None:
    (work.root / name).mkdir(exist_ok=True)
    (work.root / name / "x.py").write_text("x")
    (work.root / "src" / name).mkdir()
    (work.root / "src" / name / "x.py").write_text("x")
    assert not any("x.py" in one for one in work.told())


def test_a_repository_inside_is_not_looked_into_and_that_is_told(work: Scanned) -> None:
    (work.root / "inner").mkdir()
    git(work.root / "inner", "init", "-q")
    (work.root / "inner" / "x.py").write_text("x")
    assert work.told() == []
    assert scanning.scan_state(work.project.place).unlooked == {"inner": "a repository of its own"}


def test_a_link_is_not_followed(work: Scanned, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.py").write_text("x")
    (work.root / "link").symlink_to(tmp_path / "outside")
    (work.root / "file").symlink_to(tmp_path / "outside" / "x.py")
    (work.root / "loop").symlink_to(work.root)
    assert work.told() == []


def test_a_link_in_a_files_place_means_that_the_file_is_gone(work: Scanned, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("not ours\n")
    (work.root / "b.txt").unlink()
    (work.root / "b.txt").symlink_to(tmp_path / "outside.txt")
    assert work.told() == ["delete b.txt"]
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text("not ours\n")
    (work.root / "src" / "a.py").unlink()
    (work.root / "src").rmdir()
    (work.root / "src").symlink_to(tmp_path / "outside")
    assert work.told() == ["delete src/a.py"]


def test_pipes_are_not_opened(work: Scanned) -> None:
    os.mkfifo(work.root / "pipe")
    assert work.told() == []


@pytest.mark.parametrize(
    "name", [b"new\nline", b"\xff\xfe.py", b"-rf", b"$(id)", b"a\\xff", "\u202ename".encode()]
)
def test_hostile_names_are_kept_exactly(work: Scanned, name: bytes) -> None:
    path = os.fsencode(work.root) + b"/" + name
    with open(path, "wb") as file:  # noqa: PTH123 - a name of bytes
        file.write(b"x")
    [found] = work.look()
    kept = bytes.fromhex(found["path_bytes"]) if "path_bytes" in found else found["path"].encode()
    assert kept == name
    assert work.look() == []
    os.unlink(path)  # noqa: PTH108
    [gone] = work.look()
    assert (gone["action"], gone["path"]) == ("delete", found["path"])


def test_a_folder_that_cannot_be_read_loses_nothing_and_is_told(work: Scanned) -> None:
    if os.getuid() == 0:
        real = os.open

        def refusing(path: object, *rest: object, **more: object) -> int:
            if path == "src":
                raise PermissionError(13, "Permission denied")
            return real(path, *rest, **more)  # type: ignore[arg-type]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "open", refusing)
            found = work.look()
    else:
        (work.root / "src").chmod(0)
        found = work.look()
        (work.root / "src").chmod(0o700)
    [said] = found
    assert said["message"] == "Not looked at for changed files: src: Permission denied."
    assert work.told() == []


@pytest.mark.lesson("N12")
def test_a_file_with_a_secret_is_withheld_and_said_so(work: Scanned) -> None:
    secret = b"key = 'AKIA" + b"QYLPMN5HHHFPZAM2" + b"'\n"
    (work.root / "keys.py").write_bytes(secret)
    [found] = work.look()
    assert found["content"] == {
        "withheld": "secret",
        "sha256": sha256(secret).hexdigest(),
        "bytes": len(secret),
    }
    assert work.project.ledger.artifact(sha256(secret).hexdigest()) is None
    folder = work.project.place.folder
    held = [path for path in folder.rglob("*") if path.is_file() and secret in path.read_bytes()]
    assert held == []


def test_a_large_file_has_its_hash_and_says_why_its_content_is_not_there(tmp_path: Path) -> None:
    with scanned(tmp_path / "project", file_bytes_max=10) as work:
        work.begin()
        (work.root / "small").write_bytes(b"0123456789")
        (work.root / "large").write_bytes(b"0123456789a")
        large, small = work.look()
        assert large["content"] == {
            "withheld": "size",
            "bytes": 11,
            "sha256": sha256(b"0123456789a").hexdigest(),
        }
        assert work.content(small) == b"0123456789"


def test_a_database_is_not_opened_and_that_is_told(work: Scanned) -> None:
    (work.root / "data.db").write_bytes(b"anything")
    assert work.told() == []
    told = scanning.scan_state(work.project.place).unlooked
    assert told == {"data.db": "a database, which somebody may have locked"}


@pytest.mark.lesson("N10")
@pytest.mark.parametrize("where", ["home", "above"])
def test_a_home_folder_is_refused_and_that_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    home = tmp_path / "users" / "me"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    root = home if where == "home" else home.parent
    with scanned(root) as work:
        [said] = work.begin()
        (root / "a").write_text("1")
        assert work.look() == [said]
        assert said["error_type"] == "files_not_looked_at"
        assert "home" in said["message"]
        assert scanning.scan_state(work.project.place).refused
        assert work.told({"a": b"1"}, command=None) == ["create a"], "named files are still kept"


def test_a_project_below_a_home_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with scanned(tmp_path / "project") as work:
        assert work.begin() == []
        (work.root / "a").write_text("1")
        assert work.told() == ["create a"]


def test_what_git_ignores_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n")
    (root / "a.log").write_text("1")
    with scanned(root) as work:
        work.begin()
        asked: list[list[str]] = []

        def answer(_: Path, paths: list[str]) -> set[str]:
            asked.append(paths)
            return set()

        monkeypatch.setattr(scan_rules, "_ignored", answer)
        (root / "a.log").write_text("2")
        assert work.look() == []
        assert [paths for paths in asked if paths] == []


def test_git_that_stops_at_a_path_is_asked_about_the_others(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("*.log\n")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    ask = scan_rules.asking_git(tmp_path)
    assert ask(["a.log", "link/x", "b.log", "c.py"]) == {"a.log", "b.log"}


def test_a_repository_around_that_ignores_the_project_does_not_speak_for_it(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("project/\n")
    with scanned(tmp_path / "project") as work:
        work.begin()
        (work.root / "a.py").write_text("x")
        assert work.told() == ["create a.py"]


@pytest.mark.parametrize("root", ["/", "/home", "/home/somebody", "/Users/somebody"])
def test_homes_and_the_whole_disk_are_refused(root: str) -> None:
    assert scan_rules.refusal(Path(root))
