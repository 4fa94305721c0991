"""Settling gives way to the stream, for a while."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace

import pytest

from holdfast.kernel.limits import PROXY_GIVE_WAY_S
from holdfast.proxy import lulls as module
from holdfast.proxy.lulls import IdleSelector, Lulls
from tests.proxy.looping import LONG_S, SHORT_S, Other, Watched


@pytest.fixture
def selector() -> Iterator[Watched]:
    """The selector of a loop that runs in this thread."""
    with closing(Watched()) as selector:
        selector.begin(selector.call)
        yield selector


def awaiting(selector: Watched) -> tuple[Other, threading.Event]:
    """Wait for a lull in another thread; it waits when this returns."""
    came = threading.Event()

    def wait() -> None:
        selector.await_lull(LONG_S)
        came.set()
        selector.call()

    selector.looked.clear()
    waiting = Other(wait)
    assert selector.looked.wait(LONG_S)
    return waiting, came


def test_a_lull_comes_when_the_loop_waits(selector: Watched) -> None:
    waiting, came = awaiting(selector)
    selector.select(0)
    assert not came.is_set()
    assert selector.select(SHORT_S) != []
    waiting.end()


def test_a_lull_that_is_wanted_just_before_the_loop_waits_is_not_missed(
    selector: Watched,
) -> None:
    found: list[tuple[Other, threading.Event]] = []
    selector.before_wait = lambda: found.append(awaiting(selector))
    selector.select(SHORT_S)
    ((waiting, came),) = found
    assert came.is_set(), "the loop waited, and nobody was told"
    waiting.end()


def test_who_is_hurried_does_not_wait_for_a_lull(selector: Watched) -> None:
    waiting, came = awaiting(selector)
    selector.select(0)
    assert not came.is_set()
    selector.hurried = lambda: True
    selector.select(0)
    assert came.wait(SHORT_S)
    waiting.end()
    again = Other(lambda: selector.await_lull(LONG_S))
    again.join(SHORT_S)
    assert not again.is_alive(), "nor does it begin to"


class Noting(IdleSelector):
    """Notes how long a lull is waited for."""

    def __init__(self, last_s: float, clock: list[float]) -> None:
        super().__init__()
        self.waits: list[float] = []
        self._last_s = last_s
        self._clock = clock

    def await_lull(self, timeout_s: float) -> None:
        self.waits.append(timeout_s)
        self._clock[0] += self._last_s


def test_there_is_patience_for_all_pieces_together_and_anew_for_the_next_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [5.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    with closing(Noting(PROXY_GIVE_WAY_S / 2, clock)) as selector:
        lulls = Lulls(selector)
        lulls.wait()
        assert selector.waits == [], "nobody began"
        for _ in range(2):
            selector.waits.clear()
            lulls.begin()
            for _ in range(5):
                lulls.wait()
            assert selector.waits == pytest.approx([PROXY_GIVE_WAY_S, PROXY_GIVE_WAY_S / 2])


def test_the_loop_itself_waits_for_no_lull() -> None:
    with closing(Noting(0.0, [0.0])) as selector:
        selector.begin(lambda: None)
        lulls = Lulls(selector)
        lulls.begin()
        lulls.wait()
        assert selector.waits == []
        Other(lulls.wait).end()
        assert len(selector.waits) == 1


def test_who_has_no_loop_waits_for_nobody() -> None:
    lulls = Lulls()
    lulls.begin()
    lulls.wait()


def test_a_loop_is_busy_while_it_works_and_not_while_it_waits() -> None:
    selector = IdleSelector()
    seen: list[bool] = []
    looked = threading.Event()

    async def work() -> None:
        loop = asyncio.get_running_loop()
        seen.append(selector.busy)
        await asyncio.sleep(0)
        seen.append(selector.busy)
        came = asyncio.Event()

        def look() -> None:
            while selector.busy and not looked.wait(0.001):
                pass
            seen.append(selector.busy)
            loop.call_soon_threadsafe(came.set)

        thread = threading.Thread(target=look)
        thread.start()
        async with asyncio.timeout(20):
            await came.wait()
        seen.append(selector.busy)
        thread.join()

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        try:
            runner.run(work())
        finally:
            looked.set()
    assert seen == [True, True, False, True]
