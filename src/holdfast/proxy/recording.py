"""From jobs to entries: settle, append, take in, and only then remember.

What follows from jobs is worked out for the State Map as of some entry, and appended right after
that entry or not at all. When somebody else appended meanwhile, it is worked out again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Sealed
from holdfast.kernel.errors import Conflict, StorageFailed
from holdfast.kernel.limits import PROXY_CONFLICTS_MAX
from holdfast.ledger.readying import Readying
from holdfast.proxy.lulls import Lulls
from holdfast.proxy.settling import Settled
from holdfast.proxy.state import LiveMap
from holdfast.proxy.values import Answered, Draft, Job, Map, Unsure
from holdfast.storage.port import Reader, Selection


class Settles(Protocol):
    """Works out what follows from jobs; `Settler` does."""

    def settle(self, jobs: Sequence[Job], known: Map) -> Settled:
        """Return the entries that follow from jobs."""

    def accept(self, settled: Settled) -> None:
        """Remember what jobs told."""


class Appends(Protocol):
    """A ledger, as far as it is used here."""

    @property
    def reader(self) -> Reader:
        """The ledger for those who only look."""

    def head(self) -> Head:
        """Return where the chain ends."""

    def readying(self, drafts: Sequence[Draft], head: Head) -> Readying:
        """Make entries ready to stand right behind a head, in small steps."""

    def append_readied(self, readied: Readying) -> None:
        """Record entries that are ready, all of them or none."""


class _Attempt(msgspec.Struct, frozen=True):
    """An append of which nobody knows how it ended."""

    jobs: tuple[Job, ...]
    settled: Settled
    at: int


class Recorder:
    """Settles jobs into the ledger; for one thread, the writer's. `look` is for any."""

    def __init__(
        self,
        ledger: Appends,
        live: LiveMap,
        settler: Settles,
        *,
        notice: Callable[[str, bool], object] = lambda *_: None,
        unsure: Callable[[Unsure], object] = lambda _: None,
        let_go: Callable[[str], object] = lambda _: None,
        lulls: Lulls | None = None,
    ) -> None:
        """`notice` is told whether the next request of a conversation is owed the notice, `unsure`
        of every answer that an audit could decide about, `let_go` of episodes that are over."""
        self._let_go = let_go
        self._lulls = lulls or Lulls()
        self._ledger = ledger
        self._live = live
        self._settler = settler
        self._notice = notice
        self._unsure = unsure
        self._attempt: _Attempt | None = None
        self._recorded: list[Job] = []
        """Jobs that are recorded, though the one who gave them was told of a failure."""
        self._turn = threading.Lock()

    def look(self) -> None:
        """Take in what others appended, unless jobs are being settled: then that is done anyway."""
        if self._turn.acquire(blocking=False):
            try:
                self._live.catch_up(self._ledger.reader)
            finally:
                self._turn.release()

    def stop(self) -> None:
        """Wait until nobody looks or settles, and let nobody begin again: the ledger is closed."""
        self._turn.acquire()

    def __call__(self, jobs: Sequence[Job]) -> None:
        """Record what follows from jobs: all of it, or raise and nothing of it."""
        with self._turn:
            self._settle(jobs)

    def _settle(self, jobs: Sequence[Job]) -> None:
        self._lulls.begin()
        self._look_after_failure()
        left = _without(jobs, self._recorded)
        if left:
            self._record(left)
        self._recorded = list(_without(self._recorded, jobs))
        self._lulls.do(self._end(jobs))

    def _record(self, jobs: Sequence[Job]) -> None:
        for _ in range(PROXY_CONFLICTS_MAX):
            self._live.catch_up(self._ledger.reader)
            at = self._live.size
            settled = self._settler.settle(jobs, self._live)
            try:
                readied = self._append(settled.drafts, at)
            except Conflict:
                continue
            except StorageFailed:
                self._attempt = _Attempt(tuple(jobs), settled, at)
                raise
            self._lulls.do(self._take_in(readied.sealed))
            self._accept(settled, at)
            return
        raise Conflict(
            "Others append to the ledger without a pause.",
            meaning="Nothing was recorded.",
            remedy="It is tried again.",
        )

    def _append(self, drafts: Sequence[Draft], at: int) -> Readying:
        """Append entries after `at` entries, and return them."""
        head = self._ledger.head()
        if head.size != at:
            raise Conflict(f"There are no longer {at} entries.", remedy="Look again.")
        readying = self._ledger.readying(drafts, head)
        self._lulls.do(iter(readying))
        self._ledger.append_readied(readying)
        return readying

    def _take_in(self, appended: Iterable[Sealed]) -> Iterator[None]:
        """Take in what was appended, in small steps."""
        for one in appended:
            self._live.apply([entries.read(one.body)])
            yield

    def _accept(self, settled: Settled, at: int) -> None:
        size = at + len(settled.drafts)
        if self._live.size < size:
            self._live.catch_up(self._ledger.reader, size)
        self._settler.accept(settled)
        for conversation, owed in settled.notices.items():
            self._notice(conversation, owed)
        for unsure in settled.unsure:
            self._unsure(unsure)

    def _end(self, jobs: Sequence[Job]) -> Iterator[None]:
        """Let go of what nobody asks for again, in small steps."""
        for job in jobs:
            if isinstance(job, Answered):
                self._let_go(job.prepared.asked.episode)
                yield

    def _look_after_failure(self) -> None:
        """Find out whether the last append was recorded after all: a disk that fails while it
        syncs may have written."""
        attempt = self._attempt
        if attempt is None:
            return
        if self._is_recorded(attempt):
            self._accept(attempt.settled, attempt.at)
            self._recorded.extend(attempt.jobs)
        self._attempt = None

    def _is_recorded(self, attempt: _Attempt) -> bool:
        """Tell whether the entries stand where they were to stand; they came together or not."""
        drafts = attempt.settled.drafts
        # Only one request has that episode; a change of the desk may look like another one.
        place = next((i for i, draft in enumerate(drafts) if "episode" in draft.data), 0)
        wanted, seq = drafts[place], attempt.at + place
        for stored in self._ledger.reader.read(Selection(first=seq, stop=seq + 1)):
            entry = entries.read(stored.body)
            said = entry.value()
            names = ("episode", "version", "conversation")
            return entry.type == wanted.type and all(
                said.get(name) == wanted.data.get(name) for name in names
            )
        return False


def _without(jobs: Sequence[Job], others: Sequence[Job]) -> Sequence[Job]:
    """Return jobs that are none of others; mostly there are no others."""
    if not jobs or not others:
        return jobs
    return [job for job in jobs if not any(job is other for other in others)]
