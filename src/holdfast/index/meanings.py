"""The meanings of entries: vectors of what people and agents said, kept in views.db.

They are made when somebody searches by meaning, and by nothing else: neither a hook nor a resume
waits for them. What a command printed or a file holds is found by its words alone.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

import apsw

from holdfast.index.folding import read_entry
from holdfast.index.queries import SQL
from holdfast.index.texts import shown_text
from holdfast.index.vectors import DIMENSIONS, Model, damped, words_of
from holdfast.index.views import Progress, Views, no_progress
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import MEANINGS_ENTRIES_CHUNK, MEANINGS_MAX
from holdfast.storage.port import Reader, Selection

Run: TypeAlias = tuple[int, int]
"""The first entry of several, and the one behind the last."""

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
        """Return how many entries were not looked at yet, or could not be."""
        return sum(stop - first for first, stop in self.missing())

    def missing(self) -> list[Run]:
        """Return the runs of entries that were not looked at yet, or could not be."""
        size = self._views.size
        return self._views.look(lambda connection: self._missing(connection, size))

    def catch_up(self, reader: Reader, *, progress: Progress = no_progress) -> None:
        """Make the vectors of all entries that can be searched by now.

        Works in steps, and lets others in between. What cannot be read is tried again next time.
        """
        size, whole = self._views.size, False
        while not whole:  # else all was let go meanwhile, and is looked at once more
            whole = True
            for first, stop in _steps(self.missing()):
                whole = self._take(reader, first, stop) and whole
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

    def _missing(self, connection: apsw.Connection, size: int) -> list[Run]:
        if self._is_of_another(connection):
            return [(0, size)] if size else []
        found, expected = [], 0
        rows: Any = connection.execute(SQL["meant"])
        for first, stop in [*rows, (size, size)]:
            if expected < first:
                found.append((expected, first))
            expected = stop
        return found

    def _is_of_another(self, connection: apsw.Connection) -> bool:
        other: Any = connection.execute(SQL["other_meanings"], (self._model.name,)).get
        return bool(other)

    def _take(self, reader: Reader, first: int, stop: int) -> bool:
        """Make and keep the vectors of a run; tell whether what was read could still be kept."""
        before = self._views.look(_let_go)  # before it is read: it may be erased at any time
        rows = [self._row(run, texts) for run, texts in _runs(reader, first, stop)]

        def put(connection: apsw.Connection) -> bool:
            if _let_go(connection) != before:
                return False
            if self._is_of_another(connection):
                connection.execute(SQL["clear_meanings"])
            held: Any = connection.execute(SQL["meant_within"], (first, stop)).get
            if not held:  # else another process was quicker
                connection.executemany(SQL["put_meanings"], rows)
            return True

        return self._views.change(put)

    def _row(self, run: Run, texts: Sequence[tuple[int, str]]) -> tuple[Any, ...]:
        seqs = array("q", (seq for seq, _ in texts))
        data = self._model.pack([damped(words_of(text)) for _, text in texts])
        return (*run, self._model.name, seqs.tobytes(), data)


def _steps(runs: Iterable[Run]) -> Iterator[Run]:
    for first, stop in runs:
        for start in range(first, stop, MEANINGS_ENTRIES_CHUNK):
            yield start, min(start + MEANINGS_ENTRIES_CHUNK, stop)


def _runs(reader: Reader, first: int, stop: int) -> Iterator[tuple[Run, list[tuple[int, str]]]]:
    """Yield each run of entries that can be read, with what was said in it."""
    begun, expected = first, first
    texts: list[tuple[int, str]] = []
    for seq, text in _texts(reader, first, stop):
        if seq != expected:
            if begun < expected:
                yield (begun, expected), texts
            begun, texts = seq, []
        if text:
            texts.append((seq, text))
        expected = seq + 1
    if begun < expected:
        yield (begun, expected), texts


def _texts(reader: Reader, first: int, stop: int) -> Iterator[tuple[int, str]]:
    """Yield each entry that can be read, with what was said in it, or nothing."""
    with suppress(Damaged):  # pages that cannot be read
        for stored in reader.read(Selection(first, stop)):
            entry = read_entry(stored)
            if entry is None:
                continue
            with suppress(Damaged):
                said = entry.type in SAID
                yield stored.seq, shown_text(entry, reader.artifact)[0] if said else ""


def _let_go(connection: apsw.Connection) -> bytes | None:
    found: Any = connection.execute(SQL["meta"], ("let_go",)).get
    return None if found is None else bytes(found)


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
