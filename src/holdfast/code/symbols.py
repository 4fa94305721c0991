"""Every definition in a text, read from its syntax tree.

A query of the language finds the definitions (`queries/`): the capture that is named like a kind is
the definition, `@name` its name, `@body` its body, `@owner` the type it belongs to when that is not
the definition around it. What a name becomes is said in `naming`, what above a definition is part
of it in `extents`, what counts as left out in `elision`, what as broken in `faults`.

Not here: files, processes, caps on time and memory. For a text from outside use `workers`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from hashlib import sha256
from io import BytesIO
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

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
    return Reading(
        language,
        found.symbols(matches),
        errors=bool(faults),
        by="tree-sitter",
        elided=bool(marks),
        nodes=root.descendant_count,
    )


class _Definition(Struct, gc=False):
    """One definition on its way to becoming a symbol."""

    place: tuple[int, int]
    """Where it begins, and where it ends with a minus, so that the outer one sorts first."""
    pattern: int
    kind: str
    names: naming.Names
    node: Node
    captures: Captures
    qualified: str = ""
    scope: str = ""
    """What its members have before their names."""


class _Found:
    """What is known while the definitions of one text become symbols."""

    def __init__(self, source: bytes, language: Language, marks: list[int], faults: Faults) -> None:
        self._source = source
        self._language = language
        self._marks = marks
        self._faults = faults
        self._line_ends = list(accumulate(map(len, BytesIO(source + b"\n"))))
        self._taken: dict[str, int] = {}

    def symbols(self, matches: Iterable[tuple[int, Captures]]) -> tuple[Symbol, ...]:
        """Return what a query found as symbols, in the order in which they begin."""
        named = self._named(self._definitions(matches))
        return tuple(self._placed(self._without_forward_declarations(named)))

    def _definitions(self, matches: Iterable[tuple[int, Captures]]) -> list[_Definition]:
        """Return one definition for each name, the outer ones before the inner ones."""
        source, language, kinds = self._source, self._language, _KINDS[self._language.queries]
        is_wrapped = bool(language.wrappers or language.lists)
        kept: dict[int, _Definition] = {}
        for pattern, captures in matches:
            name = captures["name"][0]
            name_at = name.start_byte
            known = kept.get(name_at)
            if known is not None and known.pattern <= pattern:
                continue  # what stands first in the query says more
            kind = kinds.get(pattern) or kinds.setdefault(pattern, _kind_of(captures))
            node = captures[kind][0]
            if is_wrapped:
                node = extents.whole(node, language)
            kept[name_at] = _Definition(
                (node.start_byte, -node.end_byte),
                pattern,
                kind,
                naming.of(kind, name, captures, source, language),
                node,
                captures,
            )
        return sorted(kept.values(), key=attrgetter("place"))

    def _named(self, definitions: Iterable[_Definition]) -> list[_Definition]:
        """Name the definitions, with those that they stand in as part of their names."""
        named: list[_Definition] = []
        around: list[_Definition] = []
        for found in definitions:
            place = found.place
            if named and named[-1].place == place and named[-1].names == found.names:
                continue  # `typedef struct N {…} N` is one definition
            # `a, b = 1, 2` is two in one place, none inside the other.
            while around and (-around[-1].place[1] <= place[0] or around[-1].place == place):
                around.pop()
            self._name(found, around[-1] if around else None)
            named.append(found)
            around.append(found)
            if len(around) > CODE_DEPTH_MAX:
                raise too_many()
        return named

    def _name(self, found: _Definition, around: _Definition | None) -> None:
        """Give a definition its qualified name and its members theirs."""
        kind, (_, path, scope) = found.kind, found.names
        prefix, kind_around = "", ""
        if around is not None:
            prefix, kind_around = f"{around.scope}." if around.scope else "", around.kind
        qualified = prefix + path
        if kind not in _YIELDING:
            qualified = naming.unique(qualified, self._taken)
        found.qualified = qualified
        found.scope = qualified if scope is None else prefix + scope
        if kind == "function" and (kind_around in _TYPES or "owner" in found.captures):
            found.kind = "method"

    def _without_forward_declarations(self, named: list[_Definition]) -> list[_Definition]:
        """Leave out what is declared or given a value here and also defined here.

        A second value for a variable is no second definition; a second declaration is one. A type
        and a value of one name are two.
        """
        if all(found.kind not in _YIELDING for found in named):
            return named
        taken = {found.qualified for found in named if found.kind not in _SHARING}
        kept = []
        for found in named:
            if found.kind in _YIELDING:
                if found.qualified in taken:
                    continue
                if found.kind == "variable":
                    taken.add(found.qualified)
                found.qualified = naming.unique(found.qualified, self._taken)
            kept.append(found)
        return kept

    def _placed(self, definitions: Iterable[_Definition]) -> Iterator[Symbol]:
        """Yield the symbols, with where they stand and whether all of them is there."""
        source, language, line_ends = self._source, self._language, self._line_ends
        faults, marks = self._faults if self._faults else None, frozenset(self._marks)
        for found in definitions:
            node, body_start, body_end = found.node, None, None
            start = extents.start(node, source, language, marks)
            end = extents.end(node, source, language)
            if bodies := found.captures.get("body"):
                body_start, body_end = bodies[0].byte_range
                body_end = body_end if body_end < end else end
            yield Symbol(
                found.kind,
                found.names[0],
                found.qualified,
                start,
                end,
                bisect_right(line_ends, start) + 1,
                bisect_right(line_ends, end - 1) + 1,
                body_start,
                body_end,
                sha256(source[start:end]).hexdigest(),
                faults is not None and faults.spoil(node, start, end),
                bool(marks) and self._is_elided(start, end),
                node.descendant_count,
            )

    def _is_elided(self, start: int, end: int) -> bool:
        return bisect_left(self._marks, start) < bisect_left(self._marks, end)


_YIELDING: Final = frozenset({"declaration", "variable"})
"""Kinds that leave their name to a function or a type that has it, too."""

_SHARING: Final = _YIELDING | {"type", "interface", "namespace"}
"""Kinds whose name a value may have, too."""


_KINDS: Final[defaultdict[tuple[str, ...], dict[int, str]]] = defaultdict(dict)
"""What each pattern of a query finds, as far as it has found something."""


def _kind_of(captures: Captures) -> str:
    return next(role for role in captures if role not in _ROLES and role[0] != "_")
