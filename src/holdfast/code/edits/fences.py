"""Fenced code blocks by CommonMark: nested, longer, with tildes, in list items and quotes.

One line at a time goes in, and out comes whether it opens or closes a fence. Lists, quotes,
paragraphs and headings are followed only as far as fences depend on them. One rule is left out on
purpose: to CommonMark a fence inside an HTML block is text, but models write `<answer>` above a
fence and mean the fence.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from holdfast.kernel.limits import EDIT_NESTING_MAX

TAB: Final = 4

_BULLET: Final = re.compile(r"[-+*](?=[ \t]|$)")
_ORDERED: Final = re.compile(r"([0-9]{1,9})[.)](?=[ \t]|$)")
_HEADING: Final = re.compile(r"#{1,6}(?:[ \t]|$)")
_SETEXT: Final = re.compile(r"(?:=+|-+)[ \t]*$")


class Opening(msgspec.Struct, frozen=True):
    """The line that opens a fence."""

    mark: str
    """The run of backticks or tildes."""
    info: str
    indent: int
    nested: bool
    """It stands in a list item or a quote."""
    quoted: bool = False
    """It stands in a quote: somebody's words are shown again."""


class _Item(msgspec.Struct):
    """A list item: its content begins so many columns in."""

    width: int
    empty: bool


class Line:
    """A line without its end, read from the left; columns matter where there are tabs."""

    def __init__(self, text: str) -> None:
        self.rest = text
        self.column = 0

    def indent(self) -> int:
        """Count the columns of space it begins with."""
        column = self.column
        for char in self.rest:
            if char == " ":
                column += 1
            elif char == "\t":
                column += TAB - column % TAB
            else:
                break
        return column - self.column

    def blank(self) -> bool:
        """Tell whether nothing but space is left."""
        return not self.rest.strip(" \t")

    def skip(self, columns: int) -> None:
        """Take columns of space away; what is left of a tab becomes spaces."""
        while columns > 0 and self.rest[:1] in (" ", "\t") and self.rest:
            width = 1 if self.rest[0] == " " else TAB - self.column % TAB
            left = max(0, width - columns)
            self.rest = " " * left + self.rest[1:]
            self.column += width - left
            columns -= width

    def take(self, chars: int) -> None:
        """Take characters away, each one column wide."""
        self.rest = self.rest[chars:]
        self.column += chars


class Fences:
    """Follow a text line by line."""

    def __init__(self) -> None:
        self._open: list[_Item | None] = []  # None is a quote
        self._paragraph = False
        self._fence: Opening | None = None
        self.ended_with_container = False
        """The fence that ended last was not closed: the list item or quote around it ended."""

    def reset(self) -> None:
        """Begin anew, as behind something that is not Markdown."""
        self._open.clear()
        self._paragraph, self._fence = False, None

    def opens(self, text: str) -> Opening | None:
        """Take a line outside of fences; return the fence that it opens."""
        line = Line(text)
        matched = self._enter(line)
        lazy = matched < len(self._open) and self._paragraph
        started = self._start_containers(line, matched)
        if not started and lazy and _continues(line):
            return None  # the paragraph of the inner container goes on
        if matched < len(self._open) and not started:
            self._close(matched)
        return self._leaf(line, started=started)

    def content(self, text: str) -> str | None:
        """Take a line inside a fence; return what it holds, None when the fence is over.

        When its container ended, the line belongs to what follows and MUST be looked at again.
        """
        fence = self._fence
        assert fence is not None
        line = Line(text)
        self.ended_with_container = self._enter(line) < len(self._open)
        closed = line.indent() < TAB and is_closing(line.rest, fence.mark)
        if self.ended_with_container or closed:
            self._fence = None
            return None
        line.skip(min(fence.indent, line.indent()))
        return line.rest

    def _enter(self, line: Line) -> int:
        """Go into the open containers as far as the line belongs to them."""
        for depth, item in enumerate(self._open):
            if item is None:
                if line.indent() >= TAB or line.rest.lstrip(" \t")[:1] != ">":
                    return depth
                _take_quote(line)
            elif line.blank():
                if item.empty:
                    return depth
                line.skip(item.width)
            elif line.indent() >= item.width:
                line.skip(item.width)
                item.empty = False
            else:
                return depth
        return len(self._open)

    def _close(self, depth: int) -> None:
        del self._open[depth:]
        self._paragraph = False

    def _start_containers(self, line: Line, matched: int) -> bool:
        """Open the quotes and list items that begin here."""
        started = False
        while len(self._open) < EDIT_NESTING_MAX and line.indent() < TAB and not line.blank():
            if line.rest.lstrip(" ")[:1] == ">":
                item = None
            else:
                interrupts = self._paragraph and not started and matched == len(self._open)
                width = _item_width(line, interrupts=interrupts)
                if width is None:
                    break
                item = _Item(width[0], width[1])
            if not started:
                self._close(matched)
            started = True
            self._open.append(item)
            if item is None:
                _take_quote(line)
            else:
                _take_item(line, item)
        return started

    def _leaf(self, line: Line, *, started: bool) -> Opening | None:
        if started:
            self._paragraph = False
        if line.blank():
            self._paragraph = False
            return None
        if line.indent() >= TAB:
            return None  # code by indentation, or a paragraph that goes on
        fence = _opening(line, nested=bool(self._open), quoted=None in self._open)
        if fence is not None:
            self._fence, self._paragraph = fence, False
            return fence
        text = line.rest.lstrip(" \t")
        underlined = self._paragraph and _SETEXT.match(text)
        self._paragraph = not (_HEADING.match(text) or _is_break(text) or underlined)
        return None


def _continues(line: Line) -> bool:
    """Tell whether a line can go on with a paragraph of a container that it does not enter."""
    if line.blank():
        return False
    if line.indent() >= TAB:
        return True
    text = line.rest.lstrip(" \t")
    return not (_HEADING.match(text) or _is_break(text) or _opening(line, nested=False))


def _opening(line: Line, *, nested: bool, quoted: bool = False) -> Opening | None:
    text = line.rest.lstrip(" \t")
    if text[:3] not in ("```", "~~~"):
        return None
    info = text.lstrip(text[0])
    if text[0] == "`" and "`" in info:
        return None
    mark = text[: len(text) - len(info)]
    return Opening(mark, info.strip(), line.indent(), nested, quoted)


def is_closing(text: str, mark: str) -> bool:
    """Tell whether a line closes a fence that this run of marks opened."""
    text = text.strip(" \t")
    return len(text) >= len(mark) and text.startswith(mark) and not text.strip(mark[0])


def opens_inside(content: str, mark: str) -> bool:
    """Tell whether a line inside a fence looks as if it opened one: then the next may not close."""
    text = content.lstrip(" \t")
    return text.startswith(mark) and text.strip(" \t" + mark[0]) != ""


def _is_break(text: str) -> bool:
    """Tell whether a line is a thematic break: three or more of one mark, and space."""
    mark = text[:1]
    return mark in ("*", "-", "_") and not text.strip(mark + " \t") and text.count(mark) >= 3


def _take_quote(line: Line) -> None:
    line.skip(line.indent())
    line.take(1)
    line.skip(1)


def _item_width(line: Line, *, interrupts: bool) -> tuple[int, bool] | None:
    """Return where the content of a list item begins, and whether there is none in its line."""
    indent, text = line.indent(), line.rest.lstrip(" \t")
    if _is_break(text):
        return None
    found = _BULLET.match(text) or _ORDERED.match(text)
    if found is None:
        return None
    after = Line(text)
    after.column = line.column + indent
    after.take(found.end())
    empty = after.blank()
    if interrupts and (empty or (found.lastindex and int(found[1]) != 1)):
        return None
    space = after.indent()
    return indent + found.end() + (space if not empty and space <= TAB else 1), empty


def _take_item(line: Line, item: _Item) -> None:
    line.skip(line.indent())
    found = _BULLET.match(line.rest) or _ORDERED.match(line.rest)
    assert found is not None
    line.take(found.end())
    if item.empty:
        line.rest = ""
    elif line.indent() > TAB:
        line.skip(1)
    else:
        line.skip(line.indent())
