"""SEARCH/REPLACE blocks of aider, Cline and Roo: marks, lines sought, a divider, lines put there.

    <<<<<<< SEARCH          ------- SEARCH
    old                     old
    =======                 =======
    new                     new
    >>>>>>> REPLACE         +++++++ REPLACE

A line between the marks that looks like another mark makes the block unreadable: nobody can say
where the lines sought end. Roo writes such lines with a backslash before them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.code.edits.model import Piece

_HEAD: Final = re.compile(r"(?:<{5,9}|-{5,9}) SEARCH>?\s*$")
_DIVIDER: Final = re.compile(r"={5,9}\s*$")
_TAIL: Final = re.compile(r"(?:>{5,9}|\+{5,9}) REPLACE>?\s*$")
_START_LINE: Final = re.compile(r":start_line:\s*([0-9]{1,9})\s*$")
_END_LINE: Final = re.compile(r":end_line:\s*[0-9]{1,9}\s*$")
_RULE: Final = re.compile(r"-{5,9}\s*$")
_ESCAPED: Final = re.compile(r"\\(?=(?:<{5,9}|={5,9}|>{5,9}|-{5,9}|:start_line:|:end_line:))")


class Read(msgspec.Struct, frozen=True):
    """One block read: the index of the line behind it, and what it says or why it does not."""

    after: int
    piece: Piece | None = None
    reason: str = ""
    complete: bool = True


def is_head(line: str) -> bool:
    """Tell whether a line begins a block."""
    return line[:1] in "<-" and _HEAD.match(line) is not None


def read(lines: Sequence[str], head: int, stop: int, *, roo: bool = False) -> Read:
    """Read the block whose first mark is the line `head`; lines are without their ends."""
    dividers: list[int] = []
    for index in range(head + 1, stop):
        line = lines[index]
        if line[:1] not in ("<", "-", "=", ">", "+"):
            continue
        if _TAIL.match(line):
            if _has_stray_mark(lines, index + 1, stop):
                reason = "a closing mark stands behind the block: the first may be part of the code"
                return Read(index + 1, reason=reason)
            return _finish(lines, head, dividers, index, roo=roo)
        if _DIVIDER.match(line):
            dividers.append(index)
        elif _HEAD.match(line):
            return Read(index, reason=f"the block has no end before line {index - head + 1} of it")
    return Read(stop, reason="the text ended inside a SEARCH/REPLACE block", complete=False)


def _has_stray_mark(lines: Sequence[str], index: int, stop: int) -> bool:
    """Tell whether a block is closed that was not opened, before the next one is."""
    for at in range(index, stop):
        line = lines[at]
        if line[:1] in ("<", "-") and _HEAD.match(line):
            return False
        if line[:1] in (">", "+") and _TAIL.match(line):
            return True
    return False


def _finish(
    lines: Sequence[str], head: int, dividers: Sequence[int], tail: int, *, roo: bool
) -> Read:
    if len(dividers) != 1:
        count = "no" if not dividers else f"{len(dividers)} lines that could be the"
        return Read(tail + 1, reason=f"the block has {count} divider")
    first, line = head + 1, None
    if roo:
        first, line = _hints(lines, first)
    sides = (lines[first : dividers[0]], lines[dividers[0] + 1 : tail])
    if roo:
        sides = (
            [_ESCAPED.sub("", one, 1) for one in sides[0]],
            [_ESCAPED.sub("", one, 1) for one in sides[1]],
        )
    search, replace = ("".join(one + "\n" for one in side) for side in sides)
    return Read(tail + 1, Piece(search, replace, line))


def _hints(lines: Sequence[str], index: int) -> tuple[int, int | None]:
    """Read Roo's lines that say where the lines sought begin."""
    found = _START_LINE.match(lines[index])
    line = None
    if found:
        line, index = int(found[1]), index + 1
    if _END_LINE.match(lines[index]):
        index += 1
    if _RULE.match(lines[index]):
        index += 1
    return index, line


def read_all(text: str, *, roo: bool = False) -> tuple[tuple[Piece, ...], str, bool]:
    """Read all blocks of a text; return them, or a reason, and whether the text was complete."""
    lines = text.replace("\r\n", "\n").split("\n")
    pieces: list[Piece] = []
    index = 0
    while index < len(lines):
        if not is_head(lines[index]):
            index += 1
            continue
        one = read(lines, index, len(lines), roo=roo)
        if one.piece is None:
            return (), one.reason, one.complete
        pieces.append(one.piece)
        index = one.after
    return tuple(pieces), "" if pieces else "there is no SEARCH/REPLACE block in it", True
