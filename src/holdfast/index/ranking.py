"""The best entries for some words, without looking at every match of a common one.

BM25, of which the part that depends on the entry was put into the marks when it was taken in. A
term that few entries hold is looked at whole, and such terms choose: only where they leave room are
common terms asked for their best, mark by mark from the top. Entries that hold every word come
first; then those that hold some, by what these are worth. Entries of a kind that the question names
count more, and those that only repeat others come later: see `kinds`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import product
from typing import Final

import msgspec

from holdfast.index.asking import Words
from holdfast.index.kinds import ECHO_FACTOR, ECHOES, NAMED_FACTOR
from holdfast.index.matching import Matcher, all_of, any_of, of_types, quoted
from holdfast.index.words import MARK_IMPACTS, MARK_SHARES, MARKS
from holdfast.kernel.limits import (
    SEARCH_BEST_ENTRIES,
    SEARCH_BOTH_ENTRIES,
    SEARCH_COUNT_MAX,
    SEARCH_LIST_ENTRIES,
)

_HEIGHTS: Final = (8, 6, 5, 4)
"""Marks from which on all terms are sought together, one after the other."""


class Ranked(msgspec.Struct, frozen=True):
    """An entry and its score; `full` when it holds every word asked for."""

    seq: int
    score: float
    full: bool


class Ranking(msgspec.Struct, frozen=True):
    """The best entries, and how many match in all."""

    best: list[Ranked]
    total: int
    exact: bool
    """Otherwise there are at least `total`."""


class Postings(msgspec.Struct):
    """Where a term is: entries by mark, from the best down to `lowest`, or all of them."""

    term: str
    by_mark: dict[int, list[int]]
    found: int
    lowest: int | None
    """The last mark that was looked at, the newest part of it; None for a term that is rare."""
    idf: float

    def lesser(self) -> float:
        """Return what the term is worth on average in entries that were not looked at."""
        marks = range((self.lowest or 0) + 1)
        shares = sum(MARK_SHARES[mark] for mark in marks)
        return self.idf * sum(MARK_SHARES[mark] * MARK_IMPACTS[mark] for mark in marks) / shares


def rank(matcher: Matcher, words: Words, limit: int) -> Ranking:
    """Return the best `limit` entries."""
    if not words.terms:
        return Ranking([], 0, True)
    postings = [_look_up(matcher, term) for term in words.terms]
    scores = _Scores(words, postings)
    total, exact = len(scores.seen), True
    if any(one.lowest is not None for one in postings):
        _Common(matcher, words, postings, scores).add(limit)
        total, exact = _count(matcher, words, len(scores.seen))
    _weigh(matcher, words, scores)
    return Ranking(scores.best(limit), total, exact)


def _weigh(matcher: Matcher, words: Words, scores: _Scores) -> None:
    """Let the type of an entry count, as far as nobody asked for types; of very many the newest."""
    if matcher.types or not scores.seen:
        return
    held = any_of(map(quoted, words.terms))
    if words.kinds:
        named = all_of((of_types(words.kinds), held))
        scores.raise_by(NAMED_FACTOR, matcher.newest(named, SEARCH_LIST_ENTRIES))
    echoes = [name for name in ECHOES if name not in words.kinds]
    scores.put_back(matcher.newest(all_of((of_types(echoes), held)), SEARCH_LIST_ENTRIES))


def _count(matcher: Matcher, words: Words, seen: int) -> tuple[int, bool]:
    """Return how many entries hold a term, and whether that is all of them."""
    if seen >= SEARCH_COUNT_MAX:
        return seen, False
    counted = len(matcher.newest(any_of(map(quoted, words.terms)), SEARCH_COUNT_MAX))
    return max(counted, seen), counted < SEARCH_COUNT_MAX


class _Scores:
    """What each entry seen so far is worth, and which terms it holds."""

    def __init__(self, words: Words, postings: Sequence[Postings]) -> None:
        self.seen: dict[int, float] = {}
        self.masks: dict[int, int] = {}
        self._full = _FullMasks(words)
        self._echoes: frozenset[int] = frozenset()
        longest_first = sorted(enumerate(postings), key=lambda pair: -pair[1].found)
        for place, (index, one) in enumerate(longest_first):
            if place == 0:
                self._begin(one, 1 << index)
                continue
            for mark, seqs in one.by_mark.items():
                self.add(seqs, 1 << index, one.idf * MARK_IMPACTS[mark])

    def _begin(self, one: Postings, mask: int) -> None:
        """Count the first term: nothing was seen before, so the best mark is put last."""
        for mark in sorted(one.by_mark):
            self.seen.update(dict.fromkeys(one.by_mark[mark], one.idf * MARK_IMPACTS[mark]))
            self.masks.update(dict.fromkeys(one.by_mark[mark], mask))

    def add(self, seqs: Sequence[int], mask: int, worth: float) -> None:
        """Count a term to entries that hold it; not twice."""
        seen, masks = self.seen, self.masks
        for seq in seqs:
            held = masks.get(seq, 0)
            if not held & mask:
                masks[seq] = held | mask
                seen[seq] = seen.get(seq, 0.0) + worth

    def full(self) -> list[int]:
        """Return the entries that hold every word."""
        is_full = self._full
        return [seq for seq, held in self.masks.items() if is_full[held]]

    def raise_by(self, factor: float, seqs: Iterable[int]) -> None:
        """Let entries count more, or less."""
        for seq in self.seen.keys() & set(seqs):
            self.seen[seq] *= factor

    def put_back(self, seqs: Sequence[int]) -> None:
        """Let entries that only repeat others not come first, though they hold every word."""
        self.raise_by(ECHO_FACTOR, seqs)
        self._echoes = frozenset(seqs)

    def best(self, limit: int) -> list[Ranked]:
        """Return the best entries: those with every word first, of equals the newest."""
        seen, full = self.seen, [seq for seq in self.full() if seq not in self._echoes]
        best = [Ranked(seq, worth, True) for worth, seq in _best(seen, full, limit)]
        if len(best) < limit:
            rest = seen.keys() - full if full else seen
            best += [
                Ranked(seq, worth, False) for worth, seq in _best(seen, rest, limit - len(best))
            ]
        return best


class _FullMasks(dict[int, bool]):
    """Whether the terms of a mask make up every word; worked out once for each mask."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._groups = words.groups

    def __missing__(self, held: int) -> bool:
        self[held] = all(held & a == a or held & b == b for a, b in self._groups)
        return self[held]


def _best(seen: dict[int, float], seqs: Iterable[int], limit: int) -> list[tuple[float, int]]:
    return nlargest(limit, [(seen[seq], seq) for seq in seqs])


def _look_up(matcher: Matcher, term: str) -> Postings:
    """Look at the entries that hold a term; of a common one at the best, until there are enough."""
    plain = matcher.newest(quoted(term), SEARCH_LIST_ENTRIES)
    common = len(plain) == SEARCH_LIST_ENTRIES
    # The newest so many lie in this part of the ledger; the rest is likely as dense.
    frequency = len(plain) * matcher.size / (matcher.size - plain[-1]) if common else len(plain)
    idf = _idf(frequency, matcher.size)
    if not common and plain and (marks := matcher.marks(term, frozenset(plain))) is not None:
        return Postings(term, {**marks, 0: plain}, len(plain), None, idf)
    by_mark: dict[int, list[int]] = {}
    found = 0
    for mark in reversed(range(1, len(MARKS))) if plain else ():
        by_mark[mark] = matcher.newest(quoted(term + MARKS[mark]), SEARCH_BEST_ENTRIES)
        found += len(by_mark[mark])
        if common and found >= SEARCH_BEST_ENTRIES:
            return Postings(term, by_mark, found, mark, idf)
    by_mark[0] = plain
    lowest = 0 if common else None
    return Postings(term, by_mark, max(found, len(plain)), lowest, idf)


def _at_least(term: str, mark: int) -> str:
    """Return the expression for a term with this mark or a higher one."""
    return any_of(quoted(term + sign) for sign in MARKS[mark:])


def _idf(frequency: float, size: int) -> float:
    frequency = min(frequency, size)
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


class _Common:
    """Finds entries by common terms, of which only the best were looked at.

    Where one of the other entries holds such a term, it counts as its lesser marks do on average.
    """

    def __init__(
        self, matcher: Matcher, words: Words, postings: Sequence[Postings], scores: _Scores
    ) -> None:
        self._matcher = matcher
        self._words = words
        self._postings = postings
        self._scores = scores

    def add(self, limit: int) -> None:
        """Add to the scores what common terms are worth, where it can matter."""
        self._beside_rare()
        groups = self._words.groups
        if self._words.kinds:
            named = (of_types(self._words.kinds), *map(self._expression, groups))
            self._count(self._matcher.newest(all_of(named), SEARCH_BOTH_ENTRIES), groups)
        if len(groups) > 1 and len(self._scores.full()) < limit:
            self._together(groups, limit)
        if len(groups) > 2 and len(self._scores.full()) < limit:
            for left_out in sorted(groups, key=self._worth):
                self._together([group for group in groups if group != left_out], limit)

    def _beside_rare(self) -> None:
        """Look for common terms in the entries that hold a rare one."""
        rare = [one for one in self._postings if one.lowest is None and one.found]
        if not rare:
            return
        chosen = any_of(quoted(one.term) for one in rare)
        limit = sum(one.found for one in rare)
        for index, one in enumerate(self._postings):
            if one.lowest is not None:
                seqs = self._matcher.newest(all_of((chosen, quoted(one.term))), limit)
                self._scores.add(seqs, 1 << index, one.lesser())

    def _together(self, groups: Sequence[tuple[int, int]], limit: int) -> None:
        """Look for entries that hold all of some words, and for the best of them."""
        wanted = max(SEARCH_BOTH_ENTRIES, limit)
        every = all_of(map(self._expression, groups))
        seqs = self._matcher.newest(every, wanted)
        enough = len(seqs) < wanted or self._on_high(self._telling(groups), limit)
        self._count(seqs, groups)
        if enough:
            return
        for index in self._telling(groups):
            one = self._postings[index]
            best = _at_least(one.term, max(one.lowest or 1, 1))
            self._count(self._matcher.newest(all_of((best, every)), wanted), groups)

    def _on_high(self, chosen: Sequence[int], limit: int) -> bool:
        """Look for entries in which all of some terms count much; tell whether there are enough."""
        wanted = max(SEARCH_BOTH_ENTRIES, limit)
        for lowest in _HEIGHTS:
            high = {index: _at_least(self._postings[index].term, lowest) for index in chosen}
            if len(self._matcher.newest(all_of(high.values()), 2 * limit)) < 2 * limit:
                continue
            for index, mark in product(chosen, range(lowest, len(MARKS))):
                one = self._postings[index]
                others = [high[other] for other in chosen if other != index]
                exact = all_of((quoted(one.term + MARKS[mark]), *others))
                seqs = self._matcher.newest(exact, wanted)
                self._scores.add(seqs, 1 << index, one.idf * MARK_IMPACTS[mark])
            return len(self._scores.full()) >= limit
        return False

    def _count(self, seqs: Sequence[int], groups: Sequence[tuple[int, int]]) -> None:
        """Count terms to entries that hold them, as far as they are not counted yet."""
        for index in self._telling(groups):
            self._scores.add(seqs, 1 << index, self._postings[index].lesser())

    def _telling(self, groups: Sequence[tuple[int, int]]) -> list[int]:
        """Return the terms that stand for words: the whole one where it occurs, else its parts."""
        chosen: dict[int, None] = {}
        for whole, parts in groups:
            occurs = self._postings[whole.bit_length() - 1].found
            mask = whole if occurs else parts
            chosen |= dict.fromkeys(i for i in range(len(self._postings)) if mask >> i & 1)
        return list(chosen)

    def _worth(self, group: tuple[int, int]) -> float:
        return max(self._postings[index].idf for index in self._telling([group]))

    def _expression(self, group: tuple[int, int]) -> str:
        """Return the expression for a word: the whole of it, or all its parts."""
        ways = []
        for mask in dict.fromkeys(group):
            held = [one.term for i, one in enumerate(self._postings) if mask >> i & 1]
            ways.append(all_of(map(quoted, held)))
        return any_of(ways)
