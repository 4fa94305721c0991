"""Power cuts: at every operation of every workload, under five models of what a disk keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Final

import msgspec

from holdfast.testing.faults.disk import DIGEST_BYTES, MODELS, Digests, Disk, Image, Model
from holdfast.testing.faults.ops import Acknowledge
from holdfast.testing.faults.recorder import write_files
from holdfast.testing.prove.check import check
from holdfast.testing.prove.scenario import Scenario
from holdfast.testing.prove.workloads import record

BREACHES_KEPT: Final = 10
THOROUGH_EVERY: Final = 8
"""One state in so many is verified a second time, after the retry and a further entry."""

DELICATE: Final = ("vault", "checkpoint", "migration", "seal")
"""Phases in which more is at stake than one commit; a fifth of all states must lie in them."""


class State(msgspec.Struct, frozen=True):
    """One disk after one power cut, named so that it can be made again."""

    boundary: int
    steps: int
    """How many steps were acknowledged."""
    phase: str
    model: Model
    variant: int
    image: Image


class CrashJob(msgspec.Struct, frozen=True):
    """A share of one workload's states: one of `parts` stretches of its operations."""

    workload: str
    seed: int
    part: int = 0
    parts: int = 1
    variants: int = 8
    honest: bool = True


class CrashResult(msgspec.Struct, frozen=True):
    """What a job found. Digests stand in one string, 12 bytes each."""

    workload: str
    digests: dict[str, dict[str, bytes]]
    """By phase and model."""
    checks: int
    """Disks that were checked, each once for every promise made of it."""
    breaches: list[str]
    counts: dict[str, int]
    """Breaches by kind."""

    @property
    def states(self) -> int:
        """How many different disks were checked."""
        found = [joined for models in self.digests.values() for joined in models.values()]
        return sum(map(len, found)) // DIGEST_BYTES


def run_job(job: CrashJob, folder: str) -> CrashResult:
    """Record a workload in `folder`, then make and check its states there.

    The same disk counts once, but is checked again whenever more was promised of it.
    """
    scenario = record(job.workload, folder, job.seed)
    names = Digests()
    checked: set[tuple[bytes, int]] = set()
    digests: dict[bytes, tuple[str, str]] = {}
    counts: Counter[str] = Counter()
    breaches: list[str] = []
    for state in states(scenario, job):
        name = names.name(state.image)
        if (name, state.steps) in checked:
            continue
        checked.add((name, state.steps))
        digests.setdefault(name, (state.phase, state.model))
        write_files(folder, state.image)
        thorough = len(checked) % THOROUGH_EVERY == 0
        if breach := check(folder, scenario, state.steps, thorough=thorough):
            counts[breach.kind] += 1
            if len(breaches) < BREACHES_KEPT:
                breaches.append(f"{breach.kind}: {breach.detail} [{_named(job, state)}]")
    return CrashResult(job.workload, _joined(digests), len(checked), breaches, dict(counts))


def states(scenario: Scenario, job: CrashJob) -> Iterator[State]:
    """Yield every state of a job. Between the same two syncs many are alike."""
    disk = Disk(scenario.recording.baseline, honest=job.honest)
    done = scenario.recording.steps
    boundaries = len(done) + 1
    stretch = range(boundaries * job.part // job.parts, boundaries * (job.part + 1) // job.parts)
    steps = 0
    for boundary in range(boundaries):
        if boundary in stretch:
            phase = done[min(boundary, len(done) - 1)].phase
            for model, variant in _variants(job, settled=disk.settled):
                chance = Random(f"{job.seed}/{boundary}/{model}/{variant}")
                image = disk.image(model, chance)
                yield State(boundary, steps, phase, model, variant, image)
        if boundary < len(done):
            op = done[boundary].op
            disk.apply(op)
            steps = op.steps if isinstance(op, Acknowledge) else steps


def _variants(job: CrashJob, *, settled: bool) -> Iterator[tuple[Model, int]]:
    for model in MODELS[:1] if settled else MODELS:
        for variant in range(1 if model in ("lost", "all") else job.variants):
            yield model, variant


def _joined(digests: dict[bytes, tuple[str, str]]) -> dict[str, dict[str, bytes]]:
    joined: dict[str, dict[str, bytes]] = {}
    for name, (phase, model) in digests.items():
        models = joined.setdefault(phase, {})
        models[model] = models.get(model, b"") + name
    return joined


def _named(job: CrashJob, state: State) -> str:
    return (
        f"{job.workload}, seed {job.seed}, before operation {state.boundary}, "
        f"{state.model} {state.variant}"
    )
