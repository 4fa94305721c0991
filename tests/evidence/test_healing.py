"""What counts as damage, and where a whole version is found."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from holdfast.evidence import git_state
from holdfast.evidence.git import Git
from holdfast.evidence.healing import damage_of, put, read, set_aside, whole
from tests.evidence.repositories import git, repository

LEDGER = "a" * 32
CONFLICT = "# Notes\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n"

notes_damage = partial(damage_of, kind="notes")


@pytest.mark.lesson("L10")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "missing"),
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\0" * 4096, "empty"),
        (b"# Notes\n\0\x01\x02", "binary"),
        (b"# Notes\n\xff\xfe", "not UTF-8 at byte 8"),
        (CONFLICT.encode(), "conflict markers at line 2"),
    ],
)
def test_notes_are_damaged(content: bytes | None, said: str) -> None:
    found = notes_damage(content)
    assert found is not None
    assert found.startswith(said)


@pytest.mark.parametrize(
    "content",
    [
        b"# Notes\n",
        "# Notizen über 決定\r\n".encode(),
        b"a person's heading\n=======\n",
        b"```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```\n",
    ],
)
def test_notes_are_whole(content: bytes) -> None:
    assert notes_damage(content) is None


@pytest.mark.lesson("L5")
def test_every_line_must_be_an_object_by_itself() -> None:
    assert damage_of(b'{"a":1}\n\n{"b":2}\n', "lines") is None
    assert damage_of(b'{"a":1}\n{"b":', "lines") == "line 2 is not a JSON object"
    assert damage_of(b"[1]\n", "lines") == "line 1 is not a JSON object"
    assert damage_of(b'{\n"a": 1\n}\n', "lines") == "line 1 is not a JSON object"
    assert damage_of(b'{"a":1}\n<<<<<<< HEAD\n', "lines") == "conflict markers at line 2"


def commit(folder: Path, content: bytes | None) -> str:
    path = folder / "NOTES.md"
    if content is None:
        git(folder, "rm", "-q", "NOTES.md")
    else:
        path.write_bytes(content)
        git(folder, "add", "NOTES.md")
    git(folder, "commit", "-q", "-m", "notes")
    return git(folder, "rev-parse", "HEAD")


def keep(folder: Path, content: bytes) -> None:
    when = "@1794726000 +0000"
    git_state.keep(Git(folder), LEDGER, {"NOTES.md": content}, message="m", when=when)


def found(folder: Path) -> tuple[str, bytes] | None:
    one = whole(Git(folder), "NOTES.md", ledger=LEDGER, copied="NOTES.md", damaged=notes_damage)
    return None if one is None else (one.source, one.content)


@pytest.mark.req("L12")
def test_the_private_ref_comes_first_then_commits_then_the_index(tmp_path: Path) -> None:
    folder = repository(tmp_path / "project")
    assert found(folder) is None
    (folder / "NOTES.md").write_bytes(b"in the index\n")
    git(folder, "add", "NOTES.md")
    assert found(folder) == ("git-checkout", b"in the index\n")
    commit(folder, b"committed\n")
    assert found(folder) == ("git-history", b"committed\n")
    keep(folder, b"kept\n")
    assert found(folder) == ("git-ref", b"kept\n")


@pytest.mark.req("L12")
def test_a_version_that_is_damaged_itself_is_passed_over(tmp_path: Path) -> None:
    folder = repository(tmp_path / "project")
    commit(folder, b"the last whole one\n")
    commit(folder, CONFLICT.encode())
    commit(folder, b"")
    commit(folder, None)
    assert found(folder) == ("git-history", b"the last whole one\n")
    keep(folder, b"whole\n")
    keep(folder, b"")
    assert found(folder) == ("git-ref", b"whole\n")


def test_it_works_below_the_top_of_a_repository(tmp_path: Path) -> None:
    folder = repository(tmp_path / "project") / "inner"
    folder.mkdir()
    commit(folder, b"of the inner project\n")
    assert found(folder) == ("git-history", b"of the inner project\n")


@pytest.mark.lesson("L10")
def test_what_is_set_aside_never_takes_the_place_of_something(tmp_path: Path) -> None:
    places = []
    for number in range(3):
        path = tmp_path / "NOTES.md"
        path.write_text(f"damaged {number}")
        places.append(set_aside(path, tmp_path / "aside"))
        assert not path.exists()
    assert [place.read_text() for place in places] == ["damaged 0", "damaged 1", "damaged 2"]


def test_what_is_put_back_never_takes_the_place_of_something(tmp_path: Path) -> None:
    put(tmp_path / "a.md", b"x", mode=0o644)
    with pytest.raises(FileExistsError):
        put(tmp_path / "a.md", b"y", mode=0o644)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.md", b"x")]


def test_a_folder_in_the_place_of_a_file_is_refused_and_not_kept_open(tmp_path: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(IsADirectoryError):
            read(tmp_path)
    assert len(list(Path("/dev/fd").iterdir())) == before
