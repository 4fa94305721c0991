"""Settling gives way to the stream, for a while."""

from __future__ import annotations

import asyncio
import threading

from holdfast.kernel.limits import PROXY_GIVE_WAY_LOOK_S, PROXY_GIVE_WAY_S
from holdfast.proxy.lulls import IdleSelector, Lulls


def test_it_waits_until_the_loop_waits() -> None:
    busy, pauses = [True, True, False], list[float]()
    lulls = Lulls(lambda: busy.pop(0), pauses.append)
    lulls.begin()
    lulls.wait()
    assert pauses == [PROXY_GIVE_WAY_LOOK_S] * 2
    assert busy == []


def test_there_is_patience_for_all_pieces_together_and_anew_for_the_next_work() -> None:
    pauses: list[float] = []
    lulls = Lulls(lambda: True, pauses.append)
    lulls.wait()
    assert pauses == [], "nobody began"
    for _ in range(2):
        pauses.clear()
        lulls.begin()
        for _ in range(100):
            lulls.wait()
        assert abs(sum(pauses) - PROXY_GIVE_WAY_S) < PROXY_GIVE_WAY_LOOK_S


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
