"""What a forger would do to a ledger's file: take the guard down, change a byte, put it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

from holdfast.storage.sqlite.queries import named_statements


def forge(database: Path, seq: int) -> None:
    """Change one byte of an entry's data."""
    text = (Path(__file__).parent / "tamper.sql").read_text(encoding="utf-8")
    sql = dict(named_statements(text))
    connection = apsw.Connection(str(database))
    try:
        guard: Any = connection.execute(sql["guard"]).get
        run: Any = connection.execute(sql["run"], (seq,)).get
        first, lines = run[0], run[1].split(b"\n")
        lines[seq - first] = lines[seq - first].replace(b'"choice":"T', b'"choice":"F', 1)
        with connection:
            connection.execute(sql["drop_guard"])
            connection.execute(sql["forge"], (b"\n".join(lines), first))
            connection.execute(guard)
    finally:
        connection.close()
