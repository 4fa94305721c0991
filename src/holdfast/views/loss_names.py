"""Whether commands, paths and numbers are still told: these count as they are spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from holdfast.views.loss_text import (
    DROPPED,
    Clause,
    Found,
    Summary,
    alike,
    clause,
)
from holdfast.views.quantities import Quantity, measure

# Commands


def command_fate(command: str, exit_code: int | None, told: Summary) -> Found:
    """Look for a command as it was typed, and for how it ended; else for what it was run on."""
    line = " ".join(command.split())
    places = list(_typed(line, told))
    if places:
        ended = exit_code is None or any(_tells_end(place, exit_code) for place in places)
        if ended:
            return Found("kept", instead=line)
        return Found("paraphrased", (f"exit {exit_code}",), line)
    named = _named(line)
    speaks = len(named) > 1 and all(_last(part).casefold() in told.low for part in named)
    for place in told.places if speaks else ():
        if _speaks_of(named, place):
            missing = [word for word in line.split() if word not in place.text]
            return Found("paraphrased", tuple(dict.fromkeys(missing)), place.text)
    return DROPPED


def _typed(line: str, told: Summary) -> Iterator[str]:
    """Yield what stands around each place where a command is written as it was typed."""
    is_word = line.isalnum()
    at = told.line.find(line)
    while at >= 0:
        end = at + len(line)
        if _is_whole(told.line[:at], told.line[end : end + _AFTER_CHARS], is_word=is_word):
            yield told.line[max(0, at - _AROUND_CHARS) : end + _AROUND_CHARS]
        at = told.line.find(line, at + 1)
    if line in told.coded and line not in told.line:
        yield line


_AFTER_CHARS: Final = 40
_AROUND_CHARS: Final = 80
"""How far from a command it may be told how it ended."""
_LONGER: Final = re.compile(r"^\s*(?:-{1,2}\w|\S*[/=|<>&$*]|\w+\.\w)|^[\w./-]")
"""What follows a command that is longer: an option, a path, a pipe."""
_RAN: Final = re.compile(r"(?:\b(?:ran|runs?|running|re-?ran|executed?|invoked?|typed?)|\$)\s+$")


def _is_whole(before: str, after: str, *, is_word: bool) -> bool:
    """Tell whether it is this command: not a part of a longer one, nor just a word."""
    ticked = before.endswith("`")
    if ticked:
        return after.startswith("`")
    if is_word:
        return bool(_RAN.search(before[-20:])) and not _LONGER.match(after)
    glued = before[-1:].isalnum() or before[-1:] in ("/", "-", "_", ".")
    return not glued and not _LONGER.match(after)


def _tells_end(around: str, exit_code: int) -> bool:
    if re.search(rf"\b(?:exit|code|status|returned|rc)\W*(?:\w+\W+)?{exit_code}\b", around, re.I):
        return True
    return bool((_WENT_WELL if exit_code == 0 else _WENT_WRONG).search(around))


_WENT_WELL: Final = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|succe\w+|ok|green|clean|works?|worked|fine|well|0 failed)\b|[✓✔✅]",
    re.I,
)
_WENT_WRONG: Final = re.compile(
    r"\b(?:fail\w*|error\w*|broke\w*|red|non-?zero|crash\w*|refused|rejected)\b|[✗✘❌]", re.I
)


def _named(line: str) -> list[str]:
    """Return what a command names: its program and everything that is no option."""
    parts = [quoted.strip("\"'") for quoted in _PARTS.findall(line)]
    return [part for part in parts if not part.startswith("-") and any(map(str.isalnum, part))]


_PARTS: Final = re.compile(r"\"[^\"]*\"|'[^']*'|\S+")


def _speaks_of(named: list[str], place: Clause) -> bool:
    """Tell whether a place names all that a command does, as words of their own."""
    low = place.text.casefold()
    here = all(_last(part).casefold() in low for part in named)
    return here and all(_has(part, place) for part in named)


def _has(part: str, place: Clause) -> bool:
    return any(_bounded(one).search(place.text) for one in (part, _last(part)))


def _last(part: str) -> str:
    return part.rstrip("/").rpartition("/")[2] or part


@lru_cache(maxsize=512)
def _bounded(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(word)}(?![\w/-]|\.\w)", re.I)


# Paths


def path_fate(path: str, told: Summary, *, alone: bool) -> Found:
    """Look for a path; else for the end of it, which counts if no other path ends so."""
    if _names(path, told.line):
        return Found("kept", instead=path)
    parts = path.strip("/").split("/")
    for first in range(1, len(parts)):
        end = "/".join(parts[first:])
        is_name = first == len(parts) - 1
        if is_name and (not alone or not _telling(end)):
            break
        if _names(end, told.line):
            return Found("paraphrased", ("/".join(parts[:first]) + "/",), end)
    return DROPPED


def _names(path: str, text: str) -> bool:
    return path in text and bool(_path(path).search(text))


def _path(path: str) -> re.Pattern[str]:
    """Match a path that stands for itself, or behind the absolute path of a folder."""
    return re.compile(rf"(?<![\w./-])(?:\./|{_ABOVE})?{re.escape(path)}(?![\w/-]|\.\w)")


_ABOVE: Final = r"(?:/|~/|\$\{?\w+\}?/)(?:[\w.@+-]+/)*"


def _telling(name: str) -> bool:
    """Tell whether a name is one of a file, and not of a hundred files."""
    return "." in name.strip(".") and name.casefold() not in _COMMON_NAMES


_COMMON_NAMES: Final = frozenset(
    {"__init__.py", "index.js", "index.ts", "index.html", "mod.rs", "main.py", "main.go"}
    | {"readme.md", "conftest.py"}
)


# Numbers


def number_fate(number: str, about: str, told: Summary) -> Found:
    """Look for an amount, in a place that speaks of the same thing."""
    amount = amount_of(number)
    context = [word.stem for word in clause(about).words if not word.raw[:1].isdigit()]
    units = {word.stem for word in clause(number).words}
    context = [one for one in context if one not in units]
    for place in told.places:
        spelled = _spelled(number, place.text)
        if not spelled and amount not in _amounts(place.text):
            continue
        if context and not _shares(context, place):
            continue
        return Found("kept" if spelled else "paraphrased", (), place.text)
    return DROPPED


def _shares(context: list[str], place: Clause) -> bool:
    """Tell whether a place speaks of what a number is about."""
    return any(alike(one, word.stem) for one in context for word in place.words)


def _spelled(number: str, text: str) -> bool:
    first = number.split()[0]
    return first in text and bool(_number(number).search(text))


@lru_cache(maxsize=512)
def _number(number: str) -> re.Pattern[str]:
    wanted = r"\s?".join(re.escape(part) for part in number.split())
    return re.compile(rf"(?<![\w.,]){wanted}(?![\w%]|[.,]\d)", re.I)


_TOKENS: Final = re.compile(r"\d[\d_,]*(?:\.\d+)*%?|[^\W\d_]+|%")
_UNITS: Final = frozenset({"time", "size", "share", "pixels"})


def amount_of(number: str) -> tuple[str, Decimal | str] | None:
    """Return what a number measures and how much of it; of a bare one, only how much."""
    return next(iter(_amounts(number)), None)


@lru_cache(maxsize=8192)
def _amounts(text: str) -> tuple[tuple[str, Decimal | str], ...]:
    tokens = tuple(_split(text))
    counted = [(_unit(one), one.amount) for one in measure(tokens).quantities]
    return (*counted, *(("", Decimal(_MANY[one])) for one in tokens if one in _MANY))


def _unit(quantity: Quantity) -> str:
    return quantity.kind if quantity.kind in _UNITS else ""


_MANY: Final = {"dozen": 12, "hundred": 100, "thousand": 1000, "twice": 2, "thrice": 3}


def _split(text: str) -> Iterator[str]:
    """Yield words and numbers, a unit apart from the number it is written to."""
    for token in _TOKENS.findall(text):
        if token.endswith("%") and len(token) > 1:
            yield from (token[:-1], "%")
        else:
            low = token.rstrip(",").casefold()
            yield _LONG_UNITS.get(low.removesuffix("s"), low)


_LONG_UNITS: Final = {"kilobyte": "kb", "megabyte": "mb", "gigabyte": "gb", "terabyte": "tb"}
