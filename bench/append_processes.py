"""Eight processes append to one ledger at the same time, one entry at a time, as fast as they can.

`Ledger.append` beside bare apsw (`BEGIN IMMEDIATE`, SQLite's busy timeout of 60 s) and
eventsourcing's SQLite application recorder (its lock timeout set to 60 s). Eight processes each,
the same bytes, WAL and `synchronous=FULL` throughout. The worst wait is the longest single append
of any process in a round; a round lasts 2 s, so a writer that starves shows about that much. How
evenly the processes were served stands beside it. holdfast does not seal by itself meanwhile
(`seal=Seal(auto=False)`).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from bench.crew import Stint, crews
from bench.harness import (
    Figure,
    Options,
    Result,
    Row,
    ratios,
    scratch_folder,
    side_by_side,
    spread_of,
)
from bench.subjects import BareApsw, EventSourcing, Holdfast

NAME = "append-processes"
TITLE = "Eight processes appending"
PROCESSES: Final = 8


def run(options: Options) -> Result:
    """Measure."""
    stint = Stint(seconds=options.pick(2.0, 0.5))
    subjects = (Holdfast, BareApsw, EventSourcing)
    with scratch_folder() as folder, crews(subjects, folder, PROCESSES) as started:
        found = side_by_side(
            {name: partial(crew.measure, stint) for name, crew in started.items()},
            options.rounds,
        )
    ours = found[Holdfast.name]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure("rate : bare apsw", ratios(ours, found[BareApsw.name], "rate")),
            Figure(
                "rate : eventsourcing recorder", ratios(ours, found[EventSourcing.name], "rate")
            ),
            Figure("worst wait : bare apsw", ratios(ours, found[BareApsw.name], "worst_ms")),
            Figure(
                "worst wait : eventsourcing recorder",
                ratios(ours, found[EventSourcing.name], "worst_ms"),
            ),
        ],
        rows=[
            Row(name, measure, unit, spread_of(rounds, key))
            for name, rounds in found.items()
            for measure, unit, key in (
                ("rate, all processes", "entries/s", "rate"),
                ("median", "µs", "p50_us"),
                ("99 of 100", "µs", "p99_us"),
                ("worst", "ms", "worst_ms"),
                ("slowest : fastest process", "×", "slowest_to_fastest"),
                ("errors", "", "errors"),
            )
        ],
    )
