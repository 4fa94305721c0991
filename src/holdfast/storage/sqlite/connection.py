"""Opening the database so that the promises hold: version, pragmas, schema, identity of the file.

Nothing here reads or writes entries. The rules and their reasons are in docs/format.md.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from holdfast.kernel.errors import (
    Busy,
    Damaged,
    HoldfastError,
    InvalidInput,
    NewerFormat,
    NotALedger,
    StorageFailed,
    Unsupported,
)
from holdfast.kernel.limits import MIB
from holdfast.storage.files import NETWORK_FILE_SYSTEMS, file_system
from holdfast.storage.sqlite.queries import SQL

APPLICATION_ID: Final = 0x686F6C64  # "hold"
SQLITE_OLDEST: Final = (3, 51, 3)
"""The first release without the bug that can corrupt a WAL database with several writers."""
SQLITE_WITHDRAWN: Final = frozenset({(3, 52, 0)})

SCHEMA_DIGESTS: Final = {
    1: "ca97ae8ab286bccb2c3e6d17c341861d2ce862df33088b40f7e3b54cc212d637",
    2: "15ac463f2151a50e427f8a59511b93fec4516954b7798764ba9342842dc83d7f",
    3: "d2dd59770b26afddf6995893a223d5983d25284738f43407dea4b8cb9f55bf84",
}
"""SHA-256 of the schema of each format version; a test shows the right value when one changes."""

FORMAT: Final = max(SCHEMA_DIGESTS)

JOURNAL_BYTES_KEPT: Final = 16 * MIB
"""What a long reader made the log grow beyond this is given back afterwards."""

BUSY_TIMEOUT_MS: Final = 1000
"""How long to wait for other programs; writers of ours wait in the queue."""

_NOTHING: Final = hashlib.sha256(b"").hexdigest()

_SCHEMA_CHANGES: Final = frozenset(
    getattr(apsw, name)
    for name in dir(apsw)
    if name.startswith(("SQLITE_CREATE_", "SQLITE_DROP_", "SQLITE_ALTER_"))
) | {apsw.SQLITE_ATTACH, apsw.SQLITE_DETACH}


def connect(path: str, *, vfs: str | None = None, synchronous: str = "FULL") -> apsw.Connection:
    """Open an existing database file with every rule in force."""
    check_sqlite(apsw.sqlite_lib_version())
    check_place(path)
    with translated(path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
        try:
            _configure(connection, synchronous)
        except BaseException:
            connection.close(force=True)
            raise
    return connection


def bound_memory(bytes_max: int) -> None:
    """Have SQLite use its pages anew rather than take more memory than that, for this process."""
    apsw.soft_heap_limit(bytes_max)


def check_sqlite(version: str) -> None:
    """Refuse a SQLite that is known to corrupt databases with several writers."""
    numbers = tuple(int(part) for part in version.split("."))
    if numbers < SQLITE_OLDEST or numbers in SQLITE_WITHDRAWN:
        raise Unsupported(
            f"The SQLite inside apsw is {version}, which can corrupt a ledger.",
            meaning="The ledger was not opened.",
            remedy="Install a newer apsw: pip install -U apsw",
        )


def check_place(path: str, *, mounts: str | None = None) -> None:
    """Refuse a network file system: locks and shared memory do not hold there."""
    kind = file_system(path, mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        raise Unsupported(
            f"{path} lies on a network file system ({kind}).",
            meaning="The ledger was not opened: there, two writers could destroy it.",
            remedy="Keep the ledger on a local disk.",
        )


def check_format(connection: apsw.Connection, path: str) -> int:
    """Return the format version of a ledger, or say what the file is instead."""
    if connection.pragma("application_id") != APPLICATION_ID:
        raise NotALedger(
            f"{path} is not a holdfast ledger.",
            meaning="It was not changed.",
            remedy="Name another file, or make a ledger with `holdfast init`.",
        )
    version = int(connection.pragma("user_version"))
    if version > FORMAT:
        raise NewerFormat(
            f"{path} has format {version}; this holdfast reads up to {FORMAT}.",
            meaning="It was not changed.",
            remedy="Use the newer holdfast that wrote it.",
        )
    return version


def is_ledger(path: str) -> bool:
    """Tell a ledger from an empty file that a crash left behind; anything else is refused."""
    connection = connect(path)
    try:
        with translated(path):
            if connection.pragma("application_id") == 0 and schema_digest(connection) == _NOTHING:
                return False
            check_format(connection, path)
    finally:
        connection.close()
    return True


def schema_digest(connection: apsw.Connection) -> str:
    """Hash everything the schema is made of."""
    rows = connection.execute(SQL["schema"])
    text = "\n".join("\t".join(str(field) for field in row) for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()


def check_schema(connection: apsw.Connection, version: int) -> None:
    """Refuse to write to a ledger whose guards somebody took down."""
    if schema_digest(connection) != SCHEMA_DIGESTS[version]:
        raise Damaged(
            "The schema of the ledger was changed by another program.",
            meaning="The guards against change may be down; nothing is written to it like this.",
            remedy="Run `holdfast verify` to see what was touched, then restore a backup.",
        )


def forbid_schema_changes(connection: apsw.Connection) -> None:
    """Let no statement on this connection change the schema from here on."""

    def allow(action: int, *_: str | None) -> int:
        return apsw.SQLITE_DENY if action in _SCHEMA_CHANGES else apsw.SQLITE_OK

    connection.authorizer = allow


def identity(path: str) -> tuple[int, int] | None:
    """Return what tells this file from another one of the same name; None when there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _configure(connection: apsw.Connection, synchronous: str) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    # Otherwise a statement with a limit is prepared anew each time, to look at its value.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # A short process must not pay for a checkpoint when it closes, nor make one outside the queue.
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    for name, value in (
        ("synchronous", synchronous),
        ("fullfsync", "ON"),
        ("checkpoint_fullfsync", "ON"),
        ("cell_size_check", "ON"),
        ("mmap_size", 0),
        ("temp_store", "MEMORY"),
        ("journal_size_limit", JOURNAL_BYTES_KEPT),
    ):
        connection.pragma(name, value)
    connection.wal_autocheckpoint(0)


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's errors into ours."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error
    except UnicodeDecodeError as error:
        raise unreadable(path) from error


def unreadable(path: str) -> Damaged:
    """Say that a row holds what cannot have been stored; SQLite checks no types when it reads."""
    return Damaged(
        f"The database {path} is damaged: a row of it cannot be read.",
        meaning="Nothing more is written to it.",
        remedy="Run `holdfast verify`, then restore a backup beside it.",
    )


def translate(error: apsw.Error, path: str) -> HoldfastError:
    """Say what an error of SQLite means for the ledger."""
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return Busy(
                "Another program is writing to the ledger's database.",
                meaning="Nothing was written; what is in the ledger is safe.",
                remedy="Try again when it is done.",
            )
        case apsw.NotADBError():
            return NotALedger(
                f"{path} is not a database.",
                meaning="It was not changed.",
                remedy="Name another file, or restore the ledger from a backup.",
            )
        case apsw.CorruptError():
            return Damaged(
                f"The database {path} is damaged: {error}.",
                meaning="Nothing more is written to it.",
                remedy="Run `holdfast verify`, then restore a backup beside it.",
            )
        case apsw.ConstraintError():
            return InvalidInput(
                f"The ledger refused a change: {error}.",
                meaning="Nothing was written.",
                remedy="Entries can only be appended.",
            )
        case apsw.FullError():
            return StorageFailed(
                "The disk is full.",
                meaning="This write was not acknowledged; everything before it is safe.",
                remedy="Make room and try again with the same id.",
            )
        case apsw.ReadOnlyError() | apsw.CantOpenError() | apsw.PermissionsError():
            return StorageFailed(
                f"{path} cannot be opened for writing: {error}.",
                meaning="Nothing was written.",
                remedy="Check the permissions of the folder and the file.",
            )
        case _:
            return StorageFailed(
                f"The database failed: {type(error).__name__}: {error}.",
                meaning="This write was not acknowledged; everything before it is safe.",
                remedy="Try again with the same id; `holdfast doctor` looks for the cause.",
            )
