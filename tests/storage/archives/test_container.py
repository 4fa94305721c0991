"""The outside of the files: any zstd reads them, and the seek table is the standard one."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
import zstandard

from holdfast.kernel.limits import FRAME_BYTES_MAX, FRAME_ENTRIES_MAX
from holdfast.storage.archives import container, frames
from holdfast.storage.archives.container import Frame, Unreadable
from tests.storage.archives.material import archived, artifacts_of, entries, noise, of_messages


def streamed(content: bytes) -> bytes:
    """Decompress a whole file as `zstdcat` does."""
    reader = zstandard.ZstdDecompressor().stream_reader(
        io.BytesIO(content), read_across_frames=True
    )
    return reader.read()


def seek_table(content: bytes) -> list[tuple[int, int]]:
    """Read the seek table by the text of the seekable format alone."""
    rows, descriptor, magic = struct.unpack("<IBI", content[-9:])
    assert magic == 0x8F92EAB1
    assert descriptor == 0
    size = rows * 8 + 9
    assert struct.unpack("<II", content[-size - 8 : -size]) == (0x184D2A5E, size)
    table = content[-size:-9]
    return [struct.unpack_from("<II", table, 8 * n) for n in range(rows)]


def test_streaming_gives_the_lines_and_nothing_else(tmp_path: Path) -> None:
    stored = of_messages(noise(n, n * 7) for n in range(700))
    archive = archived(tmp_path, stored)
    content = (tmp_path / archive.name).read_bytes()
    assert b"".join(one.body + b"\n" for one in stored) == streamed(content)


def test_streaming_a_pack_gives_the_artifacts_one_after_the_other(tmp_path: Path) -> None:
    artifacts = artifacts_of(b"one\n", b"two\n" * 50_000, b"")
    archived(tmp_path, entries(1), artifacts=artifacts)
    pack = next(tmp_path.glob("*.artifacts.zst"))
    assert b"".join(artifacts[name] for name in sorted(artifacts)) == streamed(pack.read_bytes())


def test_the_seek_table_accounts_for_every_byte(tmp_path: Path) -> None:
    archive = archived(tmp_path, entries(700))
    content = (tmp_path / archive.name).read_bytes()
    *data, index = seek_table(content)
    offset = 0
    for compressed, decompressed in data:
        frame = content[offset : offset + compressed]
        assert decompressed == len(zstandard.ZstdDecompressor().decompress(frame))
        offset += compressed
    assert len(data) == 3
    assert struct.unpack_from("<II", content, offset) == (0x184D2A50, index[0] - 8)
    assert index[1] == 0
    assert offset + index[0] + 8 * 4 + 17 == len(content)


def test_each_frame_states_its_size_and_carries_a_checksum(tmp_path: Path) -> None:
    archive = archived(tmp_path, of_messages(noise(n, 3000) for n in range(300)))
    path = tmp_path / archive.name
    content, offset = path.read_bytes(), 0
    for compressed, decompressed in seek_table(content)[:-1]:
        stated = zstandard.get_frame_parameters(content[offset : offset + compressed])
        lines = streamed(content[offset : offset + compressed])
        assert decompressed == stated.content_size == len(lines) <= FRAME_BYTES_MAX
        assert stated.has_checksum
        assert lines.count(b"\n") <= FRAME_ENTRIES_MAX
        offset += compressed


def test_walking_finds_the_frames_that_the_index_names(tmp_path: Path) -> None:
    texts = ["", "x" * 400_000, noise(1, 400_000), *(noise(n, 2000) for n in range(500))]
    archive = archived(tmp_path, of_messages(texts))
    with container.opened(str(tmp_path / archive.name)) as handle:
        named = [Frame(part.offset, part.length) for part in frames.read_index(handle).frames]
        assert named == list(container.walk(handle, frames.CONTENT_MAX, frames.TOTAL_MAX))


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 65_791, 131_072, 131_073, 1_000_000])
@pytest.mark.parametrize("level", [1, 9, 15, 19])
def test_a_frame_of_any_size_is_walked_to_its_end(tmp_path: Path, size: int, level: int) -> None:
    contents = [bytes(size), noise(size, size).encode(), b"end"]
    made = container.compress(contents, level)
    (tmp_path / "f").write_bytes(b"".join(made))
    with container.opened(str(tmp_path / "f")) as handle:
        assert container.places(made) == list(container.walk(handle, 1_000_000, 10_000_000))


def test_walking_yields_whole_frames_only(tmp_path: Path) -> None:
    made = container.compress([b"one" * 50, noise(1, 300).encode(), b""], 3)
    content, places = b"".join(made), container.places(made)
    for length in range(len(content) + 1):
        (tmp_path / "f").write_bytes(content[:length])
        whole = [place for place in places if place.offset + place.length <= length]
        with container.opened(str(tmp_path / "f")) as handle:
            assert whole == list(container.walk(handle, 1000, 1000)), length


def test_a_frame_that_states_too_much_is_refused() -> None:
    frame = container.compress([b"x" * 101], 3)[0]
    assert container.decompress(frame, 101) == b"x" * 101
    with pytest.raises(Unreadable, match="impossible size"):
        container.decompress(frame, 100)


@pytest.mark.parametrize("behind", [b"x", b"\x28\xb5\x2f\xfd"])
def test_a_frame_with_something_behind_it_is_refused(behind: bytes) -> None:
    frame = container.compress([b"x"], 3)[0]
    with pytest.raises(Unreadable, match="damaged"):
        container.decompress(frame + behind, 100)


def test_a_frame_that_is_skipped_holds_nothing() -> None:
    with pytest.raises(Unreadable, match="no frame"):
        container.decompress(struct.pack("<II", 0x184D2A50, 3) + b"abc", 100)


def test_lines_are_a_sequence_like_any_other() -> None:
    lines = frames.Lines(b"a\n\nccc\n")
    assert list(lines) == [b"a", b"", b"ccc"]
    assert (lines[0], lines[-1], lines[-3], lines[1:]) == (b"a", b"ccc", b"a", [b"", b"ccc"])
    with pytest.raises(IndexError):
        lines[3]


@pytest.mark.parametrize("content", [b"", b"a", b"a\nb", b"\n" * (FRAME_ENTRIES_MAX + 1)])
def test_what_is_no_row_of_lines_is_refused(content: bytes) -> None:
    with pytest.raises(container.Unreadable):
        frames.Lines(content)
