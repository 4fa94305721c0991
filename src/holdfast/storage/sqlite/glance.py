"""Where a chain ends, for those who cannot wait: no engine, no checks, one question.

What it says is only good for comparing: a view that was made at this very end is current.
"""

from __future__ import annotations

import apsw

from holdfast.storage.sqlite.queries import SQL


def head(path: str) -> tuple[str, int, str] | None:
    """Return a ledger's id, its last entry's number and leaf hash; None when it does not answer."""
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            # closing must not move the log into the database: that is for a writer in its turn
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.set_busy_timeout(1000)
            connection.pragma("query_only", True)
            return _head(connection)
        finally:
            connection.close(force=True)
    except apsw.Error:
        return None


def _head(connection: apsw.Connection) -> tuple[str, int, str] | None:
    ledger = connection.execute(SQL["ledger_id"]).get
    newest = connection.execute(SQL["head"]).get or connection.execute(SQL["sealed_head"]).get
    match ledger, newest:
        case str(), (int(last), bytes(leaf)):
            return ledger, last, leaf.hex()
        case _:
            return None  # an empty ledger, or a damaged one
