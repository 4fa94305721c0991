"""What reading code yields: frozen values, the same for the same text."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

By: TypeAlias = Literal["tree-sitter", "patterns"]
"""What looked: a parser, or the line patterns that stand in where there is no grammar."""


class Symbol(msgspec.Struct, frozen=True, gc=False):  # nothing in it can lead back to it
    """One definition: its names, where it stands, and whether all of it is there.

    Offsets are bytes of the text in UTF-8, the end is exclusive. Lines count from 1, the last one
    is inclusive. Both take in decorators and the comments directly above.
    """

    kind: str
    name: str
    qualified: str
    """Unique within the text: `Class.method`, `outer.inner`; from the second on `name#2`."""
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    body_start: int | None
    body_end: int | None
    digest: str
    """SHA-256 of the slice, in hex."""
    errors: bool
    """Part of it could not be parsed, or the parser had to imagine something. Patterns cannot tell
    and say no."""
    elided: bool
    """Something inside was left out by whoever wrote it down: see `elision`."""
    nodes: int
    """Nodes of the syntax tree; 0 from patterns."""


class Reading(msgspec.Struct, frozen=True):
    """All definitions of one text, in the order in which they begin."""

    language: str
    symbols: tuple[Symbol, ...]
    errors: bool
    by: By
    elided: bool
    """Something was left out, inside a definition or between them."""
    nodes: int
    """Nodes of the whole tree; 0 from patterns."""


class Section(msgspec.Struct, frozen=True):
    """One whole definition and its text."""

    symbol: Symbol
    text: str


class Outline(msgspec.Struct, frozen=True):
    """The definitions of a text, one a line, within a budget."""

    text: str
    tokens: int
    counter: str
    """Which counter made the figure."""
    shown: int
    left_out: int
    """Definitions that the budget had no room for; the text says so, too."""
