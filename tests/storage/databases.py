"""Databases for the tests of the SQLite engine: filled, copied, looked at by a foreign program."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from holdfast.storage.port import Erased, Stored
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.builders import LEDGER
from holdfast.testing.conformance import ArchivedEntries, append, artifact, drop, fill

SIZE = 723
"""Entries in a filled database; the first ten are archived."""


def make(path: Path, **options: Any) -> SqliteEngine:
    """Make an empty ledger and open it."""
    create(str(path), LEDGER)
    return SqliteEngine(str(path), **options)


def make_filled(path: Path) -> ArchivedEntries:
    """Make a ledger with rows in every table, and close it."""
    archived = ArchivedEntries()
    engine = make(path, archive_source=archived)
    everything = fill(engine)
    append(engine, 1, artifacts={**artifact(b"one"), **artifact(b"two")})
    append(engine, 1, artifacts=artifact(b"gone"))
    drop(engine, Erased(sha256(b"gone").hexdigest()))
    drop(engine, archived.keep(everything[:1]))
    drop(engine, archived.keep(everything[1:10]))
    engine.close()
    with foreign(path) as connection:
        # Only a connection that has read takes the log along when it closes.
        connection.execute("SELECT * FROM meta").fetchall()
    assert not Path(f"{path}-wal").exists()
    return archived


def copy(source: Path, target: Path) -> Path:
    """Copy a database that nobody has open."""
    for end in ("", "-wal"):
        if Path(f"{source}{end}").exists():
            shutil.copyfile(f"{source}{end}", f"{target}{end}")
    return target


@contextmanager
def foreign(path: Path) -> Iterator[apsw.Connection]:
    """Open a database as another program would, with no rule of ours."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        yield connection
    finally:
        connection.close(force=True)


def tables(connection: apsw.Connection) -> list[str]:
    """Name the tables of a database."""
    rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return [str(name) for (name,) in rows]


def rows_of(path: Path) -> dict[str, list[Any]]:
    """Return every row of every table."""
    with foreign(path) as connection:
        return {
            name: connection.execute(f"SELECT * FROM {name}").fetchall()
            for name in tables(connection)
        }


def stored_of(engine: SqliteEngine) -> list[Stored]:
    """Return all entries."""
    return list(engine.read())


def force(connection: apsw.Connection, change: str, values: tuple[Any, ...] = ()) -> None:
    """Make a change with all guards down, and put them up again as they were."""
    guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    for name, _ in (found := guards.fetchall()):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(change, values)
    for _, sql in found:
        connection.execute(str(sql))
