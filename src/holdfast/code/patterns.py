"""The map of line patterns: `symbols.json`, and what a user adds to it.

    {"version": 1, "languages": {"perl": {
        "block": "braces", "comments": ["#"],
        "patterns": [{"kind": "function", "pattern": "^\\s*sub\\s+(?P<name>\\w+)"}]}}}

A pattern is anchored (`^`), has a group `name` and perhaps a group `owner`, and sees one line at a
time. `block` says how a definition goes on behind its first line; a pattern may have its own. Of a
language that is not known, `endings` says which files are written in it: `["abc"]`. The engine is
RE2, which takes linear time whatever the pattern: look-around and back references are refused when
a map is read.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.errors import CouldNotLook, InvalidInput
from holdfast.kernel.limits import (
    PATTERN_CHARS_MAX,
    PATTERN_FILE_BYTES_MAX,
    PATTERN_MEMORY_BYTES_MAX,
    PATTERNS_MAX,
)

Block: TypeAlias = Literal["braces", "parens", "indent", "end", "section", "line"]

_BUILT_IN: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "symbols.json")  # noqa: PTH100, PTH118, PTH120 - pathlib costs a hook 3 ms
_LIKE: Final = {"php-fragment": "php", "python-stub": "python", "tsx": "typescript"}


class Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way in which a definition begins."""

    kind: str
    pattern: str
    block: Block | None = None


class LinePatterns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the definitions of one language look, line by line."""

    block: Block
    patterns: tuple[Pattern, ...]
    comments: tuple[str, ...] = ()
    """What a line begins with that belongs to the definition below it."""
    endings: tuple[str, ...] = ()
    """How names of files in this language end, behind the dot."""


class PatternMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Line patterns by language."""

    version: Literal[1]
    languages: dict[str, LinePatterns]

    def of(self, language: str) -> LinePatterns | None:
        """Return the patterns of a language, None if there are none."""
        return self.languages.get(language) or self.languages.get(_LIKE.get(language, ""))

    def language_of(self, path: str) -> str | None:
        """Name the language whose endings a file's name has."""
        ending = path.rpartition("/")[2].rpartition(".")[2]
        named = (name for name, entry in self.languages.items() if ending in entry.endings)
        return next(named, None)

    def with_those_of(self, other: PatternMap) -> PatternMap:
        """Return this map with another's languages added; of one language the other's are first."""
        joined = dict(self.languages)
        for language, theirs in other.languages.items():
            ours = joined.get(language)
            own = ours.patterns if ours is not None else ()
            joined[language] = msgspec.structs.replace(theirs, patterns=theirs.patterns + own)
        return PatternMap(1, joined)


@cache
def built_in() -> PatternMap:
    """Return the map that comes with holdfast."""
    with open(_BUILT_IN, encoding="utf-8") as file:  # noqa: PTH123
        return msgspec.json.decode(file.read(), type=PatternMap)


def pattern_map(text: str, name: str = "symbols.json") -> PatternMap:
    """Read a user's map and check every pattern, so that a faulty one is told and not skipped."""
    if len(text) > PATTERN_FILE_BYTES_MAX:
        raise _faulty(name, f"it is longer than {PATTERN_FILE_BYTES_MAX} bytes")
    try:
        read = msgspec.json.decode(text, type=PatternMap)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise _faulty(name, str(error)) from error
    for language, entry in read.languages.items():
        if len(entry.patterns) > PATTERNS_MAX:
            raise _faulty(name, f"{language} has more than {PATTERNS_MAX} patterns")
        for pattern in entry.patterns:
            _check(pattern.pattern, language, name)
    return read


def _check(pattern: str, language: str, name: str) -> None:
    where = f"a pattern of {language}, {pattern[:60]!r},"
    if len(pattern) > PATTERN_CHARS_MAX:
        raise _faulty(name, f"{where} is longer than {PATTERN_CHARS_MAX} characters")
    if not pattern.startswith("^"):
        raise _faulty(name, f"{where} does not begin with ^")
    try:
        groups = compiled(pattern).groupindex
    except engine().error as error:
        raise _faulty(name, f"{where} is none for RE2: {_words(error)}") from error
    if "name" not in groups:
        raise _faulty(name, f"{where} has no group (?P<name>…)")


@cache
def compiled(pattern: str) -> Any:
    """Return a pattern ready to match, bounded in memory."""
    options = engine().Options()
    options.max_mem = PATTERN_MEMORY_BYTES_MAX
    options.log_errors = False
    return engine().compile(pattern, options)


def engine() -> Any:
    """Return RE2."""
    try:
        return import_module("re2")
    except ImportError as error:
        raise CouldNotLook(
            "The pattern engine (google-re2) is not installed.",
            meaning="The code was not looked at; what it defines is not known.",
            remedy="Install holdfast with its extra `code`.",
        ) from error


def _words(error: Exception) -> str:
    first = error.args[0] if error.args else ""
    return first.decode("utf-8", "replace") if isinstance(first, bytes) else str(first)


def _faulty(name: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"The pattern map {name} cannot be used: {why}.",
        meaning="No code was looked at with it.",
        remedy="Correct it, or do without it: there is a built-in map.",
    )
