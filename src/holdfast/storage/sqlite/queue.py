"""The writers' queue: one lock file, taken before every write.

SQLite's own busy handler backs off up to a tenth of a second, and starves one of many writers for
seconds. Here everyone asks anew at least every millisecond, so turns go round. A wait is bounded: a
writer that stands still must not hang every hook.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from typing import Final

from holdfast.kernel.errors import Busy
from holdfast.storage.locks import open_lock

WAIT_S_DEFAULT: Final = 10.0
PAUSE_US_FIRST: Final = 50
PAUSE_US_MAX: Final = 500

_AT_ONCE: Final = LOCK_EX | LOCK_NB


def lock_path(database: str) -> str:
    """Return the lock file of a database."""
    return os.path.splitext(database)[0] + ".lock"  # noqa: PTH122


class WriterQueue:
    """An exclusive lock across processes and threads. Taking it twice in one thread is allowed."""

    def __init__(self, path: str, *, wait_s: float = WAIT_S_DEFAULT) -> None:
        self._path = path
        self._wait_s = wait_s
        self._thread_lock = threading.RLock()
        self._handle: int | None = None
        self._depth = 0
        _queues.add(self)

    def __enter__(self) -> None:
        if not self._thread_lock.acquire(timeout=self._wait_s):
            raise self._busy()
        if self._depth == 0:
            try:
                if self._handle is None:
                    self._handle = open_lock(self._path)
                try:
                    flock(self._handle, _AT_ONCE)
                except BlockingIOError:
                    self._wait()
            except BaseException:
                self._thread_lock.release()
                raise
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._handle is not None:
            flock(self._handle, LOCK_UN)
        self._thread_lock.release()

    def close(self) -> None:
        """Let go of the lock file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __del__(self) -> None:
        """Let go of the file with whoever took one turn only, or forgot to close its ledger."""
        self.close()

    def _wait(self) -> None:
        """Ask again and again, at first after microseconds, but not for ever.

        Waiting in the kernel would be fairer still, but could not be bounded without a thread for
        every wait, and waking up costs more than most turns take.
        """
        from random import uniform  # a process that never waits does not pay for it

        assert self._handle is not None
        deadline = time.monotonic() + self._wait_s
        pause_us = PAUSE_US_FIRST
        while time.monotonic() < deadline:
            time.sleep(pause_us * uniform(0.5, 1.5) / 1_000_000)
            try:
                flock(self._handle, _AT_ONCE)
            except BlockingIOError:
                pause_us = min(2 * pause_us, PAUSE_US_MAX)
            else:
                return
        raise self._busy()

    def _busy(self) -> Busy:
        return Busy(
            f"Other writers kept the ledger for more than {self._wait_s:g} s.",
            meaning="Nothing was written; what is in the ledger is safe.",
            remedy="Try again; `holdfast doctor` says whether the ledger can be written.",
        )


_queues: weakref.WeakSet[WriterQueue] = weakref.WeakSet()


def _close_in_child() -> None:
    """Let a forked child hold no lock of its parent's: the lock would outlive the parent."""
    for queue in _queues:
        queue.close()


os.register_at_fork(after_in_child=_close_in_child)
