"""Packs: artifacts by their hash, proved when read, erased for good on request."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from holdfast.kernel.errors import Damaged, StorageFailed
from holdfast.storage.archives import ArchiveFolder, artifacts_in, container, packs
from holdfast.storage.files import RealFiles
from holdfast.testing.faults.disk import MODELS, Disk
from holdfast.testing.faults.recorder import Recorder, RecordingFiles, write_files
from tests.storage.archives.material import archived, artifacts_of, entries, prefixes

SECRET = b"the secret " * 20
SECRET_NAME = sha256(SECRET).hexdigest()
ARTIFACTS = artifacts_of(b"one" * 9, b"two" * 9, SECRET, b"")
REST = {name: content for name, content in ARTIFACTS.items() if name != SECRET_NAME}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A folder with one pack, under `archives`."""
    archived(tmp_path / "archives", entries(1), artifacts=ARTIFACTS)
    return next((tmp_path / "archives").glob("*.artifacts.zst"))


def folder_of(pack: Path) -> ArchiveFolder:
    return ArchiveFolder(str(pack.parent))


def test_each_artifact_comes_back(pack: Path) -> None:
    folder = folder_of(pack)
    assert {name: folder.artifact(name) for name in ARTIFACTS} == ARTIFACTS
    assert dict(artifacts_in(str(pack))) == ARTIFACTS
    assert folder.artifact("0" * 64) is None


def test_a_large_artifact_comes_back(tmp_path: Path) -> None:
    content = Random(1).randbytes(3_000_000) + bytes(5_000_000)
    archived(tmp_path, entries(1), artifacts=artifacts_of(content))
    assert content == ArchiveFolder(str(tmp_path)).artifact(sha256(content).hexdigest())


def test_artifacts_are_found_in_any_pack(tmp_path: Path) -> None:
    for n in range(5):
        archived(tmp_path, entries(1, first=n), artifacts=artifacts_of(b"%d" % n))
    folder = ArchiveFolder(str(tmp_path))
    for n in range(5):
        assert b"%d" % n == folder.artifact(sha256(b"%d" % n).hexdigest())


def test_without_a_folder_there_are_no_artifacts(tmp_path: Path) -> None:
    folder = ArchiveFolder(str(tmp_path / "none"))
    assert folder.artifact(SECRET_NAME) is None
    assert folder.erase(SECRET_NAME) == 0


def test_cut_at_every_byte_whole_artifacts_still_come_and_no_other(pack: Path) -> None:
    with container.opened(str(pack)) as handle:
        ends = {one.sha256: one.offset + one.length for one in packs._read_index(handle)}
    for length in prefixes(pack):
        whole = {name: ARTIFACTS[name] for name, end in ends.items() if end <= length}
        folder = folder_of(pack)
        assert whole == dict(artifacts_in(str(pack))), length
        found = {name: folder.artifact(name) for name in ARTIFACTS}
        assert whole == {name: one for name, one in found.items() if one is not None}, length


def test_a_changed_byte_never_gives_other_bytes(pack: Path) -> None:
    whole = pack.read_bytes()
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0x41
        pack.write_bytes(damaged)
        folder = folder_of(pack)
        found = {name: folder.artifact(name) for name in ARTIFACTS}
        assert sum(one is None for one in found.values()) <= 1, at
        assert all(one in (None, ARTIFACTS[name]) for name, one in found.items()), at


def test_an_artifact_that_is_damaged_in_one_pack_comes_from_another(pack: Path) -> None:
    archived(pack.parent, entries(1, first=1), artifacts=ARTIFACTS)
    pack.write_bytes(pack.read_bytes()[:10])
    assert folder_of(pack).artifact(SECRET_NAME) == SECRET


def test_a_frame_under_a_wrong_name_is_not_returned(pack: Path) -> None:
    frames = container.compress([b"false"], 3)
    pack.write_bytes(packs._assemble([SECRET_NAME], frames, [5]))
    assert folder_of(pack).artifact(SECRET_NAME) is None
    assert list(artifacts_in(str(pack))) == []


def test_a_pipe_in_the_place_of_a_pack_stops_nobody(pack: Path) -> None:
    pack.unlink()
    os.mkfifo(pack)
    assert folder_of(pack).artifact(SECRET_NAME) is None
    assert list(artifacts_in(str(pack))) == []


def test_an_erased_artifact_is_gone_and_the_others_stay(pack: Path) -> None:
    folder = folder_of(pack)
    assert folder.artifact(SECRET_NAME) == SECRET
    before = pack.read_bytes()
    frame = container.compress([SECRET], packs.LEVEL)[0]
    assert frame in before
    assert folder.erase(SECRET_NAME) == 1
    assert folder.artifact(SECRET_NAME) is None
    assert dict(artifacts_in(str(pack))) == REST
    assert frame not in pack.read_bytes()
    assert SECRET_NAME.encode() not in pack.read_bytes()
    assert pack.read_bytes() == packs.encode(REST)
    assert pack.stat().st_mode & 0o777 == 0o600
    assert folder.erase(SECRET_NAME) == 0


def test_it_is_erased_from_every_pack(pack: Path) -> None:
    for n in (1, 2):
        archived(pack.parent, entries(1, first=n), artifacts=artifacts_of(SECRET, b"%d" % n))
    archived(pack.parent, entries(1, first=3), artifacts=artifacts_of(b"3"))
    assert folder_of(pack).erase(SECRET_NAME) == 3
    left = [
        name for path in pack.parent.glob("*.artifacts.zst") for name, _ in artifacts_in(str(path))
    ]
    assert sorted([*REST, *artifacts_of(b"1", b"2", b"3")]) == sorted(left)


def test_a_pack_without_artifacts_is_empty_not_gone(pack: Path) -> None:
    folder = folder_of(pack)
    for name in ARTIFACTS:
        assert folder.erase(name) == 1
    assert pack.read_bytes() == packs.encode({})
    assert list(artifacts_in(str(pack))) == []
    assert folder.erase(SECRET_NAME) == 0


def test_a_damaged_neighbour_is_carried_over_as_it_is(pack: Path) -> None:
    frames = [*container.compress([SECRET], 3), b"\x28\xb5\x2f\xfd damaged"]
    pack.write_bytes(packs._assemble([SECRET_NAME, "0" * 64], frames, [len(SECRET), 9]))
    assert folder_of(pack).erase(SECRET_NAME) == 1
    assert frames[1] in pack.read_bytes()
    assert frames[0] not in pack.read_bytes()


def test_a_pack_that_cannot_be_read_whole_is_named_after_the_others_are_done(pack: Path) -> None:
    archived(pack.parent, entries(1, first=1), artifacts=artifacts_of(SECRET))
    pack.write_bytes(pack.read_bytes()[:-1])
    with pytest.raises(Damaged, match=pack.name):
        folder_of(pack).erase(SECRET_NAME)
    other = next(path for path in pack.parent.glob("*_1-1.artifacts.zst"))
    assert list(artifacts_in(str(other))) == []


@pytest.mark.parametrize("share", [0, 1, 3, 4])
def test_a_draft_that_was_left_is_erased_too(pack: Path, share: int) -> None:
    whole = pack.read_bytes()
    draft = pack.with_name(pack.name + ".0badcafe.new")
    draft.write_bytes(whole[: len(whole) * share // 4])
    pack.unlink()
    assert folder_of(pack).erase(SECRET_NAME) == 1
    assert container.compress([SECRET], packs.LEVEL)[0] not in draft.read_bytes()


def test_a_power_cut_while_erasing_leaves_the_old_pack_or_the_new_one(
    pack: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found"
    found.mkdir()
    recorder = Recorder(str(pack.parent))
    recorder.start()
    folder_of(pack).erase(SECRET_NAME, RecordingFiles(recorder))
    recording, chance = recorder.recording(), Random(3)
    disk, seen = Disk(recording.baseline), []
    for step in recording.steps:
        disk.apply(step.op)
        for model in MODELS * 4:
            write_files(str(found), disk.image(model, chance))
            seen.append(dict(artifacts_in(str(found / pack.name))))
    assert ARTIFACTS in seen
    assert REST in seen
    assert all(one in (ARTIFACTS, REST) for one in seen)
    write_files(str(found), disk.image("lost", chance))
    assert dict(artifacts_in(str(found / pack.name))) == REST


class Full(RealFiles):
    """A disk without room."""

    def create(self, path: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_the_pack_as_it_was_and_says_so(pack: Path) -> None:
    with pytest.raises(StorageFailed, match="could not be rewritten: No space left"):
        folder_of(pack).erase(SECRET_NAME, Full())
    assert dict(artifacts_in(str(pack))) == ARTIFACTS


def test_a_folder_that_cannot_be_looked_into_is_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageFailed, match="cannot be read"):
        ArchiveFolder(str(tmp_path / "file")).artifact(SECRET_NAME)
    with pytest.raises(StorageFailed, match="cannot be read"):
        ArchiveFolder(str(tmp_path / "file")).erase(SECRET_NAME)
