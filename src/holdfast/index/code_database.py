"""Opening code.db. Like views.db it is derived: one that cannot be used is made anew."""

from __future__ import annotations

import os
from typing import Any, Final

import apsw

from holdfast.index import database
from holdfast.index.queries import read_sql
from holdfast.kernel.errors import Busy, HoldfastError, StorageFailed
from holdfast.kernel.limits import SOURCE_CACHE_KIB, VIEWS_WAIT_S
from holdfast.storage.files import FILE_MODE

APPLICATION_ID: Final = 0x686F6C63  # "holc"

LAYOUT: Final = 1
"""Changes whenever the same files would give other tables, words or vectors."""

_NO_FILE: Final = (OSError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError)


def connect(path: str) -> apsw.Connection:
    """Open the file, made anew where it cannot be used; in memory where none can be written."""
    try:
        try:
            return _opened(path)
        except database.UNUSABLE:
            database.discard(path)
            return _opened(path)
    except _NO_FILE:
        return _opened(database.IN_MEMORY)
    except apsw.Error as error:
        raise translate(error) from error


def translate(error: apsw.Error) -> HoldfastError:
    """Say what an error of SQLite means for the index of the code."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(
                "Other processes are bringing the index of the code up to date.",
                meaning="The ledger and the code are untouched.",
                remedy="Try again in a moment.",
            )
        case _:
            return StorageFailed(
                f"The index of the code failed: {type(error).__name__}: {error}.",
                meaning="The ledger and the code are untouched; the index is derived.",
                remedy="Make sure that the disk has room, and try again.",
            )


def _opened(path: str) -> apsw.Connection:
    if path != database.IN_MEMORY:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
    connection = apsw.Connection(path)
    try:
        _configure(connection)
        _lay_out(connection)
    except BaseException:
        connection.close(force=True)
        raise
    return connection


def _configure(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(round(VIEWS_WAIT_S * 1000))
    connection.transaction_mode = "IMMEDIATE"  # who begins to write waits, and does not fail later
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.pragma("journal_mode", "WAL")
    # After a power cut the newest changes may be gone, and are taken in again.
    connection.pragma("synchronous", "NORMAL")
    connection.pragma("cache_size", -SOURCE_CACHE_KIB)
    connection.pragma("temp_store", "MEMORY")


def _lay_out(connection: apsw.Connection) -> None:
    """Make the tables in an empty file; refuse one of another layout."""
    if _seen(connection) == (APPLICATION_ID, LAYOUT):
        return
    with connection:
        if _seen(connection) == (APPLICATION_ID, LAYOUT):
            return  # another process was quicker
        tables: Any = connection.pragma("schema_version")
        if _seen(connection) != (0, 0) or tables != 0:
            raise apsw.NotADBError("a file of another kind or layout")
        connection.execute(read_sql("code_schema.sql"))
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", LAYOUT)


def _seen(connection: apsw.Connection) -> tuple[Any, Any]:
    return connection.pragma("application_id"), connection.pragma("user_version")
