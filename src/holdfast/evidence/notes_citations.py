"""Citations that a person wrote into the notes: those that are meant, not those that show the form.

What stands between fences, in a comment, or with its brackets in a code span is an example: it is
shown, not cited. A fence with the place right behind it is the quote of a citation. As in the notes
themselves, a fence or a comment that nobody closed hides nothing: it would hide all the rest.

Not here: lines that holdfast wrote, which repeat the ledger; and files, which `checking` looks at.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from holdfast.evidence.citations import Cited, parse
from holdfast.views.notes import Document, blocks_of

_PREFIX: Final = r"^[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++)*+"
_BEGINS: Final = re.compile(
    rf"{_PREFIX}(?P<fence>`{{3,}}+(?=[^`\n]*+$)|~{{3,}}+)|(?P<span>`{{2,}}+)|(?P<comment><!--)",
    re.MULTILINE,
)
_CLOSES: Final = re.compile(r"^[ \t>]*+(?P<fence>`{3,}+|~{3,}+)[ \t]*+\r?$", re.MULTILINE)
_SPAN: Final = re.compile(r"`{2,}+")
_BLANK: Final = re.compile(r"^[ \t>]*+\r?$", re.MULTILINE)
_FORM_SHOWN: Final = re.compile(r":line(?:-line)?\]\Z")


class Placed(msgspec.Struct, frozen=True):
    """A citation, and the line of the notes that it begins in."""

    cited: Cited
    line: int


def cited_in(document: Document) -> list[Placed]:
    """Return the citations that a person wrote, in their order."""
    text = document.text
    cited = parse(text)
    if not cited:
        return []
    ours = {at + 1 for block in blocks_of(document) for at in block.ours}
    shown = _Examples(text, cited)
    ends = [match.start() for match in re.finditer("\n", text)]
    placed = (Placed(one, bisect_left(ends, one.start) + 1) for one in cited)
    return [
        one
        for one in placed
        if bisect_left(ends, one.cited.end - 1) + 1 not in ours
        and not shown.hold(one.cited)
        and not _shows_form(text, one.cited)
    ]


def _shows_form(text: str, cited: Cited) -> bool:
    """Tell whether the line is the word `line`, or the brackets themselves stand in backticks."""
    if _FORM_SHOWN.search(text, cited.start, cited.end):
        return True
    return not cited.quote and text[cited.start - 1 : cited.start] == "`" == text[cited.end :][:1]


class _Examples:
    """The parts of a text that are shown; what quotes for a citation is none of them."""

    def __init__(self, text: str, cited: Sequence[Cited]) -> None:
        self._text = text
        quoting = [one for one in cited if text.startswith("``", one.start)]
        self._quotes = {one.start: one.end for one in quoting}
        self._firsts = sorted(self._quotes)
        self._fences = _by_sign(_CLOSES.finditer(text))
        self._spans: dict[int, list[int]] = {}
        for match in _SPAN.finditer(text):
            self._spans.setdefault(len(match[0]), []).append(match.start())
        self._last_comment = text.rfind("-->")
        self._blanks = [match.start() for match in _BLANK.finditer(text)]
        self._parts = list(self._find())

    def hold(self, cited: Cited) -> bool:
        """Tell whether a citation ends within one of them."""
        at = bisect_right(self._parts, (cited.end, 0)) - 1
        return at >= 0 and cited.end <= self._parts[at][1]

    def _find(self) -> Iterator[tuple[int, int]]:
        at = 0
        while match := _BEGINS.search(self._text, at):
            begin = match.start(match.lastgroup or 0)
            if begin in self._quotes:
                at = self._quotes[begin]
                continue
            end = self._end(match)
            at = match.end() if end is None else end
            if end is not None:
                yield begin, end

    def _end(self, match: re.Match[str]) -> int | None:
        if match["comment"]:
            ticked = self._text[match.start() - 1 : match.start()] == "`"
            if ticked or match.end() > self._last_comment:
                return None
            return self._text.find("-->", match.end()) + 3
        sign = match["fence"] or match["span"]
        end = self._fence(sign, match.end()) if match["fence"] else None
        return end if end is not None or sign[0] == "~" else self._span(len(sign), match.end())

    def _fence(self, sign: str, after: int) -> int | None:
        """Return where a fence is closed: by one that is at least as long."""
        found = (
            ends[at]
            for length, ends in self._fences.get(sign[0], {}).items()
            if length >= len(sign) and (at := bisect_right(ends, after)) < len(ends)
        )
        return min(found, default=None)

    def _span(self, length: int, after: int) -> int | None:
        """Return where a code span ends, in the same paragraph."""
        blank = bisect_left(self._blanks, after)
        stop = self._blanks[blank] if blank < len(self._blanks) else len(self._text)
        starts = self._spans[length]
        for at in range(bisect_left(starts, after), len(starts)):
            if starts[at] >= stop:
                return None
            if not self._quoted(starts[at]):
                return starts[at] + length
        return None

    def _quoted(self, place: int) -> bool:
        """Tell whether a place belongs to the quote of a citation."""
        at = bisect_right(self._firsts, place) - 1
        return at >= 0 and place < self._quotes[self._firsts[at]]


def _by_sign(closing: Iterator[re.Match[str]]) -> dict[str, dict[int, list[int]]]:
    """Return where lines end that can close a fence, by its sign and how long it is."""
    found: dict[str, dict[int, list[int]]] = {}
    for match in closing:
        sign = match["fence"]
        found.setdefault(sign[0], {}).setdefault(len(sign), []).append(match.end())
    return found
