"""Small questions about a code that need no parser: its language, what it puts in, its name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from holdfast.code.edits import Block, Cell, Diff, Edit, Insert, Patch, Replace, Search, Whole
from holdfast.code.languages import LANGUAGES, language_of
from holdfast.code.values import Reading, Symbol

TINY_SHARE: Final = 0.25
"""What was read of a file is little when it is less than this of the text that is known."""


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text, as the vault has it."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def language_for(path: str | None, edit: Edit, text: str) -> str | None:
    """Name the language by the path, else by the word behind the fence."""
    if path is not None and (found := language_of(path, text)) is not None:
        return found
    word = edit.language if isinstance(edit, Block) else ""
    if not word:
        return None
    return word if word in LANGUAGES else language_of(f"code.{word}")


def put_in(edit: Edit) -> str:
    """Return the text that an edit brings: all of a file, or what a change puts in."""
    match edit:
        case Whole(content=content) | Block(content=content):
            return content
        case Replace(replacements=parts):
            return "\n".join(part.new for part in parts)
        case Search(pieces=pieces):
            return "\n".join(piece.replace for piece in pieces)
        case Patch(chunks=chunks):
            return "\n".join("\n".join(chunk.new) for chunk in chunks)
        case Diff(hunks=hunks):
            return "".join("".join(hunk.new) for hunk in hunks)
        case Insert(text=text) | Cell(source=text):
            return text
        case _:
            return ""


def no_file(text: str, reading: Reading | str, before: tuple[Collection[str], str | None]) -> str:
    """Say why what a tool showed may be no file at all; empty when it may be one.

    A message in place of a file defines nothing, and a few lines in place of many may be all that
    a tool let through. `before` is what is defined in the file, and its text where it is known.
    """
    symbols, known = before
    defined = {one.qualified for one in reading.symbols} if isinstance(reading, Reading) else set()
    lines = sum(1 for line in text.splitlines() if line.strip())
    if not defined and (symbols or lines <= 1):
        return "what was read defines nothing, so it may be no file"
    tiny = lines <= 1 or (known is not None and len(text) < len(known) * TINY_SHARE)
    if tiny and any(name not in defined for name in symbols):
        return "what was read is so little that it may not be all of the file"
    return ""


def outermost(symbols: Sequence[Symbol]) -> Iterator[Symbol]:
    """Yield the definitions that stand in no other."""
    end = 0
    for symbol in symbols:
        if symbol.start_byte >= end:
            yield symbol
            end = symbol.end_byte


def slices(text: str, symbols: Sequence[Symbol]) -> list[str]:
    """Return the texts of the outermost definitions."""
    source = text.encode("utf-8", "surrogatepass")
    return [
        source[one.start_byte : one.end_byte].decode("utf-8", "replace")
        for one in outermost(symbols)
    ]


def named(reading: Reading, symbol: str) -> Reading | None:
    """Return a reading whose one definition has the name that is spelled; None if it has another.

    A method may stand without its class, or in it; then the class is only its frame.
    """
    tops = list(outermost(reading.symbols))
    if len(tops) != 1:
        return None
    exact = next((one for one in reading.symbols if one.qualified == symbol), None)
    if exact is not None:
        kept = _inside(reading.symbols, exact)
        frames = symbol.count(".")
        is_all = exact is tops[0] or len(kept) == len(reading.symbols) - frames
        return msgspec.structs.replace(reading, symbols=kept) if is_all else None
    if tops[0].name != symbol.rpartition(".")[2].partition("#")[0]:
        return None
    return msgspec.structs.replace(reading, symbols=_renamed(reading.symbols, tops[0], symbol))


def touched(before: bytes, after: bytes) -> tuple[int, int]:
    """Return where the bytes of a text begin and end that another one has not."""
    start = _common(before, after)
    most = min(len(before), len(after)) - start
    tail = _common(before[::-1][:most], after[::-1][:most])
    return start, len(before) - tail


def _inside(symbols: Sequence[Symbol], outer: Symbol) -> tuple[Symbol, ...]:
    return tuple(
        one
        for one in symbols
        if outer.start_byte <= one.start_byte and one.end_byte <= outer.end_byte
    )


def _renamed(symbols: Sequence[Symbol], top: Symbol, name: str) -> tuple[Symbol, ...]:
    return tuple(
        msgspec.structs.replace(one, qualified=name + one.qualified[len(top.qualified) :])
        for one in symbols
    )


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts begin with alike, found by halving."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
