"""The cost of an append and of a lookup does not grow with the ledger."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from holdfast.kernel import merkle
from holdfast.storage.port import Selection
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.queries import SQL
from holdfast.testing.conformance import append, naive_root
from tests.storage import databases

SMALL, LARGE = 1_000, 20_000

WHOLE_TABLE = {
    "archives": "lists all of them: few",
    "id_totals": "for the audit",
    "mark_totals": "for the audit",
    "newest_block": "for the audit",
    "node_count": "for the audit",
    "quick_check": "for the audit",
    "schema": "a fixed number of rows",
}
"""The statements that read a whole table, and why they may."""

GIVEN = ("SCAN json_each VIRTUAL TABLE INDEX 1:",)
"""Reads what comes with the statement, and no table."""

NEWEST_ROW = re.compile(r"ORDER BY first DESC LIMIT 1;?$")


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cost") / "ledger.db"
    databases.make_filled(path)
    return path


@pytest.mark.parametrize("name", sorted(SQL.keys() - WHOLE_TABLE.keys()))
def test_a_statement_searches_and_does_not_scan(ledger: Path, name: str) -> None:
    statement = SQL[name]
    with databases.foreign(ledger) as connection:
        for function in ("holdfast_sealing", "holdfast_erasing"):
            connection.create_scalar_function(function, lambda *_: 0, 0)
        plan = [row[3] for row in explain(connection, statement)]
    scans = [
        step
        for step in plan
        if step.startswith("SCAN") and "CONSTANT ROW" not in step and step not in GIVEN
    ]
    if NEWEST_ROW.search(statement):
        assert all("USING" not in step for step in scans), plan
    else:
        assert scans == []
    assert [step for step in plan if "TEMP B-TREE" in step] == []


@pytest.mark.parametrize("name", WHOLE_TABLE)
def test_the_statements_that_may_scan_are_still_there(name: str) -> None:
    assert name in SQL


def explain(connection: apsw.Connection, statement: str) -> list[Any]:
    numbered = [int(number) for number in re.findall(r"\?(\d+)", statement)]
    count = max(numbered) if numbered else statement.count("?")
    return connection.execute(f"EXPLAIN QUERY PLAN {statement}", (None,) * count).fetchall()


def steps(engine: SqliteEngine, work: Callable[[], object]) -> int:
    """Count the steps of SQLite's machine that some work takes."""
    counted = 0

    def profile(event: dict[str, Any]) -> None:
        nonlocal counted
        counted += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    with engine._reading() as connection:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, profile)
    work()
    with engine._reading() as connection:
        connection.trace_v2(0, None)
    return counted


def test_work_at_20000_entries_takes_the_steps_it_took_at_1000(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")

    def works(size: int) -> dict[str, int]:
        assert size == engine.head().size
        wanted = next(engine.read(Selection(size // 2, size // 2 + 1)))
        old = next(engine.read(Selection(7, 8)))
        found: dict[str, Callable[[], object]] = {
            "head": engine.head,
            "by number": lambda: list(engine.read(Selection(size // 2, size // 2 + 1))),
            "newest": lambda: list(engine.read(Selection(size - 1, newest_first=True))),
            "last checkpoint": lambda: next(
                engine.read(Selection(type="checkpoint", newest_first=True))
            ),
            "rare session": lambda: list(engine.read(Selection(session_id="rare"))),
            "rare session and type": lambda: list(
                engine.read(Selection(session_id="rare", type="checkpoint"))
            ),
            "unknown type": lambda: list(engine.read(Selection(type="unheard of"))),
            "unknown id": lambda: list(engine.read(Selection(id="nobody"))),
            "id": lambda: next(engine.read(Selection(id=id_of(wanted.body)))),
            "old id": lambda: next(engine.read(Selection(id=id_of(old.body)))),
            "128 appends": lambda: [append(engine, 1) for _ in range(128)],
            "a batch": lambda: append(engine, 128),
        }
        return {name: steps(engine, work) for name, work in found.items()}

    append(engine, 10, types=("checkpoint",), sessions=("rare",))
    append(engine, SMALL - 10)
    small = works(SMALL)
    append(engine, 10_000)
    append(engine, LARGE - engine.head().size)
    large = works(LARGE)
    engine.close()
    assert all(count > 0 for count in small.values()), small
    grown = {name: (small[name], large[name]) for name in small if large[name] > small[name] * 1.5}
    assert grown == {}


def id_of(body: bytes) -> str:
    found = re.search(rb'"id":"([^"]+)","ledger"', body)
    assert found is not None
    return found[1].decode()


def test_nodes_and_roots_hold_across_65536_entries(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    leaves: list[bytes] = []
    for count in [9_000] * 7 + [2_535, 2, 700]:
        leaves += [sealed.leaf for sealed in append(engine, count)]
    for first, stop in [
        (0, 65_535),
        (0, 65_536),
        (0, 65_537),
        (0, len(leaves)),
        (65_280, 65_536),
        (65_536, len(leaves)),
        (32_768, 65_536),
        (1, 65_537),
    ]:
        assert naive_root(leaves[first:stop]) == engine.node(first, stop)
    used = steps(engine, lambda: engine.node(0, 65_536))
    assert used < 100
    index, size = 65_540, len(leaves)
    proof = merkle.inclusion_proof(index, size, engine.node)
    assert merkle.verify_inclusion(leaves[index], index, size, proof, engine.node(0, size))
    engine.close()
