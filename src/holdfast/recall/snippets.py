"""The part of a text that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from holdfast.index.terms import expand
from holdfast.index.texts import BETWEEN
from holdfast.kernel.limits import SNIPPET_CHARS, SNIPPET_CHARS_SEARCHED

CUT: Final = "…"

_TOKENS: Final = re.compile(r"\w+(?:[.\-]\w+)*")


def snippet(text: str, terms: Collection[str]) -> str:
    """Return the stretch of a text that holds the most of the terms, on one line."""
    text = " ".join(text[:SNIPPET_CHARS_SEARCHED].split())
    if len(text) <= SNIPPET_CHARS:
        return text
    start = _best_start(text, terms)
    if start > 0:
        start = _word_start(text, start)
    stop = min(start + SNIPPET_CHARS, len(text))
    if stop < len(text):
        blank = text.rfind(" ", start + SNIPPET_CHARS // 2, stop)
        stop = stop if blank < 0 else blank
    return (CUT if start else "") + text[start:stop].strip() + (CUT if stop < len(text) else "")


def spans(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where words stand in a text that are among the terms."""
    for found, _ in _matches(text, terms):
        yield found.span()


def _matches(text: str, terms: Collection[str]) -> Iterator[tuple[re.Match[str], str]]:
    for start, stop in _stretches(text, terms):
        for found in _TOKENS.finditer(text, start, stop):
            for term in expand(found[0]):
                if term in terms:
                    yield found, term
                    break


def _stretches(text: str, terms: Collection[str]) -> Iterable[tuple[int, int]]:
    """Return the parts of a text between blanks that may hold a term; tokens take much longer.

    A term is a part of the word that it stands for, but for an i that was a y. Not where accents
    were taken away: other than in ASCII it may be anywhere.
    """
    lower = text.replace(BETWEEN, " ").lower()
    if not lower.isascii():
        return [(0, len(text))]
    stops: dict[int, int] = {}
    for term in filter(None, terms):
        part = term[:-1] if term[-1] == "i" and len(term) > 1 else term
        place = lower.find(part)
        while place >= 0:
            start, stop = lower.rfind(" ", 0, place) + 1, lower.find(" ", place)
            stops[start] = stop = len(text) if stop < 0 else stop
            place = lower.find(part, stop)
    return sorted(stops.items())


def _best_start(text: str, terms: Collection[str]) -> int:
    """Return where a snippet begins that shows the most different terms, a little before them."""
    places = [(found.start(), found.end(), term) for found, term in _matches(text, terms)]
    best, best_start, first = 0, 0, 0
    shown: dict[str, int] = {}
    for _, end, term in places:
        shown[term] = shown.get(term, 0) + 1
        while end - places[first][0] > SNIPPET_CHARS * 3 // 4:
            gone = places[first][2]
            shown[gone] -= 1
            if not shown[gone]:
                del shown[gone]
            first += 1
        if len(shown) > best:
            best, best_start = len(shown), places[first][0]
    return max(0, best_start - SNIPPET_CHARS // 8)


def _word_start(text: str, start: int) -> int:
    blank = text.find(" ", start, start + SNIPPET_CHARS // 8)
    return start if blank < 0 else blank + 1
