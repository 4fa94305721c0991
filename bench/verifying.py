"""Verify a ledger of a million entries, each in a row of its own.

`Ledger.verify`: every entry's bytes against its leaf hash, its place in the chain, the hash of its
data, the tree with its kept nodes, the lookup tables and SQLite's own check of its pages. Beside
it, the least anybody could do: one loop that reads every body with apsw from the same file, in
order, and takes its SHA-256. holdfast uses every core, the loop one. The file is in the page cache
for both.
"""

from __future__ import annotations

import resource
import time
from hashlib import sha256
from pathlib import Path

import apsw

import holdfast
from bench import ledgers
from bench.harness import Figure, Measured, Options, Result, Row, ratios, side_by_side, spread_of
from holdfast.wiring.places import place_of

NAME = "verify"
TITLE = "Verify a million entries"


def run(options: Options) -> Result:
    """Measure."""
    size = options.pick(1_000_000, 100_000)
    root = ledgers.prebuilt(size)
    found = side_by_side(
        {"holdfast": lambda: _verify(root, size), "bare loop": lambda: _read_and_hash(root, size)},
        options.rounds,
    )
    ours, bare = found["holdfast"], found["bare loop"]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure("time : bare read and SHA-256", ratios(ours, bare, "seconds"), at_most=3),
            Figure(
                "processor time, all cores : bare read and SHA-256",
                ratios(ours, bare, "processor_us"),
            ),
            Figure("cores used", spread_of(ours, "cores"), unit=""),
        ],
        rows=[
            Row(name, measure, unit, spread_of(rounds, key))
            for name, rounds in found.items()
            for measure, unit, key in (
                ("time", "s", "seconds"),
                ("time for an entry", "µs", "entry_us"),
                ("processor time for an entry", "µs", "processor_us"),
            )
        ],
    )


def _verify(root: Path, size: int) -> Measured:
    with holdfast.open(root, seal=ledgers.NEVER) as ledger:
        before, used = time.perf_counter(), _processor_s()
        report = ledger.verify()
        measured = _measured(size, time.perf_counter() - before, _processor_s() - used)
    if not report.ok or report.entries != size:
        raise AssertionError(f"the prebuilt ledger does not verify: {report.faults[:3]}")
    return measured


def _read_and_hash(root: Path, size: int) -> Measured:
    connection = apsw.Connection(str(place_of(root).database), flags=apsw.SQLITE_OPEN_READONLY)
    before, used = time.perf_counter(), _processor_s()
    count = 0
    for (body,) in connection.execute("SELECT lines FROM runs ORDER BY first"):
        sha256(body).digest()
        count += 1
    measured = _measured(size, time.perf_counter() - before, _processor_s() - used)
    connection.close()
    if count != size:
        raise AssertionError(f"{count} rows for {size} entries")
    return measured


def _measured(size: int, seconds: float, processor_s: float) -> Measured:
    return {
        "seconds": seconds,
        "entry_us": seconds / size * 1e6,
        "processor_us": processor_s / size * 1e6,
        "cores": processor_s / seconds,
    }


def _processor_s() -> float:
    """Return processor time of this process and of children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
