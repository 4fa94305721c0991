"""Texts to search, and questions about them: words that people wrote, in the order they wrote them.

The words are those of every docstring of this Python and of the packages beside it; a text is a
stretch of them from a random place. Questions are one to three words of a text, in three bands by
how many of the texts hold each word.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from holdfast.index.terms import STOP_WORDS
from holdfast.ledger.ledger import Draft

BANDS: Final = {"rare": (0, 0.0002), "medium": (0.001, 0.01), "common": (0.03, 1.0)}
"""Share of the texts that hold each word of a question."""

WORDS_MIN: Final = 8
WORDS_MAX: Final = 200
SAMPLE_TEXTS: Final = 100_000

_WORD: Final = re.compile(r"[a-z]+")


def drafts(count: int, *, seed: int = 1) -> Iterator[Draft]:
    """Yield decisions; their length is about 35 words, now and then much more."""
    words = _docstring_words()
    chance = random.Random(seed)
    for number in range(count):
        length = min(WORDS_MAX, max(WORDS_MIN, int(chance.lognormvariate(3.4, 0.6))))
        start = chance.randrange(len(words) - length)
        chosen = words[start : start + length]
        data = {
            "question": " ".join(chosen[:4]) + "?",
            "choice": " ".join(chosen[4:7]),
            "reasoning": " ".join(chosen[7:]),
            "alternatives": [],
        }
        yield Draft("decision", data, f"s-{number // 500}")


def questions(texts: Sequence[str], count: int, *, seed: int = 2) -> dict[str, list[str]]:
    """Return questions for each band."""
    chance = random.Random(seed)
    frequency = Counter(word for text in texts for word in set(_WORD.findall(text)))
    made: dict[str, list[str]] = {}
    for band, (low, high) in BANDS.items():
        asked: list[str] = []
        while len(asked) < count:
            words = _words_between(chance.choice(texts), frequency, low, high, len(texts))
            number = chance.choice((1, 2, 2, 3))
            if len(words) >= number:
                asked.append(" ".join(chance.sample(words, number)))
        made[band] = asked
    return made


def _words_between(
    text: str, frequency: Counter[str], low: float, high: float, size: int
) -> list[str]:
    return [
        word
        for word in sorted(set(_WORD.findall(text)))
        if low <= frequency[word] / size <= high and len(word) > 2 and word not in STOP_WORDS
    ]


def _docstring_words() -> list[str]:
    found: set[str] = set()
    for root in dict.fromkeys((sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))):
        for path in Path(root).rglob("*.py"):
            found.update(_docstrings(path))
    return " ".join(sorted(found)).split()


def _docstrings(path: Path) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield text
