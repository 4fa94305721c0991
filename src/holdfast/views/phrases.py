"""Phrases: what a decision's words say, as far as it can be seen without understanding them.

A phrase has its words in order, whether they are affirmed or denied, what it turns down by name
(`X instead of Y`, `without Y`), and its quantities. Words are stems; those that carry no choice are
left out, and of every word is known what stood before it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Final

import msgspec

from holdfast.kernel.limits import FORK_COMPARED_CHARS_MAX
from holdfast.stores.subjects import subject_words
from holdfast.views import lexicon
from holdfast.views.quantities import Quantity, measure

_TOKEN: Final = re.compile(r"[^\W_](?:[\w+#%/.:@-]*[\w+#%])?|\d+%|=")
_CLAUSES: Final = re.compile(
    r"\s*(?:[;\n]|[.!?](?=\s)|[,\s](?=because\b|since\b|so that\b|as it\b|unless\b))\s*", re.I
)
_REASONS: Final = re.compile(r"(?:because|since|so that|as it|unless)\b", re.I)
_CONTRACTED: Final = re.compile(r"(\w)n['\u2019]t\b", re.I)
_WONT: Final = re.compile(r"\bwon['\u2019]t\b", re.I)
_TURNED_DOWN: Final = re.compile(
    r"[,\s]\s*(?:instead of|rather than|in place of|but not|without|(?<=,)\s*not)\s+([^,;]+)", re.I
)
_OVER: Final = re.compile(r"^\s*((?:\S+\s+)?\S+)\s+over\s+((?:\S+\s+)?\S+)\s*$", re.I)
_OUT_OF: Final = re.compile(r"\bout of\b(?!\s+the\s+box)", re.I)
_LEFT_OUT: Final = re.compile(r"\bleav(?:e|es|ing)\b(.*?)\bout\b", re.I)


class Word(msgspec.Struct, frozen=True):
    """A word of a phrase."""

    stem: str
    before: str
    """The word before it that is no article; empty at the beginning."""
    part: int
    """Which part of the phrase it is in: prepositions begin a new one."""
    is_name: bool
    """It is written as names of things are: `UTC`, `argon2id`, `snake_case`."""
    is_verb: bool
    """It begins the phrase, and what follows reads as what is done to."""
    raw: str


class Phrase(msgspec.Struct, frozen=True):
    """A clause of a decision."""

    words: tuple[Word, ...]
    affirmed: bool
    turned_down: frozenset[str]
    quantities: tuple[Quantity, ...]
    first: str
    """Its first word: the verb, if it has one there."""
    stems: frozenset[str]
    """What it speaks of: the stems of its words."""


@lru_cache(maxsize=1024)
def read(text: str) -> tuple[Phrase, ...]:
    """Read a decision clause by clause; reasons and exceptions are no part of it."""
    text = unicodedata.normalize("NFKC", text[:FORK_COMPARED_CHARS_MAX])
    text = _CONTRACTED.sub(r"\1 not", _WONT.sub("will not", text))
    clauses = [clause for clause in _CLAUSES.split(text) if clause and not _REASONS.match(clause)]
    phrases = [_phrase(clause) for clause in clauses]
    return tuple(phrase for phrase in phrases if phrase.words or phrase.quantities)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a word without its ending; one form for each of `cache`, `caching`, `cached`."""
    word = word.casefold()
    if any(char.isdigit() for char in word) or len(word) <= 3:
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + instead
            if ending in ("ing", "ed") and len(word) > 3 and word[-1] == word[-2] in "bdgmnprt":
                word = word[:-1]
            break
    word = _SYNONYMS.get(word, word)
    if word.endswith("ion") and len(word) > 5:
        word = word.removesuffix("ion")
    return word.removesuffix("e") if len(word) > 3 else word


_ENDINGS: Final = (
    ("ies", "y"),
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("ss", "ss"),
    ("us", "us"),
    ("is", "is"),
    ("s", ""),
    ("ily", "y"),
    ("ly", ""),
    ("ied", "y"),
    ("ing", ""),
    ("ed", ""),
)
_SYNONYMS: Final = {
    "postgr": "postgresql",
    "storage": "store",
    "k8": "kubernetes",
    "golang": "go",
    "amount": "money",
    "licence": "license",
    "deployment": "deploy",
}


@lru_cache(maxsize=1024)
def subject_stems(*subjects: str | None) -> frozenset[str]:
    """Return the words of subjects, as they stand in phrases; of definitions, their names'."""
    words = [word for subject in subjects if subject for word in subject_words(subject)]
    named = (word.rpartition("::")[2] if "::" in word else word for word in words)
    return frozenset(stem(part) for name in named for part in subject_words(name))


@cache
def _stems(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(stem(word) for word in words)


def _phrase(clause: str) -> Phrase:
    affirmed = True
    if _LEFT_OUT.search(clause):
        clause, affirmed = _LEFT_OUT.sub(r"\1", clause), False
    clause = _joined_contraries().sub(r"\1 ", _OUT_OF.sub("not", clause))
    clause, turned_down = _split_off(clause)
    raw = tuple(_TOKEN.findall(clause))
    measured = measure(raw)
    words, denied = _words(measured.rest, raw[:1])
    first = next((token for token in raw if token.casefold() not in lexicon.ARTICLES), "")
    stems = frozenset(word.stem for word in words)
    affirmed = affirmed != denied
    return Phrase(words, affirmed, turned_down, measured.quantities, first.casefold(), stems)


def _split_off(clause: str) -> tuple[str, frozenset[str]]:
    """Return a clause without what it turns down by name, and that."""
    if over := _OVER.match(clause):
        return over[1], _content(over[2])
    turned_down: set[str] = set()
    for match in _TURNED_DOWN.finditer(clause):
        turned_down |= _content(match[1])
    return _TURNED_DOWN.sub(" ", clause), frozenset(turned_down)


def _content(text: str) -> frozenset[str]:
    """Return the words of a text that say something."""
    words, _ = _words(measure(tuple(_TOKEN.findall(text))).rest, ())
    return frozenset(word.stem for word in words)


def _words(tokens: tuple[str, ...], first: tuple[str, ...]) -> tuple[tuple[Word, ...], bool]:
    """Return the words that say something, and whether they are denied."""
    found, denied, before, part = list[Word](), False, "", 0
    for place, token in enumerate(tokens):
        low = token.casefold()
        root = stem(low)
        if low in lexicon.PREPOSITIONS and low not in _kept():
            part += 1
        if low in lexicon.NEGATORS or root in _stems(lexicon.REMOVERS):
            denied = not denied
        elif _is_title(token, first) or (root not in _dropped() and not _is_adverb(token, root)):
            negated = _negated(low)
            denied = denied != (negated is not None)
            word = stem(negated or low)
            is_name = _is_name(token, is_first=first == (token,))
            is_verb = not before and not is_name and _follows_a_verb(tokens, place)
            found.append(Word(word, stem(before), part, is_name, is_verb, low))
        if low not in lexicon.ARTICLES:
            before = low
    return tuple(found), denied


def _is_title(token: str, first: tuple[str, ...]) -> bool:
    """Tell a name from the common word it looks like: `Go`, `Make`, but not at the beginning."""
    return token.istitle() and token.isalpha() and len(token) > 1 and first != (token,)


def _follows_a_verb(tokens: tuple[str, ...], place: int) -> bool:
    """Tell whether what comes next can be the object of a verb."""
    following = tokens[place + 1].casefold() if place + 1 < len(tokens) else ""
    return following not in _COPULAS and following not in lexicon.PREPOSITIONS


_COPULAS: Final = frozenset({"", "is", "are", "be", "was", "were", "must", "should", "will", "may"})


def _is_adverb(word: str, root: str) -> bool:
    """Tell a word that only says how, and has no contrary."""
    has_ending = word.islower() and word.endswith("ly") and len(word) > 6
    return has_ending and word not in _NOT_HOW and root not in _kept()


_NOT_HOW: Final = frozenset({"assembly", "monopoly", "anomaly"})


def _negated(word: str) -> str | None:
    """Return what a participle with `un` or `non` in front denies."""
    for prefix in ("non-", "un"):
        inner = word.removeprefix(prefix)
        if inner != word and len(inner) > 4 and inner.endswith("ed"):
            return inner
    return None


@cache
def _dropped() -> frozenset[str]:
    kept = _kept()
    return frozenset(
        one
        for one in _stems(lexicon.GENERIC + lexicon.KEEPERS + lexicon.PREPOSITIONS)
        if one not in kept
    )


@cache
def _kept() -> frozenset[str]:
    """Return the small words that have a contrary, which makes them say something."""
    return frozenset(stem(word) for pair in lexicon.CONTRARIES for word in pair.split("/"))


@cache
def _joined_contraries() -> re.Pattern[str]:
    """Match words with a contrary that others are joined to: `soft-delete`."""
    words = {word for pair in lexicon.CONTRARIES for word in pair.split("/")}
    plain = "|".join(sorted(word for word in words if word.isalpha()))
    return re.compile(rf"\b({plain})-(?=\w)", re.I)


def _is_name(token: str, *, is_first: bool) -> bool:
    low = token.casefold()
    if low in lexicon.PLAIN_NAMES:
        return False
    marked = any(char.isdigit() or char in "_#+" for char in token)
    return marked or (token != low and not (is_first and token[1:] == token[1:].casefold()))
