"""Whether a sentence is still said: its words, weighed by how rare they are, in one place."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from holdfast.views.loss_text import (
    ALIKE_CHARS,
    DROPPED,
    Clause,
    Found,
    Summary,
    Word,
    alike,
    clause,
    plain,
)
from holdfast.views.loss_words import (
    CONTRASTING,
    CONTRASTING_STEMS,
    DENYING,
    GOING_ON,
    GOING_ON_STEMS,
    OBLIGING,
    OBLIGING_STEMS,
)


class Weights:
    """How much each word says: one that many items and clauses have says little."""

    def __init__(self, texts: Sequence[str], told: Summary) -> None:
        said = [clause(text) for text in texts]
        within = [*said, *told.clauses]
        self._count = len(within)
        self._seen = Counter(one for part in within for one in {word.stem for word in part.words})
        self._places = told.places
        self._at: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
        for number, place in enumerate(told.places):
            for stem in {word.stem for word in place.words}:
                self._at[stem[:ALIKE_CHARS]].setdefault(stem, []).append(number)

    def near(self, item: Clause, least: float) -> list[Clause]:
        """Return the places that hold at least this share of an item's words, in their order."""
        says = {word.stem: self.of(word) for word in item.words}
        held: defaultdict[int, float] = defaultdict(float)
        for stem, weight in says.items():
            beside = self._at[stem[:ALIKE_CHARS]].items()
            for number in {at for other, every in beside if alike(stem, other) for at in every}:
                held[number] += weight
        enough = least * sum(says.values()) - _ROUNDING
        return [self._places[number] for number in sorted(held) if held[number] >= enough]

    def of(self, word: Word) -> float:
        """Return how much a word says."""
        rarity = math.log2(1 + self._count / (1 + self._seen[word.stem]))
        return rarity * (_NAME if word.is_name else 1.0)


_ROUNDING: Final = 1e-9

_NAME: Final = 1.5
"""How much more a name says than another word."""

_SAID: Final = 0.62
"""What the words that are there must come to, of those that an item has and a place has."""
_SAID_UNMARKED: Final = 0.82
_SAID_BARELY: Final = 0.95
"""The same where one sign is missing that it is still meant so; and where more are."""
_HELD: Final = 0.58
_HELD_OF_FEW: Final = 0.75
_FEW: Final = 3
"""What must be there of an item's own words, whatever else a place says; and where it has few."""


def prose_fate(text: str, kind: str, told: Summary, weights: Weights) -> Found:
    """Look for a sentence: word for word, else for the place that says most of it."""
    words = plain(text).rstrip(" .!?;:")
    if words and _stands(words, told.plain):
        return Found("kept", instead=text)
    item = _read(text)
    if not item.words:
        return DROPPED
    best, place = 0.0, None
    for one in weights.near(item, _least(item)):
        score = _score(item, one, kind, weights)
        if score > best:
            best, place = score, one
    if place is None:
        return DROPPED
    return Found("paraphrased", _missing(item, place), place.text)


def _stands(words: str, told: str) -> bool:
    """Tell whether words stand in a text, and not within a longer one."""
    at = told.find(words)
    while at >= 0:
        before, after = told[at - 1 : at], told[at + len(words) : at + len(words) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = told.find(words, at + 1)
    return False


@lru_cache(maxsize=4096)
def _read(text: str) -> Clause:
    return clause(text)


def _score(item: Clause, place: Clause, kind: str, weights: Weights) -> float:
    """Return how well a place that holds enough of an item says it; 0 where it does not."""
    held = [word for word in item.words if _in(word, place.words)]
    own = [word for word in place.words if _in(word, item.words)]
    recall = _sum(held, weights) / _sum(item.words, weights)
    precision = _sum(own, weights) / _sum(place.words, weights)
    score = 2 * recall * precision / (recall + precision)
    doubts = min(2, _doubts(item, place, kind) + _lacks_number(item, place))
    needed = (_SAID, _SAID_UNMARKED, _SAID_BARELY)[doubts]
    return score if score >= needed else 0.0


def _least(item: Clause) -> float:
    return _HELD_OF_FEW if len({word.stem for word in item.words}) <= _FEW else _HELD


def _doubts(item: Clause, place: Clause, kind: str) -> int:
    """Count the signs that are missing: a place may speak of the same things and not say it.

    A constraint obliges. Work that is open goes on. A decision says what is done, which is the
    first of its words, unless a place says nothing else; and where it sets one thing against
    another, it still does.
    """
    stems = [word.stem for word in place.words]
    if kind == "constraint":
        return not (place.marks & OBLIGING or _begins(stems, OBLIGING_STEMS))
    if kind == "open_work":
        return not (place.marks & GOING_ON or _begins(stems, GOING_ON_STEMS))
    contrasts = item.marks & CONTRASTING and not (
        place.marks & CONTRASTING or _begins(stems, CONTRASTING_STEMS)
    )
    astray = not _in(item.words[0], place.words) and not all(
        _in(word, item.words) for word in place.words
    )
    return bool(contrasts) + astray


def _lacks_number(item: Clause, place: Clause) -> bool:
    """Tell whether an item gives numbers and a place none of them."""
    numbers = [word for word in item.words if word.raw[:1].isdigit()]
    return bool(numbers) and not any(_in(word, place.words) for word in numbers)


def _begins(stems: Sequence[str], beginnings: tuple[str, ...]) -> bool:
    return any(one.startswith(beginnings) for one in stems)


def _in(word: Word, others: Sequence[Word]) -> bool:
    return any(alike(word.stem, other.stem) for other in others)


def _sum(words: Sequence[Word], weights: Weights) -> float:
    """Add up what words say, each word once."""
    return sum({word.stem: weights.of(word) for word in words}.values())


def _missing(item: Clause, place: Clause) -> tuple[str, ...]:
    """Name the words that are not there, and a denial that is not."""
    gone = [word.raw for word in item.words if not _in(word, place.words)]
    if item.marks & DENYING and not place.marks & DENYING:
        gone.insert(0, sorted(item.marks & DENYING)[0])
    return tuple(dict.fromkeys(gone))
