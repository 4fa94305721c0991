"""Verifying with every core: ranges of the ledger are checked by processes side by side.

A worker is this module run by itself. It reads jobs from its standard input, one JSON line each,
and answers each with one JSON line. Workers open the ledger to read, and end with their input.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel.errors import Damaged, StorageFailed
from holdfast.ledger import verify
from holdfast.storage.port import Fault, Reader
from holdfast.wiring.looking import open_reader

Job: TypeAlias = tuple[int, int] | None
"""A range to check, or None for the engine's own structures."""

_package_folder: Final = str(Path(__file__).parents[2])


def checks_side_by_side(database: Path) -> verify.Checks | None:
    """Return checks that use every core, None where that could not be faster."""
    cores = _cores()
    if cores < 2:
        return None

    def checks(ranges: Sequence[tuple[int, int]], progress: verify.Progress) -> verify.Findings:
        return _Run(database, ranges, progress).by(min(cores, len(ranges) + 1))

    return checks


class _Run:
    """One verification: jobs out, answers in."""

    def __init__(
        self, database: Path, ranges: Sequence[tuple[int, int]], progress: verify.Progress
    ) -> None:
        self._database = database
        self._ranges = ranges
        self._progress = progress
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._reports: dict[int, verify.RangeReport] = {}
        self._structure: list[Fault] | None = None
        self._failures: list[BaseException] = []
        self._done = 0
        self._lock = threading.Lock()

    def by(self, workers: int) -> verify.Findings:
        """Do all jobs with this many processes."""
        self._jobs.put(None)
        for job in self._ranges:
            self._jobs.put(job)
        threads = [threading.Thread(target=self._drive) for _ in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failures:
            raise self._failures[0]
        assert self._structure is not None
        return [self._reports[first] for first, _ in self._ranges], self._structure

    def _drive(self) -> None:
        try:
            with _worker(self._database) as worker:
                while not self._failures:
                    self._ask(worker, self._jobs.get_nowait())
        except Empty:
            return
        except BaseException as failure:  # handed to the caller's thread
            self._failures.append(failure)

    def _ask(self, worker: subprocess.Popen[bytes], job: Job) -> None:
        assert worker.stdin is not None
        assert worker.stdout is not None
        with suppress(BrokenPipeError):  # it ended; then there is no answer to read
            worker.stdin.write(msgspec.json.encode(job) + b"\n")
            worker.stdin.flush()
        answer = worker.stdout.readline()
        if not answer:
            raise StorageFailed(
                "A process that was verifying the ledger ended without an answer.",
                meaning="The ledger is untouched, and not verified.",
                remedy="Run `holdfast verify` again.",
            )
        with self._lock:
            self._take(job, answer)

    def _take(self, job: Job, answer: bytes) -> None:
        if job is None:
            self._structure = msgspec.json.decode(answer, type=list[Fault])
            return
        self._reports[job[0]] = msgspec.json.decode(answer, type=verify.RangeReport)
        self._done += job[1] - job[0]
        self._progress(self._done, self._ranges[-1][1])


@contextmanager
def _worker(database: Path) -> Iterator[subprocess.Popen[bytes]]:
    path = os.pathsep.join(filter(None, (_package_folder, os.environ.get("PYTHONPATH"))))
    worker = subprocess.Popen(
        # -P: modules of the folder that we happen to stand in are none of ours.
        [sys.executable, "-P", "-m", "holdfast.wiring.workers", str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        yield worker
    finally:
        assert worker.stdin is not None
        assert worker.stdout is not None
        with suppress(BrokenPipeError):
            worker.stdin.close()
        worker.stdout.close()
        worker.wait()


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def main(database: str) -> None:
    """Work until the input ends."""
    reader = open_reader(database, inspect=True)
    ledger = reader.head().ledger
    for line in sys.stdin.buffer:
        job: Job = msgspec.json.decode(line, type=tuple[int, int] | None)
        answer = verify.structure(reader) if job is None else _check(reader, database, ledger, job)
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()
    reader.close()


def _check(reader: Reader, database: str, ledger: str, job: tuple[int, int]) -> verify.RangeReport:
    try:
        return verify.check_range(reader, ledger, *job)
    except Damaged:
        # Needed once in a thousand ledgers, and it imports this module.
        from holdfast.wiring.salvage import Salvager

        return verify.check_range(Salvager(Path(database)), ledger, *job)


if __name__ == "__main__":
    main(sys.argv[1])
