"""Which kinds of entries count more, and which less, than their words alone say.

Who asks "what did we decide about retries?" means a decision, but decisions seldom hold the word
"decide"; talk about them does. So a word that names a kind of entry raises the entries of that
type, and does not have to stand in them. It is still looked for: "test" in "the test of the parser"
is content too. The list is small and general: the verbs and nouns English has for what each type
is, and its question word, if it has one. The factor is modest, and has its price: an entry of the
type that lacks a word may come before one of another type that has it, and a word that names both a
kind and a topic ("metrics") is taken for the kind.

Checkpoints and compressions repeat what other entries say first hand, many of them in one. By
their words alone they would fit nearly every question, before the entry that holds the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from holdfast.index.terms import stem

NAMED_FACTOR: Final = 1.5
"""What an entry of a type that the question names counts more."""

ECHO_FACTOR: Final = 0.5
"""What an entry that only repeats others counts less."""

ECHOES: Final = ("checkpoint", "compression")

_NAMES: Final = {
    ("decision",): "agree choice choose chose chosen decide decision settle why",
    ("command_ran", "error"): "command error exit fail failure ran run test",
    ("prompt_given",): "ask prompt request user want",
    ("file_change",): "file live path where",
    ("checkpoint",): "checkpoint",
    ("metric",): "fast measure metric number slow value",
}

_TYPES: Final = {stem(word): types for types, words in _NAMES.items() for word in words.split()}

_PAIRS: Final = {("how", "many"): ("metric",), ("how", "much"): ("metric",)}


def names_kind(token: str) -> bool:
    """Tell whether a word names a kind of entry."""
    return stem(token.lower()) in _TYPES


def kinds_of(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the types that the words of a question name."""
    words = [token.lower() for token in tokens]
    named: dict[str, None] = {}
    for word in words:
        named |= dict.fromkeys(_TYPES.get(stem(word), ()))
    for pair in pairwise(words):
        named |= dict.fromkeys(_PAIRS.get(pair, ()))
    return tuple(named)
