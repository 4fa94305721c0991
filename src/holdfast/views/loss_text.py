"""A summary as it is looked at for losses: its clauses, their words, what is spelled as code."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import Final, Literal

import msgspec

from holdfast.kernel.limits import LOSS_SUMMARY_CHARS_MAX
from holdfast.views import lexicon
from holdfast.views.loss_words import ALIKE, JOINING
from holdfast.views.phrases import stem


class Found(msgspec.Struct, frozen=True):
    """What was found of an item."""

    fate: Literal["kept", "paraphrased", "dropped", "unknown"]
    missing: tuple[str, ...] = ()
    instead: str = ""


DROPPED: Final = Found("dropped")


class Word(msgspec.Struct, frozen=True):
    """A word that says something, and its stem."""

    raw: str
    stem: str
    is_name: bool
    """It is written as names of things are: `UTC`, `argon2id`, `snake_case`."""


class Clause(msgspec.Struct, frozen=True):
    """Words that stand together."""

    text: str
    words: tuple[Word, ...]
    marks: frozenset[str]
    """Its other words: those that join, deny, oblige."""
    line: int
    sentence: int


class Summary:
    """A summary, read once for all items."""

    def __init__(self, text: str) -> None:
        told = _TAGGED.search(text)
        whole = text if told is None else told[1]
        self.cut = max(0, len(whole) - LOSS_SUMMARY_CHARS_MAX)
        self.text = whole[:LOSS_SUMMARY_CHARS_MAX]

    @cached_property
    def plain(self) -> str:
        """All of it on one line, without marks of Markdown, in small letters."""
        return plain(self.text)

    @cached_property
    def line(self) -> str:
        """All of it on one line, otherwise as it is."""
        return " ".join(self.text.split())

    @cached_property
    def low(self) -> str:
        """The same in small letters."""
        return self.line.casefold()

    @cached_property
    def coded(self) -> tuple[str, ...]:
        """What is spelled as code: between backticks, and lines of code blocks."""
        blocks = [line for block in _FENCED.findall(self.text) for line in block.splitlines()]
        spans = _CODED.findall(_FENCED.sub("\n", self.text))
        spelled = (" ".join(one.strip().removeprefix("$ ").split()) for one in (*spans, *blocks))
        return tuple(one for one in spelled if one)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Its clauses, in order."""
        found: list[Clause] = []
        sentence = 0
        for number, line in enumerate(self.text.splitlines()):
            for said in _SENTENCES.split(_BULLET.sub("", line)):
                sentence += 1
                found += [
                    clause(part, number, sentence) for part in _CLAUSES.split(said) if part.strip()
                ]
        return tuple(found)

    @cached_property
    def places(self) -> tuple[Clause, ...]:
        """Where something can stand: a clause, or a few of one sentence that follow each other."""
        clauses, found = self.clauses, list[Clause]()
        for first, one in enumerate(clauses):
            found.append(one)
            joined = one
            for other in clauses[first + 1 : first + _JOINED_MAX]:
                if other.sentence != one.sentence:
                    break
                joined = _joined(joined, other)
                found.append(joined)
        return tuple(found)


_JOINED_MAX: Final = 4
"""Clauses that are looked at together."""

_TAGGED: Final = re.compile(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL)
"""What an agent goes on with, where it thought aloud before."""
_FENCED: Final = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CODED: Final = re.compile(r"`+([^`\n]+)`+")
_BULLET: Final = re.compile(r"^\s*(?:[-*+•>#]+|\d{1,3}[.)])\s+")
_SENTENCES: Final = re.compile(r"(?<=[.!?。])\s+|(?<=[。！？])")
_CLAUSES: Final = re.compile(r"[;()\[\]]|[,:](?=\s)|\s[-–—]+\s|\s(?:but|while|whereas)\s", re.I)
_TOKEN: Final = re.compile(r"[^\W_][\w+#%]*(?:['’]\w+)?")
_MARKS: Final = re.compile(r"[*_`~\"“”„«»]+|(?<!\w)['‘’]|['‘’](?!\w)")


def plain(text: str) -> str:
    """Spell a text in small letters on one line, without marks of Markdown and quotes."""
    return " ".join(_MARKS.sub("", text).casefold().split())


def clause(text: str, line: int = 0, sentence: int = 0) -> Clause:
    """Read some words."""
    words, marks = list[Word](), set[str]()
    for place, raw in enumerate(_TOKEN.findall(text)):
        low = raw.casefold().replace("’", "'")
        if low.endswith("n't"):
            marks.add("not")
            low = low[:-3]
        low = low.removesuffix("'s")
        if low in JOINING:
            marks.add(low)
        else:
            words.append(Word(raw, root(low), _is_name(raw, first=place == 0)))
    return Clause(" ".join(text.split()), tuple(words), frozenset(marks), line, sentence)


def _joined(one: Clause, other: Clause) -> Clause:
    return Clause(
        f"{one.text}, {other.text}",
        one.words + other.words,
        one.marks | other.marks,
        one.line,
        other.sentence,
    )


def _is_name(raw: str, *, first: bool) -> bool:
    if raw.casefold() in lexicon.PLAIN_NAMES:
        return False
    if any(char.isdigit() or char in "_#+" for char in raw):
        return True
    return raw != raw.casefold() and not (first and raw[1:] == raw[1:].casefold())


@lru_cache(maxsize=4096)
def root(word: str) -> str:
    """Return the stem of a word, or of the word that stands for all that mean the same."""
    return ALIKE.get(stem(word), stem(word))


def alike(one: str, other: str) -> bool:
    """Tell whether two stems are forms of one word: `encrypt` and `encryption`."""
    if one == other:
        return True
    if one[:ALIKE_CHARS] != other[:ALIKE_CHARS] or one[-1:].isdigit() or other[-1:].isdigit():
        return False
    short, long = sorted((one, other), key=len)
    common = next(
        (at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short)
    )
    rest = len(short) - common, len(long) - common
    return rest[0] <= _ENDING_CHARS_SHORT and rest[1] <= _ENDING_CHARS and common > rest[1]


ALIKE_CHARS: Final = 4
"""What forms of one word have in common at least, at their beginnings."""
_ENDING_CHARS_SHORT: Final = 2
_ENDING_CHARS: Final = 5
"""What forms of one word may differ by at their ends."""
