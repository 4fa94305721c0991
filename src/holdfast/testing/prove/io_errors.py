"""Errors of the disk: each operation of a piece of work fails, once or until repair."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec

from holdfast.kernel.errors import StorageFailed
from holdfast.kernel.limits import INLINE_BYTES_MAX, TREE_BLOCK_LEAVES
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.verify import verify
from holdfast.storage.sqlite.connection import is_ledger
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.faults.failing import ERRORS, Error, FailingVfs, Kind, Plan
from holdfast.testing.faults.recorder import default_vfs, read_files, write_files
from holdfast.testing.prove.material import (
    LEDGER_ID,
    draft,
    drafts,
    ledger_on,
    make_format_1,
    small_limits,
)

VFS: Final = "holdfast-failing"
TRIES_BEFORE_REPAIR: Final = 2
TRIES_MAX: Final = 4
DATABASE: Final = "ledger.db"

Work: TypeAlias = Literal["append", "creation", "migration"]
WORKS: Final[tuple[Work, ...]] = ("append", "creation", "migration")

_Answer = TypeVar("_Answer")


class ErrorJob(msgspec.Struct, frozen=True):
    """A share of the operations of one work: every `stride`-th, from `first` on."""

    work: Work
    error: Error
    lasting: bool
    first: int = 0
    stride: int = 1


class ErrorResult(msgspec.Struct, frozen=True):
    """What a job found."""

    cases: int
    refused: int
    """Calls that raised StorageFailed."""
    kinds: dict[str, int]
    """Operations that were made to fail, by kind."""
    breaches: list[str]


def jobs(stride: int = 2) -> Iterator[ErrorJob]:
    """Yield the whole campaign."""
    for work in WORKS:
        for error in ERRORS:
            for lasting in (False, True):
                for first in range(stride):
                    yield ErrorJob(work, error, lasting, first, stride)


def run_job(job: ErrorJob, folder: str) -> ErrorResult:
    """Let the job's operations fail, one in each run, and check what is left."""
    vfs = FailingVfs(VFS)
    try:
        return _Campaign(vfs, folder, job).run()
    finally:
        vfs.unregister()


class _Campaign:
    def __init__(self, vfs: FailingVfs, folder: str, job: ErrorJob) -> None:
        self._vfs = vfs
        self._folder = folder
        self._path = str(Path(folder) / DATABASE)
        self._job = job
        self._refused = 0
        self._baseline = self._prepare()
        self._batches = _batches(job.work)
        self._expected, self._kinds = self._rehearse()

    def run(self) -> ErrorResult:
        kinds: Counter[str] = Counter()
        breaches: list[str] = []
        cases = range(self._job.first, len(self._kinds), self._job.stride)
        chosen = [n for n in cases if self._job.error == "io" or self._kinds[n] == "write"]
        for number in chosen:
            kinds[self._kinds[number]] += 1
            if breach := self._case(number):
                breaches.append(f"{breach} [{self._job}, operation {number}]")
        return ErrorResult(len(chosen), self._refused, dict(kinds), breaches)

    def _case(self, number: int) -> str | None:
        self._vfs.plan = Plan(number, self._job.error, lasting=self._job.lasting)
        try:
            self._work()
            found = self._look()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None if found == self._expected else "the entries are not those that were appended"

    def _rehearse(self) -> tuple[list[bytes], list[Kind]]:
        """Do the work with no error, to know its outcome and its operations."""
        self._vfs.plan = plan = Plan()
        self._work()
        return self._look(), list(plan.kinds)

    def _work(self) -> None:
        """Do the work, trying each call again as a user would."""
        write_files(self._folder, self._baseline)
        with small_limits(wal_pages=16):
            if self._job.work == "creation":
                self._until_done(self._make)
            ledger = self._until_done(lambda: ledger_on(SqliteEngine(self._path, vfs=VFS)))
            try:
                for batch in self._batches:
                    self._append(ledger, batch)
            finally:
                ledger.close()

    def _append(self, ledger: Ledger, batch: list[Draft]) -> None:
        receipts = self._until_done(lambda: ledger.append_many(batch))
        found = self._until_done(lambda: [entry.id for entry in ledger.read()])
        if [found[receipt.seq] for receipt in receipts] != [draft.id for draft in batch]:
            raise AssertionError("an acknowledged entry cannot be read")

    def _until_done(self, call: Callable[[], _Answer]) -> _Answer:
        for number in range(TRIES_MAX):
            if number == TRIES_BEFORE_REPAIR:
                self._vfs.plan.repair()
            try:
                return call()
            except StorageFailed:
                self._refused += 1
        raise AssertionError("the disk works again, and the ledger still refuses")

    def _make(self) -> None:
        with default_vfs(VFS):
            if not (os.path.exists(self._path) and is_ledger(self._path)):  # noqa: PTH110
                create(self._path, LEDGER_ID)

    def _look(self) -> list[bytes]:
        """Read everything back by the plain way."""
        engine = SqliteEngine(self._path)
        try:
            report = verify(engine)
            if not report.ok:
                raise AssertionError(f"verify: {report.faults[:3]}")
            return [stored.body for stored in engine.read()]
        finally:
            engine.close()

    def _prepare(self) -> dict[str, bytes]:
        write_files(self._folder, {})
        match self._job.work:
            case "append":
                create(self._path, LEDGER_ID)
                with ledger_on(SqliteEngine(self._path)) as ledger:
                    ledger.append_many(drafts(Random("before"), 1000, 5))
            case "migration":
                make_format_1(self._path, TREE_BLOCK_LEAVES + 4)
            case "creation":
                pass
        return read_files(self._folder)


def _batches(work: Work) -> list[list[Draft]]:
    chance = Random(f"errors/{work}")
    if work != "append":
        return [drafts(chance, 500, 2)]
    large = draft(chance, 7, chars=INLINE_BYTES_MAX + 5_000)
    return [drafts(chance, 0, 1), drafts(chance, 1, 6), [large], drafts(chance, 8, 3)]
