"""What comes before a clear: the delta synthesis, and the gate over many decisions.

The ledger is as a working agent leaves it (`bench/lives.py`), in a project with notes, a task and
decisions; all in the page cache. In turns, a context is counted as green, which records the count
and nothing else; a decision is recorded; and the context is counted as yellow, which records the
count, takes the new entries into the kept folds, writes the decision log into NOTES.md, reads it
back, and records the synthesis. Every entry is synced, and nothing is sealed meanwhile. What the
second takes more than the first is what the synthesis adds, by the slowest 5 of 100 of each in a
round. Before anything is measured it is checked that the decision of that very turn stands in
NOTES.md.

The gate looks at ledgers of 1,500 and of 15,000 decisions about the same 64 subjects, none of them
looked at before, each in its own words; in processor time, one ledger after the other. It is
checked that it counts all of them, and finds some that contradict each other.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench import ledgers
from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    percentile,
    ratios,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from holdfast.config import Seal, Settings
from holdfast.kernel.entry import Actor
from holdfast.ledger.ledger import Draft
from holdfast.wiring.attention import measure
from holdfast.wiring.gate import look
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.project import Project, open_project

NAME = "clearing"
TITLE = "Delta synthesis and gate"

SESSION: Final = "bench-clearing"
ADDED_MS_MAX: Final = 50.0

BATCH: Final = 500
VERBS: Final = ("Split", "Keep", "Bound", "Retry", "Cache", "Order", "Store", "Send")
THINGS: Final = ("rows", "pages", "tokens", "frames", "hashes", "queues", "logs", "names")
WAYS: Final = ("in one pass", "at once", "twice", "on disk", "in memory", "lazily", "eagerly")
SUBJECTS: Final = 64
TIMES: Final = 10
"""How many more decisions the longer ledger has."""
GROWTH_MAX: Final = 15.0
ACTOR: Final = Actor("agent", "bench")
SETTINGS: Final = Settings(seal=Seal(auto=False))


def run(options: Options) -> Result:
    """Measure."""
    size, turns = options.pick(100_000, 10_000), options.pick(100, 20)
    with scratch_folder() as folder:
        root = ledgers.copy_lived(size, folder)
        with open_project(place_of(root), SETTINGS, ACTOR, session_id=SESSION) as project:
            work = _Work(project, root)
            work.check()
            found = side_by_side({"turns": lambda: work.turns(turns)}, options.rounds)["turns"]
        few = options.pick(1_500, 300)
        gates = _gates(folder, few, options.rounds)
    added = spread([one["yellow_p95_ms"] - one["green_p95_ms"] for one in found])
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(
                f"added to the append, 95 of 100, at {size:,} entries",
                added,
                unit="ms",
                at_most=ADDED_MS_MAX,
                every_round=True,
            ),
            Figure(
                f"the gate at {few * TIMES:,} decisions : at {few:,}",
                ratios(gates["many"], gates["few"], "s"),
                at_most=GROWTH_MAX,
            ),
        ],
        rows=[
            Row(
                f"the gate over {count:,} decisions",
                "processor time",
                "s",
                spread_of(gates[name], "s"),
            )
            for name, count in (("few", few), ("many", few * TIMES))
        ]
        + [
            Row(f"a count that {what}", measured, "ms", spread_of(found, f"{key}_{part}_ms"))
            for what, key in (("stays green", "green"), ("enters yellow", "yellow"))
            for measured, part in (("median", "p50"), ("95 of 100", "p95"))
        ],
    )


def _gates(folder: Path, few: int, rounds: int) -> dict[str, list[Measured]]:
    with ExitStack() as stack:
        held = {
            name: stack.enter_context(_decided(folder / name, count))
            for name, count in (("few", few), ("many", few * TIMES))
        }
        return side_by_side(
            {name: partial(_looked, project) for name, project in held.items()}, rounds
        )


@contextmanager
def _decided(folder: Path, count: int) -> Iterator[Project]:
    """Make a project with so many decisions that nobody held against each other."""
    open_ledger(place_of(folder).database, create=True).close()
    chance = random.Random(count)
    with open_project(place_of(folder), SETTINGS, ACTOR, session_id=SESSION) as project:
        for first in range(0, count, BATCH):
            project.ledger.append_many(
                [_decision(number, chance) for number in range(first, min(first + BATCH, count))]
            )
        report = look(project)
        if report.decisions != count or not any(
            "contradict" in str(b.reason) for b in report.blocks
        ):
            raise CannotMeasureError("the gate did not look at every decision")
        yield project


def _decision(number: int, chance: random.Random) -> Draft:
    data = {
        "question": "Which way?",
        "choice": f"{chance.choice(VERBS)} the {chance.choice(THINGS)} {chance.choice(WAYS)} "
        f"after step {number}",
        "reasoning": "It is measured.",
        "alternatives": [f"{chance.choice(VERBS)} the {chance.choice(THINGS)}"],
        "subject": f"part{number % SUBJECTS} {THINGS[number % SUBJECTS % len(THINGS)]}",
    }
    return Draft("decision", data, SESSION)


def _looked(project: Project) -> Measured:
    begin = time.process_time()
    look(project)
    return {"s": time.process_time() - begin}


class _Work:
    """A session whose context fills and empties."""

    def __init__(self, project: Project, root: Path) -> None:
        self._project = project
        self._notes = root / "NOTES.md"
        self._number = 0
        project.sessions.start(SESSION)
        _, task = project.tasks.add("Measure the delta synthesis")
        project.tasks.start(task)

    def check(self) -> None:
        """Make sure that what is measured is done."""
        self._count(0)
        choice = self._decide()
        self._count(6_000)
        if choice not in self._notes.read_text(encoding="utf-8"):
            raise CannotMeasureError("the decision did not reach NOTES.md")

    def turns(self, count: int) -> Measured:
        """Go through green and yellow so many times."""
        green, yellow = [], []
        for _ in range(count):
            self._count(0)
            green.append(self._timed(3_000))
            self._decide()
            yellow.append(self._timed(6_000))
        times = {"green": green, "yellow": yellow}
        return {
            f"{name}_{part}_ms": percentile(spent, share)
            for name, spent in times.items()
            for part, share in (("p50", 0.5), ("p95", 0.95))
        }

    def _timed(self, tokens: int) -> float:
        begin = time.perf_counter()
        self._count(tokens)
        return (time.perf_counter() - begin) * 1e3

    def _count(self, tokens: int) -> None:
        found = measure(self._project, tokens, counter="bench", source="bench")
        if any("failed" in said for said in found.done):
            raise CannotMeasureError(found.done[0])

    def _decide(self) -> str:
        self._number += 1
        choice = f"Choice number {self._number} of this benchmark"
        data: dict[str, Any] = {
            "question": "Which way?",
            "choice": choice,
            "reasoning": "It is measured.",
            "alternatives": [],
        }
        self._project.ledger.append("decision", data)
        return choice
