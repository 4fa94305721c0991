"""Quotes out of Python's own library: a line that stands once in its module, or it and the two
lines below it."""

from __future__ import annotations

import random
import sysconfig
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

SAMPLES: Final = 100


class Sample(NamedTuple):
    """A module and a quote in it; line numbers count from 1."""

    lines: list[str]
    line: int
    quote: str

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def more(self) -> int:
        """How many lines the quote has below its first one."""
        return self.quote.count("\n")


@cache
def samples(seed: int = 1) -> list[Sample]:
    """Return quotes from different modules, half of them of three lines."""
    chance = random.Random(seed)
    library = Path(sysconfig.get_paths()["stdlib"])
    paths = sorted(path for path in library.glob("*.py"))
    paths += sorted(path for path in library.glob("*/*.py") if "packages" not in path.parts[-2])
    chance.shuffle(paths)
    found: list[Sample] = []
    for path in paths:
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        sample = _sample(text, chance, long=len(found) % 2 == 1)
        if sample is not None:
            found.append(sample)
        if len(found) == SAMPLES:
            return found
    raise AssertionError("the library has too few modules")


def _sample(text: str, chance: random.Random, *, long: bool) -> Sample | None:
    if "\r" in text or "\0" in text or len(text) > 100_000:
        return None
    lines = text.split("\n")[:-1]
    for _ in range(20):
        if len(lines) < 60:
            return None
        at = chance.randrange(20, len(lines) - 20)
        if _serves(lines[at]) and _plain(text).count(_plain(lines[at])) == 1:
            quote = "\n".join([lines[at].lstrip(), *lines[at + 1 : at + 3]])
            quote = quote if long else lines[at].strip()
            if quote.strip(" ") == quote and "`" not in quote and lines[at + 2]:
                return Sample(lines, at + 1, quote)
    return None


def _serves(line: str) -> bool:
    """An indented line of ASCII with several words, one of them with a letter to look like."""
    words = line.split()
    return line.isascii() and line.startswith("    ") and len(words) > 2 and letter_of(line) > 0


def letter_of(line: str) -> int:
    return next((at for at, char in enumerate(line) if char in LOOK_ALIKE), -1)


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


LOOK_ALIKE: Final = {"a": "\u0430", "e": "\u0435", "o": "\u043e", "c": "\u0441", "p": "\u0440"}
