"""The meanings of entries: vectors of what people and agents said, kept in views.db.

They are made when somebody searches by meaning, and by nothing else: neither a hook nor a resume
waits for them. What a command printed or a file holds is found by its words alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, Final

import apsw

from holdfast.index.folding import read_entry
from holdfast.index.queries import SQL
from holdfast.index.texts import shown_text
from holdfast.index.vectors import DIMENSIONS, Model, damped, words_of
from holdfast.index.views import Progress, Views, no_progress
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import MEANINGS_ENTRIES_CHUNK, MEANINGS_MAX
from holdfast.storage.port import Reader, Selection

SAID: Final = frozenset(
    {
        "agent_said",
        "decision",
        "error",
        "fact_recorded",
        "fork_opened",
        "fork_resolved",
        "handoff_made",
        "handoff_offered",
        "milestone_reached",
        "pending_opened",
        "pivot_logged",
        "prompt_given",
        "scenario_added",
        "scene_started",
        "task_added",
        "task_closed",
        "task_updated",
        "work_opened",
    }
)
"""Types of entries whose words somebody chose."""


class Meanings:
    """The vectors of a ledger's entries, by one model."""

    def __init__(self, views: Views, model: Model) -> None:
        self._views = views
        self._model = model

    def behind(self) -> int:
        """Return how many entries were not looked at yet."""
        return max(self._views.size - self._views.look(self._meant), 0)

    def catch_up(self, reader: Reader, *, progress: Progress = no_progress) -> None:
        """Make the vectors of all entries that can be searched by now.

        Works in steps, and lets others in between.
        """
        size = self._views.size
        while (first := self._views.look(self._meant)) < size:
            stop = min(first + MEANINGS_ENTRIES_CHUNK, size)
            row = (first, stop, self._model.name, *self._made(reader, first, stop))
            self._views.change(lambda connection, row=row: self._put(connection, row))  # type: ignore[misc]
            progress(stop, size)

    def nearest(
        self, question: str, limit: int, within: Collection[int] | None = None
    ) -> tuple[list[tuple[int, float]], int]:
        """Return the numbers of the nearest entries with their cosines, and how many were compared.

        `within`: only these count. Of very many entries the newest are compared.
        """
        import numpy as np

        seqs, packed = self._views.look(_kept)
        words = dict.fromkeys(words_of(question), 1.0)
        cosines = self._model.cosines(words, packed, rarity=True)
        if cosines is None:
            return [], len(seqs)
        ids = np.frombuffer(seqs, np.int64)
        if within is not None:
            chosen = np.isin(ids, np.fromiter(within, np.int64, len(within)))
            ids, cosines = ids[chosen], cosines[chosen]
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [(int(ids[n]), float(cosines[n])) for n in best], len(ids)

    def _meant(self, connection: apsw.Connection) -> int:
        other: Any = connection.execute(SQL["other_meanings"], (self._model.name,)).get
        if other:
            return 0
        found: Any = connection.execute(SQL["meant"]).get
        return int(found)

    def _put(self, connection: apsw.Connection, row: tuple[Any, ...]) -> None:
        other: Any = connection.execute(SQL["other_meanings"], (self._model.name,)).get
        if other:
            connection.execute(SQL["clear_meanings"])
        if self._meant(connection) == row[0]:  # else another process was quicker, or all was let go
            connection.execute(SQL["put_meanings"], row)

    def _made(self, reader: Reader, first: int, stop: int) -> tuple[bytes, bytes]:
        seqs, texts = array("q"), []
        for seq, text in _texts(reader, first, stop):
            seqs.append(seq)
            texts.append(damped(words_of(text)))
        return seqs.tobytes(), self._model.pack(texts)


def _texts(reader: Reader, first: int, stop: int) -> Iterator[tuple[int, str]]:
    with suppress(Damaged):  # what cannot be read has no meaning; search names it already
        for stored in reader.read(Selection(first, stop)):
            entry = read_entry(stored)
            if entry is not None and entry.type in SAID:
                text, _ = shown_text(entry, reader.artifact)
                if text:
                    yield stored.seq, text


def _kept(connection: apsw.Connection) -> tuple[array[int], bytes]:
    """Return the newest entries that have vectors, and these, in the same order."""
    seqs, parts = array("q"), []
    rows: Any = connection.execute(SQL["meanings"])
    for packed_seqs, data in rows:
        seqs.frombytes(packed_seqs)
        parts.append(data)
        if len(seqs) >= MEANINGS_MAX:
            rows.close()
            break
    vectors = b"".join(parts)
    assert len(vectors) == len(seqs) * DIMENSIONS
    return seqs, vectors
