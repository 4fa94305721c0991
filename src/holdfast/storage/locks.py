"""A file that one process at a time holds. It is let go when the process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from holdfast.kernel.errors import StorageFailed
from holdfast.storage.files import FILE_MODE

PAUSE_S: Final = 0.005
"""Between two looks at a lock that somebody else holds."""


@contextmanager
def file_lock(path: str, *, wait_s: float) -> Iterator[int | None]:
    """Hold a lock file; yield its open handle, None when others kept it too long.

    Fairness does not matter here, unlike in the writers' queue: who comes too late has nothing to
    do that the other did not do.
    """
    handle = open_lock(path)
    try:
        deadline = time.monotonic() + wait_s
        while not (held := _try_lock(handle)) and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
        yield handle if held else None
    finally:
        os.close(handle)


def open_lock(path: str) -> int:
    """Open a lock file, making it where there is none."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be opened: {error.strerror}.",
            meaning="Nothing was written; what is in the ledger is safe.",
            remedy="Check the permissions of that folder and the room on the disk.",
        ) from error


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
