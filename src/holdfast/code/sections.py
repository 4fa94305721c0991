"""One whole definition out of a text: the smallest around a line, or the one of a name."""

from __future__ import annotations

from holdfast.code.symbols import read_symbols
from holdfast.code.values import Reading, Section, Symbol
from holdfast.kernel.errors import NotFound


def section_at(text: str, language: str, line: int, *, reading: Reading | None = None) -> Section:
    """Return the smallest whole definition around a line, counted from 1."""
    reading = reading or read_symbols(text, language)
    around = [symbol for symbol in reading.symbols if symbol.start_line <= line <= symbol.end_line]
    if not around:
        raise NotFound(
            f"No definition stands around line {line}.",
            meaning=f"The text has {len(reading.symbols)} definitions, none of them there.",
            remedy="Ask for the lines themselves, or for an outline.",
        )
    return section_of(text, min(around, key=_size))


def section_named(
    text: str, language: str, qualified: str, *, reading: Reading | None = None
) -> Section:
    """Return the definition of a qualified name, as an outline spells it."""
    reading = reading or read_symbols(text, language)
    for symbol in reading.symbols:
        if symbol.qualified == qualified:
            return section_of(text, symbol)
    near = [s.qualified for s in reading.symbols if s.name == qualified.rpartition(".")[2]]
    raise NotFound(
        f"No definition is called {qualified}.",
        meaning=f"The text has {len(reading.symbols)} definitions.",
        remedy=f"Did you mean {', '.join(near[:3])}?" if near else "An outline lists them.",
    )


def section_of(text: str, symbol: Symbol) -> Section:
    """Return the text of a definition of this very text."""
    source = text.encode("utf-8")
    return Section(symbol, source[symbol.start_byte : symbol.end_byte].decode("utf-8"))


def _size(symbol: Symbol) -> tuple[int, int]:
    return symbol.end_byte - symbol.start_byte, symbol.start_byte
