"""The built-in token counter: an estimate of a text's tokens that errs high.

It stands in for the tokenizers of the models, cl100k and o200k, which are megabytes of tables.
A text is cut the way they cut it (words with the sign before them, digits by three, runs of signs,
runs of space), then:

- what both are known to keep whole costs one: the common words, runs of signs and characters
  listed in `token_tables` and `token_pieces`;
- an unlisted word costs little if it looks like a word, and the worst case if it does not; the
  sign before it, which they join to it, costs one more;
- anything else costs its UTF-8 bytes, which no byte-level tokenizer exceeds.

Not here: exact counts, other vocabularies, cutting a text to a budget. A change of any number
this module returns MUST change `COUNTER`, because ledgers keep numbers beside that name.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from holdfast.kernel.limits import PIECE_CHARS_CACHED, PIECES_CACHED_MAX, TEXT_CHARS_SHORT
from holdfast.kernel.token_tables import (
    CAPITALS,
    ONE_TOKEN,
    PAIRS,
    SIGNS,
    SIGNS_BEFORE_LINE_END,
    SIGNS_WITHOUT_SPACE,
    WORDS,
    WORDS_AFTER_SPACE,
)

COUNTER: Final = "holdfast-2"
"""Name of this counter, kept beside every number it gave."""

SLICE_CHARS: Final = 1 << 20
"""Characters cut at once, so that the pieces of a huge text are not all in memory."""

MARGIN_EVERY_CHARS: Final = 4
MARGIN_TOKENS_MAX: Final = 2
"""Added because in a short text one odd word is not made up for by the others."""


def estimate(text: str) -> int:
    """Return about how many tokens the text takes, rather too many than too few."""
    total = 0
    for start in range(0, len(text), SLICE_CHARS):
        part = text[start : start + SLICE_CHARS]
        pieces = _PIECE.findall(part)
        if len(part) <= TEXT_CHARS_SHORT:
            total += sum(map(_known_cost, pieces))
        else:
            total += sum(
                (_known_cost if len(piece) <= PIECE_CHARS_CACHED else _piece_cost)(piece) * count
                for piece, count in Counter(pieces).items()
            )
        if not part.isascii():
            total += _non_ascii_cost(part)
    return total + min(len(text) // MARGIN_EVERY_CHARS, MARGIN_TOKENS_MAX)


def _piece_cost(piece: str) -> int:
    if piece in _pieces():
        return 1
    last = piece[-1]
    if last.isalpha() and not piece[0].isalpha() and piece[0] != " ":
        return 1 + _piece_cost(piece[1:])  # the tokenizers join a sign to the word behind it
    if last.islower():
        return _word_cost(piece)
    if last.isupper():
        return _capitals_cost(piece.lstrip(" "))
    if last.isdigit():
        return 1
    if piece.isspace():
        return sum(_space_run_cost(run) for run in _RUNS_OF_ONE.findall(piece))
    return _signs_cost(piece)


@cache
def _pieces() -> frozenset[str]:
    """Load the table when it is first needed: most commands count nothing."""
    from holdfast.kernel.token_pieces import PIECES

    return PIECES


_known_cost: Final = lru_cache(maxsize=PIECES_CACHED_MAX)(_piece_cost)


def _word_cost(piece: str) -> int:
    """Cost a word of small letters, perhaps after a space or a capital."""
    word = piece.lstrip(" ").lower()
    if len(word) == 1 or word in WORDS or (word in WORDS_AFTER_SPACE and " " + word == piece):
        return 1
    if len(word) == 2:
        return 1 if word in PAIRS and piece.islower() else 2
    wordlike = 3 + (len(word) - 2) // 7 - (piece[0] == " ") if len(word) > 3 else 2
    worst = (2 * len(word) + 4) // 3 + (not piece.islower())
    return min(wordlike + 2 * _rare_pairs(word), worst, len(word))


def _capitals_cost(word: str) -> int:
    if len(word) == 1 or word in CAPITALS:
        return 1
    return min((len(word) + 3) // 2 + _rare_pairs(word.lower()), 4 * len(word) // 5 + 1)


def _rare_pairs(word: str) -> int:
    return sum(first + second not in PAIRS for first, second in pairwise(word))


def _signs_cost(piece: str) -> int:
    """Cost a run of signs with the one space before it and the line ends after it."""
    signs = piece.strip(" \r\n")
    line_ends = len(piece) - len(piece.rstrip("\r\n"))
    if signs in SIGNS or signs in SIGNS_BEFORE_LINE_END:
        cost = 1
    elif signs in SIGNS_WITHOUT_SPACE:
        cost = 1 + (piece[0] == " ")
    elif signs[0] in _RULE_CHARS and signs == signs[0] * len(signs):
        cost = 2 + len(signs) // _RULE_CHARS[signs[0]]
    else:
        cost = len(signs)
    if piece[0] == " " and not signs[0].isprintable():
        cost += 1
    if line_ends == 0 or (signs in SIGNS_BEFORE_LINE_END and piece == piece.rstrip() + "\n"):
        return cost
    return cost + 1 + line_ends // 4


def _space_run_cost(run: str) -> int:
    return 1 + len(run) // _SPACE_RUN_CHARS.get(run[0], 1)


def _non_ascii_cost(text: str) -> int:
    """Cost the characters beyond ASCII: one if known to be one token, else their bytes."""
    beyond = "".join(_NON_ASCII.findall(text))
    whole = "".join(re.findall(ONE_TOKEN, beyond))
    return _bytes_of(beyond) - _bytes_of(whole) + len(whole)


def _bytes_of(text: str) -> int:
    # A lone surrogate reaches a tokenizer as U+FFFD, as long in UTF-8 as the surrogate is here.
    return len(text.encode("utf-8", "surrogatepass"))


_PIECE: Final = re.compile(
    r"""'(?i:[sdmt]|ll|ve|re)
    |   [\t\ !-/:-@\[-`{-~]?(?:[A-Z]?[a-z]+|[A-Z]+(?![a-z]))
    |   [0-9]{1,3}
    |   \ ?[\x00-\x08\x0e-\x1f!-/:-@\[-`{-\x7f]+[\r\n]*
    |   \s*[\r\n]+
    |   \s+(?!\S)
    |   \s+
    """,
    re.ASCII | re.VERBOSE,
)
_RUNS_OF_ONE: Final = re.compile(r"(?:\r\n)+|\n+|\ +|\t+|.", re.DOTALL)
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]+")

_SPACE_RUN_CHARS: Final = {" ": 64, "\t": 16, "\n": 8, "\r": 8}
"""Characters of one kind of space that a token surely holds, after the first token."""

_RULE_CHARS: Final = {"-": 16, "=": 16, "*": 16, ".": 16, "#": 8, "_": 8, "/": 8}
"""Signs that rules are drawn with, and how many of them a token surely holds."""
