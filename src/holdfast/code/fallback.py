"""Definitions by line patterns, for languages without a grammar.

The reading says so: `by` is "patterns". Names and first lines are sure as far as the patterns are;
where a definition ends is a guess (`blocks`), and whether it has errors is known only when it was
not seen to end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import accumulate
from typing import Final, NamedTuple

from holdfast.code import patterns
from holdfast.code.blocks import last_line
from holdfast.code.elision import says_left_out
from holdfast.code.naming import unique
from holdfast.code.patterns import LinePatterns, PatternMap
from holdfast.code.source import checked_source, too_many
from holdfast.code.values import Reading, Symbol
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import (
    CODE_SYMBOLS_MAX,
    PATTERN_BLOCK_LINES_MAX,
    PATTERN_LINE_CHARS_MAX,
)

_TYPES: Final = frozenset({"class", "struct", "type", "impl"})
"""Kinds whose functions are methods."""


class _Match(NamedTuple):
    kind: str
    name: str
    path: str
    top: int
    first: int
    last: int
    ended: bool


def read_by_patterns(text: str, language: str, *, known: PatternMap | None = None) -> Reading:
    """Return the definitions that the line patterns of a language find."""
    source = checked_source(text)
    entry = (known or patterns.built_in()).of(language)
    if entry is None:
        raise CouldNotLook(
            f"There is neither a grammar nor a pattern for {language or 'this language'}.",
            meaning="The code was not looked at; what it defines is not known.",
            remedy="Add patterns for it to a symbols.json of yours.",
        )
    lines = text.split("\n")
    found = list(_matches(lines, entry))
    if len(found) > CODE_SYMBOLS_MAX:
        raise too_many()
    marks = [index for index, line in enumerate(lines) if _is_mark(line, entry)]
    symbols = tuple(_symbols(found, source, lines, marks))
    return Reading(
        language,
        symbols,
        errors=any(symbol.errors for symbol in symbols),
        by="patterns",
        elided=bool(marks),
        nodes=0,
    )


def _matches(lines: Sequence[str], entry: LinePatterns) -> Iterator[_Match]:
    looked = 0
    ready = [(pattern, patterns.compiled(pattern.pattern)) for pattern in entry.patterns]
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        seen = line[:PATTERN_LINE_CHARS_MAX]
        for pattern, engine in ready:
            match = engine.match(seen)
            if match is None:
                continue
            groups = match.groupdict()
            owner = groups.get("owner")
            last, ended = last_line(lines, index, pattern.block or entry.block)
            looked += last - index
            if looked > PATTERN_BLOCK_LINES_MAX:
                raise too_many()
            path = f"{owner}.{groups['name']}" if owner else groups["name"]
            top = _top(lines, index, entry.comments)
            yield _Match(pattern.kind, groups["name"], path, top, index, last, ended)
            break


def _top(lines: Sequence[str], first: int, comments: Sequence[str]) -> int:
    """Return the first line of what stands directly above and belongs to the definition."""
    top = first
    while top > 0:
        above = lines[top - 1].strip()
        if not above.startswith(tuple(comments) or ("\n",)) or above.startswith("#!"):
            break
        if says_left_out(above.encode("utf-8", "replace")):
            break
        top -= 1
    return top


def _is_mark(line: str, entry: LinePatterns) -> bool:
    bare = line.strip()
    if bare in ("...", "…"):
        return True
    return bare.startswith(tuple(entry.comments) or ("\n",)) and says_left_out(
        bare.encode("utf-8", "replace")
    )


def _symbols(
    found: Sequence[_Match], source: bytes, lines: Sequence[str], marks: Sequence[int]
) -> Iterator[Symbol]:
    begins = [0, *accumulate(len(line.encode("utf-8")) + 1 for line in lines)]
    for match, kind, qualified in _named(found):
        top = lines[match.top]
        start = begins[match.top] + len(top.encode("utf-8")) - len(top.lstrip().encode("utf-8"))
        end = begins[match.last + 1] - 1
        yield Symbol(
            kind,
            match.name,
            qualified,
            start,
            end,
            match.top + 1,
            match.last + 1,
            None,
            None,
            sha256(source[start:end]).hexdigest(),
            errors=not match.ended,
            elided=bisect_left(marks, match.top) < bisect_right(marks, match.last),
            nodes=0,
        )


def _named(found: Sequence[_Match]) -> Iterator[tuple[_Match, str, str]]:
    """Yield each definition with its kind and its qualified name."""
    around: list[tuple[int, str, str]] = []
    taken: dict[str, int] = {}
    for match in found:
        while around and around[-1][0] < match.first:
            around.pop()
        qualified = unique(f"{around[-1][1]}.{match.path}" if around else match.path, taken)
        kind = match.kind
        if kind == "function" and (
            match.path != match.name or (around and around[-1][2] in _TYPES)
        ):
            kind = "method"
        around.append((match.last, qualified, match.kind))
        yield match, kind, qualified
