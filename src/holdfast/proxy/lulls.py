"""When the loop has nothing to do: then what is settled gets into nobody's way.

The loop and the thread that settles are both Python and take turns. A thread that works while the
loop does is given a turn whenever the loop sends or receives, many times for one request, and each
time the stream waits. So what can be done in small steps is lent to the loop, which does them
itself: before it would wait, and a few while it has other work, so that every request bears a
little of it and none bears much. For the rest the thread waits until the loop waits. Both have an
end: under load that may never be.
"""

from __future__ import annotations

import math
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeAlias

from holdfast.kernel.limits import (
    PROXY_GIVE_WAY_S,
    PROXY_HURRIED_S,
    PROXY_LEND_S,
    PROXY_STEP_S,
    PROXY_STEPS_S,
    PROXY_STEPS_SHARE,
)

_Events: TypeAlias = list[tuple[selectors.SelectorKey, int]]


class _Lent:
    """Steps that the loop is to do."""

    def __init__(self, steps: Iterator[object]) -> None:
        self.steps = steps
        self.done = threading.Event()
        self.problem: BaseException | None = None
        self.turn = threading.Lock()
        """Held for each step: whoever lent them may take them back in between."""

    def some(self, until: float) -> None:
        """Do steps until a moment, one at least."""
        self.step()
        while not self.done.is_set() and time.monotonic() < until:
            self.step()

    def step(self) -> None:
        """Do one, unless it was taken back."""
        with self.turn:
            if self.done.is_set():
                return
            try:
                next(self.steps)
            except StopIteration:
                self.done.set()
            except BaseException as problem:
                self.problem = problem
                self.done.set()
                if not isinstance(problem, Exception):
                    raise

    def take_back(self) -> None:
        """Do here what the loop did not do."""
        with self.turn:
            self.done.set()
        for _ in self.steps:
            pass


class IdleSelector(selectors.DefaultSelector):
    """What a loop waits with; knows whether it waits, and does small steps before it does."""

    busy = True

    def __init__(self, yield_core: Callable[[], object] = lambda: None) -> None:
        """`yield_core` lets others go first who wait for this core."""
        super().__init__()
        self._yield_core = yield_core
        self._stepped = 0.0
        """When steps were last done though something else was to be done."""
        self._lent: _Lent | None = None
        """Put and taken away by whoever lends: the loop might take away what was lent since."""
        self._wanted: threading.Event | None = None
        """Somebody waits for a lull."""
        self._wake: Callable[[], object] = lambda: None
        self._thread = 0
        self.hurried: Callable[[], bool] = lambda: False
        """Tells whether steps are not to wait until nothing else is to be done."""

    def begin(self, wake: Callable[[], object]) -> None:
        """Note the thread of the loop, and what wakes it."""
        self._thread = threading.get_ident()
        self._wake = wake

    def is_here(self) -> bool:
        """Tell whether this is the loop's thread."""
        return threading.get_ident() == self._thread

    def lend(self, steps: Iterator[object]) -> None:
        """Have steps done by the loop, or by this thread when that takes too long; raise what they
        raise."""
        if not self._thread or self.is_here():
            for _ in steps:
                pass
            return
        self._lent = lent = _Lent(steps)
        if not self.busy:
            with suppress(RuntimeError):  # the loop has ended: they are taken back
                self._wake()
        done = lent.done.wait(PROXY_LEND_S)
        self._lent = None
        if not done:
            lent.take_back()
        if lent.problem is not None:
            raise lent.problem

    def await_lull(self, timeout_s: float) -> None:
        """Wait until the loop waits, or until there is no time for that."""
        self._wanted = wanted = threading.Event()
        if self.busy and not self.hurried():
            wanted.wait(timeout_s)
        self._wanted = None

    def select(self, timeout: float | None = None) -> _Events:
        """Wait until something can be read or written."""
        lent = self._lent
        if lent is not None and not lent.done.is_set():
            return self._step(lent, timeout)
        if timeout is not None and timeout <= 0:
            if self._wanted is not None and self.hurried():
                self._tell()
            return super().select(timeout)
        self.busy = False
        try:
            # Looked at only now: whoever came before this saw a loop that is busy, and waits.
            self._tell()
            lent = self._lent
            return super().select(timeout if lent is None or lent.done.is_set() else 0)
        finally:
            self.busy = True

    def _tell(self) -> None:
        wanted = self._wanted
        if wanted is not None:
            wanted.set()

    def _step(self, lent: _Lent, timeout: float | None) -> _Events:
        """Do steps until something else is to be done; some even then when they waited."""
        events = super().select(0)
        now = time.monotonic()
        if events or (timeout is not None and timeout <= 0):
            self._insist(lent, now)
            return events
        until = math.inf if timeout is None else now + timeout
        while not lent.done.is_set() and now < until:
            # Who was just sent something may wait for this very core to answer it.
            self._yield_core()
            events = super().select(0)
            if events:
                break
            lent.some(time.monotonic() + PROXY_STEP_S)
            now = time.monotonic()
        return events

    def _insist(self, lent: _Lent, now: float) -> None:
        """Do some steps though something else is to be done: for a part of the time that it had
        since the last of them, or for all of it when there is a hurry."""
        had_s = now - self._stepped
        if self.hurried():
            for_s = min(had_s, PROXY_HURRIED_S)
        else:
            for_s = min(had_s * PROXY_STEPS_SHARE, PROXY_STEPS_S)
        if for_s >= PROXY_STEP_S:
            lent.some(now + for_s)
            self._stepped = time.monotonic()


class Lulls:
    """Gives way to a loop, for one thread."""

    def __init__(
        self, idle: IdleSelector | None = None, hurried: Callable[[], bool] = lambda: False
    ) -> None:
        """Without a selector nobody is given way to. `hurried` tells that there is no time for
        it."""
        self._idle = idle
        self._until = 0.0
        if idle is not None:
            idle.hurried = hurried

    def begin(self) -> None:
        """Begin with work of many pieces: there is patience for all of them together."""
        self._until = time.monotonic() + PROXY_GIVE_WAY_S

    def wait(self) -> None:
        """Wait until the loop waits, as long as there is patience; the loop waits for nobody."""
        idle = self._idle
        if idle is not None and not idle.is_here():
            patience_s = self._until - time.monotonic()
            if patience_s > 0:
                idle.await_lull(patience_s)

    def do(self, steps: Iterator[object]) -> None:
        """Have small steps done by the loop while it has nothing else to do."""
        if self._idle is None:
            for _ in steps:
                pass
        else:
            self._idle.lend(steps)
