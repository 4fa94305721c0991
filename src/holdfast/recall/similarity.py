"""How much a section of code says about a question, as a number that means the same everywhere.

The cosine of two texts does not tell whether a feature is there: what is far in one project is near
in another. So every word of the question is looked for by itself in the sections that come first by
words or by vectors: as it is, within another word, or as a word near in meaning. Three things are
weighed: how much of the question stands close together in a section, how much the whole file has,
and the cosine. Rare words count more; a question of few and common words is never covered whole.
The sum is mapped to 0..1 so that 0.4 parts what is there from what is not: `bench/calibration.py`
chose the constants, `bench/ghosts.py` measures what they are worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from holdfast.index import vectors
from holdfast.index.asking import words_of
from holdfast.index.code_documents import lines_of
from holdfast.index.code_index import CodeIndex, Section
from holdfast.index.terms import STOP_WORDS, expand, find_tokens
from holdfast.index.vectors import Model
from holdfast.kernel.limits import (
    SIMILAR_CANDIDATES,
    SIMILAR_LINES_MAX,
    SIMILAR_WINDOW_LINES,
    SIMILAR_WORDS_MAX,
)

Read: TypeAlias = Callable[[str], tuple[bytes, str] | None]
"""Returns the hash and the text that a file has now, None when it cannot be read."""

Credits: TypeAlias = dict[str, dict[int, float]]
"""For a word of the code: which words of the question it stands for, and how well."""

THRESHOLD: Final = 0.4
"""The similarity from which on a section counts as being about the question."""

WITHIN: Final = 0.8
BEGINNING: Final = 0.7
MEANING: Final = 0.8
PARTS: Final = 0.5
ELSEWHERE: Final = 0.6
"""What a word is worth that is not there as it is: as a part of another one, with its beginning in
common, near in meaning (at most), by the parts of its name, and elsewhere in the file."""

_LETTERS_MIN: Final = 4
_LETTERS_ALIKE: Final = 5
"""Letters of a word that is sought within others, and that two words begin with in common."""

_COSINE_MIN: Final = 0.35
_COSINE_SLOPE: Final = 2.4
"""From which cosine on a word is near in meaning, and how fast that grows."""

UNKNOWN: Final = 0.4
"""The weight of a word that every question is taken to have, and no section, as a share of that of
one that nothing in the project holds: few words that are common prove little."""

_GENERAL: Final = """
    basic certain general kind made make new old own simple some sort such thing together use used
    using various way whole
"""
GENERAL_SHARE: Final = 0.3
GENERAL: Final = frozenset(_GENERAL.split())
"""Words that are rare in code and still say little, and the share of their weight that counts."""

CLOSE: Final = 4.0
FILE: Final = 2.0
COSINE: Final = 2.2
MIDDLE: Final = 4.2
"""What is weighed, and the sum that stands at the threshold."""

_AT_THRESHOLD: Final = math.log(THRESHOLD / (1 - THRESHOLD))


class Asked(msgspec.Struct, frozen=True):
    """A word of a question."""

    text: str
    term: str
    parts: tuple[str, ...]
    """What a name is made of; empty for a plain word."""
    weight: float
    """How rare it is in the project."""


class Measured(msgspec.Struct, frozen=True):
    """What is weighed of a section."""

    close: float
    """Share of the question that stands together in some lines, or in its name and path."""
    file: float
    """Share of the question that the section has, or its file elsewhere."""
    cosine: float


class Near(msgspec.Struct, frozen=True):
    """A section, and how much it says about the question."""

    section: Section
    similarity: float
    measured: Measured


class Nearest(msgspec.Struct, frozen=True):
    """The sections that say most about a question, the best first."""

    near: list[Near]
    lost: list[str]
    """Files that changed in the meantime."""

    @property
    def hits(self) -> int:
        """Return how many are at or above the threshold."""
        return sum(one.similarity >= THRESHOLD for one in self.near)


class _Candidate(msgspec.Struct):
    section: Section
    cosine: float
    lines: list[frozenset[str]]
    """The words of each line."""
    head: frozenset[str]
    """Those of its name and path."""


def nearest(
    index: CodeIndex, model: Model | None, read: Read, text: str, *, within: str | None = None
) -> Nearest:
    """Return the sections that say most about a text; in files with a text in their path."""
    asked = _asked(index, text)
    if not asked:
        return Nearest([], [])
    candidates, lost = _candidates(index, model, read, (text, within))
    credits = _credits(asked, candidates, model)
    held = index.holding([one.term for one in asked])
    whole = sum(one.weight for one in asked) + UNKNOWN * index.rarest()
    near = [
        Near(one.section, similarity(measured), measured)
        for one in candidates
        for measured in (_measure(asked, one, credits, held, whole),)
    ]
    near.sort(key=lambda one: (-one.similarity, one.section.id))
    return Nearest(near, sorted(lost))


def similarity(measured: Measured) -> float:
    """Map what was measured to 0..1."""
    weighed = CLOSE * measured.close + FILE * measured.file + COSINE * measured.cosine
    return 1 / (1 + math.exp(MIDDLE - weighed - _AT_THRESHOLD))


def _asked(index: CodeIndex, text: str) -> list[Asked]:
    """Return the words of a question that tell something; all of them if none does."""
    tokens = list(dict.fromkeys(find_tokens(text)))
    words = [part for token in tokens for part in _plain(token)]
    telling = [word for word in words if word.lower() not in STOP_WORDS and len(word) > 1] or words
    telling = list(dict.fromkeys(telling))[:SIMILAR_WORDS_MAX]
    rarity = index.rarity(telling)
    return [
        Asked(word.lower(), terms[0], terms[1:], rarity[word] * _share(word))
        for word in telling
        for terms in (expand(word),)
    ]


def _share(word: str) -> float:
    return GENERAL_SHARE if word.lower() in GENERAL else 1.0


def _plain(token: str) -> list[str]:
    """Split what is joined by dots and hyphens; names stay whole."""
    return [part for part in token.replace("-", ".").split(".") if part]


def _candidates(
    index: CodeIndex, model: Model | None, read: Read, question: tuple[str, str | None]
) -> tuple[list[_Candidate], set[str]]:
    text, within = question
    ids = [id_ for id_, _ in index.match(words_of(text).terms, within, SIMILAR_CANDIDATES)[0]]
    cosines: dict[int, float] = {}
    if model is not None:
        weights = index.rarity(list(vectors.words_of(text)))
        packed = index.vectors(model.name, within)
        cosines = dict(model.nearest(weights, packed, SIMILAR_CANDIDATES))
    candidates, lost = [], set()
    sections = index.sections(list(dict.fromkeys([*ids, *cosines])))
    # By file, so that each is read once.
    for section in sorted(sections.values(), key=lambda one: (one.path, one.first_line)):
        source = read(section.path)
        if source is None or source[0] != section.hash:
            lost.add(section.path)
            continue
        lines = lines_of(source[1])[section.first_line - 1 : section.last_line]
        candidates.append(
            _Candidate(
                section,
                cosines.get(section.id, 0.0),
                [_words([line]) for line in lines[:SIMILAR_LINES_MAX]],
                _words([section.name, section.path.rpartition(".")[0].replace("/", " ")]),
            )
        )
    return candidates, lost


def _words(texts: Iterable[str]) -> frozenset[str]:
    """Return the terms of a text, and its words as they are."""
    found: set[str] = set()
    for text in texts:
        for token in find_tokens(text):
            found.update(expand(token))
        found.update(map(str.lower, vectors.find_words(text)))
    return frozenset(found)


def _credits(
    asked: Sequence[Asked], candidates: Sequence[_Candidate], model: Model | None
) -> Credits:
    """Return for every word of the code which words of the question it stands for."""
    known: set[str] = set()
    for one in candidates:
        known.update(one.head, *one.lines)
    credits: Credits = {}
    for number, word in enumerate(asked):
        for other in known:
            worth = _worth(word, other)
            if worth:
                credits.setdefault(other, {})[number] = worth
    if model is not None:
        plain = [word for word in known if word.isalpha() and len(word) > 1]
        for number, row in enumerate(model.compare([one.text for one in asked], plain)):
            for place in (row > _COSINE_MIN).nonzero()[0]:
                worth = min((float(row[place]) - _COSINE_MIN) * _COSINE_SLOPE, MEANING)
                held = credits.setdefault(plain[place], {})
                held[number] = max(held.get(number, 0.0), worth)
    return credits


def _worth(asked: Asked, other: str) -> float:
    term = asked.term
    if other == term:
        return 1.0
    if other in asked.parts:
        return PARTS / len(asked.parts)
    if len(term) >= _LETTERS_MIN and len(other) > len(term) and term in other:
        return WITHIN
    if len(other) >= _LETTERS_ALIKE and other[:_LETTERS_ALIKE] == term[:_LETTERS_ALIKE]:
        return BEGINNING
    return 0.0


def _measure(
    asked: Sequence[Asked],
    one: _Candidate,
    credits: Credits,
    held: dict[str, set[str]],
    whole: float,
) -> Measured:
    weights = [word.weight for word in asked]
    head = _held(one.head, credits, len(asked))
    lines = [_held(line, credits, len(asked)) for line in one.lines]
    close, best = _closest(lines, head, weights)
    in_file = [
        max(worth, ELSEWHERE if one.section.path in held.get(word.term, ()) else 0.0)
        for word, worth in zip(asked, best, strict=True)
    ]
    return Measured(
        close / whole,
        sum(map(float.__mul__, weights, in_file)) / whole,
        max(one.cosine, 0.0),
    )


def _held(words: frozenset[str], credits: Credits, count: int) -> list[float]:
    """Return how well some words stand for each word of the question."""
    worth = [0.0] * count
    for word in words:
        for number, credit in credits.get(word, {}).items():
            worth[number] = max(worth[number], credit)
    return worth


def _closest(
    lines: Sequence[Sequence[float]], head: Sequence[float], weights: Sequence[float]
) -> tuple[float, list[float]]:
    """Return the most that neighbouring lines have together, and what all of them have."""
    most = 0.0
    for first in range(max(len(lines) - SIMILAR_WINDOW_LINES, 0) + 1):
        window = [head, *lines[first : first + SIMILAR_WINDOW_LINES]]
        held = map(max, *window) if len(window) > 1 else head
        most = max(most, sum(map(float.__mul__, weights, held)))
    best = list(map(max, *[head, *lines])) if lines else list(head)
    return most, best
