"""Looking at files: inside the root only, no link followed, nothing left out unsaid."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.kernel import limits
from holdfast.kernel.errors import InvalidInput
from holdfast.wiring import watching
from holdfast.wiring.places import Place
from holdfast.wiring.watching import Root


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".holdfast").mkdir(parents=True)
    return tmp_path / "project"


@pytest.fixture
def root(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Root]:
    monkeypatch.chdir(folder)
    yield Root(Place(folder / ".holdfast" / "ledger.db"))
    assert open_handles_below(folder) == []


def open_handles_below(folder: Path) -> list[str]:
    listing = Path("/proc/self/fd")
    if not listing.exists():
        return []
    targets = [str(handle.readlink()) for handle in listing.iterdir() if handle.is_symlink()]
    return [target for target in targets if target.startswith(str(folder))]


def test_a_file_is_seen_with_size_hash_and_lines(root: Root, folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\n")
    seen = root.look("a.txt")
    assert seen is not None
    assert (8, sha256(b"one\ntwo\n").hexdigest(), 2) == (seen.size, seen.sha256, seen.lines)


def test_a_file_that_is_not_there_is_none(root: Root, folder: Path) -> None:
    (folder / "file").write_text("")
    assert [root.look(path) for path in ("a", "no/b", "file/c")] == [None, None, None]


@pytest.mark.parametrize("content", [b"\0\x01", b"\xff\xfe", b"text\0"])
def test_a_binary_file_is_seen_by_its_hash_only(root: Root, folder: Path, content: bytes) -> None:
    (folder / "a.bin").write_bytes(content)
    seen = root.look("a.bin")
    assert seen is not None
    assert (sha256(content).hexdigest(), None) == (seen.sha256, seen.text)


def test_the_text_of_a_long_file_is_not_kept(root: Root, folder: Path) -> None:
    (folder / "a.txt").write_bytes(b"x" * (limits.DIFF_BYTES_MAX + 1))
    seen = root.look("a.txt")
    assert seen is not None
    assert (seen.size, seen.text) == (limits.DIFF_BYTES_MAX + 1, None)


@pytest.mark.parametrize("path", ["../out.txt", "/etc/hostname", "a/../../out.txt", ".."])
def test_a_path_that_leaves_the_root_is_refused(root: Root, folder: Path, path: str) -> None:
    (folder.parent / "out.txt").write_text("secret")
    with pytest.raises(InvalidInput, match="is not inside"):
        root.look_all([path])


def test_a_path_may_be_given_from_where_we_are(
    root: Root, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "src").mkdir()
    monkeypatch.chdir(folder / "src")
    given = ["a.py", "../b.py", str(folder / "c.py"), "../src/../d.py"]
    assert [root.relative(path) for path in given] == ["src/a.py", "b.py", "c.py", "d.py"]
    monkeypatch.chdir(folder.parent)
    assert root.relative("a.py") == "a.py"


def test_no_link_is_followed_at_the_end_or_on_the_way(root: Root, folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside)
    for path in ("link.txt", "linked/secret.txt", "linked"):
        with pytest.raises(InvalidInput, match="symbolic link"):
            root.look(path)
    sights = root.look_all(["."])
    assert sights.files == {}
    assert sorted(sights.unlooked) == ["link.txt", "linked"]
    assert all("symbolic link" in why for why in sights.unlooked.values())


def test_what_is_no_plain_file_is_refused_without_waiting(root: Root, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    for path in ("pipe", "folder"):
        with pytest.raises(InvalidInput, match=r"no plain file|a folder"):
            root.look(path)
    assert list(root.look_all(["."]).unlooked) == ["pipe"]


@pytest.mark.parametrize(
    "path", [".holdfast/ledger.db", "deep/.holdfast/x", "app.db", "app.sqlite3-wal"]
)
def test_no_database_is_opened(root: Root, folder: Path, path: str) -> None:
    """Closing a handle on one would drop the locks of whoever uses it in this process."""
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("")
    with pytest.raises(InvalidInput, match=r"part of a ledger|a database"):
        root.look(path)
    assert root.look_all([path]).files == {}


def test_the_files_of_a_ledger_that_stands_alone_are_not_opened(tmp_path: Path) -> None:
    place = Place(tmp_path / "mine.ledger")
    for name in ("mine.ledger", "mine.ledger-wal", "mine.lock", "mine.key", "mine.seal.lock"):
        (tmp_path / name).write_text("")
    place.archives.mkdir(parents=True)
    (place.archives / "a.txt").write_text("")
    (tmp_path / "other.txt").write_text("")
    assert list(Root(place).look_all([tmp_path]).files) == ["other.txt"]


def test_a_folder_is_looked_through_but_for_what_is_ignored(root: Root, folder: Path) -> None:
    for path in ("b.py", "a/c.py", "a/d/e.py", ".git/x", "node_modules/m.js", "a/__pycache__/c"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    sights = root.look_all([".", "b.py"])
    assert list(sights.files) == ["a/c.py", "a/d/e.py", "b.py"]
    assert sights.unlooked == {}


def test_what_is_beyond_a_bound_is_named(
    root: Root, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "WATCHED_FILES_MAX", 2)
    monkeypatch.setattr(watching, "WATCHED_FILE_BYTES_MAX", 10)
    for name in "abc":
        (folder / name).write_text(name)
    (folder / "big").write_text("x" * 11)
    sights = root.look_all(["."])
    assert list(sights.files) == ["a", "b"]
    assert list(sights.unlooked) == ["big", "c"]
    monkeypatch.setattr(watching, "WATCHED_BYTES_MAX", 1)
    assert list(root.look_all(["."]).unlooked) == ["b", "big", "c"]


def test_a_file_that_may_not_be_read_is_named(root: Root, folder: Path) -> None:
    (folder / "closed").write_text("")
    (folder / "closed").chmod(0)
    if os.access(folder / "closed", os.R_OK):
        (folder / "closed").unlink()  # root reads everything
        (folder / "closed").symlink_to("nowhere")
    assert list(root.look_all(["closed"]).unlooked) == ["closed"]
