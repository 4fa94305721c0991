"""Writing an archive: in the right order, read back, whole or not there at every moment."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from holdfast.kernel.errors import InvalidInput, StorageFailed
from holdfast.kernel.limits import ARCHIVE_BYTES_MAX, LINE_BYTES_MAX, MIB
from holdfast.storage.archives import artifacts_in, frames, name_of, pack_name, read_lines
from holdfast.storage.files import RealFiles
from holdfast.storage.port import Stored
from holdfast.testing.builders import LEDGER
from holdfast.testing.faults.disk import MODELS, Disk
from holdfast.testing.faults.recorder import Recorder, RecordingFiles, write_files
from tests.storage.archives.material import (
    DAY,
    OTHER,
    archived,
    artifacts_of,
    entries,
    of_messages,
    pairs,
    read_all,
)

NAME = "archive_20261115_0-4.jsonl.zst"
PACK = "archive_20261115_0-4.artifacts.zst"
ARTIFACTS = artifacts_of(b"one" * 1000, b"two")


class Killed(BaseException):
    """The process is no more."""


class Dying(RealFiles):
    """Does so many steps, and dies in the next one: before it, half-way or right after."""

    def __init__(self, steps: int, moment: str = "before") -> None:
        self.done: list[str] = []
        self._steps = steps
        self._moment = moment

    def create(self, path: str, content: bytes) -> None:
        self._step("create", path)
        super().create(path, content[: len(content) // 2] if self._is_due("half") else content)
        self._end()

    def rename(self, old: str, new: str) -> None:
        self._step("rename", new)
        super().rename(old, new)
        self._end()

    def sync_folder(self, path: str) -> None:
        self._step("sync", path)
        super().sync_folder(path)
        self._end()

    def _is_due(self, *moments: str) -> bool:
        return len(self.done) > self._steps and self._moment in moments

    def _step(self, what: str, path: str) -> None:
        name = Path(path).name
        self.done.append(f"{what} {name.split('.zst')[0]}{'.new' * name.endswith('.new')}")
        if self._is_due("before"):
            raise Killed

    def _end(self) -> None:
        if self._is_due("half", "after"):
            raise Killed


def test_names_say_the_day_and_the_range() -> None:
    assert name_of(0, 899, DAY) == "archive_20261115_0-899.jsonl.zst"
    assert pack_name(name_of(0, 899, DAY)) == "archive_20261115_0-899.artifacts.zst"


@pytest.mark.parametrize(
    ("first", "last", "day"), [(0, 1, "2026-11-15"), (0, 1, "../../20"), (2, 1, DAY), (-1, 1, DAY)]
)
def test_a_name_that_says_nothing_true_is_refused(first: int, last: int, day: str) -> None:
    with pytest.raises(InvalidInput):
        name_of(first, last, day)


def test_the_pack_comes_first_and_each_is_a_synced_draft(tmp_path: Path) -> None:
    files = Dying(100)
    archived(tmp_path / "state" / "archives", entries(5), artifacts=ARTIFACTS, files=files)
    assert files.done == [
        "sync state",
        f"sync {tmp_path.name}",
        "create archive_20261115_0-4.artifacts.new",
        "rename archive_20261115_0-4.artifacts",
        "sync archives",
        "create archive_20261115_0-4.jsonl.new",
        "rename archive_20261115_0-4.jsonl",
        "sync archives",
    ]


def test_without_artifacts_there_is_no_pack(tmp_path: Path) -> None:
    archived(tmp_path, entries(5))
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_what_is_written_is_its_owners_only(tmp_path: Path) -> None:
    folder = tmp_path / "archives"
    old = os.umask(0)
    try:
        archived(folder, entries(5), artifacts=ARTIFACTS)
    finally:
        os.umask(old)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in folder.iterdir()] == [0o600, 0o600]


def test_the_same_entries_make_the_same_file(tmp_path: Path) -> None:
    one = archived(tmp_path / "a", entries(50), artifacts=ARTIFACTS)
    other = archived(tmp_path / "b", entries(50), artifacts=ARTIFACTS)
    assert one == other
    assert one.bytes == (tmp_path / "a" / one.name).stat().st_size


def test_a_leftover_of_the_same_name_is_replaced(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"leftover")
    (tmp_path / PACK).write_bytes(b"leftover")
    archive = archived(tmp_path, entries(5), artifacts=ARTIFACTS)
    assert pairs(entries(5)) == read_all(tmp_path, archive)
    assert dict(artifacts_in(str(tmp_path / PACK))) == ARTIFACTS


REFUSED: dict[str, list[Stored]] = {
    "none": [],
    "too many": entries(4097),
    "a gap": [*entries(2), *entries(2, first=3)],
    "twice the same": [*entries(2), *entries(2)],
    "another ledger": entries(3, ledger=OTHER),
    "a newline": [Stored(0, entries(1)[0].body + b"\n", b"")],
    "another number": [Stored(1, entries(1)[0].body, b"")],
    "no entry": [Stored(0, b"{}", b"")],
    "too large": of_messages(["x" * LINE_BYTES_MAX]),
    "too large together": of_messages(["x" * (MIB - 1000)] * (ARCHIVE_BYTES_MAX // MIB + 1)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_range_of_entries_is_refused_and_nothing_written(
    tmp_path: Path, what: str
) -> None:
    with pytest.raises(InvalidInput):
        archived(tmp_path / "archives", REFUSED[what], artifacts=ARTIFACTS)
    assert list(tmp_path.iterdir()) == []


def test_an_artifact_under_a_wrong_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not what its name says"):
        archived(tmp_path, entries(1), artifacts={"0" * 64: b"x"})


@pytest.mark.parametrize("moment", ["before", "half", "after"])
@pytest.mark.parametrize("step", range(8))
def test_a_kill_at_any_step_leaves_drafts_or_whole_files(
    tmp_path: Path, step: int, moment: str
) -> None:
    with pytest.raises(Killed):
        archived(tmp_path, entries(5), artifacts=ARTIFACTS, files=Dying(step, moment))
    assert_whole(tmp_path)
    archive = archived(tmp_path, entries(5), artifacts=ARTIFACTS)
    assert pairs(entries(5)) == read_all(tmp_path, archive)


def assert_whole(folder: Path) -> set[str]:
    """Check that every file but drafts is whole; return their names."""
    names = {path.name for path in folder.iterdir() if not path.name.endswith(".new")}
    assert names <= {NAME, PACK}
    assert NAME not in names or PACK in names
    if NAME in names:
        assert pairs(entries(5)) == list(read_lines(str(folder / NAME)))
    if PACK in names:
        assert dict(artifacts_in(str(folder / PACK))) == ARTIFACTS
    return names


def test_a_power_cut_at_any_step_leaves_drafts_or_whole_files(tmp_path: Path) -> None:
    place, found = tmp_path / "archives", tmp_path / "found"
    place.mkdir()
    found.mkdir()
    recorder = Recorder(str(place))
    recorder.start()
    archived(place, entries(5), artifacts=ARTIFACTS, files=RecordingFiles(recorder))
    recording, chance = recorder.recording(), Random(3)
    disk = Disk(recording.baseline)
    seen = set()
    for step in recording.steps:
        disk.apply(step.op)
        for model in MODELS * 4:
            write_files(str(found), disk.image(model, chance))
            seen.add(frozenset(assert_whole(found)))
    assert seen == {frozenset(), frozenset({PACK}), frozenset({PACK, NAME})}
    assert disk.settled
    write_files(str(found), disk.image("lost", chance))
    assert assert_whole(found) == {PACK, NAME}


class Lying(RealFiles):
    """A disk that keeps something else."""

    def __init__(self, end: str, share: float) -> None:
        self._end = end
        self._share = share

    def rename(self, old: str, new: str) -> None:
        super().rename(old, new)
        if new.endswith(self._end):
            content = bytearray(Path(new).read_bytes())
            content[int(len(content) * self._share)] ^= 1
            Path(new).write_bytes(content)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("end", [".jsonl.zst", ".artifacts.zst"])
def test_a_file_that_does_not_hold_what_was_written_is_found(
    tmp_path: Path, end: str, share: float
) -> None:
    artifacts = artifacts_of(Random(1).randbytes(5000))
    with pytest.raises(StorageFailed, match="does not hold what was written"):
        archived(tmp_path, entries(5), artifacts=artifacts, files=Lying(end, share))


def test_a_file_that_cannot_be_decoded_as_the_entries_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = frames.encode([one.body for one in entries(4)], ledger=LEDGER, first=0)
    monkeypatch.setattr(frames, "encode", lambda *_, **__: other)
    with pytest.raises(StorageFailed, match="does not hold what was written"):
        archived(tmp_path, entries(5))


class Full(RealFiles):
    """A disk without room."""

    def create(self, path: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=r"could not be written: No space left on device\."):
        archived(tmp_path, entries(5), files=Full())


def test_a_folder_that_cannot_be_made_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageFailed, match="could not be written"):
        archived(tmp_path / "file" / "archives", entries(5), ledger=LEDGER)
