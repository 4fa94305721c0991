"""Reading archives back: exact bytes for any range, from few frames, by many threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.kernel.limits import FRAME_BYTES_MAX, LINE_BYTES_MAX
from holdfast.storage.archives import ArchiveFolder, container, frames, read_lines
from holdfast.storage.archives.frames import Index
from holdfast.testing.builders import LEDGER
from holdfast.testing.conformance.engines import run_threads
from tests.storage.archives.material import archived, entries, of_messages, of_size, pairs, read_all


def index_of(path: Path) -> Index:
    with container.opened(str(path)) as handle:
        return frames.read_index(handle)


def test_every_range_gives_the_exact_bytes(tmp_path: Path) -> None:
    stored = entries(20, first=7)
    archive = archived(tmp_path, stored)
    source = ArchiveFolder(str(tmp_path))
    for first in range(7, 27):
        for stop in range(first, 28):
            assert pairs(stored)[first - 7 : stop - 7] == list(source(archive, first, stop))


def test_what_is_asked_for_beyond_the_archive_is_left_out(tmp_path: Path) -> None:
    stored = entries(5, first=10)
    archive = archived(tmp_path, stored)
    source = ArchiveFolder(str(tmp_path))
    assert pairs(stored) == list(source(archive, 0, 100))
    assert list(source(archive, 15, 100)) == []
    assert list(source(archive, 12, 12)) == []


def test_an_archive_of_4096_entries_is_read_across_its_frames(tmp_path: Path) -> None:
    stored = entries(4096)
    archive = archived(tmp_path, stored)
    assert len(index_of(tmp_path / archive.name).frames) == 16
    source = ArchiveFolder(str(tmp_path))
    assert pairs(stored) == list(source(archive, 0, 4096))
    for seq in (0, 255, 256, 511, 4095):
        assert pairs(stored)[seq : seq + 1] == list(source(archive, seq, seq + 1))
    assert pairs(stored)[250:600] == list(source(archive, 250, 600))


def test_entries_of_a_mebibyte_have_a_frame_each(tmp_path: Path) -> None:
    stored = [one for n in range(3) for one in of_size(LINE_BYTES_MAX, first=n)]
    archive = archived(tmp_path, stored)
    assert [part.first for part in index_of(tmp_path / archive.name).frames] == [0, 1, 2]
    assert pairs(stored) == read_all(tmp_path, archive)
    assert pairs(stored) == list(read_lines(str(tmp_path / archive.name)))


def test_an_entry_larger_than_a_frame_stands_between_small_ones(tmp_path: Path) -> None:
    stored = of_messages(["a", "b", "x" * (FRAME_BYTES_MAX + 1), "c"])
    archive = archived(tmp_path, stored)
    assert [part.first for part in index_of(tmp_path / archive.name).frames] == [0, 2, 3]
    assert pairs(stored) == read_all(tmp_path, archive)


def test_a_frame_is_filled_to_its_last_byte_and_no_further(tmp_path: Path) -> None:
    first = of_size(1000)
    exact = [*first, *of_size(FRAME_BYTES_MAX - 1002, first=1), *of_size(600, first=2)]
    archive = archived(tmp_path, exact)
    assert [part.first for part in index_of(tmp_path / archive.name).frames] == [0, 2]
    over = [*first, *of_size(FRAME_BYTES_MAX - 1001, first=1)]
    archive = archived(tmp_path, over)
    assert [part.first for part in index_of(tmp_path / archive.name).frames] == [0, 1]


def test_a_frame_is_read_once_however_often_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archived(tmp_path, entries(300))
    source = ArchiveFolder(str(tmp_path))
    assert len(list(source(archive, 0, 300))) == 300

    def refuse(*_: object) -> bytes:
        raise AssertionError("read again")

    monkeypatch.setattr(container, "read_at", refuse)
    assert len(list(source(archive, 0, 300))) == 300
    with pytest.raises(AssertionError, match="read again"):
        list(ArchiveFolder(str(tmp_path))(archive, 0, 300))


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    one, other = of_messages(["one"]), of_messages(["other"])
    archive = archived(tmp_path, one)
    source = ArchiveFolder(str(tmp_path))
    assert pairs(one) == list(source(archive, 0, 1))
    archived(tmp_path, other)
    assert pairs(other) == list(source(archive, 0, 1))


def test_many_threads_read_through_one_folder(tmp_path: Path) -> None:
    stored = entries(1200)
    archive = archived(tmp_path, stored)
    source = ArchiveFolder(str(tmp_path))

    def work() -> None:
        for first in range(0, 1200, 37):
            assert pairs(stored)[first : first + 300] == list(source(archive, first, first + 300))

    run_threads(work, 8)


def test_a_half_read_range_holds_no_file_open(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(600))
    before = len(list(Path("/dev/fd").iterdir()))
    ranges = [iter(ArchiveFolder(str(tmp_path))(archive, 0, 600)) for _ in range(20)]
    assert [next(one)[0] for one in ranges] == [0] * 20
    assert before == len(list(Path("/dev/fd").iterdir()))


def test_the_listed_file_is_the_right_one(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(3))
    assert ArchiveFolder(str(tmp_path)).check(archive) is None
    assert ArchiveFolder(str(tmp_path), ledger=LEDGER).check(archive) is None


def test_importing_archives_does_not_import_the_compressor() -> None:
    code = "import sys, holdfast.storage.archives; sys.exit('zstandard' in sys.modules)"
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONPATH": paths}
    )
    assert done.returncode == 0
