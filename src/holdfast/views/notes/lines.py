"""A Markdown text as lines, and the little of its structure that matters here.

Joined again the lines are the text, whatever it was. Headings in code, in comments and in front
matter are none. A fence or a comment that nobody closed hides nothing: it would hide all the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

Place: TypeAlias = Literal["text", "code", "comment", "front"]

_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_CLOSING: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*\Z")
_COMMENT: Final = re.compile(r" {0,3}<!--")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?\Z")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_NO_PARAGRAPH: Final = re.compile(r"\s*\Z| {4}|\t| {0,3}(?:[#>|<*+-]|\d+[.)]|`{3}|~{3})")


class Line(msgspec.Struct, frozen=True, gc=False):
    """A line, and the line end that it has."""

    text: str
    end: str
    place: Place = "text"


class Heading(msgspec.Struct, frozen=True):
    """A heading: its first line, and the line behind it."""

    first: int
    after: int
    level: int
    title: str


class Document(msgspec.Struct, frozen=True):
    """A text that was taken apart."""

    lines: list[Line]
    headings: list[Heading]

    @property
    def text(self) -> str:
        """The text as it was."""
        return "".join(line.text + line.end for line in self.lines)

    @property
    def newline(self) -> str:
        """The line end that most lines have."""
        ends = [line.end for line in self.lines]
        return "\r\n" if ends.count("\r\n") > ends.count("\n") else "\n"

    def below(self, heading: Heading) -> list[Heading]:
        """Return the headings of a lower level that belong to one."""
        first = bisect_right(self.headings, heading.first, key=lambda one: one.first)
        stop = first
        while stop < len(self.headings) and self.headings[stop].level > heading.level:
            stop += 1
        return self.headings[first:stop]

    def next_after(self, heading: Heading) -> int:
        """Return where the text right below a heading ends: at the next one of any level."""
        at = bisect_right(self.headings, heading.first, key=lambda one: one.first)
        return self.headings[at].first if at < len(self.headings) else len(self.lines)

    def stop_of(self, heading: Heading) -> int:
        """Return where a heading's part of the text ends: at the next of its level or above."""
        return self.next_after((self.below(heading) or [heading])[-1])


def parse(text: str) -> Document:
    """Take a text apart."""
    *whole, last = text.split("\n")
    split = [_ended(line) for line in whole] + ([(last, "")] if last else [])
    texts = [line for line, _ in split]
    if texts:
        texts[0] = texts[0].removeprefix("\ufeff")
    places = _places(texts)
    lines = [Line(*pair, place) for pair, place in zip(split, places, strict=True)]
    return Document(lines, list(_headings(texts, places)))


def _ended(line: str) -> tuple[str, str]:
    return (line[:-1], "\r\n") if line.endswith("\r") else (line, "\n")


def _places(texts: Sequence[str]) -> list[Place]:
    """Tell for each line whether it is text, or stands in something that is not."""
    places: list[Place] = ["text"] * len(texts)
    closing = _Closing(texts)
    at = 0
    while at < len(texts):
        kind, stop = closing.begins(at)
        places[at:stop] = [kind] * (stop - at)
        at = stop
    return places


class _Closing:
    """Finds where what begins in a line ends; what was not found once is not looked for again."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._unclosed: dict[str, int] = {}

    def begins(self, at: int) -> tuple[Place, int]:
        """Return what begins in a line, and the line behind it."""
        text = self._texts[at]
        if at == 0 and text.rstrip() == "---" and (stop := self._front()):
            return "front", stop
        if (fence := _FENCE.match(text)) and (stop := self._fence(at, fence[1])):
            return "code", stop
        if _COMMENT.match(text) and "-->" not in text and (stop := self._comment(at)):
            return "comment", stop
        return "text", at + 1

    def _front(self) -> int | None:
        found = (at for at, text in self._from(1) if text.rstrip() in ("---", "..."))
        end = next(found, None)
        return None if end is None else end + 1

    def _fence(self, at: int, fence: str) -> int | None:
        if len(fence) >= self._unclosed.get(fence[0], len(fence) + 1):
            return None
        for end, text in self._from(at + 1):
            closing = _CLOSING.match(text)
            if closing and closing[1][0] == fence[0] and len(closing[1]) >= len(fence):
                return end + 1
        self._unclosed[fence[0]] = len(fence)
        return None

    def _comment(self, at: int) -> int | None:
        if "<!--" in self._unclosed:
            return None
        for end, text in self._from(at + 1):
            if "-->" in text:
                return end + 1
        self._unclosed["<!--"] = 1
        return None

    def _from(self, first: int) -> Iterator[tuple[int, str]]:
        return ((at, self._texts[at]) for at in range(first, len(self._texts)))


def _headings(texts: Sequence[str], places: Sequence[Place]) -> Iterator[Heading]:
    for at, text in enumerate(texts):
        if places[at] != "text":
            continue
        if found := _HEADING.match(text):
            yield Heading(at, at + 1, len(found[1]), _title(found[2] or ""))
        elif at and places[at - 1] == "text" and (found := _UNDERLINE.match(text)):
            above = texts[at - 1]
            if not _NO_PARAGRAPH.match(above):
                yield Heading(at - 1, at + 1, 1 if found[1][0] == "=" else 2, above.strip())


def _title(text: str) -> str:
    """Return a heading's words, without the marks that may close it."""
    title = text.strip()
    words = title.rstrip("#")
    return words.rstrip() if words[-1:] in ("", " ", "\t") else title
