"""Files are read as they are, below the root, through no link; one that keeps changing is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.evidence import file_reading
from holdfast.evidence.file_reading import FileReader


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[FileReader]:
    (tmp_path / "root" / "folder").mkdir(parents=True)
    found = FileReader(tmp_path / "root")
    yield found
    found.close()


def test_a_file_is_read_whole(reader: FileReader, tmp_path: Path) -> None:
    content = bytes(range(256)) * 2_000
    (tmp_path / "root/folder/a").write_bytes(content)
    found = reader.read("folder/a", len(content))
    assert found is not None
    assert (found.content, found.digest) == (content, sha256(content).digest())
    short = reader.read("folder/a", len(content) - 1)
    assert short is not None
    assert (short.content, short.why, short.digest) == (None, "size", sha256(content).digest())


def test_what_is_not_there_or_no_file_is_none(reader: FileReader, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "root/pipe")
    (tmp_path / "root/x.db").mkdir()
    names = ("a", "no/a", "folder", "pipe", "pipe/a", "x.db", "y.db")
    assert [reader.read(name, 9) for name in names] == [None] * 7


def test_links_are_not_followed(reader: FileReader, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "root/link").symlink_to(tmp_path / "secret")
    (tmp_path / "root/way").symlink_to(tmp_path)
    with pytest.raises(OSError, match="symbolic links"):
        reader.read("link", 9)
    assert reader.read("way/secret", 9) is None


def test_a_file_too_large_to_hash_is_not_read(
    reader: FileReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_reading, "SCAN_HASHED_BYTES_MAX", 3)
    (tmp_path / "root/a").write_text("1234")
    found = reader.read("a", 9)
    assert found is not None
    assert (found.digest, found.content, found.why) == (b"", None, "size")


@pytest.mark.parametrize(("changes", "is_torn"), [(1, False), (9, True)])
def test_a_file_that_changes_while_it_is_read_is_read_again(
    reader: FileReader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: int,
    is_torn: bool,
) -> None:
    path = tmp_path / "root/a"
    path.write_text("0")
    real, left = os.read, [changes]

    def reading(handle: int, most: int) -> bytes:
        block = real(handle, most)
        if block and left[0]:
            left[0] -= 1
            os.utime(path, ns=(left[0], left[0]))  # as a write would
        return block

    monkeypatch.setattr(os, "read", reading)
    found = reader.read("a", 99)
    assert found is not None
    assert found.torn == is_torn
    assert found.content is not None
    assert sha256(found.content).digest() == found.digest
