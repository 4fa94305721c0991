"""Every definition in a text, read from its syntax tree.

A query of the language finds the definitions (`queries/`): the capture that is named like a kind is
the definition, `@name` its name, `@body` its body, `@owner` the type it belongs to when that is not
the definition around it. What a name becomes is said in `naming`, what above a definition is part
of it in `extents`, what counts as left out in `elision`, what as broken in `faults`.

Not here: files, processes, caps on time and memory. For a text from outside use `workers`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from hashlib import sha256
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from holdfast.code import elision, extents, fallback, grammars, naming
from holdfast.code.faults import Faults
from holdfast.code.languages import LANGUAGES, Language, dialect
from holdfast.code.patterns import PatternMap, built_in
from holdfast.code.source import checked_source, too_many
from holdfast.code.values import Reading, Symbol
from holdfast.kernel.limits import CODE_DEPTH_MAX, CODE_SYMBOLS_MAX

if TYPE_CHECKING:
    from tree_sitter import Node

    from holdfast.code.grammars import Captures

_ROLES: Final = frozenset({"name", "body", "owner"})
_TYPES: Final = frozenset(
    {"class", "interface", "trait", "impl", "enum", "struct", "union", "object", "extension"}
)
"""Kinds whose functions are methods."""


def read_symbols(text: str, language: str, *, known: PatternMap | None = None) -> Reading:
    """Return all definitions, by the grammar of the language or, if it has none, by patterns.

    `known` are a user's patterns; they come before the built-in ones.
    """
    if language not in LANGUAGES:
        patterns = None if known is None else built_in().with_those_of(known)
        return fallback.read_by_patterns(text, language, known=patterns)
    source = checked_source(text)
    spoken = dialect(language, text)
    root = grammars.parse(source, spoken).root_node
    matches = grammars.matches(root, spoken)
    if len(matches) > CODE_SYMBOLS_MAX:
        raise too_many()
    marks = elision.marks(source, root, language)
    bodies = (captures["body"][0] for _, captures in matches if "body" in captures)
    faults = Faults(source, root, language, bodies)
    found = _Found(source, LANGUAGES[language], marks, faults)
    symbols = found.named(found.definitions(matches))
    return Reading(
        language,
        tuple(symbols),
        errors=bool(faults),
        by="tree-sitter",
        elided=bool(marks),
        nodes=root.descendant_count,
    )


class _Definition(NamedTuple):
    start: int
    end: int
    """Negative, so that of two that begin together the outer one sorts first."""
    pattern: int
    kind: str
    names: naming.Names
    node: Node
    captures: Captures


class _Around(NamedTuple):
    start: int
    end: int
    scope: str
    kind: str


class _Found:
    """What is known while the definitions of one text become symbols."""

    def __init__(self, source: bytes, language: Language, marks: list[int], faults: Faults) -> None:
        self._source = source
        self._language = language
        self._marks = marks
        self._faults = faults
        self._mark_set = frozenset(marks)
        self._line_ends = list(accumulate(len(line) + 1 for line in source.split(b"\n")))
        self._taken: dict[str, int] = {}
        self._kinds: dict[int, str] = {}

    def definitions(self, matches: Iterable[tuple[int, Captures]]) -> list[_Definition]:
        """Return one definition for each name, the outer ones before the inner ones."""
        kept: dict[int, _Definition] = {}
        for pattern, captures in matches:
            name_at = captures["name"][0].start_byte
            known = kept.get(name_at)
            if known is not None and known.pattern <= pattern:
                continue  # what stands first in the query says more
            kind = self._kinds.get(pattern) or self._kind_of(pattern, captures)
            node = extents.whole(captures[kind][0], self._language)
            names = naming.of(kind, captures, self._source, self._language)
            kept[name_at] = _Definition(
                node.start_byte, -node.end_byte, pattern, kind, names, node, captures
            )
        return sorted(kept.values(), key=_place)

    def _kind_of(self, pattern: int, captures: Captures) -> str:
        kind = next(role for role in captures if role not in _ROLES and role[0] != "_")
        self._kinds[pattern] = kind
        return kind

    def named(self, definitions: Iterable[_Definition]) -> list[Symbol]:
        """Return the symbols, with those that they stand in as part of their names."""
        symbols: list[Symbol] = []
        around: list[_Around] = []
        before: _Definition | None = None
        for found in definitions:
            start, end = found.start, found.end
            if before is not None and before[:2] == found[:2] and before.names == found.names:
                continue  # `typedef struct N {…} N` is one definition
            # `a, b = 1, 2` is two in one place, none inside the other.
            while around and (-around[-1].end <= start or around[-1][:2] == (start, end)):
                around.pop()
            before = found
            symbol, scope = self._symbol(found, around[-1] if around else _NOTHING)
            symbols.append(symbol)
            around.append(_Around(start, end, scope, symbol.kind))
            if len(around) > CODE_DEPTH_MAX:
                raise too_many()
        return self._without_forward_declarations(symbols)

    def _symbol(self, found: _Definition, around: _Around) -> tuple[Symbol, str]:
        """Return a definition as a symbol, and what its members have before their names."""
        source, node = self._source, found.node
        kind, qualified, scope = self._called(found, around)
        start = extents.start(node, source, self._language, self._mark_set)
        end = extents.end(node, source, self._language)
        bodies = found.captures.get("body")
        body = bodies[0] if bodies else None
        symbol = Symbol(
            kind,
            found.names.name,
            qualified,
            start,
            end,
            self._line(start),
            self._line(end - 1),
            body.start_byte if body is not None else None,
            min(body.end_byte, end) if body is not None else None,
            sha256(source[start:end]).hexdigest(),
            self._faults.spoil(node, start, end),
            self._is_elided(start, end),
            node.descendant_count,
        )
        return symbol, scope

    def _called(self, found: _Definition, around: _Around) -> tuple[str, str, str]:
        kind, names = found.kind, found.names
        prefix = f"{around.scope}." if around.scope else ""
        qualified = prefix + names.path
        if kind not in _YIELDING:
            qualified = naming.unique(qualified, self._taken)
        scope = qualified if names.scope is None else prefix + names.scope
        if kind == "function" and (around.kind in _TYPES or "owner" in found.captures):
            kind = "method"
        return kind, qualified, scope

    def _without_forward_declarations(self, symbols: list[Symbol]) -> list[Symbol]:
        """Leave out what is declared or given a value here and also defined here.

        A second value for a variable is no second definition; a second declaration is one. A type
        and a value of one name are two.
        """
        if all(symbol.kind not in _YIELDING for symbol in symbols):
            return symbols
        taken = {
            s.qualified for s in symbols if s.kind not in _YIELDING and s.kind not in _TYPE_ONLY
        }
        kept = []
        for symbol in symbols:
            if symbol.kind not in _YIELDING:
                kept.append(symbol)
            elif symbol.qualified not in taken:
                kept.append(
                    structs.replace(symbol, qualified=naming.unique(symbol.qualified, self._taken))
                )
                if symbol.kind == "variable":
                    taken.add(symbol.qualified)
        return kept

    def _line(self, offset: int) -> int:
        return bisect_right(self._line_ends, offset) + 1

    def _is_elided(self, start: int, end: int) -> bool:
        marks = self._marks
        return bool(marks) and bisect_left(marks, start) < bisect_left(marks, end)


_YIELDING: Final = frozenset({"declaration", "variable"})
"""Kinds that leave their name to a function or a type that has it, too."""

_TYPE_ONLY: Final = frozenset({"type", "interface", "namespace"})

_NOTHING: Final = _Around(0, 0, "", "")


def _place(definition: _Definition) -> tuple[int, int]:
    return definition[0], definition[1]
