"""Where a term is: all entries that hold it, or of a common one the best."""

from __future__ import annotations

import math

import msgspec

from holdfast.index.matching import Matcher, any_of, quoted
from holdfast.index.words import MARK_IMPACTS, MARKS, TIERS, mark_in, term_key
from holdfast.kernel.limits import SEARCH_BEST_ENTRIES, SEARCH_LIST_ENTRIES


class Postings(msgspec.Struct):
    """What is known of a term; by mark, from the best down, all entries of one that is rare."""

    term: str
    idf: float
    share: float
    """Of all entries, how many hold it, about."""
    common: bool
    """More entries hold it than are looked at."""
    by_mark: dict[int, list[int]]
    key: bytes
    """What it is known by in the weights of entries."""

    @property
    def occurs(self) -> bool:
        """Whether any entry holds it."""
        return self.common or bool(self.by_mark)

    @property
    def found(self) -> int:
        """How many entries hold it, if it is rare."""
        return len(self.by_mark.get(0, ()))


def look_up(matcher: Matcher, term: str) -> Postings:
    """Look at the entries that hold a term; of a common one only at how many there are."""
    last = matcher.nth_newest(quoted(term), SEARCH_LIST_ENTRIES)
    plain = [] if last is not None else matcher.newest(quoted(term), SEARCH_LIST_ENTRIES)
    last = plain[-1] if len(plain) == SEARCH_LIST_ENTRIES else last
    frequency = float(len(plain))
    if last is not None:
        # The newest so many lie in this part of the ledger; the rest is likely as dense.
        frequency = SEARCH_LIST_ENTRIES * matcher.size / (matcher.size - last)
    by_mark: dict[int, list[int]] = {}
    if plain and last is None:
        by_mark = _marks(matcher, term, plain) | {0: plain}
    idf, share = _idf(frequency, matcher.size), frequency / matcher.size
    return Postings(term, idf, share, last is not None, by_mark, term_key(term))


def best_of(matcher: Matcher, term: str, least: float) -> dict[int, list[int]]:
    """Return the best entries for a common term by mark, from the top until there are enough.

    Marks that count less than `least` are not looked at.
    """
    by_mark: dict[int, list[int]] = {}
    found = 0
    for mark in reversed(range(len(MARKS))):
        if MARK_IMPACTS[mark] < least or found >= SEARCH_BEST_ENTRIES:
            break
        sign = MARKS[mark] if mark else ""
        by_mark[mark] = matcher.newest(quoted(term + sign), SEARCH_BEST_ENTRIES)
        found += len(by_mark[mark])
    return by_mark


def at_least(term: str, mark: int) -> str:
    """Return the expression for a term with this mark or a higher one."""
    if mark == 0:
        return quoted(term)
    tier = min((tier for tier in TIERS if tier >= mark), default=len(MARKS))
    signs = MARKS[mark:tier] + TIERS.get(tier, "")
    return any_of(quoted(term + sign) for sign in signs)


def _marks(matcher: Matcher, term: str, plain: list[int]) -> dict[int, list[int]]:
    """Return which entries of a rare term have which mark."""
    marks = matcher.marks(term, frozenset(plain))
    if marks is None:
        marks = {}
        key = term_key(term)
        for seq, packed in matcher.weights(plain):
            marks.setdefault(mark_in(packed, key), []).append(seq)
    return marks


def _idf(frequency: float, size: int) -> float:
    frequency = min(frequency, size)
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
