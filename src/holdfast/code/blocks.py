"""How far a definition goes that only its first line was recognised of.

Without a grammar this is a good guess, not knowledge: brackets in odd strings and unusual layouts
mislead it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.code.patterns import Block

_STRINGS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`|//.*')
_OPENING_LINES_MAX: Final = 12
"""Lines after the first in which a body may begin."""


def last_line(lines: Sequence[str], first: int, block: Block) -> tuple[int, bool]:
    """Return the index of the last line, and whether the definition was seen to end."""
    match block:
        case "line":
            return first, True
        case "indent":
            return _indented(lines, first), True
        case "end":
            return _ended(lines, first)
        case "section":
            return _until_section(lines, first), True
        case "braces":
            return _bracketed(lines, first, "{}")
        case "parens":
            return _bracketed(lines, first, "()")


def indent(line: str) -> int:
    """Return the width of the space before a line."""
    return len(line) - len(line.lstrip())


def _indented(lines: Sequence[str], first: int) -> int:
    own, last = indent(lines[first]), first
    for index in range(first + 1, len(lines)):
        line = lines[index]
        if not line.strip():
            continue
        if indent(line) <= own and line.lstrip()[0] not in ")]}":
            break
        last = index
    return last


def _ended(lines: Sequence[str], first: int) -> tuple[int, bool]:
    own = indent(lines[first])
    if re.search(r"\bend\s*$|,\s*do:", lines[first]):
        return first, True
    for index in range(first + 1, len(lines)):
        line = lines[index]
        if indent(line) == own and re.match(r"\s*end\b", line):
            return index, True
        if line.strip() and indent(line) < own:
            break
    return first, False


def _until_section(lines: Sequence[str], first: int) -> int:
    last = first
    for index in range(first + 1, len(lines)):
        if lines[index].startswith("["):
            break
        if lines[index].strip():
            last = index
    return last


def _bracketed(lines: Sequence[str], first: int, pair: str) -> tuple[int, bool]:
    depth, opened = 0, False
    for index in range(first, len(lines)):
        bare = _STRINGS.sub("", lines[index])
        opened = opened or pair[0] in bare
        depth += bare.count(pair[0]) - bare.count(pair[1])
        if opened and depth <= 0:
            return index, True
        if not opened and (";" in bare or index - first >= _OPENING_LINES_MAX):
            return first, True  # declared, or written without a body
    return (len(lines) - 1, False) if opened else (first, True)
