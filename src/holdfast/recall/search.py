"""Search: entries by their words, wherever they lie, active or archived.

What is asked for is text, never a query language. The answer says how many entries were searched,
how many more match, and which entries could not be looked at. With the meanings of entries it goes
by both: ranks by words (BM25) and by vectors, joined.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import apsw
import msgspec

from holdfast.index.asking import words_of
from holdfast.index.matching import Matcher, Scope, of_types
from holdfast.index.queries import SQL
from holdfast.index.ranking import Ranking, rank
from holdfast.index.scoring import Ranked
from holdfast.index.taking import Taken
from holdfast.index.texts import shown_text
from holdfast.index.views import Views
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput
from holdfast.kernel.limits import INTEGER_MAX, MEANINGS_MAX, SEARCH_HITS_MAX, SOURCE_CANDIDATES
from holdfast.kernel.types import TYPES
from holdfast.recall.fusing import fuse
from holdfast.recall.snippets import snippet
from holdfast.storage.port import Reader, Selection

if TYPE_CHECKING:
    from holdfast.index.meanings import Meanings

HITS_DEFAULT: Final = 10

NEARLY: Final = 24
"""Entries beyond the limit that may still take the place of a decision that no longer holds, or of
an entry that says the same as another."""

MEANT: Final = 0.3
"""Cosine from which on an entry counts for its meaning. Chosen by questions that
`bench/meanings.py` does not measure with; it hardly matters between 0 and 0.5."""

Level: TypeAlias = Literal["bm25", "hybrid"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class Query(msgspec.Struct, frozen=True):
    """What to look for. Every condition must hold."""

    text: str
    types: Sequence[str] = ()
    session: str | None = None
    path: str | None = None
    """A text that a path of the entry holds."""
    since: str | None = None
    until: str | None = None
    """A date, or a date and time in ISO 8601; both are included, a date as a whole. Without an
    offset it is UTC, as entries are."""
    superseded: bool | None = None
    """True: only decisions that no longer hold; False: none of them; None: all, marked."""
    limit: int = HITS_DEFAULT


class Hit(msgspec.Struct, frozen=True):
    """An entry that was found."""

    seq: int
    id: str
    type: str
    score: float
    snippet: str
    superseded: bool
    superseded_by: int | None = None
    """The newest entry that says so."""
    timestamp: str = ""
    session_id: str | None = None


class Found(msgspec.Struct, frozen=True):
    """What a search found, and what it could not look at."""

    hits: list[Hit]
    more: int
    """Further entries that match; at least so many unless `exact`."""
    searched: int
    """Entries that were searched."""
    not_searched: list[tuple[int, int]]
    """First and last number of entries that could not be looked at."""
    exact: bool = True
    cut: int = 0
    """Entries so long that only their beginning is searched."""
    terms: tuple[str, ...] = ()
    """What was looked for."""
    level: Level = "bm25"
    """By words alone, or by words and meanings."""
    compared: int = 0
    """Entries whose meaning was compared."""
    alike: int = 0
    """Of those `more`, entries that were passed over: they say the same as a hit of their type and
    session, word for word."""


def search(views: Views, reader: Reader, query: Query, meanings: Meanings | None = None) -> Found:
    """Find entries by their words, the best first; with meanings by these, too.

    Looks at what the views have taken in; what they have not is named as not searched.
    """
    looking = Looking(views, reader, query, meanings)
    return looking.found(list(islice(looking, looking.limit)))


class Looking:
    """One search: ranked at once, its hits read one after the other, each but once."""

    def __init__(
        self, views: Views, reader: Reader, query: Query, meanings: Meanings | None = None
    ) -> None:
        self._text = query.text
        self._meanings = meanings
        self._compared = 0
        self._words = words_of(query.text)
        self._reader = reader
        self.limit = max(1, min(query.limit, SEARCH_HITS_MAX))
        self._taken = views.taken
        self._views = views
        self._scope = _scope(query, self._taken)
        self._ranking, self._best = self._ask(self.limit)
        self._lost: list[int] = []
        self._alike = 0

    def __iter__(self) -> Iterator[Hit]:
        """Yield the hits, the best first; no text of a session twice."""
        terms = frozenset(self._words.terms)
        shown: set[tuple[Any, ...]] = set()
        for one, by in self._ranked():
            entry = _entry(self._reader, one.seq)
            if entry is None:
                self._lost.append(one.seq)
                continue
            text, failed = shown_text(entry, self._reader.artifact)
            said = (entry.session_id, entry.type, failed, by, text)
            if said in shown:
                self._alike += 1
                continue
            if entry.session_id is not None:  # without one, nothing says that they belong together
                shown.add(said)
            yield _hit(one, by, entry, snippet(text, terms))

    def _ranked(self) -> Iterator[tuple[Ranked, int | None]]:
        """Yield the best, and more only when some were passed over, which few searches need."""
        best = self._best[: self.limit]
        yield from best
        if self._lost or self._alike:
            told = {one.seq for one, _ in best}
            yield from (
                pair for pair in self._ask(self.limit + NEARLY)[1] if pair[0].seq not in told
            )

    def _ask(self, limit: int) -> tuple[Ranking, list[tuple[Ranked, int | None]]]:
        """Rank; a few more than are wanted, of which some may no longer hold."""

        def ask(connection: apsw.Connection) -> tuple[Ranking, list[tuple[Ranked, int | None]]]:
            with connection:  # all of it as of one moment
                matcher = Matcher(connection, self._scope)
                if self._meanings is None:
                    ranking = rank(matcher, self._words, limit, NEARLY)
                    best = _in_order(connection, ranking.best)
                else:
                    ranking = self._joined(matcher, self._meanings, limit)
                    best = _with_superseding(connection, ranking.best)
            return ranking, best

        return self._views.look(ask)

    def _joined(self, matcher: Matcher, meanings: Meanings, limit: int) -> Ranking:
        """Rank by words and by meanings. Which entries hold every word decides nothing here."""
        from holdfast.index.meanings import SAID  # with all that makes vectors

        by_words = rank(matcher, self._words, max(limit, SOURCE_CANDIDATES), NEARLY)
        within = None if matcher.is_whole else matcher.newest(of_types(SAID), MEANINGS_MAX)
        near, self._compared = meanings.nearest(self._text, SOURCE_CANDIDATES, within)
        worded = [(one.seq, one.score) for one in by_words.best]
        meant = [pair for pair in near if pair[1] >= MEANT]
        best = [Ranked(seq, score, True) for seq, score in fuse([worded, meant])]
        only = {seq for seq, _ in meant}.difference(seq for seq, _ in worded)
        return Ranking(best[: limit + NEARLY], by_words.total + len(only), by_words.exact)

    def found(self, hits: list[Hit]) -> Found:
        """Tell what was found, when these were taken of the hits."""
        taken = self._taken
        unread = [*taken.unread, *_behind(taken, self._reader), *((seq, seq) for seq in self._lost)]
        if self._meanings is not None:  # words may have been read when these could not be
            unread += ((first, stop - 1) for first, stop in self._meanings.missing())
        return Found(
            hits,
            self._ranking.total - len(hits) - len(self._lost),
            taken.size - sum(last - first + 1 for first, last in taken.unread),
            _joined_ranges(unread),
            self._ranking.exact,
            taken.cut,
            self._words.terms,
            "bm25" if self._meanings is None else "hybrid",
            self._compared,
            self._alike,
        )


def _joined_ranges(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, with those that touch or overlap made one."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def _scope(query: Query, taken: Taken) -> Scope:
    for name in query.types:
        TYPES.spec(name)  # refuses one that is not known
    return Scope(
        max(taken.size, 1),
        query.types,
        query.session,
        query.path or None,
        None if query.since is None else _moment(query.since, "since"),
        None if query.until is None else _moment(query.until, "until", end=True),
        query.superseded,
    )


def _moment(text: str, what: str, *, end: bool = False) -> int:
    """Return a time in microseconds; of a date its first or its last."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        moment_us = (moment - _EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        raise InvalidInput(
            f"{text[:40]!r} is no time to search {what}.",
            meaning="Nothing was searched.",
            remedy="Give a date such as 2026-11-15, or 2026-11-15T07:00:00Z.",
        ) from None
    whole_day = end and len(text.strip()) <= len("2026-11-15")
    return moment_us + (86_400_000_000 - 1 if whole_day else 0)


def _in_order(
    connection: apsw.Connection, best: Sequence[Ranked]
) -> list[tuple[Ranked, int | None]]:
    """Put decisions that no longer hold behind others that are as good; say what replaced them."""

    def place(pair: tuple[Ranked, int | None]) -> tuple[bool, float, bool]:
        one, by = pair
        return not one.full, -round(one.score, 2), by is not None

    return sorted(_with_superseding(connection, best), key=place)


def _with_superseding(
    connection: apsw.Connection, best: Sequence[Ranked]
) -> list[tuple[Ranked, int | None]]:
    """Say of each entry what replaced it, if something did."""
    seqs = json.dumps([one.seq for one in best])
    rows: Any = connection.execute(SQL["superseded_by"], (seqs,))
    superseded: dict[int, int] = dict(rows)
    return [(one, superseded.get(one.seq)) for one in best]


def _hit(one: Ranked, by: int | None, entry: Entry, shown: str) -> Hit:
    return Hit(
        seq=one.seq,
        id=entry.id,
        type=entry.type,
        score=round(one.score, 4),
        snippet=shown,
        superseded=by is not None,
        superseded_by=by,
        timestamp=entry.timestamp,
        session_id=entry.session_id,
    )


def _entry(reader: Reader, seq: int) -> Entry | None:
    for stored in reader.read(Selection(seq, seq + 1)):
        try:
            return entries.read(stored.body)
        except Damaged:
            return None
    return None


def _behind(taken: Taken, reader: Reader) -> list[tuple[int, int]]:
    """Return what was appended and not yet taken in."""
    size = min(reader.head().size, INTEGER_MAX)
    return [(taken.size, size - 1)] if taken.size < size else []
