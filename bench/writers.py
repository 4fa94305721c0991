"""Sixteen processes append to one ledger for 30 seconds, as fast as they can.

holdfast alone, with its default settings but for sealing by itself (`seal=Seal(auto=False)`): what
a seal costs others is measured with the archives. The demands hold for every round, not for the
median: no append fails, none takes a second, and no writer gets less than 0.4 of what another gets.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from bench.crew import Stint, crews
from bench.harness import Figure, Options, Result, Row, scratch_folder, side_by_side, spread_of
from bench.subjects import Holdfast

NAME = "writers"
TITLE = "Sixteen writers for 30 seconds"
WRITERS: Final = 16


def run(options: Options) -> Result:
    """Measure."""
    stint = Stint(seconds=options.pick(30.0, 3.0))
    with scratch_folder() as folder, crews((Holdfast,), folder, WRITERS) as started:
        crew = started[Holdfast.name]
        found = side_by_side(
            {Holdfast.name: partial(crew.measure, stint)}, options.rounds, warm_up=False
        )
    ours = found[Holdfast.name]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure("errors", spread_of(ours, "errors"), unit="", at_most=0, every_round=True),
            Figure(
                "worst wait",
                spread_of(ours, "worst_ms"),
                unit="ms",
                at_most=1000,
                every_round=True,
            ),
            Figure(
                "slowest : fastest writer",
                spread_of(ours, "slowest_to_fastest"),
                at_least=0.4,
                every_round=True,
            ),
        ],
        rows=[
            Row(Holdfast.name, "rate, all writers", "entries/s", spread_of(ours, "rate")),
            Row(Holdfast.name, "median", "µs", spread_of(ours, "p50_us")),
            Row(Holdfast.name, "99 of 100", "µs", spread_of(ours, "p99_us")),
        ],
    )
