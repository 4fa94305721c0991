"""Running the campaigns side by side, and adding up what they found."""

from __future__ import annotations

import itertools
import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import msgspec

from holdfast.testing.faults.disk import DIGEST_BYTES
from holdfast.testing.prove import controls, crashes, io_errors, tampering
from holdfast.testing.prove.check import BreachKind
from holdfast.testing.prove.crashes import CrashJob, CrashResult
from holdfast.testing.prove.proof import CrashFigures, ErrorFigures
from holdfast.testing.prove.workloads import CRASHED

MEMORY_FOLDER: Final = Path("/dev/shm")
"""Where small files are cheapest; elsewhere the usual temporary folder serves."""

EXAMPLES_MAX: Final = 20
BREACH_KINDS: Final[tuple[BreachKind, ...]] = ("lost", "torn", "corrupt", "duplicated", "stuck")

VARIANTS: Final = {"seals": 10, "vault": 3, "migration": 16, "creation": 12, "saved files": 4}
VARIANTS_USUAL: Final = 10
PARTS: Final = {"seals": 4, "vault": 4, "creation": 1, "migration": 1, "saved files": 1}
PARTS_USUAL: Final = 2

SEALS: Final = "seals"
"""The workload that moves entries into archives."""
SEAL: Final = "seal"
"""The phase in which it does so."""
SEEDS_APART: Final = 1_000_000
"""Between the contents of two series of jobs."""

Say: TypeAlias = Callable[[str], None]
_Answer = TypeVar("_Answer")
_Job = TypeVar("_Job")


class Wanted(msgspec.Struct, frozen=True):
    """How many different disks to check."""

    states: int
    seal_states: int = 0
    """Of these, cut off inside a seal."""


class Workshop:
    """Processes that do jobs, each in an empty folder of its own."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(cores, mp_context=context)

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def start(self, work: Callable[[_Job, str], _Answer], job: _Job) -> Future[_Answer]:
        """Let some process do a job."""
        return self._pool.submit(_in_folder, work, job)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for files that nobody needs later."""
    return tempfile.TemporaryDirectory(
        prefix="holdfast-prove-", dir=MEMORY_FOLDER if MEMORY_FOLDER.is_dir() else None
    )


def run_crashes(
    shop: Workshop, wanted: Wanted, *, seconds: float, seed: int, say: Say
) -> CrashFigures:
    """Cut the power until there are enough different disks, or the time is up."""
    tally = _Tally()
    started = time.monotonic()
    running: set[Future[CrashResult]] = set()
    mixed, sealing = crash_jobs(seed, CRASHED), crash_jobs(seed + SEEDS_APART, (SEALS,))
    while time.monotonic() - started < seconds:
        if tally.states >= wanted.states and tally.phases[SEAL] >= wanted.seal_states:
            break
        jobs = mixed if tally.states < wanted.states else sealing
        while len(running) < 2 * shop.cores:
            running.add(shop.start(crashes.run_job, next(jobs)))
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            tally.add(future.result())
        say(
            f"power cuts: {tally.states:,} of {wanted.states:,} states, "
            f"{tally.phases[SEAL]:,} of {wanted.seal_states:,} inside seals, "
            f"{tally.breaches.total()} breaches"
        )
    for future in running:
        tally.add(future.result())
    return tally.figures(wanted, time.monotonic() - started)


def crash_jobs(seed: int, workloads: Sequence[str] = CRASHED) -> Iterator[CrashJob]:
    """Yield jobs without end: every workload in turn, then all again with other contents."""
    for number in itertools.count(seed):
        for workload in workloads:
            parts = PARTS.get(workload, PARTS_USUAL)
            variants = VARIANTS.get(workload, VARIANTS_USUAL)
            for part in range(parts):
                yield CrashJob(workload, number, part, parts, variants)


def run_errors(shop: Workshop, say: Say) -> ErrorFigures:
    """Let every operation fail."""
    say("errors of the disk: every operation in turn")
    futures = [shop.start(io_errors.run_job, job) for job in io_errors.jobs()]
    cases = refused = 0
    kinds: Counter[str] = Counter()
    breaches: list[str] = []
    for result in (future.result() for future in futures):
        cases += result.cases
        refused += result.refused
        kinds.update(result.kinds)
        breaches += result.breaches
    return ErrorFigures(cases, refused, dict(kinds), breaches[:EXAMPLES_MAX])


def run_controls(shop: Workshop, seed: int, say: Say) -> list[controls.ControlResult]:
    """Put known defects in."""
    say("controls: known defects, put in on purpose")
    return shop.start(_controls, seed).result()


def run_tampering(
    shop: Workshop, *, flips: int, seed: int, say: Say
) -> tuple[list[tampering.TamperResult], tampering.FlipResult]:
    """Tamper with copies, and flip single bits."""
    say("tampering: every kind, and single bits")
    flipping = shop.start(_flip_bits, (flips, seed))
    return shop.start(_tamper, None).result(), flipping.result()


class _Tally:
    """Adds up what the crash jobs found; a disk that was seen before does not count."""

    def __init__(self) -> None:
        self.breaches: Counter[str] = Counter()
        self._seen: set[bytes] = set()
        self._checks = 0
        self.phases: Counter[str] = Counter()
        self._workloads: Counter[str] = Counter()
        self._models: Counter[str] = Counter()
        self._examples: list[str] = []

    @property
    def states(self) -> int:
        """How many different disks there were."""
        return len(self._seen)

    def add(self, result: CrashResult) -> None:
        """Count one job."""
        for phase, models in result.digests.items():
            for model, joined in models.items():
                fresh = self._add_digests(joined)
                self.phases[phase] += fresh
                self._models[model] += fresh
                self._workloads[result.workload] += fresh
        self._checks += result.checks
        self.breaches.update(result.counts)
        self._examples += result.breaches

    def _add_digests(self, joined: bytes) -> int:
        """Return how many were not seen before."""
        before = len(self._seen)
        for offset in range(0, len(joined), DIGEST_BYTES):
            self._seen.add(joined[offset : offset + DIGEST_BYTES])
        return len(self._seen) - before

    def figures(self, wanted: Wanted, seconds: float) -> CrashFigures:
        """Return the sum."""
        delicate = sum(self.phases[phase] for phase in crashes.DELICATE)
        return CrashFigures(
            states=self.states,
            states_wanted=wanted.states,
            seal_states=self.phases[SEAL],
            seal_states_wanted=wanted.seal_states,
            checks=self._checks,
            delicate_share=round(delicate / max(self.states, 1), 3),
            by_phase=dict(self.phases.most_common()),
            by_workload=dict(self._workloads.most_common()),
            by_model=dict(self._models.most_common()),
            breaches={kind: self.breaches[kind] for kind in BREACH_KINDS},
            examples=self._examples[:EXAMPLES_MAX],
            seconds=round(seconds, 1),
            states_per_second=round(self.states / seconds),
        )


def _in_folder(work: Callable[[_Job, str], _Answer], job: _Job) -> _Answer:
    with scratch() as folder:
        return work(job, folder)


def _controls(seed: int, folder: str) -> list[controls.ControlResult]:
    return controls.run(folder, seed)


def _tamper(_: None, folder: str) -> list[tampering.TamperResult]:
    return tampering.run(folder)


def _flip_bits(job: tuple[int, int], folder: str) -> tampering.FlipResult:
    flips, seed = job
    return tampering.flip_bits(folder, flips, seed)
