"""The write-ahead log after an error of the disk.

When a sync fails, the system may take pages for written that never reached the disk: they can
still be read, a second sync says all is well, and a power cut takes them away. Whatever was
appended behind them would be lost too. Only what is written once more is safe.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import apsw

from holdfast.kernel.limits import KIB

CHUNK_BYTES: Final = 64 * KIB
"""Read and written at once; SQLite's own files take less than 128 KiB in one call."""


def rewrite_log(path: str, vfs: str | None = None) -> None:
    """Write the log of a database anew, byte for byte, and sync it.

    The caller holds the writers' queue, so that nobody appends to the log in the meantime. Readers
    see no change. SQLite keeps no locks on this file, so closing it here drops none.
    """
    name = path + "-wal"
    if not os.path.exists(name):  # noqa: PTH110
        return
    log = apsw.VFSFile(vfs or "", name, [apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_READWRITE, 0])
    try:
        size = log.xFileSize()
        for offset in range(0, size, CHUNK_BYTES):
            log.xWrite(log.xRead(min(CHUNK_BYTES, size - offset), offset), offset)
        log.xSync(apsw.SQLITE_SYNC_FULL)
    finally:
        log.xClose()


@contextmanager
def log_kept(path: str, vfs: str | None) -> Iterator[None]:
    """When a commit fails, write the log anew: others may find the commit in it all the same."""
    try:
        yield
    except apsw.Error:
        with suppress(apsw.Error):
            rewrite_log(path, vfs)
        raise
