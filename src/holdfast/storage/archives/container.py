"""The outside of archives and packs: zstd frames, then an index, then a seek table.

Bytes in, bytes out. A file is written whole and read in places; every length that a file states is
compared with a bound before it is believed. What the frames hold is not known here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from struct import Struct
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel.limits import BLOCK_BYTES_MIN

FRAME_MAGIC: Final = b"\x28\xb5\x2f\xfd"
INDEX_MAGIC: Final = 0x184D2A50
SEEK_TABLE_MAGIC: Final = 0x184D2A5E
SEEK_FOOTER_MAGIC: Final = 0x8F92EAB1

_SKIPPABLE: Final = Struct("<II")  # magic, length of what follows
_ROW: Final = Struct("<II")  # compressed, decompressed
_FOOTER: Final = Struct("<IBI")  # rows, descriptor, magic
_FRAME_HEADER_MAX: Final = 18

# Kinds of blocks: a run is one byte that stands for many; the other two have their length.
_RUN: Final = 1
_RESERVED: Final = 3
_BLOCKS_MIN: Final = 64


NOT_JSON: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading an index may raise."""


class Unreadable(Exception):
    """A file, or a part of one, is not what it should be. Never leaves this package."""


class Frame(msgspec.Struct, frozen=True, gc=False):
    """Where a frame stands in its file."""

    offset: int
    length: int


Identity: TypeAlias = tuple[str, int, int, int, int, int]
"""Tells a file from one that was put in its place."""


def compress(contents: Sequence[bytes], level: int) -> list[bytes]:
    """Make one frame of each content, with its size and a checksum."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=level, write_checksum=True, write_content_size=True)
    return [compressor.compress(content) for content in contents]


def decompress(frame: bytes, bytes_max: int) -> bytes:
    """Return what a frame holds; a frame that states more than `bytes_max` is not touched."""
    import zstandard

    if not frame.startswith(FRAME_MAGIC):
        raise Unreadable("there is no frame")
    try:
        stated = zstandard.get_frame_parameters(frame)
        if not 0 <= stated.content_size <= bytes_max:
            raise Unreadable("a frame states an impossible size")
        return zstandard.ZstdDecompressor().decompress(
            frame, max_output_size=bytes_max, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise Unreadable("a frame is damaged") from error


def stated_size(frame: bytes) -> int:
    """Return how many bytes a frame says it holds; 0 for one that says nothing."""
    import zstandard

    try:
        return max(zstandard.frame_content_size(frame), 0) & 0xFFFFFFFF
    except zstandard.ZstdError:
        return 0


def places(frames: Sequence[bytes]) -> list[Frame]:
    """Return where frames stand that follow each other from the start of a file."""
    found, offset = [], 0
    for frame in frames:
        found.append(Frame(offset, len(frame)))
        offset += len(frame)
    return found


def assemble(frames: Sequence[bytes], sizes: Sequence[int], index: bytes) -> bytes:
    """Put a file together. `sizes` are the lengths of what the frames hold."""
    proved = b"%b\n%b\n" % (index, sha256(index).hexdigest().encode())
    skipped = _SKIPPABLE.pack(INDEX_MAGIC, len(proved)) + proved
    rows = [*zip(map(len, frames), sizes, strict=True), (len(skipped), 0)]
    table = b"".join(_ROW.pack(*row) for row in rows) + _FOOTER.pack(
        len(rows), 0, SEEK_FOOTER_MAGIC
    )
    return b"".join((*frames, skipped, _SKIPPABLE.pack(SEEK_TABLE_MAGIC, len(table)), table))


@contextmanager
def opened(path: str) -> Iterator[int]:
    """Open a regular file for reading; a link, a pipe or a folder in its place is an OSError."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    handle = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        yield handle
    finally:
        os.close(handle)


def identity_of(path: str) -> Identity:
    """Return what changes when a file is replaced or written to."""
    found = os.lstat(path)
    times = (found.st_mtime_ns, found.st_ctime_ns)
    return (path, found.st_dev, found.st_ino, found.st_size, *times)


def read_at(handle: int, frame: Frame) -> bytes:
    """Read a stretch of a file, all of it."""
    if frame.offset < 0 or frame.offset + frame.length > os.fstat(handle).st_size:
        raise Unreadable("the file ends too early")
    content = os.pread(handle, frame.length, frame.offset)
    if len(content) != frame.length:
        raise Unreadable("the file ends too early")
    return content


def read_index(handle: int, rows_max: int, bytes_max: int) -> bytes:
    """Find the index by the seek table, which must account for every byte of the file."""
    size = os.fstat(handle).st_size
    if size < _SKIPPABLE.size + _FOOTER.size:
        raise Unreadable("there is no seek table")
    rows, descriptor, magic = _FOOTER.unpack(
        read_at(handle, Frame(size - _FOOTER.size, _FOOTER.size))
    )
    length = rows * _ROW.size + _FOOTER.size
    start = size - length - _SKIPPABLE.size
    if magic != SEEK_FOOTER_MAGIC or descriptor or not 0 < rows <= rows_max or start < 0:
        raise Unreadable("there is no seek table")
    table = read_at(handle, Frame(start, size - start))
    if _SKIPPABLE.unpack_from(table) != (SEEK_TABLE_MAGIC, length):
        raise Unreadable("the seek table is damaged")
    stated = list(_ROW.iter_unpack(table[_SKIPPABLE.size : -_FOOTER.size]))
    index_length = stated[-1][0]
    if sum(row[0] for row in stated) != start or not _SKIPPABLE.size < index_length <= bytes_max:
        raise Unreadable("the seek table does not fit the file")
    return _proved(read_at(handle, Frame(start - index_length, index_length)))


def _proved(skipped: bytes) -> bytes:
    """Return the index, which stands before its own hash: a changed one would hide whole frames."""
    if _SKIPPABLE.unpack_from(skipped) != (INDEX_MAGIC, len(skipped) - _SKIPPABLE.size):
        raise Unreadable("there is no index")
    index, _, digest = skipped[_SKIPPABLE.size :].removesuffix(b"\n").rpartition(b"\n")
    if sha256(index).hexdigest().encode() != digest:
        raise Unreadable("the index is damaged")
    return index


def walk(handle: int, content_max: int, total_max: int) -> Iterator[Frame]:
    """Yield the whole frames from the start of a file, without its index; stop at damage.

    Frames state what they hold; it is neither more than `content_max` nor, in all, `total_max`.
    """
    offset = total = 0
    while True:
        head = os.pread(handle, _FRAME_HEADER_MAX, offset)
        header = _header(head)
        if header is None or not 0 <= header.content <= content_max:
            return
        total += header.content
        length = _frame_length(handle, offset, header)
        if length is None or total > total_max:
            return
        yield Frame(offset, length)
        offset += length


class _Header(msgspec.Struct, frozen=True, gc=False):
    length: int
    content: int
    has_checksum: bool


def _header(head: bytes) -> _Header | None:
    import zstandard

    if not head.startswith(FRAME_MAGIC):
        return None
    try:
        stated = zstandard.get_frame_parameters(head)
        length = zstandard.frame_header_size(head)
    except zstandard.ZstdError:
        return None
    return _Header(length, stated.content_size, bool(stated.has_checksum))


def _frame_length(handle: int, offset: int, header: _Header) -> int | None:
    """Step from block to block; return the frame's length, None when it is not whole."""
    size = os.fstat(handle).st_size
    at = offset + header.length
    for _ in range(_BLOCKS_MIN + header.content // BLOCK_BYTES_MIN):
        block = int.from_bytes(os.pread(handle, 3, at), "little")
        is_last, kind, length = block & 1, block >> 1 & 3, block >> 3
        at += 3 + (1 if kind == _RUN else length)
        if kind == _RESERVED or at > size:
            return None
        if is_last:
            end = at + 4 * header.has_checksum
            return end - offset if end <= size else None
    return None
