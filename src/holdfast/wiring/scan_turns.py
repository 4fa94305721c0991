"""One at a time looks for changed files, or writes files of our own that a look would find."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Final

from holdfast.storage.files import make_folder

if TYPE_CHECKING:
    from holdfast.wiring.places import Place

FOLDER: Final = "intake"
NAME: Final = "seen-files"
WAIT_S: Final = 2.0
"""How long one waits for another; then both go on."""

_holding: Final[set[tuple[int, Path]]] = set()
"""Threads of this process, and the folders whose turn they have."""


@contextmanager
def turn(place: Place) -> Iterator[None]:
    """Keep others from looking until what was found or written here is noted.

    Who waited too long goes on all the same.
    """
    mine = (get_ident(), place.folder)
    if mine in _holding:
        yield
        return
    handle = _lock_file(place.folder / FOLDER)
    _holding.add(mine)
    try:
        if handle is not None:
            _wait_for(handle)
        yield
    finally:
        _holding.discard(mine)
        if handle is not None:
            os.close(handle)


def clock_ns(place: Place) -> int:
    """Return what the file system's own clock says now, by which it stamps files."""
    try:
        lock = place.folder / FOLDER / f"{NAME}.lock"
        os.utime(lock, follow_symlinks=False)
        return lock.lstat().st_mtime_ns
    except OSError:
        return time.time_ns() - 1_000_000_000


def _lock_file(folder: Path) -> int | None:
    """Open what is locked; None where that cannot be done, and nobody waits for anybody."""
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        make_folder(str(folder))
        return os.open(folder / f"{NAME}.lock", flags, 0o600)
    except OSError:
        return None


def _wait_for(handle: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.002)
        except OSError:
            return
        else:
            return
