"""From a file to what is searched of it: one document for each definition, and pieces of the rest.

Every line belongs to one document: the innermost definition around it, or else a piece of so many
lines. So a class has what stands between its methods, and nothing is found twice. Not here: files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import msgspec

from holdfast.code.values import Symbol
from holdfast.index.terms import expand, find_tokens
from holdfast.kernel.limits import SOURCE_PIECE_LINES

PIECE: Final = "lines"
"""The kind of a document that is no definition."""


class Document(msgspec.Struct, frozen=True):
    """A definition or a piece of a file, and its own text."""

    kind: str
    name: str
    """Qualified; empty for a piece."""
    first_line: int
    last_line: int
    text: str


def split(text: str, symbols: Sequence[Symbol] = ()) -> list[Document]:
    """Return the documents of a text, in the order in which they begin; empty ones are left out."""
    lines = lines_of(text)
    owners = _owners(len(lines), symbols)
    own: dict[int, list[str]] = {}
    for owner, line in zip(owners, lines, strict=True):
        own.setdefault(owner, []).append(line)
    documents = [
        Document(symbol.kind, symbol.qualified, symbol.start_line, symbol.end_line, "\n".join(kept))
        for number, symbol in enumerate(symbols)
        # A definition without a line of its own, such as one of two on a line, has its name.
        if (kept := own.get(number, [])) or symbol.name
    ]
    documents += _pieces(lines, owners)
    return sorted(documents, key=lambda one: (one.first_line, -one.last_line))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text as parsers count them: only a line feed ends one."""
    return text.split("\n")


def terms_of(text: str) -> str:
    """Return the terms of a text as the index takes them: apart by blanks, as often as they are."""
    return " ".join(term for token in find_tokens(text) for term in expand(token))


def _owners(count: int, symbols: Sequence[Symbol]) -> list[int]:
    """Return for each line the number of the innermost definition around it, -1 for none."""
    owners = [-1] * count
    # Outer definitions first, so that inner ones have the last word.
    order = sorted(range(len(symbols)), key=lambda n: _outermost(symbols[n]))
    for number in order:
        symbol = symbols[number]
        first, stop = symbol.start_line - 1, min(symbol.end_line, count)
        owners[first:stop] = [number] * (stop - first)
    return owners


def _outermost(symbol: Symbol) -> tuple[int, int]:
    return symbol.start_byte, -symbol.end_byte


def _pieces(lines: Sequence[str], owners: Sequence[int]) -> Iterator[Document]:
    for owner, run in groupby(range(len(lines)), key=owners.__getitem__):
        if owner != -1:
            continue
        numbers = list(run)
        for begin in range(0, len(numbers), SOURCE_PIECE_LINES):
            part = numbers[begin : begin + SOURCE_PIECE_LINES]
            text = "\n".join(lines[number] for number in part)
            if find_tokens(text):
                yield Document(PIECE, "", part[0] + 1, part[-1] + 1, text)
