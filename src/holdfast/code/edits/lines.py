"""Lines of a text, their ends, and where some of them stand among others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

Ending: TypeAlias = Literal["\n", "\r\n", "mixed"]


def split(text: str) -> list[str]:
    """Cut a text behind each line feed; joined again the lines are the text."""
    lines = [line + "\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def ending(text: str) -> Ending:
    """Name the line ends of a text; one without any counts as having line feeds."""
    crlf = text.count("\r\n")
    if crlf == 0:
        return "\n"
    return "\r\n" if crlf == text.count("\n") else "mixed"


def to_lf(text: str) -> str:
    """Turn each CRLF into a line feed."""
    return text.replace("\r\n", "\n")


def to_crlf(text: str) -> str:
    """Turn each line end into CRLF."""
    return to_lf(text).replace("\n", "\r\n")


class Sought(msgspec.Struct, frozen=True):
    """What looking for lines among lines gave; indexes count from 0."""

    places: tuple[int, ...]
    """The first places, at most two: more is not needed to know that it is ambiguous."""
    nearest: int | None = None
    matched: int = 0
    """Where the most lines in a row agreed, and how many."""


def seek(lines: Sequence[str], wanted: Sequence[str], start: int = 0) -> Sought:
    """Find the places where all wanted lines stand in a row (Knuth, Morris, Pratt: linear)."""
    if not wanted:
        return Sought(())
    numbers: dict[str, int] = {}
    pattern = [numbers.setdefault(line, len(numbers)) for line in wanted]
    back = _fallbacks(pattern)
    places: list[int] = []
    nearest, best, matched = None, 0, 0
    for index in range(start, len(lines)):
        number = numbers.get(lines[index], -1)
        while matched and pattern[matched] != number:
            matched = back[matched - 1]
        matched += pattern[matched] == number
        if matched > best:
            nearest, best = index - matched + 1, matched
        if matched == len(pattern):
            places.append(index - matched + 1)
            if len(places) == 2:
                break
            matched = back[matched - 1]
    return Sought(tuple(places), nearest, best)


def _fallbacks(pattern: Sequence[int]) -> list[int]:
    back = [0] * len(pattern)
    matched = 0
    for index in range(1, len(pattern)):
        while matched and pattern[matched] != pattern[index]:
            matched = back[matched - 1]
        matched += pattern[matched] == pattern[index]
        back[index] = matched
    return back
