"""Controls: known defects, put in on purpose. A campaign that does not see one proves nothing."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Final

import apsw
import msgspec

from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.prove.crashes import CrashJob, run_job
from holdfast.testing.prove.material import LEDGER_ID, drafts, ledger_on

VARIANTS: Final = 1
SEEDS: Final = 2
REPLACE: Final = "INSERT OR REPLACE INTO runs SELECT first, last, hashes, x'00' FROM runs LIMIT 1"


class ControlResult(msgspec.Struct, frozen=True):
    """Whether a defect was seen, and as what."""

    name: str
    fired: bool
    seen: str


class Defect(msgspec.Struct, frozen=True):
    """A workload with a defect, or a disk with one, and the breach by which it must be seen."""

    name: str
    workload: str
    breaches: frozenset[str]
    honest: bool = True


DEFECTS: Final = (
    Defect("synchronous=NORMAL", "control: synchronous=NORMAL", frozenset({"lost"})),
    Defect("a disk that lies about fsync", "single entries", frozenset({"lost"}), honest=False),
    Defect(
        "acknowledged before commit", "control: acknowledged before commit", frozenset({"lost"})
    ),
    Defect("batches committed in halves", "control: batches in halves", frozenset({"torn"})),
    Defect(
        "a refused sync tried again",
        "control: a refused sync tried again",
        frozenset({"lost", "corrupt"}),
    ),
    Defect(
        "archives that are not synced",
        "control: archives that are not synced",
        frozenset({"lost", "corrupt"}),
    ),
)


def run(folder: str, seed: int) -> list[ControlResult]:
    """Put every defect in."""
    return [*(_crash(defect, folder, seed) for defect in DEFECTS), _replace(folder)]


def _crash(defect: Defect, folder: str, seed: int) -> ControlResult:
    counts: dict[str, int] = {}
    checks = 0
    for number in range(SEEDS):
        job = CrashJob(defect.workload, seed + number, variants=VARIANTS, honest=defect.honest)
        result = run_job(job, folder)
        checks += result.checks
        for kind, count in result.counts.items():
            counts[kind] = counts.get(kind, 0) + count
    fired = any(counts.get(kind) for kind in defect.breaches)
    spelled = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    return ControlResult(defect.name, fired, f"{spelled or 'nothing'} in {checks} checks")


def _replace(folder: str) -> ControlResult:
    """Replace an entry from a foreign connection: with the guard, then without it."""
    path = str(Path(folder) / "replaced.db")
    create(path, LEDGER_ID)
    with ledger_on(SqliteEngine(path)) as ledger:
        ledger.append_many(drafts(Random("replace"), 0, 2))
    connection = apsw.Connection(path)
    try:
        guarded = _replaces(connection)
        connection.execute("DROP TRIGGER runs_in_order")
        unguarded = _replaces(connection)
    finally:
        connection.close()
    seen = f"refused with the guard: {not guarded}; went through without: {unguarded}"
    return ControlResult("a missing guard against REPLACE", unguarded and not guarded, seen)


def _replaces(connection: apsw.Connection) -> bool:
    try:
        connection.execute(REPLACE)
    except apsw.ConstraintError:
        return False
    return True
