"""Worker processes: each holds one subject open and writes when told to.

Workers are started before the first round and wait at a pipe, so that no round pays for starting
one, and subjects take turns within seconds.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.harness import Measured, percentile
from bench.subjects import Subject

START_DELAY_S: Final = 0.05
"""All workers have heard by then, and begin at once."""

ANSWER_S_MAX: Final = 120.0


class Stint(msgspec.Struct, frozen=True):
    """Write until `count` steps are done or `seconds` are over."""

    batch: int = 1
    count: int | None = None
    seconds: float | None = None


class Log(msgspec.Struct, frozen=True):
    """What one worker did."""

    steps: int
    elapsed_s: float
    waits_s: list[float]
    errors: list[str]


class Crew:
    """The workers of one subject."""

    def __init__(self, subject: type[Subject], folder: Path, workers: int) -> None:
        folder.mkdir()
        spawn = multiprocessing.get_context("spawn")
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        for worker in range(workers):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(
                target=_serve, args=(theirs, subject, folder, worker), daemon=True
            )
            process.start()
            self._pipes.append(ours)
            self._processes.append(process)
            self._hear(ours)  # the first one makes the database

    def _write(self, stint: Stint) -> list[Log]:
        """Let every worker write at the same time."""
        start = time.monotonic() + START_DELAY_S
        for pipe in self._pipes:
            pipe.send((stint, start))
        return [self._hear(pipe) for pipe in self._pipes]

    def measure(self, stint: Stint) -> Measured:
        """Let every worker write, and return rate and waits over all of them."""
        return _summary(self._write(stint), stint.batch)

    def close(self) -> None:
        """End the workers."""
        for pipe in self._pipes:
            pipe.send(None)
        for process in self._processes:
            process.join()

    def _hear(self, pipe: Connection) -> Any:
        if not pipe.poll(ANSWER_S_MAX):
            raise TimeoutError("a worker gave no answer")
        answer = pipe.recv()
        if isinstance(answer, BaseException):
            raise answer
        return answer


@contextmanager
def crews(
    subjects: tuple[type[Subject], ...], folder: Path, workers: int = 1
) -> Iterator[dict[str, Crew]]:
    """Start the workers of several subjects and end them afterwards."""
    started: dict[str, Crew] = {}
    try:
        for subject in subjects:
            started[subject.name] = Crew(subject, folder / subject.__name__, workers)
        yield started
    finally:
        for crew in started.values():
            crew.close()


def _summary(logs: list[Log], batch: int) -> Measured:
    waits = [wait for log in logs for wait in log.waits_s]
    steps = [log.steps for log in logs]
    return {
        "rate": sum(steps) * batch / max(log.elapsed_s for log in logs),
        "p50_us": percentile(waits, 0.5) * 1e6,
        "p99_us": percentile(waits, 0.99) * 1e6,
        "worst_ms": max(waits) * 1e3,
        "slowest_to_fastest": min(steps) / max(steps),
        "errors": float(sum(len(log.errors) for log in logs)),
    }


def _serve(pipe: Connection, kind: type[Subject], folder: Path, worker: int) -> None:
    try:
        subject = kind(folder, worker)
    except BaseException as failure:  # told to the parent, which raises it
        pipe.send(failure)
        return
    pipe.send("ready")
    while (order := pipe.recv()) is not None:
        stint, start = order
        time.sleep(max(0.0, start - time.monotonic()))
        pipe.send(_work(subject, stint))


def _work(subject: Subject, stint: Stint) -> Log:
    clock = time.perf_counter
    batch = stint.batch
    waits: list[float] = []
    errors: list[str] = []
    begin = before = clock()
    end = None if stint.seconds is None else begin + stint.seconds
    while len(waits) != stint.count and (end is None or before < end):
        try:
            subject.write(batch)
        except Exception as failure:  # counted
            errors.append(type(failure).__name__)
        after = clock()
        waits.append(after - before)
        before = after
    return Log(len(waits) - len(errors), before - begin, waits, errors)
