"""The database itself refuses change, whoever asks; where it cannot, the change is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import apsw
import pytest

from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import MIB
from holdfast.storage.sqlite.connection import bound_memory, connect, forbid_schema_changes
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.conformance import ArchivedEntries, append, audited
from tests.storage import databases

TABLES = ["archives", "artifacts", "erased", "ids", "marks", "meta", "nodes", "runs", "sealed"]

COLUMNS = {
    "archives": ("first", "last", "'x'", "'x'", "1"),
    "artifacts": ("sha256", "x'00'"),
    "erased": ("sha256", "seq + 1"),
    "ids": ("key", "block"),
    "marks": ("key", "block"),
    "meta": ("key", "'x'"),
    "nodes": ("level", "idx", "zeroblob(32)"),
    "runs": ("first", "last", "zeroblob(length(hashes))", "x'00'"),
    "sealed": ("first", "last", "zeroblob(length(hashes))"),
}
"""For each table the values of a row that keeps its key and changes all else."""

NAMES = {
    "archives": "first, last, name, sha256, bytes",
    "artifacts": "sha256, content",
    "erased": "sha256, seq",
    "ids": "key, block",
    "marks": "key, block",
    "meta": "key, value",
    "nodes": "level, idx, hash",
    "runs": "first, last, hashes, lines",
    "sealed": "first, last, hashes",
}
FIRST_COLUMN = {table: names.partition(",")[0] for table, names in NAMES.items()}

WITHOUT_CONTENT = ("ids", "marks")
"""All of their columns are the key: replacing a row changes nothing."""


def update(table: str) -> str:
    column = FIRST_COLUMN[table]
    return f"UPDATE {table} SET {column} = {column}"


def update_or_replace(table: str) -> str:
    """Make every row the same, so that one is left."""
    names = NAMES[table]
    return f"UPDATE OR REPLACE {table} SET ({names}) = (SELECT {names} FROM {table} LIMIT 1)"


def delete(table: str) -> str:
    return f"DELETE FROM {table}"


def delete_one(table: str) -> str:
    column = FIRST_COLUMN[table]
    return f"DELETE FROM {table} WHERE {column} = (SELECT max({column}) FROM {table})"


def replace(table: str) -> str:
    return f"INSERT OR REPLACE INTO {table} SELECT {', '.join(COLUMNS[table])} FROM {table} LIMIT 1"


def upsert(table: str) -> str:
    column = FIRST_COLUMN[table]
    return (
        f"INSERT INTO {table} SELECT * FROM {table} WHERE true LIMIT 1 "
        f"ON CONFLICT DO UPDATE SET {column} = {column}"
    )


Change: TypeAlias = Callable[[str], str]
CHANGES: list[Change] = [update, update_or_replace, delete, delete_one, replace, upsert]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "ledger.db"
    databases.make_filled(path)
    return path


def test_every_table_of_the_schema_is_tried_and_has_rows(filled: Path) -> None:
    rows = databases.rows_of(filled)
    assert sorted(rows) == TABLES
    assert [name for name, found in rows.items() if not found] == []


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("table", TABLES)
def test_a_foreign_programs_change_is_refused(
    filled: Path, tmp_path: Path, table: str, change: Change
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    before = databases.rows_of(path)
    with databases.foreign(path) as connection:
        if change is replace and table in WITHOUT_CONTENT:
            connection.execute(change(table))
        else:
            with pytest.raises((apsw.ConstraintError, apsw.SQLError)) as caught:
                connection.execute(change(table))
            known = ("ever", "only", "holdfast_sealing", "holdfast_erasing")
            assert any(word in str(caught.value) for word in known), caught.value
    assert before == databases.rows_of(path)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("table", TABLES)
def test_without_its_guards_the_change_would_be_made(
    filled: Path, tmp_path: Path, table: str, change: Change
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        guards = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?", (table,)
        ).fetchall()
        assert len(guards) >= 2
        for (guard,) in guards:
            connection.execute(f"DROP TRIGGER {guard}")
        before = connection.total_changes()
        connection.execute(change(table))
        assert connection.total_changes() > before


def test_a_recursive_trigger_setting_changes_nothing(filled: Path, tmp_path: Path) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    before = databases.rows_of(path)
    with databases.foreign(path) as connection:
        connection.pragma("recursive_triggers", True)
        for table in TABLES:
            with pytest.raises((apsw.ConstraintError, apsw.SQLError)):
                connection.execute(replace(table))
    assert before == databases.rows_of(path)


def test_a_function_of_the_same_name_is_not_enough_to_delete(filled: Path, tmp_path: Path) -> None:
    """Entries that no listed archive holds stay, even for a program that says it is sealing."""
    path = databases.copy(filled, tmp_path / "ledger.db")
    before = databases.rows_of(path)
    with databases.foreign(path) as connection:
        connection.create_scalar_function("holdfast_sealing", lambda *_: 1, 0)
        with pytest.raises(apsw.ConstraintError, match="archive"):
            connection.execute("DELETE FROM runs")
    assert before == databases.rows_of(path)


SCHEMA_CHANGES = [
    "DROP TRIGGER runs_no_update",
    "DROP TRIGGER nodes_in_order",
    "DROP TABLE nodes",
    "CREATE TABLE more (x)",
    "CREATE INDEX more ON runs (last)",
    "CREATE VIEW more AS SELECT 1",
    "CREATE TRIGGER more AFTER INSERT ON runs BEGIN SELECT 1; END",
    "ALTER TABLE archives ADD COLUMN more TEXT",
    "ALTER TABLE runs RENAME COLUMN lines TO texts",
]


@pytest.mark.parametrize("change", SCHEMA_CHANGES)
def test_a_foreign_change_of_the_schema_is_found_at_open(
    filled: Path, tmp_path: Path, change: str
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        connection.execute(change)
    with pytest.raises(Damaged, match="schema"):
        SqliteEngine(str(path))


@pytest.mark.parametrize("change", SCHEMA_CHANGES[:2] + SCHEMA_CHANGES[3:8])
def test_a_foreign_change_of_the_schema_is_found_by_the_audit_of_an_open_ledger(
    tmp_path: Path, change: str
) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 3)
    assert audited(engine) == []
    with databases.foreign(tmp_path / "ledger.db") as connection:
        connection.execute(change)
    assert [fault.kind for fault in audited(engine)] == ["schema"]
    engine.close()


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO ids VALUES (1, 0)",
        "INSERT INTO marks VALUES (1, 0)",
        "INSERT INTO marks VALUES (1, 9999)",
        "INSERT INTO ids VALUES (1, 9999)",
        delete_one("ids"),
        delete_one("marks"),
    ],
)
def test_an_index_that_does_not_fit_the_entries_is_found_by_the_audit(
    filled: Path, tmp_path: Path, change: str
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        databases.force(connection, change)
    engine = SqliteEngine(str(path), archive_source=source_of(filled))
    assert "index" in [fault.kind for fault in audited(engine)]
    engine.close()


def test_a_tree_node_too_many_is_found_by_the_audit(filled: Path, tmp_path: Path) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        connection.execute("INSERT INTO nodes VALUES (8, 2, zeroblob(32))")
    engine = SqliteEngine(str(path), archive_source=source_of(filled))
    assert [fault.kind for fault in audited(engine)] == ["tree"]
    engine.close()


def source_of(filled: Path) -> ArchivedEntries:
    """Return the archive of a filled database, from a second one like it."""
    twin = filled.parent / "twin.db"
    if twin.exists():
        twin.unlink()
        (filled.parent / "twin.lock").unlink()
    return databases.make_filled(twin)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE more (x)",
        "CREATE TEMP TABLE more (x)",
        "CREATE INDEX more ON runs (last)",
        "CREATE TEMP TRIGGER more AFTER INSERT ON runs BEGIN SELECT 1; END",
        "DROP TRIGGER runs_no_update",
        "DROP TABLE nodes",
        "ALTER TABLE archives ADD COLUMN more TEXT",
        "ATTACH ':memory:' AS more",
    ],
)
def test_our_own_connection_cannot_change_the_schema(
    filled: Path, tmp_path: Path, statement: str
) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    connection = connect(str(path))
    forbid_schema_changes(connection)
    with pytest.raises(apsw.AuthError):
        connection.execute(statement)
    connection.close()


def test_our_own_connection_cannot_write_the_schema_by_hand(filled: Path, tmp_path: Path) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    connection = connect(str(path))
    connection.pragma("writable_schema", True)
    with pytest.raises(apsw.SQLError, match="may not be modified"):
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'runs_no_update'")
    connection.close()


def test_the_engines_connection_is_the_guarded_one(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    with engine._reading() as connection, pytest.raises(apsw.AuthError):
        connection.execute("DROP TRIGGER runs_no_update")
    engine.close()


def test_an_engine_that_inspects_never_writes(filled: Path, tmp_path: Path) -> None:
    path = databases.copy(filled, tmp_path / "ledger.db")
    with databases.foreign(path) as connection:
        connection.execute("DROP TRIGGER runs_no_update")
    before = databases.rows_of(path)
    engine = SqliteEngine(str(path), inspect=True)
    assert engine.head().size == databases.SIZE
    assert "schema" in [fault.kind for fault in audited(engine)]
    with pytest.raises(Exception, match=r"(?i)read-?only|opened for writing|query_only|never"):
        append(engine, 1)
    engine.close()
    assert before == databases.rows_of(path)


def test_memory_for_pages_can_be_bounded() -> None:
    before = apsw.soft_heap_limit(-1)
    try:
        bound_memory(1 * MIB)
        assert apsw.soft_heap_limit(-1) == 1 * MIB
    finally:
        apsw.soft_heap_limit(before)
