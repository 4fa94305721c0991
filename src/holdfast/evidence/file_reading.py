"""Read files of a project byte for byte, below its root and through no link.

Databases are not opened: closing a handle on one would drop the locks of whoever uses it in this
process.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from holdfast.evidence.file_scan import FOLDER_FLAGS
from holdfast.kernel.limits import KIB, SCAN_HASHED_BYTES_MAX, SCAN_READS_MAX

DATABASES: Final = (".db", ".sqlite", ".sqlite3", "-journal", "-shm", "-wal")
"""How the names of databases end, and of the files beside them."""

_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BLOCK_BYTES: Final = 256 * KIB


class ReadFile(msgspec.Struct, frozen=True):
    """What a file was. Without a digest it was not read, without content not kept: see `why`."""

    status: os.stat_result
    digest: bytes = b""
    content: bytes | None = None
    why: str = ""
    torn: bool = False
    """It changed while it was read, every time."""


class FileReader:
    """Reads files below one root; a folder stays open while its files are read one by one."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder: tuple[str, int] | None = None

    def close(self) -> None:
        """Let go of the folder."""
        if self._folder is not None:
            os.close(self._folder[1])
        self._folder = None

    def read(self, path: str, bytes_max: int) -> ReadFile | None:
        """Read a file whole, and keep up to so many bytes of content. None: there is none.

        Raises OSError for one that cannot be read.
        """
        folder, _, name = path.rpartition("/")
        try:
            handle = self._open_folder(folder)
            if name.endswith(DATABASES):
                status = os.stat(name, dir_fd=handle, follow_symlinks=False)
                return ReadFile(status, why="database") if stat.S_ISREG(status.st_mode) else None
            with _opened(name, handle) as file:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    return None
                return _read(file, bytes_max)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _open_folder(self, folder: str) -> int:
        if self._folder is not None and self._folder[0] == folder:
            return self._folder[1]
        self.close()
        handle = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in folder.split("/") if folder else ():
                inner = os.open(name, FOLDER_FLAGS, dir_fd=handle)
                os.close(handle)
                handle = inner
        except OSError:
            os.close(handle)
            raise
        self._folder = (folder, handle)
        return handle


def _read(file: int, bytes_max: int) -> ReadFile:
    for attempt in range(SCAN_READS_MAX):
        before = os.fstat(file)
        if before.st_size > SCAN_HASHED_BYTES_MAX:
            return ReadFile(before, why="size")
        os.lseek(file, 0, os.SEEK_SET)
        digest, kept, size = sha256(), [], 0
        while block := os.read(file, _BLOCK_BYTES):
            digest.update(block)
            size += len(block)
            if size <= bytes_max:
                kept.append(block)
            if size > SCAN_HASHED_BYTES_MAX:
                return ReadFile(before, why="size")
        after = os.fstat(file)
        same = _stamp(before) == _stamp(after) and size == after.st_size
        if same or attempt == SCAN_READS_MAX - 1:
            content = b"".join(kept) if size <= bytes_max else None
            why = "" if content is not None else "size"
            return ReadFile(after, digest.digest(), content, why, torn=not same)
    raise AssertionError("a file is read at least once")


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


@contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    handle = os.open(name, _FILE, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)
