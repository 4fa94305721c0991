"""One durable append to a ledger of 1,000, of 100,000 and of 1,000,000 entries.

The three ledgers are open in one process and take turns, one append each, so that all three see the
same moments of the machine. They are fresh copies, each entry in a row of its own. The figure is
the median time of an append; the mean, which holds the moves of the log into the database as well,
stands beside it. The small ledger is copied afresh for each round; it grows by the appends of one.
Before a round each log is brought to its full length: one that still grows makes any append slower.
Nothing is sealed meanwhile (`seal=Seal(auto=False)`): that the ledger is long is what is measured.
"""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import holdfast
from bench import entries, ledgers
from bench.harness import (
    Figure,
    Measured,
    Options,
    Result,
    Row,
    end_round,
    ratios,
    say,
    scratch_folder,
    spread_of,
)
from holdfast.kernel.limits import MIB
from holdfast.ledger.ledger import Ledger

NAME = "growth"
TITLE = "Append as the ledger grows"
WARM_UP: Final = 20
LOG_BYTES: Final = 8 * MIB


def run(options: Options) -> Result:
    """Measure."""
    sizes = options.pick((1_000, 100_000, 1_000_000), (1_000, 10_000))
    count = options.pick(600, 200)
    found: dict[int, list[Measured]] = {size: [] for size in sizes}
    with scratch_folder() as folder:
        roots = {size: ledgers.copy(size, folder) for size in sizes}
        for _ in range(options.rounds):
            shutil.rmtree(roots[sizes[0]])
            roots[sizes[0]] = ledgers.copy(sizes[0], folder)
            for size, measured in _round(roots, count).items():
                found[size].append(measured)
            end_round()
    say("\n")
    small, large = sizes[0], sizes[-1]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(
                f"median time at {large:,} : at {small:,}",
                ratios(found[large], found[small], "median_us"),
                at_most=1.15,
            ),
            Figure(
                f"mean time, log moves included, at {large:,} : at {small:,}",
                ratios(found[large], found[small], "mean_us"),
            ),
            *(
                Figure(
                    f"median time at {size:,} : at {small:,}",
                    ratios(found[size], found[small], "median_us"),
                )
                for size in sizes[1:-1]
            ),
        ],
        rows=[
            Row(f"{size:,} entries", measure, "µs", spread_of(rounds, key))
            for size, rounds in found.items()
            for measure, key in (("median", "median_us"), ("mean", "mean_us"))
        ],
    )


def _round(roots: Mapping[int, Path], count: int) -> dict[int, Measured]:
    opened = {size: holdfast.open(root, seal=ledgers.NEVER) for size, root in roots.items()}
    try:
        for ledger in opened.values():
            _settle(ledger)
        times = _take_turns(opened, count)
    finally:
        for ledger in opened.values():
            ledger.close()
    return {
        size: {"median_us": statistics.median(spent), "mean_us": statistics.fmean(spent)}
        for size, spent in times.items()
    }


def _settle(ledger: Ledger) -> None:
    """Let the log reach its full length and be moved: a log that still grows costs every append."""
    ledger.append("session_ended", {"reason": "x" * LOG_BYTES})


def _take_turns(opened: Mapping[int, Ledger], count: int) -> dict[int, list[float]]:
    times: dict[int, list[float]] = {size: [] for size in opened}
    clock = time.perf_counter
    for number, draft in enumerate(entries.drafts(count + WARM_UP, seed=7)):
        for size, ledger in opened.items():
            before = clock()
            ledger.append(draft.type, draft.data, session_id=draft.session_id)
            spent = clock() - before
            if number >= WARM_UP:
                times[size].append(spent * 1e6)
    return times
