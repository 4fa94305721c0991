"""Opening views.db. Whatever is wrong with the file, it is derived: a new one takes its place."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import apsw

from holdfast.index.queries import read_sql
from holdfast.kernel.errors import Busy, HoldfastError, StorageFailed
from holdfast.kernel.limits import VIEWS_CACHE_KIB, VIEWS_WAIT_S
from holdfast.storage.files import FILE_MODE

APPLICATION_ID: Final = 0x686F6C76  # "holv"

LAYOUT: Final = 6
"""Changes whenever the same entries would give other tables or other words."""

IN_MEMORY: Final = ":memory:"

UNUSABLE: Final = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, UnicodeDecodeError)
"""What a damaged, foreign or older file leads to. Our own statements are known to be right."""


def connect(path: str) -> apsw.Connection:
    """Open the file, making it anew where it cannot be used.

    Where no file can be written, such as on a disk that may only be read, the views live in
    memory.
    """
    if path == IN_MEMORY:
        return opened(path, VIEWS_CACHE_KIB, _lay_out)
    try:
        with _alone(path), _translated():
            try:
                return opened(path, VIEWS_CACHE_KIB, _lay_out)
            except UNUSABLE:
                _remove(path)
                return opened(path, VIEWS_CACHE_KIB, _lay_out)
    except (OSError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError):
        return opened(IN_MEMORY, VIEWS_CACHE_KIB, _lay_out)


def discard(path: str) -> None:
    """Remove a file that turned out to be damaged; who has it open keeps what it has."""
    if path != IN_MEMORY:
        with _alone(path):
            _remove(path)


def translate(error: apsw.Error) -> HoldfastError:
    """Say what an error of SQLite means for the views."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(
                "Other processes are bringing the views up to date.",
                meaning="The ledger is untouched; nothing is lost.",
                remedy="Try again in a moment.",
            )
        case apsw.FullError():
            return StorageFailed(
                "The disk is full: the views cannot be brought up to date.",
                meaning="The ledger is untouched; the views are derived from it.",
                remedy="Make room and try again.",
            )
        case _:
            return StorageFailed(
                f"The views' database failed: {type(error).__name__}: {error}.",
                meaning="The ledger is untouched; the views are derived from it.",
                remedy="Try again; `holdfast doctor` looks for the cause.",
            )


@contextmanager
def _translated() -> Iterator[None]:
    """Turn SQLite's errors into ours, but for those that mean another way to open it."""
    try:
        yield
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError):
        raise
    except apsw.Error as error:
        raise translate(error) from error


def opened(
    path: str, cache_kib: int, lay_out: Callable[[apsw.Connection], None]
) -> apsw.Connection:
    """Open a database of derived data, making the file if it is not there."""
    if path != IN_MEMORY:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
    connection = apsw.Connection(path)
    try:
        _configure(connection, cache_kib)
        lay_out(connection)
    except BaseException:
        connection.close(force=True)
        raise
    return connection


def _configure(connection: apsw.Connection, cache_kib: int) -> None:
    connection.set_busy_timeout(round(VIEWS_WAIT_S * 1000))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    # Otherwise a statement with a limit is prepared anew each time, to look at its value.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.pragma("journal_mode", "WAL")
    # After a power cut the newest changes may be gone, and are taken in again.
    connection.pragma("synchronous", "NORMAL")
    connection.pragma("cache_size", -cache_kib)
    connection.pragma("temp_store", "MEMORY")


def _lay_out(connection: apsw.Connection) -> None:
    """Make the tables in an empty file; refuse one of another layout."""
    seen = (connection.pragma("application_id"), connection.pragma("user_version"))
    if seen == (APPLICATION_ID, LAYOUT):
        return
    tables: Any = connection.pragma("schema_version")
    if seen != (0, 0) or tables != 0:
        raise apsw.NotADBError(f"a file of another kind or layout: {seen}")
    with connection:
        connection.execute(read_sql("schema.sql"))
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", LAYOUT)


def _remove(path: str) -> None:
    # The log first: without its database it means nothing, with another one it would be harm.
    for suffix in ("-wal", "-shm", "-journal", ""):
        with suppress(FileNotFoundError):
            os.unlink(path + suffix)  # noqa: PTH108


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Let nobody open the file while somebody replaces it."""
    handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_CLOEXEC)  # noqa: PTH120
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
