"""The definitions of a text, one a line, within a token budget.

    10-48 class Queue
      12-15 method put
      17-30 method take
    … 3 definitions left out, all inside of others

When there is no room for all, the innermost go first; when there is none for the outermost, the
last ones do. The last line says how many and which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from holdfast.code.symbols import read_symbols
from holdfast.code.values import Outline, Reading, Symbol
from holdfast.kernel import tokens

_INNER: Final = "all inside of others"
_INNER_AND_LAST: Final = "the inner and the last ones"


class _Line(NamedTuple):
    depth: int
    text: str


def outline(
    text: str, language: str, tokens_max: int, *, reading: Reading | None = None
) -> Outline:
    """Return the definitions in order, as many as the budget has room for."""
    reading = reading or read_symbols(text, language)
    lines = _lines(reading.symbols)
    deepest = max((line.depth for line in lines), default=0)
    for depth in range(deepest, -1, -1):
        shown = [line for line in lines if line.depth <= depth]
        found = _outline(shown, len(lines), _INNER)
        if found.tokens <= tokens_max:
            return found
    return _longest_head([line for line in lines if line.depth == 0], len(lines), tokens_max)


def _lines(symbols: Sequence[Symbol]) -> list[_Line]:
    lines: list[_Line] = []
    around: list[Symbol] = []
    for symbol in symbols:
        while around and around[-1].end_byte < symbol.end_byte:
            around.pop()
        name = symbol.qualified
        if around and name.startswith(f"{around[-1].qualified}."):
            name = name[len(around[-1].qualified) + 1 :]
        place = f"{symbol.start_line}-{symbol.end_line}"
        lines.append(_Line(len(around), f"{'  ' * len(around)}{place} {symbol.kind} {name}"))
        around.append(symbol)
    return lines


def _longest_head(lines: Sequence[_Line], total: int, tokens_max: int) -> Outline:
    """Return as many of the first lines as fit, found by halving."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if _outline(lines[:middle], total, _INNER_AND_LAST).tokens <= tokens_max:
            low = middle
        else:
            high = middle - 1
    found = _outline(lines[:low], total, _INNER_AND_LAST)
    if found.tokens <= tokens_max:
        return found
    return Outline("", 0, tokens.COUNTER, 0, total)  # not even room to say so


def _outline(lines: Sequence[_Line], total: int, which: str) -> Outline:
    left_out = total - len(lines)
    parts = [line.text for line in lines]
    if left_out:
        noun = "definition" if left_out == 1 else "definitions"
        parts.append(f"… {left_out} {noun} left out, {which}")
    text = "\n".join(parts)
    return Outline(text, tokens.estimate(text), tokens.COUNTER, len(lines), left_out)
