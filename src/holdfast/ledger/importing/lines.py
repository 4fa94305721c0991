"""Lines of files that somebody else wrote: bounded, and never from outside the folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from holdfast.kernel.limits import IMPORT_LINE_BYTES_MAX, KIB

_BUFFER_BYTES: Final = 64 * KIB
"""What is read of a file at once."""


class Line(msgspec.Struct, frozen=True):
    """One line, without its end; or a part of one that is too long to be an entry."""

    source: str
    number: int
    content: bytes
    part: int | None = None
    """Which part of a too long line this is, from 1."""


class Unread(msgspec.Struct, frozen=True):
    """A file that was not looked at, and why."""

    source: str
    reason: str


def read_lines(folder: Path, source: str) -> Iterator[Line | Unread]:
    """Yield the lines of a file in the folder; blank ones hold nothing and do not come."""
    file = _opened(folder, source)
    if isinstance(file, Unread):
        yield file
        return
    with file:
        try:
            yield from _split(file, source)
        except OSError as error:
            yield Unread(source, f"it cannot be read to its end: {error.strerror}")


def read_whole(folder: Path, source: str, bytes_max: int) -> bytes | Unread:
    """Return what a file in the folder holds, or why it is not looked at."""
    file = _opened(folder, source)
    if isinstance(file, Unread):
        return file
    with file:
        try:
            content = file.read(bytes_max + 1)
        except OSError as error:
            return Unread(source, f"it cannot be read to its end: {error.strerror}")
    if len(content) > bytes_max:
        return Unread(source, f"it has more than {bytes_max:,} bytes")
    return content


def _opened(folder: Path, source: str) -> BinaryIO | Unread:
    path = folder / source
    try:
        # No link is followed, and no pipe waited for.
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        reason = "it is a link" if path.is_symlink() else f"it cannot be opened: {error.strerror}"
        return Unread(source, reason)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return Unread(source, "it is not a file")
    return open(handle, "rb")  # noqa: PTH123 (a handle that was checked; the caller closes it)


def _split(file: BinaryIO, source: str) -> Iterator[Line]:
    number, part = 0, 0
    while piece := file.readline(IMPORT_LINE_BYTES_MAX):
        ended = piece.endswith(b"\n")
        number += part == 0
        whole = ended or len(piece) < IMPORT_LINE_BYTES_MAX
        if part == 0 and whole:
            content = piece.rstrip(b"\r\n").removeprefix(b"\xef\xbb\xbf" if number == 1 else b"")
            if content.strip():
                yield Line(source, number, content)
            continue
        part += 1
        yield Line(source, number, piece.rstrip(b"\r\n") if ended else piece, part)
        part = 0 if ended else part
