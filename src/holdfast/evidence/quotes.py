"""A quote held against the text of a file: does it stand there, word for word?

Line ends are the only thing forgiven: a file with CRLF reads as one with LF. A quote of one line
may be a part of its line. One of several lines ends its first line and begins its last one.

Text in, values out; files are read by `checking`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import msgspec

from holdfast.kernel.limits import QUOTE_COMPARED_CHARS_MAX, QUOTE_WORD_CHARS_MIN
from holdfast.kernel.types.evidence import State

BLANKS: Final = "only blanks differ"
LOOK_ALIKES: Final = "look-alike characters"
CASE: Final = "only capitals differ"


class Seen(msgspec.Struct, frozen=True):
    """What became of a quote."""

    state: State
    line: int | None = None
    """Where it stands: where it is said to, or elsewhere."""
    how: str | None = None
    """What differs, where that is little."""


class Lines:
    """The text of a file by its lines, counted from 1; the first `ahead` can be had quickly."""

    def __init__(self, text: str, ahead: int = 0) -> None:
        self.text = text.replace("\r\n", "\n") if "\r" in text else text
        self._first = self.text.split("\n", ahead) if ahead else []
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        if self._lines is None:
            self._lines = self.text.split("\n")
            if self._lines[-1] == "":
                self._lines.pop()  # the end of the last line begins no other
        return self._lines

    def line(self, number: int) -> str | None:
        """Return one line, None when there is no such."""
        if number < len(self._first):  # what is behind the last end may be more than a line
            return self._first[number - 1]
        return self.lines[number - 1] if number <= self.total else None

    @property
    def total(self) -> int:
        """How many lines there are."""
        return len(self.lines)

    def part(self, first: int, last: int) -> str:
        """Return lines as a text, from one to another."""
        return "\n".join(self.lines[first - 1 : last])

    def start_of(self, line: int) -> int:
        """Return at which character a line begins; the end of the text for one behind it."""
        if line > self.total:
            return len(self.text)
        return sum(map(len, self.lines[: line - 1])) + line - 1

    def line_at(self, place: int) -> int:
        """Return the number of the line that a character stands in."""
        return self.text.count("\n", 0, place) + 1


def look(lines: Lines, quote: str, first: int, last: int | None = None) -> Seen:
    """Tell what became of a quote that is said to stand at a line, or within some."""
    found = standing(lines, quote, first, last)
    if found is not None:
        return Seen("exact", found)
    found = nearest(lines, quote, first)
    if found is not None:
        return Seen("moved", found)
    if first > lines.total:
        return Seen("gone")
    return Seen("changed", how=_difference(quote, _around(lines, quote, first, last)))


def standing(lines: Lines, quote: str, first: int, last: int | None = None) -> int | None:
    """Return the line where a quote begins, among those where it is said to stand."""
    if last is None and "\n" not in quote:  # by far the most are like this
        there = lines.line(first)
        return first if there is not None and quote in there else None
    parts = quote.split("\n")
    more = len(parts) - 1
    stop = first if last is None else last - more
    for line in range(first, min(stop, lines.total - more) + 1):
        if _begins(lines.lines, parts, line - 1):
            return line
    return None


def nearest(lines: Lines, quote: str, line: int) -> int | None:
    """Return the line nearest to another at which a quote begins, wherever in the text."""
    text = lines.text
    start = lines.start_of(line)
    after = text.find(quote, start)
    before = text.rfind(quote, 0, start + len(quote) - 1) if start else -1
    found = [lines.line_at(place) for place in (before, after) if place >= 0]
    return min(found, key=lambda one: abs(one - line), default=None)


def says_something(quote: str, lines: Lines, line: int) -> bool:
    """Tell whether a quote is more than a crumb: it has some letters or digits.

    Fewer will do for a line that has no more, and is quoted whole. Signs alone never do.
    """
    if _WORDS.search(quote):
        return True
    there = lines.line(line) or ""
    return re.search(r"\w", quote) is not None and quote.strip() == there.strip()


_WORDS: Final = re.compile(r"\w\W*" * QUOTE_WORD_CHARS_MIN)


def _begins(lines: list[str], parts: list[str], at: int) -> bool:
    """Tell whether a quote begins in a line and goes on in the next ones."""
    if len(parts) == 1:
        return parts[0] in lines[at]
    end = at + len(parts) - 1
    return (
        lines[at].endswith(parts[0])
        and lines[end].startswith(parts[-1])
        and lines[at + 1 : end] == parts[1:-1]
    )


def _around(lines: Lines, quote: str, first: int, last: int | None) -> str:
    """Return the cited lines, at least as many as the quote has."""
    return lines.part(first, max(last or first, first + quote.count("\n")))


def _difference(quote: str, there: str) -> str | None:
    """Say what differs, where it is no more than one of these."""
    there = there[:QUOTE_COMPARED_CHARS_MAX]
    for how, plain in (
        (BLANKS, _without_blanks),
        (CASE, lambda text: _without_blanks(text).casefold()),
        (LOOK_ALIKES, _skeleton),
    ):
        if (wanted := plain(quote)) and wanted in plain(there):
            return how
    return None


def _without_blanks(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _skeleton(text: str) -> str:
    """Return a text in which characters that look the same are the same."""
    plain = unicodedata.normalize("NFKD", text)
    shown = (c for c in plain if unicodedata.category(c) not in ("Cf", "Mn"))
    return _without_blanks("".join(shown).translate(_LOOK_ALIKES)).casefold()


_LOOK_ALIKES: Final = str.maketrans(
    "АВЕКМНОРСТУХаеорсухіјѕԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανρ‘’‚‛′“”„‟″‐‑‒–—―−⁄∕˂˃ǃ",
    "ABEKMHOPCTYXaeopcyxijsdqwhABEZHIKMNOPTYXoavp'''''\"\"\"\"\"-------//<>!",
)
"""Letters of Cyrillic and Greek, quotation marks and dashes, each with what it passes for."""
