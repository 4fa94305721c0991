"""A loop in a thread of its own, one that a test is itself, and threads whose failures are told."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from holdfast.proxy.lulls import IdleSelector

LONG_S = 30.0
SHORT_S = 2.0
"""How long a test that fails takes."""


class Other(threading.Thread):
    """A thread that does something; what it raises is raised by `end`."""

    def __init__(self, do: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._do = do
        self._problem: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._do()
        except BaseException as problem:
            self._problem = problem

    def end(self) -> None:
        self.join(LONG_S)
        assert not self.is_alive()
        if self._problem is not None:
            raise self._problem


class Watched(IdleSelector):
    """Tells when somebody has looked whether the loop is busy, and when it is about to wait."""

    def __init__(self) -> None:
        self._is_busy = True
        self.looked = threading.Event()
        self.before_wait: Callable[[], object] = lambda: None
        self.yield_to: Callable[[], object] = lambda: None
        super().__init__(lambda: self.yield_to())
        self.near, self.far = socket.socketpair()
        self.register(self.near, 1)

    @property
    def busy(self) -> bool:
        found = self._is_busy
        self.looked.set()
        return found

    @busy.setter
    def busy(self, busy: bool) -> None:
        if not busy:
            self.before_wait()
        self._is_busy = busy

    def __setattr__(self, name: str, value: object) -> None:
        if name == "_lent" and value is None and "_thread" in self.__dict__:
            assert not self.is_here(), "something newer may stand there"
        super().__setattr__(name, value)

    def call(self) -> None:
        """Let there be something to read."""
        self.far.send(b"x")

    def hear(self) -> None:
        """Read it."""
        self.near.recv(100)

    def close(self) -> None:
        super().close()
        self.near.close()
        self.far.close()


@contextmanager
def running() -> Iterator[tuple[IdleSelector, asyncio.AbstractEventLoop, int]]:
    """Run a loop that does what is lent to it; it has begun. The last is its thread."""
    selector, began = IdleSelector(), threading.Event()
    loop = asyncio.SelectorEventLoop(selector)

    def run() -> None:
        selector.begin(lambda: loop.call_soon_threadsafe(lambda: None))
        loop.call_soon(began.set)
        loop.run_forever()

    thread = Other(run)
    try:
        assert began.wait(LONG_S)
        yield selector, loop, thread.ident or 0
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.end()
        loop.close()
