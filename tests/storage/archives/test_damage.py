"""Files that are cut, foreign or hostile: what is whole still comes, nothing else does, ever."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
import zstandard

from holdfast.kernel.limits import LINE_BYTES_MAX, MIB
from holdfast.storage.archives import ArchiveFolder, container, frames, read_lines
from holdfast.storage.archives.frames import Index, Part
from holdfast.storage.port import Archive, Stored
from holdfast.testing.builders import LEDGER
from tests.storage.archives.material import (
    OTHER,
    archived,
    entries,
    noise,
    of_messages,
    pairs,
    prefixes,
    read_all,
)


def small_archive(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Write an archive of four frames, two entries each."""
    monkeypatch.setattr(frames, "FRAME_ENTRIES_MAX", 2)
    return archived(folder, entries(8))


def frame_ends(path: Path) -> list[int]:
    with container.opened(str(path)) as handle:
        return [part.offset + part.length for part in frames.read_index(handle).frames]


def test_cut_at_every_byte_the_whole_frames_still_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = small_archive(tmp_path, monkeypatch)
    path = tmp_path / archive.name
    ends = frame_ends(path)
    for length in prefixes(path):
        whole = pairs(entries(8))[: 2 * sum(end <= length for end in ends)]
        assert whole == read_all(tmp_path, archive), length
        assert whole == list(read_lines(str(path))), length
        assert ArchiveFolder(str(tmp_path)).check(archive) is not None, length
    assert ArchiveFolder(str(tmp_path)).check(archive) is None


def test_a_changed_byte_costs_its_frame_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = small_archive(tmp_path, monkeypatch)
    path = tmp_path / archive.name
    whole, ends, expected = path.read_bytes(), frame_ends(path), pairs(entries(8))
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0x41
        path.write_bytes(damaged)
        hit = sum(end <= at for end in ends)  # the frame, or all of them when it is behind
        kept = [pair for pair in expected if pair[0] // 2 != hit]
        found = read_all(tmp_path, archive)
        assert found in (kept, expected), at
        assert ArchiveFolder(str(tmp_path)).check(archive) is not None, at


@pytest.mark.parametrize("lost", range(4))
def test_without_the_index_a_damaged_frame_does_not_hide_those_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    archive = small_archive(tmp_path, monkeypatch)
    path = tmp_path / archive.name
    ends = frame_ends(path)
    damaged = bytearray(path.read_bytes()[:-1])
    damaged[ends[lost] - 1] ^= 1  # its checksum
    path.write_bytes(damaged)
    kept = [pair for pair in pairs(entries(8)) if pair[0] // 2 != lost]
    assert kept == read_all(tmp_path, archive)
    assert kept[: 2 * lost] == list(read_lines(str(path)))  # without a listing: up to the damage


def put_folder(path: Path) -> None:
    path.mkdir()


def put_link(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.write_bytes(b"")
    path.symlink_to(target)


STANDING_IN: dict[str, Callable[[Path], object]] = {
    "nothing": lambda _: None,
    "an empty file": lambda path: path.write_bytes(b""),
    "chance": lambda path: path.write_bytes(random.Random(1).randbytes(100_000)),
    "zeros": lambda path: path.write_bytes(bytes(100_000)),
    "text": lambda path: path.write_text("no archive\n" * 99),
    "a folder": put_folder,
    "a pipe": lambda path: os.mkfifo(path),
    "a link": put_link,
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("what", STANDING_IN)
def test_something_else_in_its_place_yields_nothing_and_is_named(tmp_path: Path, what: str) -> None:
    archive = archived(tmp_path, entries(5))
    path = tmp_path / archive.name
    path.unlink()
    STANDING_IN[what](path)
    assert read_all(tmp_path, archive) == []
    assert list(read_lines(str(path))) == []
    why = ArchiveFolder(str(tmp_path)).check(archive)
    assert why is not None
    assert why.startswith(("the file ", "there is no file "))


def test_a_link_to_the_right_file_is_not_followed(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(5))
    path = tmp_path / archive.name
    path.rename(tmp_path / "moved")
    path.symlink_to("moved")
    assert read_all(tmp_path, archive) == []
    assert ArchiveFolder(str(tmp_path)).check(archive) is not None


def test_another_ledgers_archive_is_left_out_and_named(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(5))
    archived(tmp_path, entries(5, ledger=OTHER), ledger=OTHER)
    source = ArchiveFolder(str(tmp_path), ledger=LEDGER)
    assert list(source(archive, 0, 5)) == []
    assert f"the file is of another ledger, {OTHER}" == source.check(archive)
    assert ArchiveFolder(str(tmp_path)).check(archive) is not None


def test_another_range_yields_only_the_numbers_it_says_it_holds(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(5))
    other = archived(tmp_path / "other", entries(5, first=3))
    (tmp_path / "other" / other.name).rename(tmp_path / archive.name)
    assert pairs(entries(5, first=3))[:2] == read_all(tmp_path, archive)
    why = ArchiveFolder(str(tmp_path)).check(archive)
    assert why is not None
    assert "holds entries 3 to 7" in why


def test_an_archive_of_the_same_range_and_size_is_found_by_its_hash(tmp_path: Path) -> None:
    archive = archived(tmp_path, of_messages(["one"]))
    path = tmp_path / archive.name
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)
    assert ArchiveFolder(str(tmp_path)).check(archive) == "the file's SHA-256 is another one"


@pytest.mark.parametrize("name", ["", ".", "..", "../outside", "/dev/zero", "a\0b", "x" * 5000])
def test_a_listed_name_cannot_lead_elsewhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "archives").mkdir()
    written = archived(tmp_path, entries(5))
    (tmp_path / written.name).rename(tmp_path / "outside")
    listed = Archive(0, 4, name, written.sha256, written.bytes)
    assert read_all(tmp_path / "archives", listed) == []
    assert ArchiveFolder(str(tmp_path / "archives")).check(listed) is not None


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    source = ArchiveFolder(str(tmp_path / "none"))
    listed = Archive(0, 4, "archive_20261115_0-4.jsonl.zst", "0" * 64, 10)
    assert list(source(listed, 0, 5)) == []
    assert source.check(listed) == "the file is missing"


def hostile(path: Path, content: bytes, index: object, raw: int = 100) -> Archive:
    """Write a file with frames and index as given."""
    written = index if isinstance(index, bytes) else msgspec.json.encode(index)
    path.write_bytes(container.assemble([content], [raw], written))
    return Archive(0, 4, path.name, "0" * 64, 10)


FRAME = container.compress([b"".join(one.body + b"\n" for one in entries(5))], 3)[0]
HUGE = 2**62

INDEXES = {
    "no frames": Index(1, 0, (), 4, LEDGER),
    "a huge offset": Index(1, 0, (Part(0, HUGE, len(FRAME)),), 4, LEDGER),
    "a huge length": Index(1, 0, (Part(0, 0, HUGE),), 4, LEDGER),
    "beyond 64 bits": {
        **msgspec.to_builtins(Index(1, 0, (), 4, LEDGER)),
        "frames": [[0, 10**40, 9]],
    },
    "a negative offset": Index(1, 0, (Part(0, -5, len(FRAME)),), 4, LEDGER),
    "one frame for all": Index(1, 0, tuple(Part(n, 0, len(FRAME)) for n in range(5)), 4, LEDGER),
    "another version": Index(2, 0, (Part(0, 0, len(FRAME)),), 4, LEDGER),
    "text for numbers": {"archive": 1, "first": "0", "frames": [], "last": 4, "ledger": LEDGER},
    "deep": b"[" * 100_000,
    "deep inside": b'{"x":' * 100_000,
    "not UTF-8": b'{"ledger":"\xff"}',
    "nothing": b"{}",
}


@pytest.mark.parametrize("what", INDEXES)
def test_a_nonsensical_index_is_done_without(tmp_path: Path, what: str) -> None:
    archive = hostile(tmp_path / "a.jsonl.zst", FRAME, INDEXES[what])
    assert read_all(tmp_path, archive) in ([], pairs(entries(5)))
    assert ArchiveFolder(str(tmp_path)).check(archive) is not None
    assert pairs(entries(5)) == list(read_lines(str(tmp_path / "a.jsonl.zst")))


def test_an_index_cannot_give_an_entry_another_number(tmp_path: Path) -> None:
    moved = Index(1, 1, (Part(1, 0, len(FRAME)),), 5, LEDGER)
    assert read_all(tmp_path, hostile(tmp_path / "a.jsonl.zst", FRAME, moved)) == []
    foreign = Index(1, 0, (Part(0, 0, len(FRAME)),), 4, OTHER)
    assert read_all(tmp_path, hostile(tmp_path / "b.jsonl.zst", FRAME, foreign)) == []


@pytest.mark.parametrize("rows", [0, 1, 5000, 2**32 - 1])
def test_a_seek_table_that_lies_is_not_believed(tmp_path: Path, rows: int) -> None:
    archive = archived(tmp_path, entries(5))
    path = tmp_path / archive.name
    path.write_bytes(path.read_bytes()[:-9] + struct.pack("<IBI", rows, 0, 0x8F92EAB1))
    assert pairs(entries(5)) == read_all(tmp_path, archive)


def bomb(size: int, *, says_size: bool) -> bytes:
    parameters = zstandard.ZstdCompressionParameters(
        compression_level=3, write_content_size=says_size, write_checksum=True
    )
    return zstandard.ZstdCompressor(compression_params=parameters).compress(bytes(size))


def lying_bomb() -> bytes:
    """A frame that states 100 bytes and holds a mebibyte."""
    header = b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", 100)  # one segment, size in 2 bytes, +256
    return header + b"".join(
        (131072 << 3 | 2 | n // 7).to_bytes(3, "little") + b"0" for n in range(8)
    )


@pytest.mark.parametrize(
    "frame",
    [bomb(64 * MIB, says_size=True), bomb(64 * MIB, says_size=False), lying_bomb()],
    ids=["honest", "silent", "lying"],
)
def test_a_bomb_is_not_opened(tmp_path: Path, frame: bytes) -> None:
    index = Index(1, 0, (Part(0, 0, len(frame)),), 4, LEDGER)
    archive = hostile(tmp_path / "a.jsonl.zst", frame, index)
    with (
        container.opened(str(tmp_path / archive.name)) as handle,
        pytest.raises(container.Unreadable),
    ):
        frames.read_frame(handle, index.frames[0])
    assert read_all(tmp_path, archive) == []
    hostile(tmp_path / archive.name, frame, b"no index")
    assert read_all(tmp_path, archive) == []
    assert list(read_lines(str(tmp_path / archive.name))) == []


def test_the_largest_entry_is_no_bomb() -> None:
    content = noise(1, LINE_BYTES_MAX).encode() + b"\n"
    frame = container.compress([content], 3)[0]
    assert content == container.decompress(frame, frames.CONTENT_MAX)


def test_many_bombs_without_an_index_are_not_opened_all(tmp_path: Path) -> None:
    one = container.compress([bytes(MIB)], 3)[0]
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(one * 4000)
    with container.opened(str(path)) as handle:
        walked = list(container.walk(handle, frames.CONTENT_MAX, frames.TOTAL_MAX))
    assert len(walked) == 16


@pytest.mark.parametrize("content", [b"\n" * 257, b"no end of line", b""])
def test_a_frame_that_does_not_hold_lines_is_refused(tmp_path: Path, content: bytes) -> None:
    frame = container.compress([content], 3)[0]
    index = Index(1, 0, (Part(0, 0, len(frame)),), 4, LEDGER)
    archive = hostile(tmp_path / "a.jsonl.zst", frame, index)
    assert read_all(tmp_path, archive) == []
    with (
        container.opened(str(tmp_path / archive.name)) as handle,
        pytest.raises(container.Unreadable, match="does not hold lines"),
    ):
        frames.read_frame(handle, index.frames[0])


def test_an_index_whose_frames_overlap_is_done_without(tmp_path: Path) -> None:
    overlapping = Index(1, 0, (Part(0, 0, len(FRAME)), Part(3, 0, len(FRAME))), 4, LEDGER)
    hostile(tmp_path / "a.jsonl.zst", FRAME, overlapping)
    with container.opened(str(tmp_path / "a.jsonl.zst")) as handle:
        assert frames.read_index(handle).frames == (Part(0, 0, len(FRAME)),)


@pytest.mark.parametrize(
    "behind",
    [entries(5, first=6), entries(5, first=4), entries(5, first=5, ledger=OTHER)],
    ids=["a gap", "twice the same", "another ledger"],
)
def test_a_file_alone_is_read_up_to_where_it_is_no_range(
    tmp_path: Path, behind: list[Stored]
) -> None:
    more = container.compress([b"".join(one.body + b"\n" for one in behind)], 3)[0]
    (tmp_path / "a.jsonl.zst").write_bytes(FRAME + more)
    assert pairs(entries(5)) == list(read_lines(str(tmp_path / "a.jsonl.zst")))


def test_chance_never_raises(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(40))
    path = tmp_path / archive.name
    whole = path.read_bytes()
    expected = dict(pairs(entries(40)))
    chance = random.Random(5)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.randint(0, 9)] = chance.randbytes(chance.randint(0, 9))
        path.write_bytes(damaged)
        found = read_all(tmp_path, archive)
        assert all(expected[seq] == body for seq, body in found)
        assert all(a[0] < b[0] for a, b in pairwise(found))
