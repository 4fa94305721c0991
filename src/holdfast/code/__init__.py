"""Reading code: text in, values out. No file, no process, no clock.

    language_of("src/a.py")                     # "python"
    reading = read_symbols(text, "python")      # every definition, in order
    section_at(text, "python", 45)              # the smallest whole definition around a line
    section_named(text, "python", "Class.f")    # one by its qualified name
    outline(text, "python", 200)                # all of them, within a token budget

Offsets are bytes of the text in UTF-8, lines count from 1. A definition is a function, a method, a
type, a namespace, or a value of the file itself; fields that hold no code are part of their type.
What cannot be looked at (no grammar installed, binary, too large) raises `CouldNotLook`; no symbols
means that there are none. Definitions inside a part that could not be parsed may be missing: then
`Reading.errors` is true. A text from outside is read by `holdfast.workers`, which can be killed.

Names are loaded when they are first used, grammars and patterns when a language is first read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.code.fallback import read_by_patterns
    from holdfast.code.languages import language_of
    from holdfast.code.outlines import outline
    from holdfast.code.patterns import PatternMap, pattern_map
    from holdfast.code.sections import section_at, section_named, section_of
    from holdfast.code.symbols import read_symbols
    from holdfast.code.values import Outline, Reading, Section, Symbol
    from holdfast.kernel.errors import CouldNotLook

_HOMES = {
    "holdfast.code.fallback": ("read_by_patterns",),
    "holdfast.code.languages": ("language_of",),
    "holdfast.code.outlines": ("outline",),
    "holdfast.code.patterns": ("PatternMap", "pattern_map"),
    "holdfast.code.sections": ("section_at", "section_named", "section_of"),
    "holdfast.code.symbols": ("read_symbols",),
    "holdfast.code.values": ("Outline", "Reading", "Section", "Symbol"),
    "holdfast.kernel.errors": ("CouldNotLook",),
}
_HOME_BY_NAME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "CouldNotLook",
    "Outline",
    "PatternMap",
    "Reading",
    "Section",
    "Symbol",
    "language_of",
    "outline",
    "pattern_map",
    "read_by_patterns",
    "read_symbols",
    "section_at",
    "section_named",
    "section_of",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    home = _HOME_BY_NAME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return globals().setdefault(name, getattr(import_module(home), name))
