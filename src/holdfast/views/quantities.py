"""Quantities in a sentence: how much of what, so that two of them can be compared."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

import msgspec

from holdfast.views.lexicon import NUMBERS

_UNITS: Final[dict[str, tuple[str, int]]] = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), ("time", 1)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1_000)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("time", 60_000)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("time", 3_600_000)),
    **dict.fromkeys(("d", "day", "days"), ("time", 86_400_000)),
    **dict.fromkeys(("week", "weeks"), ("time", 604_800_000)),
    **dict.fromkeys(("month", "months"), ("time", 2_592_000_000)),
    **dict.fromkeys(("year", "years"), ("time", 31_536_000_000)),
    **dict.fromkeys(("b", "byte", "bytes"), ("size", 1)),
    **dict.fromkeys(("k", "kb", "kib"), ("size", 1 << 10)),
    **dict.fromkeys(("mb", "mib"), ("size", 1 << 20)),
    **dict.fromkeys(("gb", "gib"), ("size", 1 << 30)),
    **dict.fromkeys(("tb", "tib"), ("size", 1 << 40)),
    **dict.fromkeys(("%", "percent"), ("share", 1)),
    **dict.fromkeys(("px", "pixel", "pixels"), ("pixels", 1)),
}
"""What a unit measures, and how many of the smallest it is. Powers of 1000 and of 1024 are not told
apart: people do not."""

_PERIODS: Final = {
    "hourly": "hour",
    "daily": "day",
    "nightly": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
}

_NUMBER: Final = re.compile(r"\d[\d_,]*(?:\.\d+)*")
_LINKS: Final = frozenset({"is", "are", "of", "=", "to", "at", "by", "than", "be", "v", "version"})


class Quantity(msgspec.Struct, frozen=True):
    """A number and what it is one of: a unit, what is counted, or what it is the number of."""

    kind: str
    amount: Decimal | str
    """A version with several dots stays as it is written."""


class Measured(msgspec.Struct, frozen=True):
    """The quantities of a sentence, and its other words in their order, with their places."""

    quantities: tuple[Quantity, ...]
    rest: tuple[str, ...]


def measure(tokens: tuple[str, ...]) -> Measured:
    """Take the quantities out of a sentence."""
    found, rest, place = [], list[str](), 0
    while place < len(tokens):
        quantity, taken = _at(tokens, place)
        if quantity is None:
            rest.append(tokens[place])
            place += 1
        else:
            found.append(quantity)
            place += taken
    return Measured(tuple(found), tuple(rest))


def _at(tokens: tuple[str, ...], place: int) -> tuple[Quantity | None, int]:
    """Return the quantity that begins at a word, and how many words it takes."""
    word = tokens[place].casefold()
    if word in _PERIODS:
        return _in_units(Decimal(1), _PERIODS[word]), 1
    following = tokens[place + 1].casefold() if place + 1 < len(tokens) else ""
    if word in ("every", "each") and following in _UNITS and len(following) > 2:
        return _in_units(Decimal(1), following), 2
    if word == "once" and following in ("a", "per", "every") and place + 2 < len(tokens):
        unit = tokens[place + 2].casefold()
        if unit in _UNITS:
            return _in_units(Decimal(1), unit), 3
    number, unit = _number(word)
    if number is None:
        return None, 0
    if unit:
        return _in_units(number, unit), 1
    if following in _UNITS:
        return _in_units(number, following), 2
    return _counted(tokens, place, number, following)


def _counted(
    tokens: tuple[str, ...], place: int, number: Decimal | str, following: str
) -> tuple[Quantity | None, int]:
    """Return a number of things, or the number that a thing has: `3 retries`, `Node 18`."""
    before = place - 1
    while before >= 0 and tokens[before].casefold() in _LINKS:
        before -= 1
    is_named = before >= 0 and before == place - 1 and not following_is_noun(following)
    if following_is_noun(following) and not is_named:
        return Quantity(f"number of {_singular(following)}", number), 1
    if before >= 0:
        written = tokens[place].removeprefix("v")
        version = written if "." in written else number  # 3.10 is not 3.1
        return Quantity(f"{tokens[before].casefold()} number", version), 1
    return None, 0


def following_is_noun(word: str) -> bool:
    """Tell whether a word after a number can be what is counted."""
    return bool(re.fullmatch(r"[^\W\d]{2,}(?:-\w+)*", word)) and word not in _NOT_COUNTED


_NOT_COUNTED: Final = frozenset(
    {"and", "or", "per", "as", "with", "in", "on", "at", "for", "to", "is", "are", "until", "by"}
    | {"because", "since", "when", "if", "but", "only", "than", "over", "under", "from", "via"}
)


def _number(word: str) -> tuple[Decimal | str | None, str]:
    """Read `30`, `1,000`, `3.10`, `30s`, `80%`, `two`; a unit may be written to the number."""
    if word in NUMBERS:
        return Decimal(NUMBERS[word]), ""
    match = _NUMBER.match(word.removeprefix("v"))
    if match is None:
        return None, ""
    text, unit = match.group(), word.removeprefix("v")[match.end() :]
    if unit and unit not in _UNITS:
        return None, ""
    return _value(text.rstrip(",")), unit


def _value(text: str) -> Decimal | str:
    plain = text.replace(",", "").replace("_", "")
    return plain if plain.count(".") > 1 else Decimal(plain)


def _in_units(number: Decimal | str, unit: str) -> Quantity:
    kind, factor = _UNITS[unit]
    return Quantity(kind, number if isinstance(number, str) else number * factor)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
