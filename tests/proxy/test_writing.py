"""Jobs are settled in order, together where that can be, and wait while the ledger cannot."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from holdfast.kernel.errors import Busy, HoldfastError, InvalidInput, StorageFailed
from holdfast.kernel.limits import (
    PROXY_BATCH_MAX,
    PROXY_BATCH_WEIGHTY_MAX,
    PROXY_GATHER_S,
    PROXY_LULL_S,
    PROXY_PLACED_BYTES,
    PROXY_RETRY_FIRST_S,
    PROXY_RETRY_MAX_S,
)
from holdfast.proxy import writing as module
from holdfast.proxy.values import Answered, Asked, Audited, Job, Placed, Prepared
from holdfast.proxy.writing import Writer, job_episode
from holdfast.wire.conversations import Seen

LONG_S = 30.0


def job(name: str, size: int = 0) -> Asked:
    return Asked(name, "chat", b"x" * size)


def answered_by(prepared: Prepared) -> Answered:
    return Answered(prepared, 200, b"", "", "", True, "whole", "up")


class Ledger:
    """Settles into a list; fails with what it is told to."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.failures: list[Exception] = []
        self.bad: dict[str, Exception] = {}
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, jobs: Sequence[Job]) -> None:
        assert self.gate.wait(LONG_S)
        if self.failures:
            raise self.failures.pop(0)
        for one in jobs:
            if job_episode(one) in self.bad:
                raise self.bad[job_episode(one)]
        self.batches.append([job_episode(one) for one in jobs])

    @property
    def settled(self) -> list[str]:
        return [name for batch in self.batches for name in batch]


@contextmanager
def writing(
    ledger: Ledger,
    *,
    said: list[str] | None = None,
    pause: Callable[[float], object] = lambda _: None,
    jobs_max: int = 1000,
    bytes_max: int = 1000,
    waiting_bytes_max: int = 1000,
) -> Iterator[Writer]:
    said = [] if said is None else said
    writer = Writer(
        ledger,
        said.append,
        jobs_max=jobs_max,
        bytes_max=bytes_max,
        waiting_bytes_max=waiting_bytes_max,
        pause=pause,
    )
    writer.start()
    try:
        yield writer
    finally:
        ledger.gate.set()
        writer.close(LONG_S)


def test_an_exchange_that_never_became_a_job_is_counted_and_said() -> None:
    said: list[str] = []
    with writing(Ledger(), said=said) as writer:
        writer.miss("RuntimeError")
        assert writer.state().lost == 1
        assert writer.state().last_error == "RuntimeError"
    assert "RuntimeError" in said[0]


def test_jobs_are_settled_in_the_order_they_came() -> None:
    ledger = Ledger()
    with writing(ledger) as writer:
        for place in range(200):
            assert writer.submit(job(str(place)))
        assert writer.drained(LONG_S)
        assert writer.idle()
    assert ledger.settled == [str(place) for place in range(200)]
    assert writer.state().lost == 0


@pytest.mark.parametrize(
    ("plain", "most"), [(True, PROXY_BATCH_MAX), (False, PROXY_BATCH_WEIGHTY_MAX)]
)
def test_what_waits_is_settled_together_up_to_a_bound(plain: bool, most: int) -> None:
    ledger = Ledger()
    writer = Writer(ledger, print)
    for place in range(most + 3):
        writer.submit(replace(job(str(place)), plain=plain))
    writer.start()
    while not writer.idle():  # nobody waits in the writer's own way, which would hurry it
        assert not writer.pressed()
    assert [len(batch) for batch in ledger.batches] == [most, 3]
    writer.close()


def test_those_from_which_much_may_follow_are_counted_among_the_others() -> None:
    ledger = Ledger()
    writer = Writer(ledger, print)
    for place in range(2 * PROXY_BATCH_WEIGHTY_MAX + 1):
        writer.submit(replace(job(f"plain {place}"), plain=True))
        writer.submit(job(str(place)))
    writer.start()
    assert writer.drained(LONG_S)
    pair = 2 * PROXY_BATCH_WEIGHTY_MAX
    assert [len(batch) for batch in ledger.batches] == [pair + 1, pair, 1]
    writer.close()


class Gathering:
    """The condition and the clock of a writer: something comes while it waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.writer = Writer(Ledger(), print)
        self.waited_s: list[float] = []
        self.coming: list[Callable[[], object]] = []
        self._condition = self.writer._changed
        self._now = 0.0
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: self._now))
        monkeypatch.setattr(self.writer, "_changed", self)

    def __enter__(self) -> None:
        self._condition.__enter__()

    def __exit__(self, *_: object) -> None:
        self._condition.__exit__(None, None, None)

    def notify_all(self) -> None:
        """Nobody waits."""

    def wait_for(self, holds: Callable[[], bool], timeout_s: float) -> bool:
        self.waited_s.append(timeout_s)
        self._now += timeout_s
        if self.coming:
            self.coming.pop(0)()
        return holds()

    def plain(self) -> object:
        return self.writer.submit(replace(job("a"), plain=True))

    def gather(self, *coming: Callable[[], object]) -> int:
        """Return how often it was waited."""
        self.coming = list(coming)
        self.writer._gather()
        return len(self.waited_s)


def test_jobs_are_gathered_until_none_came_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    gathering = Gathering(monkeypatch)
    assert gathering.gather(gathering.plain) == 2
    assert set(gathering.waited_s) == {PROXY_LULL_S}


def test_jobs_that_come_and_come_are_gathered_no_longer_than_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gathering = Gathering(monkeypatch)
    assert gathering.gather(*[gathering.plain] * 100) == math.ceil(PROXY_GATHER_S / PROXY_LULL_S)


def test_a_job_that_somebody_may_wait_for_is_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    gathering = Gathering(monkeypatch)
    assert gathering.gather(gathering.plain, lambda: gathering.writer.submit(job("b"))) == 2


def test_settling_is_pressed_when_somebody_waits_or_much_does() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    with writing(ledger, bytes_max=10_000, waiting_bytes_max=1000) as writer:
        assert not writer.pressed()
        writer.submit(job("a", 750))
        assert not writer.pressed(), "it is settled at once, but nobody waits yet"
        assert not writer.drained(0)
        assert writer.pressed()
        ledger.gate.set()
        assert writer.drained(LONG_S)
        assert not writer.pressed()
        ledger.gate.clear()
        writer.submit(job("b", 751))
        assert writer.pressed()


def test_a_body_that_goes_up_as_it_came_takes_room_once() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    with writing(ledger, bytes_max=150) as writer:
        asked = job("a", 100)
        assert writer.submit(asked)
        assert writer.submit(answered_by(Prepared(asked, asked.body, "")))
        assert not writer.submit(answered_by(Prepared(asked, asked.body + b"x", "")))


def test_a_request_without_its_bytes_takes_room_as_well() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    placed = Placed(None, Seen("c", "new", 0, 0))
    with writing(ledger, bytes_max=2 * PROXY_PLACED_BYTES) as writer:
        told = [writer.submit(replace(job(name), placed=placed, plain=True)) for name in "abc"]
        assert told == [True, True, False]


@pytest.mark.parametrize("failure", [StorageFailed("disk full"), Busy("locked")])
def test_while_the_ledger_cannot_be_written_jobs_wait_and_are_settled_later_in_order(
    failure: HoldfastError,
) -> None:
    ledger, said, pauses = Ledger(), list[str](), list[float]()
    ledger.failures = [failure] * 9
    writer = Writer(ledger, said.append, pause=pauses.append)
    for name in "abc":
        writer.submit(job(name))
    writer.start()
    assert writer.drained(LONG_S)
    writer.close()
    assert ledger.settled == ["a", "b", "c"]
    assert pauses[:3] == [PROXY_RETRY_FIRST_S, PROXY_RETRY_FIRST_S * 2, PROXY_RETRY_FIRST_S * 4]
    assert pauses[-1] == PROXY_RETRY_MAX_S
    assert len(said) == 2  # once that it cannot be written, once that it can
    assert str(failure) in said[0]
    state = writer.state()
    assert (state.problem, state.last_error, state.lost) == (None, str(failure), 0)


def test_a_submit_does_not_wait_for_a_ledger_that_is_locked() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    with writing(ledger) as writer:
        assert writer.submit(job("a"))
        assert not writer.drained(0)
        assert not writer.idle()
        assert writer.state().queued == 1
        assert writer.ticket("a") == 1
        ledger.gate.set()
        assert writer.drained(LONG_S)
        assert writer.ticket("a") is None


@pytest.mark.parametrize(("jobs_max", "bytes_max", "size"), [(3, 1000, 1), (1000, 30, 10)])
def test_over_the_bound_the_newest_is_dropped_counted_and_said_once(
    jobs_max: int, bytes_max: int, size: int
) -> None:
    ledger, said = Ledger(), list[str]()
    ledger.gate.clear()
    with writing(ledger, said=said, jobs_max=jobs_max, bytes_max=bytes_max) as writer:
        assert [writer.submit(job(name, size)) for name in "abcde"] == [True] * 3 + [False] * 2
        assert (writer.state().lost, len(said)) == (2, 1)
        assert writer.ticket("d") is None
        ledger.gate.set()
        assert writer.drained(LONG_S)
        assert writer.submit(job("f", size))
    assert ledger.settled == ["a", "b", "c", "f"]


def test_one_job_is_taken_whatever_its_size() -> None:
    ledger = Ledger()
    with writing(ledger, bytes_max=10) as writer:
        assert writer.submit(job("a", 100))
        assert writer.drained(LONG_S)
    assert ledger.settled == ["a"]


@pytest.mark.parametrize("failure", [InvalidInput("no entry"), KeyError("sk-secret")])
def test_a_job_that_cannot_be_settled_is_counted_and_the_others_are_settled(
    failure: Exception,
) -> None:
    ledger, said = Ledger(), list[str]()
    ledger.bad = {"b": failure, "d": failure}
    writer = Writer(ledger, said.append)
    for name in "abcde":
        writer.submit(job(name))
    writer.start()
    assert writer.drained(LONG_S)
    writer.close()
    assert ledger.settled == ["a", "c", "e"]
    assert writer.state().lost == 2
    assert len(said) == 1
    assert "sk-secret" not in said[0]


def test_closing_settles_what_waits_and_says_what_it_could_not() -> None:
    ledger, said = Ledger(), list[str]()
    with writing(ledger, said=said) as writer:
        writer.submit(job("a"))
    assert ledger.settled == ["a"]
    assert (writer.submit(job("b")), writer.state().lost) == (False, 1)

    ledger.failures = [StorageFailed("disk full")] * 1_000_000
    stuck = Writer(ledger, said.append)
    stuck.start()
    stuck.submit(job("c"))
    assert stuck.close(0.01) == 1
    assert said[-1].startswith("1 exchanges were not recorded: disk full")


def test_an_episode_waits_until_its_last_job_is_settled() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    asked = job("a")
    answered = Answered(Prepared(asked, b"", "c"), 200, b"", "0" * 64, "", False, "whole", "u")
    audited = Audited("b", "c", "m", False, ())
    with writing(ledger) as writer:
        for one in (asked, answered, audited):
            writer.submit(one)
        assert (writer.ticket("a"), writer.ticket("b")) == (2, 3)
        ledger.gate.set()
        assert writer.drained(LONG_S)
        assert (writer.ticket("a"), writer.ticket("b")) == (None, None)


def test_the_loop_is_woken_when_a_job_is_settled_and_not_held_when_it_is_not() -> None:
    ledger = Ledger()
    ledger.gate.clear()

    async def wait(writer: Writer) -> None:
        writer.submit(job("a"))
        ticket = writer.ticket("a")
        assert ticket is not None
        assert not await writer.reached(ticket, 0)
        waiting = asyncio.create_task(writer.reached(ticket, LONG_S))
        await asyncio.sleep(0)
        ledger.gate.set()
        assert await waiting
        assert await writer.reached(ticket, 0)

    with writing(ledger) as writer:
        asyncio.run(wait(writer))


def test_a_writer_that_was_never_started_can_be_closed() -> None:
    assert Writer(Ledger(), print).close(0) == 0


def test_nobody_waits_for_a_job_that_changes_nothing() -> None:
    writer = Writer(Ledger(), print)
    writer.submit(Asked("plain", "chat", b"", plain=True))
    assert writer.ticket("plain") is None
    writer.submit(job("other"))
    writer.submit(Answered(Prepared(job("other"), b"", ""), 200, b"", "", "", True, "whole", "u",
                           plain=True))  # fmt: skip
    assert writer.ticket("other") == 2


def test_jobs_that_nobody_waits_for_are_settled_all_the_same() -> None:
    ledger = Ledger()
    with writing(ledger) as writer:
        for name in "abc":
            writer.submit(Asked(name, "chat", b"", plain=True))
        assert writer.drained(LONG_S)
    assert ledger.settled == ["a", "b", "c"]


def test_who_comes_while_too_much_waits_gives_way_until_half_of_it_is_settled() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    with writing(ledger, waiting_bytes_max=10) as writer:
        for name in "abcd":
            writer.submit(job(name, 10))

        async def come() -> list[str]:
            asyncio.get_running_loop().call_soon(ledger.gate.set)
            await writer.give_way()
            return ledger.settled

        assert asyncio.run(come())[:2] == ["a", "b"]
    assert writer.state().lost == 0


def test_nobody_gives_way_to_a_ledger_that_cannot_be_written() -> None:
    ledger = Ledger()
    tried, go = threading.Event(), threading.Event()
    ledger.failures = [StorageFailed("full", meaning="", remedy="")]

    def pause(_: float) -> None:
        tried.set()
        assert go.wait(LONG_S)

    with writing(ledger, waiting_bytes_max=10, pause=pause) as writer:
        writer.submit(job("a", 20))
        assert tried.wait(LONG_S)
        coming = writer.give_way()
        with pytest.raises(StopIteration):
            coming.send(None)
        go.set()
    assert ledger.settled == ["a"]


def test_nobody_gives_way_twice_in_vain() -> None:
    ledger = Ledger()
    ledger.gate.clear()
    with writing(ledger, waiting_bytes_max=10) as writer:
        writer.submit(job("a", 20))
        asyncio.run(writer.give_way())
        coming = writer.give_way()
        with pytest.raises(StopIteration):
            coming.send(None)
