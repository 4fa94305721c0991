"""A hundred entries in one durable step, from one process.

`Ledger.append_many` of 100 drafts with everything on, beside `executemany` of the same entry bytes
by bare apsw in one transaction, and `insert_events` of 100 events with the same bytes by
eventsourcing's SQLite application recorder. All in WAL mode with `synchronous=FULL`, log moved into
the database at 1,000 pages. holdfast keeps up to 256 entries of a batch in one row,
and does not seal by itself meanwhile (`seal=Seal(auto=False)`).

Where the time goes, by timers and without any sync (microseconds an entry, about 11 in all):
spelling, the look for secrets and checks 5, id and data hash 2, sealing 2, rows, index and COMMIT
2. Bare apsw needs a little more than 1, eventsourcing's recorder 5.
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

NAME = "append-batch"
TITLE = "Batches of 100"
TURNS: Final = 3
"""Short rounds, and more of them: what disturbs the machine then meets both sides."""
BATCH: Final = 100


def run(options: Options) -> Result:
    """Measure."""
    rounds = options.rounds * TURNS
    stint = Stint(batch=BATCH, count=options.pick(60, 20))
    with scratch_folder() as folder, crews((Holdfast, BareApsw, EventSourcing), folder) as started:
        found = side_by_side(
            {name: partial(crew.measure, stint) for name, crew in started.items()},
            rounds,
        )
    ours = found[Holdfast.name]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        rounds,
        figures=[
            Figure(
                "rate : bare apsw executemany",
                ratios(ours, found[BareApsw.name], "rate"),
                at_least=0.3,
                aim="0.5",
            ),
            Figure(
                "rate : eventsourcing recorder", ratios(ours, found[EventSourcing.name], "rate")
            ),
        ],
        rows=[
            Row(name, measure, unit, spread_of(measured, key))
            for name, measured in found.items()
            for measure, unit, key in (
                ("rate", "entries/s", "rate"),
                ("median of a batch", "µs", "p50_us"),
            )
        ],
    )
