"""Copying a ledger's database while others write to it, with SQLite's own backup."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, TypeAlias

import apsw

from holdfast.storage.files import FILE_MODE
from holdfast.storage.sqlite.connection import check_format, check_schema, connect, translated
from holdfast.storage.sqlite.queries import SQL

PAGES_STEP: Final = 4096
"""Pages copied between two reports of progress."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many pages of how many are done."""


def copy_database(
    source: str, target: str, *, progress: Progress = lambda _done, _total: None
) -> None:
    """Copy the database as of one moment into a new file; `target` MUST NOT exist.

    The moment is pinned by a read transaction, so that writers neither wait nor change the copy.
    """
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE))
    with translated(source):
        origin = connect(source)
        try:
            check_schema(origin, check_format(origin, source))
            origin.execute("BEGIN")
            origin.execute(SQL["head"]).fetchall()
            _copy_pages(origin, target, progress)
        finally:
            origin.close(force=True)


def _copy_pages(origin: apsw.Connection, target: str, progress: Progress) -> None:
    copy = apsw.Connection(target, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        copy.pragma("synchronous", "FULL")
        copy.pragma("fullfsync", "ON")
        with copy.backup("main", origin, "main") as backup:
            while not backup.done:
                backup.step(PAGES_STEP)
                progress(backup.page_count - backup.remaining, backup.page_count)
    finally:
        copy.close(force=True)
