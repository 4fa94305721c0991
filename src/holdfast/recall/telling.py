"""Which words of a text tell something: what is left without those that join, that say little, or
that stand in every file of a language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.index.code_index import Section
from holdfast.index.terms import STOP_WORDS, expand, find_tokens
from holdfast.kernel.limits import SIMILAR_WINDOW_LINES
from holdfast.recall.similarity import GENERAL

_KEYWORDS: Final = """
    abstract alias arg args as assert async await begin bool boolean break byte case catch char
    class const constexpr continue constructor declare def default defer del do double elif else
    elseif elsif end endif ensure enum except extends extern false final finally fixed float fn
    for foreach from func function global go goto if impl implements import in include inline
    instanceof int integer interface internal is kwargs lambda let long main method mod module
    mut mutable namespace native new nil none nonlocal not null nullptr object operator or out
    override param params pass private proc protected pub public raise readonly ref require
    rescue return returns sealed self short signed sizeof static std str string struct sub super
    switch synchronized then this throw throws trait true try type typedef typename typeof undef
    undefined unless unsafe unsigned until use using val value values var virtual void volatile
    when where while with yield
"""
KEYWORDS: Final = frozenset(_KEYWORDS.split())
"""Words that languages are written with: no feature is told from another by them."""

_JOINED: Final = re.compile(r"[_.\-]+")


def telling_words(text: str) -> list[str]:
    """Return the words of a text that tell something, each once; parts of a name by themselves."""
    parts = (part for token in find_tokens(text) for part in _JOINED.split(token))
    return list(dict.fromkeys(part for part in parts if _tells(part)))


def is_called(section: Section, lines: Sequence[str], text: str) -> bool:
    """Tell whether a section has every telling word of a text, however common they are.

    They stand in its name and path, or with these in lines next to each other.
    """
    words = [expand(word) for word in telling_words(text)]
    head = _terms(f"{section.name} {section.path.rpartition('.')[0].replace('/', ' ')}")
    missing = [terms for terms in words if not _stand_in(head, terms)]
    if not words or not missing:
        return bool(words)
    held = [_terms(line) for line in lines]
    windows = (
        frozenset().union(*held[first : first + SIMILAR_WINDOW_LINES])
        for first in range(max(len(held) - SIMILAR_WINDOW_LINES, 0) + 1)
    )
    return any(all(_stand_in(window, terms) for terms in missing) for window in windows)


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for token in find_tokens(text) for term in expand(token))


def _tells(word: str) -> bool:
    plain = word.lower()
    if plain in STOP_WORDS or plain in KEYWORDS or plain in GENERAL:
        return False
    # One letter is a variable; in writing without letters it is a word.
    return len(word) > 1 and any(map(str.isalpha, word)) if word.isascii() else word.isalnum()


def _stand_in(held: frozenset[str], terms: tuple[str, ...]) -> bool:
    return terms[0] in held or (len(terms) > 1 and held.issuperset(terms[1:]))
