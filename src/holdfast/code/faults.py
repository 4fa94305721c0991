"""Definitions that look whole to the parser and are not.

A block of Python with nothing in it: the grammar imagines it, Python refuses it. `def f():` with
only a comment below it is the head of something whose rest was left out. And a definition beside
something on the same line that could not be parsed: where the one ends is a guess.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_NOTHING_DEEPER: Final = re.compile(
    rb"^([ \t]*+)[^\n]*(:)[ \t\r]*+(?:#[^\n]*+)?(?:\n|\Z)"
    rb"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+(?!\1[ \t]+[^\s#])",
    re.MULTILINE,
)
"""A line that ends with a colon, before one that is not indented further."""


_HEADS_MAX: Final = 1_000
"""Lines that are looked at, so that a long text takes no longer than its length allows; what is
behind them is not taken for whole."""


class Faults:
    """What is wrong with a text; `bodies` are those of its definitions."""

    def __init__(self, source: bytes, root: Node, language: str, bodies: Iterable[Node]) -> None:
        self._errors = root.has_error
        missing: set[int] = set()
        if language == "python":
            missing.update(body.start_byte for body in bodies if body.start_byte == body.end_byte)
            if not self._errors:
                missing.update(_missing_blocks(source, root))
        self._missing = sorted(missing)

    def __bool__(self) -> bool:
        return self._errors or bool(self._missing)

    def spoil(self, node: Node, start: int, end: int) -> bool:
        """Tell whether a definition, which begins and ends there, may not be what it seems."""
        if self._errors and (node.has_error or _is_beside_error(node)):
            return True
        missing = self._missing
        return bool(missing) and bisect_left(missing, start + 1) < bisect_left(missing, end + 1)


def _missing_blocks(source: bytes, root: Node) -> Iterator[int]:
    """Yield where something that needs a block has none."""
    for number, match in enumerate(_NOTHING_DEEPER.finditer(source)):
        at = match.start(2)
        sign = root.descendant_for_byte_range(at, at + 1)
        if sign is None or number == _HEADS_MAX:
            yield at + 1
            return
        if sign.type == "comment":
            before = max(source.rfind(b":", match.start(), sign.start_byte), match.start())
            sign = root.descendant_for_byte_range(before, before + 1)
        if sign is not None and sign.type == ":" and _opens_nothing(sign):
            yield sign.end_byte


def _opens_nothing(colon: Node) -> bool:
    around = colon.parent
    blocks = [] if around is None or around.child_count > _HEADS_MAX else around.children
    # not by `next_sibling`, which leaves out what is empty
    return any(
        one.type == "block" and one.start_byte == one.end_byte >= colon.end_byte for one in blocks
    )


def _is_beside_error(node: Node) -> bool:
    """Tell whether what stands next to a node on the same line could not be parsed."""
    before, after = node.prev_sibling, node.next_sibling
    if before is not None and (before.is_error or before.is_missing):
        return before.end_point.row == node.start_point.row
    if after is not None and (after.is_error or after.is_missing):
        return after.start_point.row == node.end_point.row
    return False
