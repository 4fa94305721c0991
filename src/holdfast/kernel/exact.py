"""Canonical JSON of values that hold no floats, as the items of stores are.

Spells what `canonical.encode` spells, in less time: floats need not be looked at, only for.
"""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.kernel.canonical import encode_slow
from holdfast.kernel.limits import INTEGER_MAX, JSON_DEPTH_MAX


def encode(value: object) -> bytes:
    """Spell a value that holds no floats; TypeError for one that does."""
    if _is_exact(value, JSON_DEPTH_MAX):
        try:
            return _encode(value)
        except UnicodeEncodeError:
            pass
    if _holds_float(value):
        raise TypeError("there are floats in it: use text or scaled integers")
    return encode_slow(value)


_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_INTEGER_MIN: Final = -INTEGER_MAX
_WORDS: Final = frozenset({str, bool, type(None)})


def _is_exact(value: object, levels: int) -> bool:
    """Tell whether a value is plain and holds no float; when unsure, say no."""
    kind = type(value)
    if kind is dict:
        if not levels:
            return False
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str or not key.isascii():
                return False
            kind = type(item)
            if kind is int:
                if not _INTEGER_MIN <= item <= INTEGER_MAX:
                    return False
            elif kind not in _WORDS and not _is_exact(item, levels - 1):
                return False
        return True
    if kind is list or kind is tuple:
        return levels > 0 and all(_is_exact(item, levels - 1) for item in value)  # type: ignore[attr-defined]
    if kind is int:
        return _INTEGER_MIN <= value <= INTEGER_MAX  # type: ignore[operator]
    return kind in _WORDS


def _holds_float(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_float, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_float, value))
    return isinstance(value, float)
