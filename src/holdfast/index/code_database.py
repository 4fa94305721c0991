"""Opening code.db. Like views.db it is derived: one that cannot be used is made anew."""

from __future__ import annotations

from typing import Any, Final

import apsw

from holdfast.index import database
from holdfast.index.queries import read_sql
from holdfast.kernel.errors import Busy, HoldfastError, StorageFailed
from holdfast.kernel.limits import SOURCE_CACHE_KIB

APPLICATION_ID: Final = 0x686F6C63  # "holc"

LAYOUT: Final = 2
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
    return database.opened(path, SOURCE_CACHE_KIB, _lay_out)


def _lay_out(connection: apsw.Connection) -> None:
    """Make the tables in an empty file; refuse one of another layout."""
    connection.transaction_mode = "IMMEDIATE"  # who begins to write waits, and does not fail later
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
