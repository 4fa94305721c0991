"""From a question to what is looked for."""

from __future__ import annotations

import msgspec

from holdfast.index.kinds import kinds_of, names_kind
from holdfast.index.terms import STOP_WORDS, expand, find_tokens
from holdfast.kernel.limits import SEARCH_TERMS_MAX


class Words(msgspec.Struct, frozen=True):
    """What is asked for: terms, and for each word which of them stand for it."""

    terms: tuple[str, ...]
    groups: tuple[tuple[int, int], ...]
    """For each word that has to be there two masks over the terms: it is there when all terms of
    one of them are."""
    kinds: tuple[str, ...] = ()
    """Types of entries that are asked for by name."""


def words_of(text: str) -> Words:
    """Return what a text asks for. Words that only ask are left out, unless there are no others."""
    tokens = find_tokens(text)
    telling = [token for token in tokens if token.lower() not in STOP_WORDS]
    needed = {token for token in telling if not names_kind(token)}
    numbers: dict[str, int] = {}
    groups = []
    for token in dict.fromkeys(telling or tokens):
        terms = expand(token)
        if len({*numbers, *terms}) > SEARCH_TERMS_MAX:
            break
        bits = [1 << numbers.setdefault(term, len(numbers)) for term in terms]
        if not needed or token in needed:
            groups.append((bits[0], sum(bits[1:]) or bits[0]))
    return Words(tuple(numbers), tuple(dict.fromkeys(groups)), kinds_of(tokens))
