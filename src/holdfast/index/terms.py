"""From text to terms: what counts as the same word.

A term is a word in lower case without its ending (`retries`, `retrying` and `retry` are one), or a
whole identifier, number or file name (`retry_budget`, `3.14`, `router.py`) beside its parts. Both
what is recorded and what is asked for go through `expand`, so they meet.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import chain
from typing import Final

from holdfast.kernel.limits import TERM_CHARS_MAX, TERMS_CACHED_MAX

find_tokens: Final = re.compile(r"\w+(?:[.\-]\w+)*").findall
"""Words, and words joined by dots and hyphens. What is left between them has no meaning here."""

_INNER: Final = re.compile(r"[_.\-]+")
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_VOWEL: Final = re.compile(r"[aeiouy]")

_STOP_WORDS: Final = """
    a about above across actually after again ago ain all along already also although always am
    among an and any anybody anyone anything anyway are aren around as at be because been before
    being below beside besides between beyond both but by can cannot concerning could couldn
    describe despite did didn do does doesn doing don done during each either else even ever
    every everybody everyone everything exactly except explain few find for from gave get give
    given gives got had hadn has hasn have haven having he hear heard hello her here herself hey
    hi him himself his how i if in instead into is isn it its itself just kindly knew know known
    let ll many may maybe me meant mention mentioned might mine more most much must mustn my
    myself neither no nobody nor not now of off ok okay on once only onto or other ought our
    ours ourselves out over own per perhaps please quite rather re really regarding regardless
    relating remember remind said same say saying says several shall she should shouldn show
    shown shows since so some somebody someone something somewhat speak still such talk talked
    tell telling than thank thanks that the their theirs them themselves then there these they
    think this those though thought through throughout till to told too toward towards under
    unless until up upon us ve versus very via was wasn we were weren what whatever when
    whenever where wherever whether which whichever while who whoever whom whose why will with
    within would wouldn yes yet you your yours yourself yourselves
"""

STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Words that ask and join, and do not say what for: those of questions, auxiliaries, prepositions,
pronouns, and the verbs of talk. A text that has others is not searched for these."""


class _Expansions(dict[str, tuple[str, ...]]):
    """The terms of each token, kept while there are not too many."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        if len(self) >= TERMS_CACHED_MAX:
            self.clear()
        terms = _expand(token)
        self[token] = terms
        return terms


_expansions: Final = _Expansions()


def expand(token: str) -> tuple[str, ...]:
    """Return the terms that stand for a token, the whole one first."""
    return _expansions[token]


def count_terms(text: str) -> tuple[Counter[str], int]:
    """Return how often each term occurs in a text, and how many words there are."""
    tokens = find_tokens(text)
    return Counter(chain.from_iterable(map(_expansions.__getitem__, tokens))), len(tokens)


def _expand(token: str) -> tuple[str, ...]:
    folded = _fold(token)
    if folded.isascii() and folded.isalpha() and (token.islower() or token.istitle()):
        return (stem(folded)[:TERM_CHARS_MAX],)
    if not folded.isascii() and _CJK.search(folded):
        return _bigrams(folded)
    parts = [part for word in _INNER.split(token) for part in _camel(word)]
    terms = [folded.strip("_.-") or folded, *(stem(_fold(part)) for part in parts)]
    if len(parts) == 1:
        terms = terms[1:] if parts[0] == token else terms
    return tuple(dict.fromkeys(term[:TERM_CHARS_MAX] for term in terms))


def _camel(word: str) -> list[str]:
    """Split fooBar and HTTPServer; a word in one case stays whole."""
    if not word.isascii() or word.islower() or word.isupper() or word.isdigit():
        return [word] if word else []
    return _CAMEL.findall(word)


def _bigrams(text: str) -> tuple[str, ...]:
    """Return pairs of characters of scripts without spaces, and the other words between."""
    terms = []
    for run in _CJK.findall(text):
        terms += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    terms += [stem(word) for word in _INNER.split(_CJK.sub("_", text)) if word]
    return tuple(dict.fromkeys(term[:TERM_CHARS_MAX] for term in terms))


def _fold(token: str) -> str:
    """Take away case, and marks on letters."""
    if token.isascii():
        return token.lower()
    apart = unicodedata.normalize("NFKD", token.casefold())
    kept = "".join(char for char in apart if not unicodedata.combining(char))
    # What is left must still be one token for the index: letters, digits and what joins them.
    return "".join(char for char in kept if char == "_" or char in ".-" or char.isalnum()) or token


def stem(word: str) -> str:
    """Take the endings of plural, -ing and -ed away, and what they change before them."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    word = _without_plural(word)
    for ending in ("ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3 and _VOWEL.search(base):
            word = base
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("s", "x", "z", "ch", "sh")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
