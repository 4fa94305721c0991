"""The exact lines, or the one whole definition, that an identifier stands for.

Text in, values out: who reads the file and who parses it is handed in, because a text from outside
is parsed in a process that can be killed.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

import msgspec

from holdfast.code import PatternMap, language_of
from holdfast.code.sections import section_at, section_of
from holdfast.code.values import Reading, Section, Symbol
from holdfast.counting import count
from holdfast.kernel.errors import CouldNotLook, InvalidInput, NotFound
from holdfast.kernel.limits import NAME_CHARS_MAX, NEAR_NAMES_MAX
from holdfast.recall.identifiers import PROJECT_ROOT, Identifier, Line, Lines, Named, spell

ReadSymbols: TypeAlias = Callable[[str, str], Reading]
"""From a text and its language to its definitions."""

NEAR_SHOWN: Final = 3


class Budget(msgspec.Struct, frozen=True):
    """What it takes to keep the identifier, to show what it stands for, to show the whole file."""

    identifier: int
    shown: int
    file: int
    counter: str


class Retrieved(msgspec.Struct, frozen=True):
    """Lines of a file, and what they are."""

    identifier: str
    path: str
    first: int
    last: int
    digest: str
    """SHA-256 of the text's UTF-8 bytes, in hex."""
    text: str
    indent: str
    """What stands before a definition on its first line, if it is only space."""
    language: str | None
    symbol: Symbol | None
    """The definition; None for lines that were asked for as such."""
    by: str | None
    """What found the definition: a parser, or line patterns, which guess where it ends."""
    tokens: Budget


class _Part(NamedTuple):
    first: int
    last: int
    text: str
    indent: str = ""
    symbol: Symbol | None = None
    by: str | None = None


def retrieve(
    text: str,
    wanted: Identifier,
    read_symbols: ReadSymbols,
    *,
    model: str | None = None,
    known: PatternMap | None = None,
) -> Retrieved:
    """Return what an identifier stands for; its path is the one below the project's root.

    `known` says how files of languages end that only the user knows.
    """
    match wanted:
        case Lines():
            part = _Part(wanted.first, wanted.last, _lines(text, wanted))
        case Line() | Named():
            part = _definition(text, wanted, read_code(text, wanted.path, read_symbols, known))
    identifier = spell(wanted.path, part.first, part.last)
    return Retrieved(
        identifier,
        wanted.path,
        part.first,
        part.last,
        sha256(part.text.encode()).hexdigest(),
        part.text,
        part.indent,
        _language(wanted.path, text, known),
        part.symbol,
        part.by,
        _budget(identifier, part.text, text, model),
    )


def read_code(
    text: str, path: str, read_symbols: ReadSymbols, known: PatternMap | None = None
) -> Reading:
    """Return the definitions of a file's text, in the language that its name or first line says."""
    language = _language(path, text, known)
    if language is None:
        raise CouldNotLook(
            f"What language {path} is written in is not known.",
            meaning="The code was not looked at; what it defines is not known.",
            remedy=f"Ask for lines of it: {PROJECT_ROOT}{path}:1-20",
        )
    return read_symbols(text, language)


def _language(path: str, text: str, known: PatternMap | None) -> str | None:
    return language_of(path, text) or (None if known is None else known.language_of(path))


def _lines(text: str, wanted: Lines) -> str:
    lines = text.split("\n")
    total = len(lines) - (lines[-1] == "")
    if not 1 <= wanted.first <= wanted.last:
        raise InvalidInput(
            f"{wanted.first}-{wanted.last} are no lines of a file.",
            meaning="Nothing was looked up.",
            remedy="Lines count from 1, and the first one is not behind the last.",
        )
    if wanted.last > total:
        raise _no_line(wanted.path, wanted.last, total)
    ends = "\n" if wanted.last < len(lines) else ""
    return "\n".join(lines[wanted.first - 1 : wanted.last]) + ends


def _definition(text: str, wanted: Line | Named, reading: Reading) -> _Part:
    match wanted:
        case Named():
            section = section_of(text, _named(reading, wanted))
        case Line():
            section = _around(text, reading, wanted)
    symbol = section.symbol
    source = text.encode()
    before = source[source.rfind(b"\n", 0, symbol.start_byte) + 1 : symbol.start_byte].decode()
    indent = "" if before.strip() else before
    return _Part(symbol.start_line, symbol.end_line, section.text, indent, symbol, reading.by)


def _named(reading: Reading, wanted: Named) -> Symbol:
    for symbol in reading.symbols:
        if symbol.qualified == wanted.name:
            return symbol
    names = [symbol.qualified for symbol in reading.symbols]
    near = [f"{wanted.path}::{name}" for name in near_names(wanted.name, names)]
    raise _absent(
        reading,
        f"{wanted.path} has no definition called {wanted.name}.",
        f"Near ones: {', '.join(near)}" if near else _outline_of(wanted.path),
    )


def _around(text: str, reading: Reading, wanted: Line) -> Section:
    lines = text.count("\n") + (not text.endswith("\n"))
    if not 1 <= wanted.line <= lines:
        raise _no_line(wanted.path, wanted.line, lines)
    try:
        return section_at(text, reading.language, wanted.line, reading=reading)
    except NotFound:
        near = sorted(reading.symbols, key=lambda symbol: _distance(symbol, wanted.line))
        said = [
            f"{symbol.qualified} ({symbol.start_line}-{symbol.end_line})"
            for symbol in near[:NEAR_SHOWN]
        ]
    raise _absent(
        reading,
        f"No definition stands around line {wanted.line} of {wanted.path}.",
        (f"Near ones: {', '.join(said)}. " if said else "")
        + f"The line itself: {spell(wanted.path, wanted.line, wanted.line)}",
    )


def _absent(reading: Reading, what: str, remedy: str) -> NotFound | CouldNotLook:
    """Say that there is no such definition, or that it could stand where nobody could look."""
    if reading.errors:
        return CouldNotLook(
            what,
            meaning="Part of the file could not be parsed: it may stand there.",
            remedy=remedy,
        )
    said = f"The file has {len(reading.symbols):,} definitions"
    if reading.by == "patterns":
        said += " that line patterns know"
    return NotFound(what, meaning=f"{said}.", remedy=remedy)


def near_names(name: str, names: Sequence[str]) -> list[str]:
    """Return the names that somebody may have meant: the same last part, else a close spelling."""
    plain = name[:NAME_CHARS_MAX].replace("::", ".")
    same = [one for one in names if one == plain or _last(one) == _last(plain)]
    looked_at = [one for one in names[:NEAR_NAMES_MAX] if len(one) <= NAME_CHARS_MAX]
    close = difflib.get_close_matches(plain, looked_at, n=NEAR_SHOWN, cutoff=0.5)
    return list(dict.fromkeys(same + close))[:NEAR_SHOWN]


def _last(name: str) -> str:
    return name.rpartition(".")[2].partition("#")[0]


def _distance(symbol: Symbol, line: int) -> int:
    return max(symbol.start_line - line, line - symbol.end_line)


def _no_line(path: str, line: int, lines: int) -> NotFound:
    return NotFound(
        f"{path} has no line {line}.",
        meaning=f"It has {lines:,} lines.",
        remedy=_outline_of(path),
    )


def _outline_of(path: str) -> str:
    return f"`holdfast outline '{PROJECT_ROOT}{path}'` lists its definitions."


def _budget(identifier: str, shown: str, file: str, model: str | None) -> Budget:
    whole = count(file, model)
    return Budget(
        count(identifier, model).tokens, count(shown, model).tokens, whole.tokens, whole.counter
    )
