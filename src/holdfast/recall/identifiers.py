"""Identifiers of code: a few tokens that stand for lines of a file until somebody needs them.

    ${PROJECT_ROOT}/src/a.py:45-67      these lines
    ${PROJECT_ROOT}/src/a.py:45         the smallest whole definition around this line
    ${PROJECT_ROOT}/src/a.py::A.put     the definition of this qualified name

Without `${PROJECT_ROOT}/` the path is taken from the current folder. It ends at the first `::`:
a file with that in its name has no identifier.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

import msgspec

PROJECT_ROOT: Final = "${PROJECT_ROOT}/"


class Lines(msgspec.Struct, frozen=True):
    """From one line of a file to another, both counted from 1 and both part of it."""

    path: str
    first: int
    last: int


class Line(msgspec.Struct, frozen=True):
    """The definition around a line of a file."""

    path: str
    line: int


class Named(msgspec.Struct, frozen=True):
    """The definition of a qualified name in a file."""

    path: str
    name: str


Identifier: TypeAlias = Lines | Line | Named


def parse(text: str) -> Identifier | None:
    """Read an identifier; None when the text has none of the forms."""
    path, found, name = text.partition("::")
    if found:
        return Named(path, name) if path and name else None
    match = _AT_LINES.fullmatch(text)
    if match is None:
        return None
    first, last = int(match["first"]), match["last"]
    return Line(match["path"], first) if last is None else Lines(match["path"], first, int(last))


def spell(path: str, first: int, last: int) -> str:
    """Write the identifier of lines; the path is one below the project's root."""
    return f"{PROJECT_ROOT}{path}:{first}-{last}"


_AT_LINES: Final = re.compile(
    r"(?P<path>.+):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?", re.DOTALL
)
