"""The best entries for some words, without looking at every match of a common one.

BM25, of which the part that depends on the entry was put into marks when it was taken in. A term
that few entries hold is looked at whole, and such terms choose: only where they leave room are
common terms asked for their best, from the highest marks down. Entries that hold every word come
first; then those that hold some, by what these are worth. Entries of a kind that the question names
count more, and those that only repeat others come later: see `kinds`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice
from typing import Final

import msgspec

from holdfast.index.asking import Words
from holdfast.index.kinds import ECHOES, NAMED_FACTOR
from holdfast.index.matching import Matcher, all_of, any_of, of_types, quoted
from holdfast.index.postings import Postings, at_least, best_of, look_up
from holdfast.index.scoring import Ranked, Scores
from holdfast.index.words import MARK_IMPACTS, MARKS, mark_in
from holdfast.kernel.limits import (
    SEARCH_BEST_ENTRIES,
    SEARCH_BOTH_ENTRIES,
    SEARCH_LIST_ENTRIES,
)

_HIGH_SHARES: Final = (
    (0.2, 0.08, 0.04, 0.01, 0.003, 0.001, 0.0003, 0.0001),
    (0.12, 0.06, 0.02, 0.005, 0.001, 0.0003, 0.0001),
)
"""How many of the entries that hold two terms, or more, have at least each mark for all of them, in
ordinary text. Where to look first follows from it, and no more."""


class Ranking(msgspec.Struct, frozen=True):
    """The best entries, and how many match in all."""

    best: list[Ranked]
    total: int
    exact: bool
    """Otherwise there are at least `total`."""


def rank(matcher: Matcher, words: Words, limit: int, beyond: int = 0) -> Ranking:
    """Return the best `limit` entries, and up to so many beyond, as far as these were seen."""
    if not words.terms:
        return Ranking([], 0, True)
    postings = [look_up(matcher, term) for term in words.terms]
    if not any(one.occurs for one in postings):
        return Ranking([], 0, True)
    scores = Scores(words, _echoes(matcher, words))
    for index, one in sorted(enumerate(postings), key=lambda pair: -pair[1].found):
        scores.take(one.by_mark, 1 << index, one.idf)
    total, exact = len(scores.seen), True
    if any(one.common for one in postings):
        _Common(matcher, words, postings, scores, (limit, limit + beyond)).add()
        total, exact = max(len(scores.seen), SEARCH_LIST_ENTRIES), False
    if words.kinds and not matcher.types:
        named = all_of((of_types(words.kinds), _held(words)))
        scores.raise_by(NAMED_FACTOR, matcher.newest(named, SEARCH_LIST_ENTRIES))
    return Ranking(scores.best(limit + beyond), total, exact)


def _echoes(matcher: Matcher, words: Words) -> list[int]:
    """Return entries that only repeat others, of very many the newest; none if types are asked."""
    names = [name for name in ECHOES if name not in words.kinds]
    if matcher.types or not names:
        return []
    return matcher.newest(all_of((of_types(names), _held(words))), SEARCH_LIST_ENTRIES)


def _held(words: Words) -> str:
    """Return the expression for entries that hold any of the terms."""
    return any_of(map(quoted, words.terms))


class _Common:
    """Finds entries by common terms, of which there are too many to look at them all."""

    def __init__(
        self,
        matcher: Matcher,
        words: Words,
        postings: Sequence[Postings],
        scores: Scores,
        limits: tuple[int, int],
    ) -> None:
        self._matcher = matcher
        self._words = words
        self._postings = postings
        self._scores = scores
        self._limit, self._looked = limits
        """How many are wanted, and how many are kept of those that were seen."""

    def add(self) -> None:
        """Add to the scores what common terms are worth, where it can matter."""
        self._beside_rare()
        groups = self._words.groups
        if self._words.kinds:
            named = (of_types(self._words.kinds), *map(self._expression, groups))
            found = self._matcher.newest(all_of(named), SEARCH_BOTH_ENTRIES)
            self._weigh(found, self._telling(groups))
        if len(groups) > 1 and not self._enough():
            self._words_together(groups)
        if not self._enough():
            self._each()

    def _words_together(self, groups: Sequence[tuple[int, int]]) -> None:
        """Look for entries that hold all words, and where they leave room, all but one."""
        self._together(groups)
        if len(groups) > 2 and not self._enough():
            for out in sorted(groups, key=self._worth):
                self._better([group for group in groups if group != out])

    def _enough(self) -> bool:
        """Tell whether entries that hold every word leave no room for others."""
        return len(self._scores.full()) >= self._limit

    def _beside_rare(self) -> None:
        """Look for common terms in the entries that hold a rare one."""
        rare = [one for one in self._postings if not one.common and one.found]
        if not rare:
            return
        chosen = any_of(quoted(one.term) for one in rare)
        limit = sum(one.found for one in rare)
        for index, one in enumerate(self._postings):
            if one.common:
                both = all_of((chosen, quoted(one.term)))
                self._weigh(self._matcher.newest(both, limit), [index])

    def _each(self) -> None:
        """Look for the best entries of each common term, as far as these can be among the best."""
        least = 0.0 if self._words.kinds else self._scores.least(self._limit)
        for index, one in enumerate(self._postings):
            if one.common:
                best = best_of(self._matcher, one.term, least / one.idf)
                self._scores.take(best, 1 << index, one.idf)

    def _together(self, groups: Sequence[tuple[int, int]], least: float = 0.0) -> None:
        """Look for entries that hold all of some words, of many the best.

        `least` is what one must be worth to be among the best; 0 while there is room.
        """
        if any(map(self._is_rare, groups)):
            return  # they were looked at before
        chosen = self._telling(groups)
        seqs = self._marked(groups, 0 if least else 2 * self._limit)
        if seqs is None:
            seqs, count = self._newest(groups)
            if count > max(SEARCH_BEST_ENTRIES, self._looked):
                high = self._on_high(chosen, count)
                seqs = high if len(high) >= self._looked else [*seqs, *high]
        self._weigh(seqs, chosen)

    def _marked(self, groups: Sequence[tuple[int, int]], needed: int) -> list[int] | None:
        """Return the entries in which each of some words has a mark, if there are enough.

        Those lists are half as long, and an entry that barely holds a word does not come first.
        """
        plain = all(whole == parts for whole, parts in groups)
        if not plain or not self._limit <= self._likely(groups) < SEARCH_LIST_ENTRIES:
            return None
        terms = [self._postings[index].term for index in self._telling(groups)]
        marked = all_of(at_least(term, 1) for term in terms)
        seqs = self._matcher.all_if_few(marked, max(SEARCH_BEST_ENTRIES, needed + 1))
        return seqs if seqs is not None and len(seqs) >= needed else None

    def _newest(self, groups: Sequence[tuple[int, int]]) -> tuple[list[int], float]:
        """Return entries that hold all of some words, and how many do, about.

        Of very many only the newest.
        """
        first, most = max(SEARCH_BOTH_ENTRIES, self._looked), max(SEARCH_BEST_ENTRIES, self._looked)
        every = all_of(map(self._expression, groups))
        if self._likely(groups) < SEARCH_BOTH_ENTRIES:
            few = self._matcher.all_if_few(every, first + most)
            if few is not None:
                return few, len(few)
        with self._matcher.each(every, first + most) as found:
            seqs = list(islice(found, first))
            if len(seqs) < first:
                return seqs, len(seqs)
            size = self._matcher.size
            count = first * size / (size - seqs[-1])
            if count <= most:
                seqs += found
            return seqs, count

    def _better(self, groups: Sequence[tuple[int, int]]) -> None:
        """Look only for those that can still be among the best."""
        least = 0.0 if self._words.kinds else self._scores.least(self._limit)
        terms = [self._postings[index] for index in self._telling(groups)]
        most = MARK_IMPACTS[-1] * sum(one.idf for one in terms)
        if most < least:
            return
        # Even where all the others have the highest mark, each has to make up for the rest.
        lowest = [MARK_IMPACTS[-1] - (most - least) / one.idf for one in terms]
        marks = [bisect_left(MARK_IMPACTS, impact) for impact in lowest]
        if any(marks) and all(whole == parts for whole, parts in groups):
            high = all_of(at_least(one.term, mark) for one, mark in zip(terms, marks, strict=True))
            seqs = self._matcher.all_if_few(high, SEARCH_BEST_ENTRIES)
            if seqs is not None:
                self._weigh(seqs, self._telling(groups))
                return
        self._together(groups, least)

    def _on_high(self, chosen: Sequence[int], count: float) -> list[int]:
        """Return entries in which all of some terms count much, of about `count` that hold them.

        Begins where there should be enough, and goes up while they are too many, or down.
        """
        wanted = max(SEARCH_BEST_ENTRIES, self._looked)
        terms = [self._postings[index].term for index in chosen]
        shares = _HIGH_SHARES[len(terms) > 2]
        mark, step = sum(count * share >= self._looked for share in shares), 0
        found: list[int] = []
        while 0 < mark < len(MARKS):
            high = all_of(at_least(term, mark) for term in terms)
            seqs = self._matcher.all_if_few(high, wanted)
            seqs = self._matcher.newest(high, wanted) if seqs is None else seqs
            found += seqs
            step = step or (1 if len(seqs) == wanted else -1)
            if (2 * len(seqs) >= self._looked) if step < 0 else (len(seqs) < wanted):
                break
            mark += step
        return list(dict.fromkeys(found))

    def _weigh(self, seqs: Sequence[int], chosen: Sequence[int]) -> None:
        """Count terms to entries that hold them, as much as they count there."""
        new = self._scores.lacking(seqs, sum(1 << index for index in chosen))
        found = list(self._matcher.weights(new))
        worths = []
        for index in chosen:
            one = self._postings[index]
            by_mark = [one.idf * each for each in MARK_IMPACTS]
            key = one.key
            marks = [mark_in(each, key) if key in each else each[0] for _, each in found]
            worths.append((1 << index, [by_mark[mark] for mark in marks]))
        self._scores.add([seq for seq, _ in found], worths)

    def _telling(self, groups: Sequence[tuple[int, int]]) -> list[int]:
        """Return the terms that stand for words: the whole one where it occurs, else its parts."""
        chosen: dict[int, None] = {}
        for whole, parts in groups:
            occurs = self._postings[whole.bit_length() - 1].occurs
            mask = whole if occurs else parts
            chosen |= dict.fromkeys(i for i in range(len(self._postings)) if mask >> i & 1)
        return list(chosen)

    def _is_rare(self, group: tuple[int, int]) -> bool:
        """Tell whether each way in which a word can be there takes a rare term."""
        terms = list(enumerate(self._postings))
        return all(any(mask >> i & 1 and not one.common for i, one in terms) for mask in group)

    def _likely(self, groups: Sequence[tuple[int, int]]) -> float:
        """Return how many entries would hold some words if these had nothing to do with another."""
        shares = (self._postings[index].share for index in self._telling(groups))
        return self._matcher.size * math.prod(shares)

    def _worth(self, group: tuple[int, int]) -> float:
        return max(self._postings[index].idf for index in self._telling([group]))

    def _expression(self, group: tuple[int, int]) -> str:
        """Return the expression for a word: the whole of it, or all its parts."""
        ways = []
        for mask in dict.fromkeys(group):
            held = [one.term for i, one in enumerate(self._postings) if mask >> i & 1]
            ways.append(all_of(map(quoted, held)))
        return any_of(ways)
