"""code.db: the sections of a project's files, by their words and, where there is a model, vectors.

What a file held when it was taken in stands beside it as a hash, so that only what changed is taken
in again. Not here: files, parsers, the order of answers.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import apsw
import msgspec

from holdfast.index import code_database, database
from holdfast.index.code_documents import Document, terms_of
from holdfast.index.queries import read_sql, statements
from holdfast.index.terms import expand
from holdfast.kernel.errors import StorageFailed

NAME_WEIGHT: Final = 4.0
PATH_WEIGHT: Final = 2.0
"""How much more a word counts in a name or a path than in a body."""

_SQL: Final = statements(read_sql("code_queries.sql"))

T = TypeVar("T")


class File(msgspec.Struct, frozen=True):
    """What is known of a file."""

    path: str
    stamp: str | None = None
    hash: bytes | None = None
    problem: str | None = None
    """Why nothing of it can be searched."""
    plain: str | None = None
    """Why its definitions are not known: it is searched by its lines."""
    model: str | None = None
    """Which model made its vectors."""
    patterns: str | None = None
    """The digest of the user's patterns that its definitions were looked for with."""


class Taken(msgspec.Struct, frozen=True):
    """A file as it is taken in: its documents, and a vector for each if there is a model."""

    file: File
    documents: Sequence[Document] = ()
    vectors: bytes | None = None


class Section(msgspec.Struct, frozen=True):
    """A section that was found, and the hash of the file that it was found in."""

    id: int
    path: str
    hash: bytes
    kind: str
    name: str
    first_line: int
    last_line: int


class Counts(msgspec.Struct, frozen=True):
    """How many files can be searched; of those, how many by their lines only; and which cannot."""

    files: int
    plain: int
    unread: list[tuple[str, str]]
    """Path and reason."""


class CodeIndex:
    """The index of one project's code. Safe to share between threads."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._connection = code_database.connect(path)

    def __enter__(self) -> CodeIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def known(self) -> dict[str, File]:
        """Return every file that was looked at, by its path."""
        rows: list[Any] = self._look(lambda to: list(to.execute(_SQL["known"])))
        return {path: File(path, *rest) for path, _, *rest in rows}

    def counts(self, within: str | None = None) -> Counts:
        """Return how much can be searched, and what cannot; in paths that hold a text."""
        asked = {"within": within}

        def ask(to: apsw.Connection) -> Counts:
            [(files, plain)] = _rows(to, "counts", asked)
            return Counts(files, plain, list(_rows(to, "unread", asked)))

        return self._look(ask)

    def take(self, files: Sequence[Taken], gone: Sequence[str] = ()) -> None:
        """Take files in, in the place of what was known of them, and forget others: all or none."""

        def write(to: apsw.Connection) -> None:
            with to:
                for path in gone:
                    for (number,) in list(to.execute(_SQL["file_id"], (path,))):
                        _forget(to, number)
                        to.execute(_SQL["drop_file"], (number,))
                for taken in files:
                    _take(to, taken)

        self._look(write)

    def restamp(self, files: Sequence[File]) -> None:
        """Note that files still hold what they held."""

        def write(to: apsw.Connection) -> None:
            with to:
                rows = [(file.stamp, file.path, file.hash) for file in files]
                to.executemany(_SQL["restamp"], rows)

        self._look(write)

    def put_in_order(self) -> None:
        """Merge the pieces of the index after many files were taken in."""
        self._look(lambda to: to.execute(_SQL["put_in_order"]))

    def match(
        self, terms: Sequence[str], within: str | None, limit: int
    ) -> tuple[list[tuple[int, float]], int]:
        """Return the best sections that hold any of the terms with their BM25, and how many do."""
        if not terms:
            return [], 0
        asked = {
            "terms": " OR ".join(f'"{term}"' for term in terms),  # no term holds a quote
            "within": within,
        }
        weights = {"name": NAME_WEIGHT, "path": PATH_WEIGHT, "limit": limit}

        def ask(to: apsw.Connection) -> tuple[list[tuple[int, float]], int]:
            best = list(_rows(to, "match", {**asked, **weights}))
            [(total,)] = _rows(to, "count_matches", asked)
            return best, total

        return self._look(ask)

    def rarity(self, words: Sequence[str]) -> dict[str, float]:
        """Return how rare each word is in the project."""
        terms = {word: expand(word)[0] for word in words}
        asked = (json.dumps(list(terms.values())),)

        def ask(to: apsw.Connection) -> tuple[dict[str, int], int]:
            [(total,)] = _rows(to, "total")
            return dict(_rows(to, "spread", asked)), total

        held, total = self._look(ask)
        return {word: _rarity(held.get(term, 0), total) for word, term in terms.items()}

    def rarest(self) -> float:
        """Return how rare a word is that nothing in the project holds."""
        [(total,)] = self._look(lambda to: list(_rows(to, "total")))
        return _rarity(0, total)

    def holding(self, terms: Sequence[str]) -> dict[str, set[str]]:
        """Return for each term the paths of the files that hold it."""

        def ask(to: apsw.Connection) -> dict[str, set[str]]:
            return {
                term: {path for (path,) in _rows(to, "holding", (f'"{term}"',))} for term in terms
            }

        return self._look(ask)

    def vectors(self, model: str, within: str | None) -> list[tuple[int, bytes]]:
        """Return the vectors of each file, and the number of the section that the first is of."""
        asked = {"model": model, "within": within}
        return self._look(lambda to: list(_rows(to, "vectors", asked)))

    def sections(self, ids: Sequence[int]) -> dict[int, Section]:
        """Return sections by their numbers, as far as they are still there."""
        rows = self._look(lambda to: list(_rows(to, "sections", (json.dumps(ids),))))
        return {row[0]: Section(*row) for row in rows}

    def _look(self, query: Callable[[apsw.Connection], T]) -> T:
        """Ask or tell the database something.

        One that turns out to be damaged is made anew, and the failure is told: an answer from one
        that is empty would say that nothing is there.
        """
        with self._lock, _translated():
            try:
                return query(self._connection)
            except database.UNUSABLE as error:
                self._connection.close(force=True)
                database.discard(self._path)
                self._connection = code_database.connect(self._path)
                raise StorageFailed(
                    "The index of the code was damaged.",
                    meaning="The ledger and the code are untouched; the index is derived.",
                    remedy="Try again: it is made anew.",
                ) from error


def _rarity(held: int, total: int) -> float:
    return math.log(1 + total / (1 + held))


def _take(to: apsw.Connection, taken: Taken) -> None:
    file = taken.file
    fields = (
        *(file.path, file.stamp, file.hash, file.problem, file.plain),
        *(file.model, file.patterns),
    )
    [(number,)] = list(to.execute(_SQL["add_file"], fields))
    _forget(to, number)
    [(first,)] = list(to.execute(_SQL["next_section"]))
    assert isinstance(first, int)
    places = terms_of(file.path)
    for id_, one in enumerate(taken.documents, first):
        to.execute(
            _SQL["add_section"], (id_, number, one.kind, one.name, one.first_line, one.last_line)
        )
        to.execute(_SQL["add_words"], (id_, terms_of(one.name), places, terms_of(one.text)))
    if taken.vectors is not None:
        to.execute(_SQL["add_vectors"], (number, first, taken.vectors))


def _forget(to: apsw.Connection, number: Any) -> None:
    for name in ("drop_words", "drop_sections", "drop_vectors"):
        to.execute(_SQL[name], (number,))


def _rows(to: apsw.Connection, name: str, values: Any = None) -> Iterator[Any]:
    yield from to.execute(_SQL[name], values)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise code_database.translate(error) from error
