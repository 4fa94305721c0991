"""Which decisions hold, for search: it marks those that were superseded or gone back on.

What was recorded between a rollback and the entry it goes back to does not count, unless a later
rollback goes back to after it. `undone` (schema.sql) is what does not count, as of the newest.
"""

from __future__ import annotations

from typing import Any, Final

import apsw

from holdfast.index.queries import SQL
from holdfast.kernel.canonical import JSON
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import NAME_CHARS_MAX

_SETTLE: Final = ("drop_undone", "settle_superseded", "put_undone")


class Standing:
    """What a chunk of entries says about decisions."""

    def __init__(self) -> None:
        self._decisions: list[tuple[str, int]] = []
        self._superseded: list[tuple[str, int]] = []
        self._rollbacks: list[tuple[int, int]] = []

    def take(self, entry: Entry, value: dict[str, JSON], seq: int) -> None:
        """Take one entry in."""
        match entry.type, value.get("to"):
            case "decision", _:
                self._decisions.append((entry.id, seq))
                earlier = _names(value.get("supersedes"))
                self._superseded += [(name, seq) for name in earlier if name != entry.id]
            case "rolled_back", int(to) if to < seq:
                self._rollbacks.append((seq, to))
            case _:
                pass  # nothing else makes a decision hold or not

    def write(self, connection: apsw.Connection) -> None:
        """Put it into the tables."""
        many = connection.executemany
        many(SQL["put_decision"], self._decisions)
        many(SQL["place_superseded"], self._decisions)
        many(SQL["put_superseded"], self._superseded)
        many(SQL["put_rollback"], self._rollbacks)
        if self._rollbacks or self._is_late(connection):
            for name in _SETTLE:
                connection.execute(SQL[name])

    def _is_late(self, connection: apsw.Connection) -> bool:
        """Tell whether a decision became readable only after a rollback behind it was seen."""
        newest: Any = connection.execute(SQL["newest_rollback"]).get
        return newest is not None and any(seq < newest for _, seq in self._decisions)


def _names(value: JSON) -> list[str]:
    if not isinstance(value, list):
        return []
    return [name for name in value if isinstance(name, str) and len(name) <= NAME_CHARS_MAX]
