"""Making a ledger's database, and bringing an older one up to date.

Both are the same work: run the migrations that are missing, in one transaction, under the writers'
queue. A crash in the middle leaves the database as it was. No migration touches stored entries.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import apsw

from holdfast.kernel.chain import Head
from holdfast.storage.files import FILE_MODE, RealFiles, sync
from holdfast.storage.sqlite import tree
from holdfast.storage.sqlite.connection import (
    APPLICATION_ID,
    BUSY_TIMEOUT_MS,
    FORMAT,
    check_format,
    check_place,
    check_schema,
    check_sqlite,
    connect,
    translated,
)
from holdfast.storage.sqlite.log import log_kept
from holdfast.storage.sqlite.queries import SQL, read_sql


def _fill_nodes(connection: apsw.Connection) -> None:
    newest: Any = connection.execute(SQL["head"]).get or connection.execute(SQL["sealed_head"]).get
    tree.complete(connection, 0, 0 if newest is None else newest[0] + 1)


_MIGRATIONS: Final[tuple[tuple[str, Callable[[apsw.Connection], None] | None], ...]] = (
    ("migrations/0001_ledger.sql", None),
    ("migrations/0002_nodes.sql", _fill_nodes),
    ("migrations/0003_leaving.sql", None),
)

assert len(_MIGRATIONS) == FORMAT


def create(path: str, ledger: str, *, vfs: str | None = None, until: int = FORMAT) -> Head:
    """Make a new, empty ledger. The caller holds the writers' queue.

    `until` makes an older format, for tests of migrations.
    """
    check_sqlite(apsw.sqlite_lib_version())
    check_place(os.path.dirname(path) or ".")  # noqa: PTH120
    _create_file(path)
    with translated(path):
        connection = connect(path, vfs=vfs)
        try:
            connection.pragma("journal_mode", "WAL")
            with log_kept(path, vfs), connection:
                connection.pragma("application_id", APPLICATION_ID)
                _run(connection, 0, until)
                connection.execute(SQL["put_meta"], ("ledger", ledger))
            checkpoint(connection)
        finally:
            connection.close()
    return Head(ledger)


def migrate(connection: apsw.Connection, path: str, *, vfs: str | None = None) -> None:
    """Bring an older ledger up to date. The caller holds the writers' queue."""
    with log_kept(path, vfs), connection:
        version = check_format(connection, path)
        if version < FORMAT:
            check_schema(connection, version)
            _run(connection, version, FORMAT)
            check_schema(connection, FORMAT)
    checkpoint(connection)


def checkpoint(connection: apsw.Connection) -> bool:
    """Move the write-ahead log into the database; return whether all of it went."""
    frames, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    return frames == moved


def empty_log(connection: apsw.Connection) -> None:
    """Let the log begin anew, unless somebody reads from it, whom nobody waits for.

    Otherwise a log begins anew only within a process that goes on writing after it moved all of it;
    where every process records one entry and ends, it would grow for ever.
    """
    connection.set_busy_timeout(0)
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.BusyError:
        pass
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)


def _run(connection: apsw.Connection, version: int, until: int) -> None:
    for script, fill in _MIGRATIONS[version:until]:
        connection.execute(read_sql(script))
        if fill is not None:
            fill(connection)
    connection.pragma("user_version", until)


def _create_file(path: str) -> None:
    """Make the file for its owner only. It is new, so no connection can have it open."""
    if os.path.exists(path):  # noqa: PTH110
        return
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        sync(handle)
    finally:
        os.close(handle)
    RealFiles().sync_folder(os.path.dirname(path) or ".")  # noqa: PTH120
