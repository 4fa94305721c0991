"""Reading on where a part of the database is unreadable: what can be read is, the rest is left out.

For looking and verifying only. Whoever needs all entries compares their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import EVERYTHING, Archive, Audit, Selection, Stored
from holdfast.wiring.looking import open_reader

STRETCH_ENTRIES: Final = 256
"""Entries that are read at once; where that fails, ever smaller parts of them."""


class Salvager:
    """A reader that goes around damaged pages. It takes a changed schema as it is."""

    def __init__(self, database: Path) -> None:
        self._reader = open_reader(database, inspect=True)

    def head(self) -> Head:
        """Return where the chain ends."""
        return self._reader.head()

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield what fits and can be read. Lookups by name go no further than their indexes."""
        named = not (selection.id is selection.type is selection.session_id is None)
        if named or selection.newest_first:
            yield from self._reader.read(selection)
            return
        size = self.head().size
        stop = size if selection.stop is None else min(selection.stop, size)
        for first in range(selection.first, stop, STRETCH_ENTRIES):
            yield from self._stretch(first, min(first + STRETCH_ENTRIES, stop))

    def node(self, first: int, stop: int) -> bytes:
        """Return a hash of the tree."""
        return self._reader.node(first, stop)

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact."""
        return self._reader.artifact(sha256)

    def archives(self) -> Sequence[Archive]:
        """Return the listed archives."""
        return self._reader.archives()

    def audit(self) -> Audit:
        """Begin to look for damage in the engine's own structures."""
        return self._reader.audit()

    def close(self) -> None:
        """Let go of everything."""
        self._reader.close()

    def _stretch(self, first: int, stop: int) -> list[Stored]:
        try:
            return list(self._reader.read(Selection(first, stop)))
        except Damaged:
            if stop - first == 1:
                return []
            middle = (first + stop) // 2
            return [*self._stretch(first, middle), *self._stretch(middle, stop)]
