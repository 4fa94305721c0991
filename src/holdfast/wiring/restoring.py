"""Finding where the entries of a session lie by the index of the database, without reading them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.ledger.restoring import Span, Where, joined
from holdfast.storage.port import Archive, Selection
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.wiring.places import Place


@contextmanager
def index_of(place: Place) -> Iterator[Where]:
    """Yield what says in which spans the archived entries of a session lie."""
    asked = _Asked()
    engine = SqliteEngine(str(place.database), archive_source=asked, inspect=True)

    def where(session_id: str, stop: int) -> list[Span]:
        asked.spans.clear()
        for _ in engine.read(Selection(stop=stop, session_id=session_id)):
            pass  # only what is asked of the archives counts
        return joined(asked.spans)

    try:
        yield where
    finally:
        engine.close()


class _Asked:
    """An archive source that gives nothing, and remembers what the index led to."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def __call__(self, archive: Archive, first: int, stop: int) -> Iterator[tuple[int, bytes]]:
        del archive
        self.spans.append((first, stop))
        return iter(())
