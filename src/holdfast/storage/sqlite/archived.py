"""Reading entries back out of archives, with the leaf hashes that stayed in the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import apsw

from holdfast.kernel.limits import FRAME_ENTRIES_MAX
from holdfast.storage.port import Archive, ArchiveSource, Stored
from holdfast.storage.sqlite import tree
from holdfast.storage.sqlite.queries import SQL


class Archived:
    """The archived part of a ledger. What an archive does not give is left out."""

    def __init__(
        self,
        connecting: Callable[[], AbstractContextManager[apsw.Connection]],
        source: ArchiveSource | None,
    ) -> None:
        self._connecting = connecting
        self._source = source

    def read(self, first: int, stop: int) -> Iterator[Stored]:
        """Yield the archived entries of a range."""
        for archive, begin, end in self._parts(first, stop):
            yield from self._read(archive, begin, end)

    def read_newest_first(self, first: int, stop: int) -> Iterator[Stored]:
        """Yield the archived entries of a range, newest first, a few at a time."""
        for archive, begin, end in reversed(self._parts(first, stop)):
            for part_end in range(end, begin, -FRAME_ENTRIES_MAX):
                part_begin = max(begin, part_end - FRAME_ENTRIES_MAX)
                yield from reversed(list(self._read(archive, part_begin, part_end)))

    def _parts(self, first: int, stop: int) -> list[tuple[Archive, int, int]]:
        """Return the archives that hold a part of a range, each with that part."""
        if self._source is None or first >= stop:
            return []
        with self._connecting() as connection:
            rows: list[Any] = connection.execute(SQL["archives_holding"], (first, stop)).fetchall()
        archives = [Archive(*row) for row in rows]
        return [(one, max(first, one.first), min(stop, one.last + 1)) for one in archives]

    def _read(self, archive: Archive, first: int, stop: int) -> Iterator[Stored]:
        assert self._source is not None
        with self._connecting() as connection:
            leaves = tree.sealed_leaves(connection, first, stop)
        for seq, body in self._source(archive, first, stop):
            if first <= seq < stop:
                yield Stored(seq, body, leaves.get(seq, b""))
