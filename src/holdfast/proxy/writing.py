"""The one thread that settles what crossed, in the order it came, off the stream's path.

What waits is settled together, so that it is recorded with one write. While the ledger cannot be
written (locked, disk full), exchanges wait here up to a bound and are tried again; what comes on
top of the bound passes by unrecorded, which is counted and said. The stream is never held up.

Not here: what settling is. It is handed in.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel.errors import Busy, Conflict, HoldfastError, StorageFailed
from holdfast.kernel.limits import (
    PROXY_BATCH_MAX,
    PROXY_BATCH_WEIGHTY_MAX,
    PROXY_CLOSE_S,
    PROXY_GATHER_S,
    PROXY_LULL_S,
    PROXY_PLACED_BYTES,
    PROXY_QUEUE_BYTES_MAX,
    PROXY_QUEUE_MAX,
    PROXY_RETRY_FIRST_S,
    PROXY_RETRY_MAX_S,
    PROXY_ROOM_S,
    PROXY_WAITING_BYTES_MAX,
)
from holdfast.proxy.values import Answered, Asked, Audited, Job, is_plain

Settle: TypeAlias = Callable[[Sequence[Job]], object]
"""MUST settle all that it is given, or raise and leave nothing behind. It is given the same jobs
again after `Busy`, `Conflict` and `StorageFailed`, perhaps with more behind them. Any other error
means that one of them cannot be settled: they are then given one by one."""

Say: TypeAlias = Callable[[str], object]
"""Tells the user something; called from any thread."""

_PASSING: Final = (Busy, Conflict, StorageFailed)


class WriterState(msgspec.Struct, frozen=True):
    """How the writer is."""

    queued: int
    """Jobs that are not settled yet."""
    lost: int
    """Jobs that came when there was no more room, or that could not be settled at all."""
    problem: str | None
    """Why the ledger cannot be written now; None while it can."""
    last_error: str | None
    """The newest problem, over or not."""


class Writer:
    """Settles jobs in a thread of its own, which `start` begins and `close` ends."""

    def __init__(
        self,
        settle: Settle,
        say: Say,
        *,
        jobs_max: int = PROXY_QUEUE_MAX,
        bytes_max: int = PROXY_QUEUE_BYTES_MAX,
        waiting_bytes_max: int = PROXY_WAITING_BYTES_MAX,
        pause: Callable[[float], object] | None = None,
    ) -> None:
        """`pause` waits for so many seconds, or less."""
        self._settle = settle
        self._say = say
        self._jobs_max = jobs_max
        self._bytes_max = bytes_max
        self._waiting_bytes_max = waiting_bytes_max
        self._ending = threading.Event()
        self._pause = self._ending.wait if pause is None else pause
        self._thread = threading.Thread(target=self._run, name="proxy-writer", daemon=True)
        self._changed = threading.Condition()
        # What follows is touched only with the condition held.
        self._queue: deque[tuple[Job, int]] = deque()
        self._bytes = 0
        self._given = 0
        self._done = 0
        self._tickets: dict[str, int] = {}
        self._sleepers: list[tuple[int, asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._lost = 0
        self._problem: str | None = None
        self._last_error: str | None = None
        self._closing = False
        self._full = False
        self._stuck_at = -1
        """How many jobs were settled when waiting for more of them was in vain."""
        self._hurried = 0
        """Up to which job nothing is gathered: somebody may soon wait for it."""
        self._awaited = 0
        """Up to which job somebody waits."""
        self._gathered = 0
        """Jobs that waited for others long enough."""

    def start(self) -> None:
        """Begin to settle."""
        self._thread.start()

    # From the loop, or anywhere

    def submit(self, job: Job) -> bool:
        """Let a job be settled after those before it; tell whether there was room for it."""
        size_bytes = _size(job)
        with self._changed:
            room = not self._closing and self._has_room(size_bytes)
            newly_full = not room and not self._full
            self._full = not room
            if room:
                self._given += 1
                self._bytes += size_bytes
                self._queue.append((job, size_bytes))
                if not is_plain(job):
                    self._tickets[job_episode(job)] = self._hurried = self._given
                if len(self._queue) == 1 or self._is_due():
                    self._changed.notify_all()
            else:
                self._lost += 1
        if newly_full:
            self._say(_FULL)
        return room

    def miss(self, why: str) -> None:
        """Count an exchange that never became a job, and say so."""
        with self._changed:
            self._lost += 1
            self._last_error = why
        self._say(f"An exchange could not be handed over to be recorded: {why}")

    def _has_room(self, size_bytes: int) -> bool:
        if not self._queue:
            return True
        return len(self._queue) < self._jobs_max and self._bytes + size_bytes <= self._bytes_max

    def ticket(self, episode: str) -> int | None:
        """Return the number of an episode's last job; None when none of it waits."""
        return self._tickets.get(episode)

    def idle(self) -> bool:
        """Tell whether nothing waits."""
        return self._done == self._given

    def calm(self) -> bool:
        """Tell whether nothing waits that anybody may have to wait for."""
        return not self._tickets

    def pressed(self) -> bool:
        """Tell whether settling has to go on, whoever else has something to do: somebody waits for
        it, or much does."""
        if self._closing or self._awaited > self._done:
            return True
        return self._bytes > self._waiting_bytes_max * 3 // 4

    def drained(self, timeout_s: float) -> bool:
        """Wait until all that was submitted so far is settled; tell whether it is."""
        with self._changed:
            ticket = self._awaited = self._hurried = self._given
            self._changed.notify_all()
            return self._changed.wait_for(lambda: self._done >= ticket, timeout_s)

    async def reached(self, ticket: int, timeout_s: float) -> bool:
        """Wait until a job is settled; tell whether it is."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()
        with self._changed:
            if self._done >= ticket:
                return True
            self._hurried = max(self._hurried, ticket)
            self._awaited = max(self._awaited, ticket)
            self._changed.notify_all()
            self._sleepers.append((ticket, loop, woken))
        try:
            async with asyncio.timeout(timeout_s):
                await woken
        except TimeoutError:
            return False
        finally:
            with self._changed:
                self._sleepers = [one for one in self._sleepers if one[2] is not woken]
        return True

    async def give_way(self) -> None:
        """Wait a little while too much waits to be settled; not while the ledger cannot be
        written, as nobody knows how long that takes."""
        done = self._done
        if self._bytes <= self._waiting_bytes_max or self._problem or done == self._stuck_at:
            return
        settled = await self.reached(done + (len(self._queue) + 1) // 2, PROXY_ROOM_S)
        self._stuck_at = -1 if settled or self._done > done else done

    def state(self) -> WriterState:
        """Say how the writer is."""
        with self._changed:
            return WriterState(len(self._queue), self._lost, self._problem, self._last_error)

    def close(self, timeout_s: float = PROXY_CLOSE_S) -> int:
        """Settle what waits as far as time allows; return how many jobs stay unrecorded."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._queue, timeout_s)
        self._ending.set()
        if self._thread.ident is not None:  # it may never have been started
            self._thread.join(timeout_s)
        with self._changed:
            left, why = len(self._queue), self._problem
        if left:
            self._say(f"{left} exchanges were not recorded: {why or 'there was no time left'}")
        return left

    # In the thread

    def _run(self) -> None:
        pause_s, alone = PROXY_RETRY_FIRST_S, 0
        while batch := self._next(1 if alone else PROXY_BATCH_MAX):
            try:
                self._settle(batch)
            except _PASSING as problem:
                self._troubled(problem)
                self._pause(pause_s)
                pause_s = min(2 * pause_s, PROXY_RETRY_MAX_S)
            except Exception as problem:  # one bad exchange must not end the rest
                if len(batch) > 1:
                    alone = len(batch)
                    continue
                alone = max(alone - 1, 0)
                self._give_up(batch, problem)
            else:
                pause_s, alone = PROXY_RETRY_FIRST_S, max(alone - len(batch), 0)
                self._finish(batch)

    def _next(self, together: int) -> Sequence[Job]:
        """Wait for jobs and return the first of them; none when the writer ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closing)
            if not self._gathered:
                self._gather()
            if self._ending.is_set():
                return []
            if not self._gathered or self.pressed():
                self._gathered = len(self._queue)
            jobs = [job for job, _ in islice(self._queue, min(self._gathered, together))]
        return _together(jobs) if self._tickets else jobs

    def _gather(self) -> None:
        """Wait while more jobs come and nobody waits for them, but not for ever."""
        until, given = time.monotonic() + PROXY_GATHER_S, -1
        while given != self._given and time.monotonic() < until:
            given = self._given
            if self._changed.wait_for(self._is_due, PROXY_LULL_S):
                return

    def _is_due(self) -> bool:
        """Tell whether jobs are not to wait for others to be settled with them."""
        if self._closing or self._problem is not None or self._hurried > self._done:
            return True
        return len(self._queue) >= PROXY_BATCH_MAX or self._bytes > self._waiting_bytes_max // 2

    def _finish(self, batch: Sequence[Job]) -> None:
        """Take settled jobs out, and wake who waits for them."""
        with self._changed:
            self._gathered -= len(batch)
            for job in batch:
                self._done += 1
                self._bytes -= self._queue.popleft()[1]
                if self._tickets and self._tickets.get(job_episode(job)) == self._done:
                    del self._tickets[job_episode(job)]
            over, self._problem = self._problem, None
            awake = [one for one in self._sleepers if one[0] <= self._done]
            self._changed.notify_all()
        for _, loop, woken in awake:
            _wake(loop, woken)
        if over is not None:
            self._say("The ledger can be written again; what waited is being recorded.")

    def _troubled(self, problem: Exception) -> None:
        """Note why jobs have to wait, and say it when it is news."""
        with self._changed:
            news = self._problem is None
            self._problem = self._last_error = str(problem)
        if news:
            self._say(f"The ledger cannot be written now; exchanges wait to be recorded. {problem}")

    def _give_up(self, batch: Sequence[Job], problem: Exception) -> None:
        """Let a job go that nothing can be done about."""
        # the text of a foreign error may hold what was said, or a key
        told = str(problem) if isinstance(problem, HoldfastError) else type(problem).__name__
        with self._changed:
            news = told != self._last_error
            self._lost += len(batch)
            self._last_error = told
        self._finish(batch)
        if news:
            self._say(f"An exchange could not be recorded: {told}")


_FULL: Final = (
    "There is no more room for exchanges that wait to be recorded: from here on, they pass by "
    "unrecorded until there is."
)


def job_episode(job: Job) -> str:
    """Return the episode that a job is about."""
    match job:
        case Asked(episode=episode) | Audited(episode=episode):
            return episode
        case Answered(prepared=prepared):
            return prepared.asked.episode


def _together(jobs: Sequence[Job]) -> Sequence[Job]:
    """Return the first of some jobs, not too many of those from which much may follow."""
    weighty = [place for place, job in enumerate(jobs) if not is_plain(job)]
    return jobs[: (*weighty, len(jobs))[min(PROXY_BATCH_WEIGHTY_MAX, len(weighty))]]


def _size(job: Job) -> int:
    match job:
        case Asked(body=body, placed=placed):
            return len(body) if placed is None else PROXY_PLACED_BYTES
        case Answered(prepared=prepared, content=content, heard=heard):
            body = b"" if prepared.body is prepared.asked.body else prepared.body
            said = 0 if content or heard is None else sum(len(one.text) for one in heard.blocks)
            return len(body) + len(prepared.added) + len(content) + said  # as asked: counted
        case Audited():
            return 0


def _wake(loop: asyncio.AbstractEventLoop, woken: asyncio.Future[None]) -> None:
    def wake() -> None:
        if not woken.done():
            woken.set_result(None)

    with suppress(RuntimeError):  # the loop has ended, and with it who waited
        loop.call_soon_threadsafe(wake)
