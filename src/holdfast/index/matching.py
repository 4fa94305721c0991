"""Asking the search index: which entries hold which terms, within a scope.

Only terms that `terms` made ever reach the query language of the index, so nothing that anybody
types can be taken for a part of it.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final

import apsw
import msgspec

from holdfast.index.queries import SQL
from holdfast.index.words import MARKS, MOMENT_ENTRIES, path_term, session_term, type_term
from holdfast.kernel.limits import INTEGER_MAX, SEARCH_PATHS_MAX

_NUMBERS: Final = msgspec.json.Decoder(list[int])

NEVER: Final = '"@"'
"""A term that no entry holds."""


_MARK_BOUNDS: Final = (MARKS[1], "+", ":", MARKS[-1])
"""The first and last marks before and after the signs that words may hold: a dot, a hyphen, digits,
which in the list of terms lie between."""


class Scope(msgspec.Struct, frozen=True):
    """Which entries count at all."""

    size: int
    """Entries there are."""
    types: Sequence[str] = ()
    session: str | None = None
    path: str | None = None
    """A text that a path holds."""
    since_us: int | None = None
    until_us: int | None = None
    """Both are included."""
    superseded: bool | None = None


class Matcher:
    """The index, within one scope."""

    def __init__(self, connection: apsw.Connection, scope: Scope) -> None:
        self._connection = connection
        self.size = scope.size
        self.types = scope.types
        condition, path = _condition(connection, scope)
        self._condition = condition
        first, last = _span(connection, scope)
        timed = scope.since_us is not None or scope.until_us is not None
        since = scope.since_us if scope.since_us is not None else -INTEGER_MAX
        until = scope.until_us if scope.until_us is not None else INTEGER_MAX
        superseded = None if scope.superseded is None else int(scope.superseded)
        self._filters = (first, last, since if timed else None, until, superseded, path)
        self.is_whole = not condition and not timed and superseded is None and path is None
        """Whether every entry counts."""

    def newest(self, expression: str, limit: int) -> list[int]:
        """Return the newest entries that match, newest first."""
        if self.is_whole:
            found: Any = self._connection.execute(SQL["match"], (expression, limit)).get
            return _NUMBERS.decode(found)
        with self.each(expression, limit) as seqs:
            return list(seqs)

    def all_if_few(self, expression: str, limit: int) -> list[int] | None:
        """Return all entries that match, in any order; None unless they are fewer than `limit`.

        Costs less than the newest.
        """
        if self.is_whole:
            asked: Any = self._connection.execute(SQL["match_oldest"], (expression, limit)).get
            found = _NUMBERS.decode(asked)
        else:
            found = self.newest(expression, limit)
        return found if len(found) < limit else None

    @contextmanager
    def each(self, expression: str, limit: int) -> Iterator[Iterator[int]]:
        """Find the same one after the other: only what is taken is looked for."""
        rows: Any
        if self.is_whole:
            rows = self._connection.execute(SQL["match_each"], (expression, limit))
        else:
            if self._condition:
                expression = f"({expression}) AND {self._condition}"
            asked = (expression, limit, *self._filters)
            rows = self._connection.execute(SQL["match_within"], asked)
        try:
            yield chain.from_iterable(rows)
        finally:
            rows.close()  # or the file would go on being read

    def nth_newest(self, expression: str, place: int) -> int | None:
        """Return the entry at a place, 1 for the newest; None when fewer match, or with filters.

        Costs less than a list, but filters would be asked twice where a list is wanted after all.
        """
        if not self.is_whole:
            return None
        found: Any = self._connection.execute(SQL["match_nth"], (expression, place - 1)).get
        return found  # type: ignore[no-any-return]

    def weights(self, seqs: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Yield entries with how much their words count, packed."""
        if not seqs:
            return iter(())  # an array in memory cannot be empty
        asked = apsw.carray(array("q", seqs))
        rows: Any = self._connection.execute(SQL["weights"], (asked,))
        return rows  # type: ignore[no-any-return]

    def marks(self, term: str, among: Collection[int]) -> dict[int, list[int]] | None:
        """Return which entries of a term have which mark, from one look at the list of terms.

        That list knows no filters, and may be long where they leave little: None with any.
        """
        if not self.is_whole:
            return None
        self._connection.execute(SQL["see_marked"])
        bounds = [term + sign for sign in _MARK_BOUNDS]
        rows: Any = self._connection.execute(SQL["marks"], bounds)
        found: dict[int, list[int]] = {}
        for marked, seq in rows:
            if seq in among:
                found.setdefault(MARKS.index(marked[-1]), []).append(seq)
        return found


def quoted(term: str) -> str:
    """Return the expression for a term."""
    return f'"{term}"'


def any_of(expressions: Iterable[str]) -> str:
    """Return the expression for entries that match one of several."""
    return "(" + " OR ".join(expressions) + ")"


def all_of(expressions: Iterable[str]) -> str:
    """Return the expression for entries that match all of several."""
    return "(" + " AND ".join(expressions) + ")"


def of_types(names: Iterable[str]) -> str:
    """Return the expression for entries of some types."""
    return any_of(quoted(type_term(name)) for name in names)


def _condition(connection: apsw.Connection, scope: Scope) -> tuple[str, str | None]:
    """Return what each expression is joined with, and the text to look for in each entry's paths.

    Few paths are terms to look up; of many, the entry is asked.
    """
    parts = []
    if scope.types:
        parts.append(of_types(scope.types))
    if scope.session is not None:
        parts.append(quoted(session_term(scope.session)))
    asked = None
    if scope.path is not None and not _is_text(scope.path):
        parts.append(NEVER)
    elif scope.path is not None:
        rows: Any = connection.execute(SQL["paths_like"], (scope.path, SEARCH_PATHS_MAX + 1))
        paths = [path for (path,) in rows]
        if len(paths) > SEARCH_PATHS_MAX:
            asked = scope.path
        else:
            parts.append(any_of([quoted(path_term(path)) for path in paths] or [NEVER]))
    return " AND ".join(parts), asked


def _is_text(path: str) -> bool:
    """Tell text from what was no UTF-8 to begin with; no path holds that."""
    return not any("\ud800" <= char <= "\udfff" for char in path)


def _span(connection: apsw.Connection, scope: Scope) -> tuple[int, int]:
    """Return the first and last number that can be in the time asked for."""
    if scope.since_us is None and scope.until_us is None:
        return 0, INTEGER_MAX
    since = -INTEGER_MAX if scope.since_us is None else scope.since_us
    until = INTEGER_MAX if scope.until_us is None else scope.until_us
    found: Any = connection.execute(SQL["span_of_times"], (since, until)).get
    if found[0] is None:
        return 0, -1
    return found[0] * MOMENT_ENTRIES, (found[1] + 1) * MOMENT_ENTRIES - 1
