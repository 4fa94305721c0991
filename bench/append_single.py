"""One entry at a time, durable before the next, from one process.

`Ledger.append` with everything on (redaction, checks, chain, tree, lookup tables, writers' queue)
beside bare apsw inserts of the same entry bytes into `(seq INTEGER PRIMARY KEY, body BLOB)`;
`insert_events` of one event with the same bytes by eventsourcing's SQLite application recorder;
and `put` of a state with one message, the entry's data, by langgraph-checkpoint-sqlite. All in
WAL mode with `synchronous=FULL`, one transaction an entry, log moved into the database at 1,000
pages. The two peers leave `synchronous` to how their SQLite was built (here FULL); the benchmark
sets and checks it. They use Python's sqlite3 and its SQLite, as shipped; holdfast and the bare
inserts use apsw's.

Where the time goes: a whole append without any sync takes 32 microseconds, bare apsw's 10,
eventsourcing's 33. Between syncs the same work takes three to four times as long, since a process
that waited for the disk finds its caches cold. COMMIT takes longer than bare apsw's for the same
reason: our statements alone commit as fast as its, and its COMMIT slows down as well when as much
work in Python is done before each. The log gets the same pages, and as many syncs and locks. The
peers chain, check and redact nothing. What each part costs, and what was tried, stands in
docs/adr/0024-what-one-append-costs.md.

In all of these no entry is sealed (`seal=Seal(auto=False)`). As it comes, a ledger seals by itself
whenever 1,000 entries are active, and the append that makes it due waits for it. One figure tells
what that makes of the rate over 6,000 appends and more, so that six seals or so are among them.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from bench.crew import Stint, crews
from bench.harness import (
    Figure,
    Measured,
    Options,
    Result,
    Row,
    ratios,
    scratch_folder,
    side_by_side,
    spread_of,
)
from bench.subjects import BareApsw, EventSourcing, Holdfast, HoldfastSealing, LangGraph

NAME = "append-single"
TITLE = "One durable append"
SEALING_APPENDS: Final = 6_000
TURNS: Final = 3
"""Short rounds, and more of them: what disturbs the machine then meets both sides."""


def run(options: Options) -> Result:
    """Measure."""
    rounds = options.rounds * TURNS
    stint = Stint(count=options.pick(1000, 200))
    subjects = (Holdfast, BareApsw, EventSourcing, LangGraph)
    with scratch_folder() as folder, crews(subjects, folder) as started:
        found = side_by_side(
            {name: partial(crew.measure, stint) for name, crew in started.items()},
            rounds,
        )
    sealing = _sealing(options)
    ours = found[Holdfast.name]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        rounds,
        figures=[
            Figure(
                "rate : bare apsw",
                ratios(ours, found[BareApsw.name], "rate"),
                at_least=0.65,
                aim="0.85",
            ),
            Figure(
                "rate : eventsourcing recorder",
                ratios(ours, found[EventSourcing.name], "rate"),
                at_least=1.1,
            ),
            Figure("median time : bare apsw", ratios(ours, found[BareApsw.name], "p50_us")),
            Figure("rate : langgraph SqliteSaver", ratios(ours, found[LangGraph.name], "rate")),
            Figure(
                f"rate with sealing by itself, over {SEALING_APPENDS:,} appends : without",
                ratios(sealing[HoldfastSealing.name], sealing[Holdfast.name], "rate"),
            ),
        ],
        rows=[
            Row(name, measure, unit, spread_of(measured, key))
            for name, measured in found.items()
            for measure, unit, key in (
                ("rate", "entries/s", "rate"),
                ("median", "µs", "p50_us"),
                ("99 of 100", "µs", "p99_us"),
            )
        ]
        + [
            Row(f"{name}, {SEALING_APPENDS:,} appends", measure, unit, spread_of(measured, key))
            for name, measured in sealing.items()
            for measure, unit, key in (
                ("rate", "entries/s", "rate"),
                ("longest append", "ms", "worst_ms"),
            )
        ],
    )


def _sealing(options: Options) -> dict[str, list[Measured]]:
    """Append for so long that several seals are among it."""
    stint = Stint(count=SEALING_APPENDS)
    with scratch_folder() as folder, crews((Holdfast, HoldfastSealing), folder) as started:
        return side_by_side(
            {name: partial(crew.measure, stint) for name, crew in started.items()},
            options.pick(options.rounds, 1),
            warm_up=False,
        )
