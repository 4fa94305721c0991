"""Text of anybody's, made harmless to look at.

Every character that could move a cursor, change colours, reverse the reading order or hide is shown
as its escape.
"""

from __future__ import annotations

import json
from typing import Final

INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0)))
)
"""Characters that count as printable and show nothing. Not U+FE0F, which makes emoji colourful."""


def visible(text: str, *, lines: bool = False) -> str:
    """Return text that is only shown, by a terminal or to a model. With `lines`, line ends and tabs
    stay."""
    if text.isascii() and text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(
        char if char in kept or (char.isprintable() and char not in INVISIBLE) else _escape(char)
        for char in text
    )


def visible_json(text: str) -> str:
    """Return JSON whose strings are only shown. It means the same: the escapes are JSON's own."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char.isprintable() and char not in INVISIBLE else json.dumps(char)[1:-1]
        for char in text
    )


def _escape(char: str) -> str:
    code = ord(char)
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
