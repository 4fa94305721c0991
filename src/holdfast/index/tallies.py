"""How many entries of each type there are, and when they came, for every 1,024 of them.

A picture of a million entries is drawn from a thousand blocks, without reading the entries.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import apsw
import msgspec

from holdfast.index.queries import SQL
from holdfast.index.words import MOMENT_ENTRIES


class Block(msgspec.Struct, frozen=True):
    """Entries `first` up to before `stop`: those that can be read and were taken in."""

    first: int
    stop: int
    since_us: int
    until_us: int
    """The earliest and the latest time among them, in microseconds since 1970."""
    counts: dict[str, int]
    """How many there are of each type."""


class Tally:
    """Counts entries as they are taken in, each of them once."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, str]] = Counter()

    def count(self, seq: int, type_name: str) -> None:
        """Count an entry."""
        self._counts[seq // MOMENT_ENTRIES, type_name] += 1

    def write(self, connection: apsw.Connection) -> None:
        """Add what was counted to the table."""
        rows = [(block, name, count) for (block, name), count in self._counts.items()]
        connection.executemany(SQL["add_tally"], rows)


def blocks(connection: apsw.Connection, first: int, stop: int) -> list[Block]:
    """Return the blocks that hold entries `first` up to before `stop`, in their order."""
    span = first // MOMENT_ENTRIES, max(stop - 1, first) // MOMENT_ENTRIES
    counts: dict[int, dict[str, int]] = {}
    tallied: Any = connection.execute(SQL["tallies"], span)
    for block, name, count in tallied:
        counts.setdefault(block, {})[name] = count
    timed: Any = connection.execute(SQL["moments"], span)
    return [
        Block(
            block * MOMENT_ENTRIES,
            (block + 1) * MOMENT_ENTRIES,
            least,
            most,
            counts.get(block, {}),
        )
        for block, least, most in timed
    ]
