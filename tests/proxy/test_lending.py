"""Small steps of settling are lent to the loop, which does them when it has nothing else to do.

Most tests are the loop themselves: they call `select` as it does, so that nothing is left to luck.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from types import SimpleNamespace

import pytest

from holdfast.proxy import lulls as module
from holdfast.proxy.lulls import IdleSelector, Lulls
from tests.proxy.looping import LONG_S, SHORT_S, Other, Watched, running


@pytest.fixture
def selector() -> Iterator[Watched]:
    """The selector of a loop that runs in this thread."""
    with closing(Watched()) as selector:
        selector.begin(selector.call)
        yield selector


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is taken back, nothing is done beside other work, and there is a look behind each
    step, unless a test says so."""
    monkeypatch.setattr(module, "PROXY_LEND_S", LONG_S)
    monkeypatch.setattr(module, "PROXY_STEPS_SHARE", -1.0)
    monkeypatch.setattr(module, "PROXY_STEP_S", 0.0)


class Steps:
    """Steps that note who does them; `at` does something in one of them."""

    def __init__(self, count: int = 3, at: Mapping[int, Callable[[], object]] = {}) -> None:
        self.done: list[tuple[int, int]] = []
        self._count = count
        self._at = at

    def __iter__(self) -> Iterator[None]:
        for number in range(self._count):
            self.done.append((number, threading.get_ident()))
            self._at.get(number, lambda: None)()
            yield

    def by(self, *threads: int) -> list[tuple[int, int]]:
        """Return what is done when these threads did one step each."""
        return list(enumerate(threads))


def lending(selector: Watched, steps: Steps) -> Other:
    """Lend steps from another thread; they are lent when this returns."""
    selector.looked.clear()
    lender = Other(lambda: selector.lend(iter(steps)))
    assert selector.looked.wait(LONG_S)
    return lender


def here() -> int:
    """Return this thread."""
    return threading.get_ident()


# What is lent


def test_a_loop_that_would_wait_does_all_steps_and_comes_back_without_waiting(
    selector: Watched,
) -> None:
    steps = Steps()
    lender = lending(selector, steps)
    assert steps.done == []
    assert selector.select(None) == []
    assert steps.done == steps.by(here(), here(), here())
    lender.end()


def test_what_is_lent_just_before_the_loop_waits_is_not_missed(selector: Watched) -> None:
    steps, lenders = Steps(), list[Other]()
    # The loop saw that nothing is lent; whoever lends sees that it is busy, and does not wake it.
    selector.before_wait = lambda: lenders.append(lending(selector, steps))
    stuck = threading.Timer(SHORT_S, selector.call)
    stuck.start()
    assert selector.select(LONG_S) == [], "it waited while something was lent"
    stuck.cancel()
    selector.before_wait = lambda: None
    selector.select(LONG_S)
    lenders[0].end()
    assert steps.done == steps.by(here(), here(), here())


def test_what_is_ready_goes_first(selector: Watched) -> None:
    steps = Steps()
    lender = lending(selector, steps)
    assert selector.select(0) == [], "callbacks are ready"
    selector.call()
    assert selector.select(None) != [], "something can be read"
    assert steps.done == []
    selector.hear()
    selector.select(None)
    lender.end()


def test_what_becomes_ready_goes_before_the_next_step(selector: Watched) -> None:
    steps = Steps(at={1: selector.call})
    lender = lending(selector, steps)
    assert selector.select(None) != []
    assert steps.done == steps.by(here(), here())
    selector.hear()
    assert selector.select(None) == []
    lender.end()
    assert steps.done == steps.by(here(), here(), here())


def test_a_timer_that_is_due_goes_before_the_next_step(
    selector: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def last() -> None:
        clock[0] += 1.0

    steps = Steps(5, at=dict.fromkeys(range(5), last))
    lender = lending(selector, steps)
    assert selector.select(1.5) == []
    assert steps.done == steps.by(here(), here())
    assert selector.select(10.0) == []
    lender.end()
    assert steps.done == steps.by(*[here()] * 5)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is, for the selector."""
    now = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def lasting(clock: list[float], count: int, step_s: float) -> Steps:
    """Return steps that take so long each."""

    def last() -> None:
        clock[0] += step_s

    return Steps(count, at=dict.fromkeys(range(count), last))


@pytest.mark.parametrize("ready", ["callbacks", "events"])
def test_what_always_has_something_else_to_do_gives_steps_a_share_of_the_time(
    selector: Watched, monkeypatch: pytest.MonkeyPatch, clock: list[float], ready: str
) -> None:
    monkeypatch.setattr(module, "PROXY_STEPS_SHARE", 0.25)
    monkeypatch.setattr(module, "PROXY_STEPS_S", 10.0)
    monkeypatch.setattr(module, "PROXY_STEP_S", 1.0)
    monkeypatch.setattr(module, "PROXY_HURRIED_S", 6.0)
    timeout = 0 if ready == "callbacks" else None
    if ready == "events":
        selector.call()
    steps = lasting(clock, 30, 1.0)
    lender = lending(selector, steps)

    def done_after(pause_s: float) -> int:
        clock[0] += pause_s
        before = len(steps.done)
        assert bool(selector.select(timeout)) == (ready == "events")
        return len(steps.done) - before

    assert done_after(0.0) == 10, "there is an end, however long it waited"
    assert done_after(0.0) == 0, "the others had nothing yet"
    assert done_after(3.0) == 0, "it is not worth it yet"
    assert done_after(1.0) == 1, "a share of what the others had"
    assert done_after(12.0) == 3
    Lulls(selector, lambda: True)
    assert done_after(4.0) == 4, "as much as the others, when there is a hurry"
    assert done_after(60.0) == 6
    for _ in range(30):
        done_after(60.0)
    lender.end()
    assert steps.done == steps.by(*[here()] * 30)


def test_a_loop_looks_now_and_then_and_not_behind_each_short_step(
    selector: Watched, monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    monkeypatch.setattr(module, "PROXY_STEP_S", 1.0)
    looked: list[int] = []
    selector.yield_to = lambda: looked.append(len(steps.done))
    steps = lasting(clock, 8, 0.3)
    lender = lending(selector, steps)
    assert selector.select(None) == []
    lender.end()
    assert looked == [0, 4, 8]


def test_who_waits_for_the_same_core_goes_before_any_step(selector: Watched) -> None:
    selector.yield_to = selector.call  # who was sent something answers as soon as it may
    steps = Steps()
    lender = lending(selector, steps)
    assert selector.select(None) != []
    assert steps.done == []
    selector.hear()
    selector.yield_to = lambda: None
    assert selector.select(None) == []
    lender.end()


def test_several_are_lent_one_after_the_other(selector: Watched) -> None:
    for _ in range(3):
        steps = Steps()
        lender = lending(selector, steps)
        selector.select(None)
        lender.end()
        assert steps.done == steps.by(here(), here(), here())
    assert selector.select(0.0) == []
    selector.call()
    assert selector.select(None) != [], "nothing is lent any longer"


def test_a_step_that_fails_is_told_to_whoever_lent_it_and_the_loop_goes_on(
    selector: Watched,
) -> None:
    def fail() -> None:
        raise ValueError("no")

    steps = Steps(at={1: fail})
    lender = lending(selector, steps)
    assert selector.select(None) == []
    assert steps.done == steps.by(here(), here())
    with pytest.raises(ValueError, match="no"):
        lender.end()


def test_what_ends_the_loop_ends_it_and_nobody_waits_for_ever(selector: Watched) -> None:
    class End(BaseException):
        """Ends everything."""

    def end() -> None:
        raise End

    steps = Steps(at={1: end})
    lender = lending(selector, steps)
    with pytest.raises(End):
        selector.select(None)
    with pytest.raises(End):
        lender.end()
    assert steps.done == steps.by(here(), here())


# What is taken back


def test_a_loop_that_is_stuck_or_over_gets_its_steps_taken_away(
    selector: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROXY_LEND_S", 0.0)
    steps = Steps()
    lender = lending(selector, steps)
    lender.end()
    assert steps.done == steps.by(*[lender.ident or 0] * 3)
    selector.call()
    assert selector.select(None) != [], "nothing is lent any longer"
    assert len(steps.done) == 3


def test_a_loop_that_ended_meanwhile_cannot_be_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROXY_LEND_S", 0.0)
    with closing(Watched()) as selector:
        loop = asyncio.new_event_loop()
        loop.close()
        Other(lambda: selector.begin(lambda: loop.call_soon_threadsafe(print))).end()
        selector._is_busy = False
        steps = Steps()
        selector.lend(iter(steps))
    assert steps.done == steps.by(here(), here(), here())


def test_a_step_that_is_being_done_is_not_taken_back(
    selector: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROXY_LEND_S", 0.01)
    late = threading.Event()

    def dawdle() -> None:
        for _ in range(int(LONG_S * 1000)):
            if selector._lent is None:  # whoever lent it wants it back
                return
            late.wait(0.001)
        raise AssertionError("nobody wants it back")

    steps = Steps(50, at={0: dawdle})
    lender = lending(selector, steps)
    selector.select(None)
    lender.end()
    assert [number for number, _ in steps.done] == list(range(50))
    assert steps.done[0] == (0, here())


def test_a_loop_that_is_about_to_do_a_step_sees_that_it_was_taken_back(
    selector: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, taken, over = threading.Event(), threading.Event(), threading.Event()

    class Impatient(threading.Event):
        """Nobody waits longer than until it is late."""

        def wait(self, timeout: float | None = None) -> bool:
            late.wait(timeout)
            return self.is_set()

    def look() -> float:
        if steps.done and selector.is_here():  # the loop saw that it may do the next one
            late.set()
            assert taken.wait(LONG_S)
        return 0.0

    def dawdle() -> None:
        taken.set()
        over.wait(LONG_S)

    threads = SimpleNamespace(Event=Impatient, Lock=threading.Lock, get_ident=threading.get_ident)
    monkeypatch.setattr(module, "threading", threads)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=look))
    steps = Steps(at={1: dawdle})
    lender = lending(selector, steps)
    selector.select(None)
    over.set()
    lender.end()
    there = lender.ident or 0
    assert steps.done == steps.by(here(), there, there)


def test_what_fails_after_it_was_taken_back_is_raised(
    selector: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PROXY_LEND_S", 0.0)

    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        lending(selector, Steps(at={1: fail})).end()


# Without another thread


def test_what_the_loops_own_thread_lends_is_done_at_once(selector: Watched) -> None:
    steps = Steps()
    selector.lend(iter(steps))
    assert steps.done == steps.by(here(), here(), here())


def test_what_is_lent_to_a_loop_that_never_began_is_done_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_Lent", None)  # nothing is lent
    steps = Steps()
    with closing(IdleSelector()) as selector:
        selector.lend(iter(steps))
        Lulls(selector).do(iter(steps))
    Lulls().do(iter(steps))
    assert steps.done == steps.by(here(), here(), here()) * 3


# With a loop that runs


def test_a_loop_that_waits_is_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PROXY_LEND_S", SHORT_S)
    with running() as (selector, _, there):
        steps = Steps()
        while selector.busy:
            pass
        selector.lend(iter(steps))
        assert steps.done == steps.by(there, there, there)


def test_a_running_loop_does_what_is_lent_again_and_again_beside_its_own_work() -> None:
    with running() as (selector, loop, there):
        began, ticks = threading.Event(), [0]

        def tick() -> None:
            ticks[0] += 1
            loop.call_later(0.0001 * (ticks[0] % 3), tick)
            began.set()

        loop.call_soon_threadsafe(tick)
        assert began.wait(LONG_S)
        lulls = Lulls(selector, lambda: True)
        for _ in range(500):
            steps = Steps()
            lulls.begin()
            lulls.do(iter(steps))
            lulls.wait()
            assert steps.done == steps.by(there, there, there)
        assert ticks[0] > 1
