"""Canonical JSON: one value, one spelling, by RFC 8785 and within our limits.

`encode` is fast where the C encoder provably writes the canonical bytes, and falls to
`encode_slow`, the readable reference, everywhere else. `decode` reads text from outside.

    encode(decode(encode(value))) == encode(value)

Not here: hashing, entries, and any conversion of dates, enums or bytes. What JSON does not have
is refused by its path, never guessed at.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn, TypeAlias

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import INPUT_BYTES_MAX, INTEGER_MAX, JSON_DEPTH_MAX

JSON: TypeAlias = bool | int | float | str | list["JSON"] | dict[str, "JSON"] | None

_Path: TypeAlias = tuple[str | int, ...]
"""Steps from the root to a value; its length is the number of containers around the value."""


def encode(value: object) -> bytes:
    """Spell the value canonically, or raise InvalidInput naming what has no spelling, and where."""
    if _is_plain(value, JSON_DEPTH_MAX):
        try:
            return _encode_plain(value)
        except UnicodeEncodeError:
            pass  # A lone surrogate: the slow form says where.
    return encode_slow(value)


def encode_all(values: Sequence[object]) -> list[bytes]:
    """Spell each of several values, as `encode` does but with one call for all of them."""
    if values and _is_plain(values, JSON_DEPTH_MAX + 1):
        try:
            return _encode_plain_lines(values)[:-1].split(b"\n")  # no spelling holds a newline
        except UnicodeEncodeError:
            pass
    return [encode(value) for value in values]


def encode_slow(value: object) -> bytes:
    """Do what `encode` does, plainly: the reference it is tested against."""
    return _spell(value, ()).encode("utf-8")


def decode(text: bytes | str) -> JSON:
    """Read one JSON text strictly; raise InvalidInput for anything else.

    Integers beyond INTEGER_MAX and lone surrogate escapes are returned as Python has them,
    so that a caller can set them aside; `encode` refuses them.
    """
    characters = _check_text(text)
    _check_depth(characters)
    try:
        return _read(characters)
    except json.JSONDecodeError as error:
        raise _text_refusal(
            f"The JSON text is broken at line {error.lineno}, column {error.colno}: {error.msg}.",
            "Correct it there; one text holds one value.",
        ) from error


_FLOAT_PLAIN_MIN: Final = 1e-5
_FLOAT_PLAIN_MAX: Final = 1e15
# Between these both ECMAScript (from 1e-6 to 1e21) and msgspec (from 1e-5 to 1e16) write the
# shortest digits that read back, without an exponent. Integral floats differ: `1.0` against `1`.

_INTEGER_MIN: Final = -INTEGER_MAX

_encode_plain: Final = msgspec.json.Encoder(order="deterministic").encode
_encode_plain_lines: Final = msgspec.json.Encoder(order="deterministic").encode_lines


def _is_plain(value: object, levels: int) -> bool:
    """Tell whether msgspec writes exactly what `encode_slow` would; when unsure, say no.

    Runs on every append: what most values are is passed over without a call for it.
    ASCII keys sort the same by bytes as by UTF-16 code units; others are left to the slow form.
    """
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
            elif kind is not str and item is not None and not _is_plain(item, levels - 1):
                return False
        return True
    if kind is float:
        return _FLOAT_PLAIN_MIN <= abs(value) < _FLOAT_PLAIN_MAX and value % 1.0 != 0.0  # type: ignore[arg-type, operator]
    if kind is list or kind is tuple:
        if not levels:
            return False
        for item in value:  # type: ignore[attr-defined]
            if type(item) is not str and not _is_plain(item, levels - 1):
                return False
        return True
    if kind is int:
        return _INTEGER_MIN <= value <= INTEGER_MAX  # type: ignore[operator]
    return kind is str or value is None or kind is bool


_quote: Final = json.JSONEncoder(ensure_ascii=False).encode


def _spell(value: object, path: _Path) -> str:
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is str:
        return _spell_string(value, path)
    if type(value) is int:
        return _spell_integer(value, path)
    if type(value) is float:
        return _spell_float(value, path)
    if type(value) is list or type(value) is tuple:
        return _spell_array(value, path)
    if type(value) is dict:
        return _spell_object(value, path)
    raise _refusal(
        f"{_show(path)} is of type {type(value).__name__}, which JSON does not have.",
        "Make it None, a bool, int, float, str, list, tuple or dict (not a subclass) first.",
    )


def _spell_string(text: str, path: _Path) -> str:
    surrogate_at = _find_surrogate(text)
    if surrogate_at is not None:
        raise _refusal(
            f"{_show(path)} holds a lone surrogate at character {surrogate_at}: not Unicode text.",
            "Replace it, or give the original bytes in base64.",
        )
    return _quote(text)


def _spell_integer(number: int, path: _Path) -> str:
    if not _INTEGER_MIN <= number <= INTEGER_MAX:
        raise _refusal(
            f"{_show(path)} is an integer beyond ±{INTEGER_MAX}, where JSON readers disagree.",
            "Give it as a string.",
        )
    return str(number)


def _spell_float(number: float, path: _Path) -> str:
    """Write a float as ECMAScript does; an integral one is an integer, and -0.0 is 0."""
    if not math.isfinite(number):
        raise _refusal(
            f"{_show(path)} is NaN or infinite, which JSON does not have.",
            "Leave it out, or give null or a string.",
        )
    if number.is_integer():
        return _spell_integer(int(number), path)
    # repr gives the digits ECMAScript gives. Not integral means below 2**52, so only small
    # numbers are spelled differently: ECMAScript goes to exponents below 1e-6, repr below 1e-4.
    mantissa, _, exponent = repr(number).partition("e-")
    if not exponent:
        return mantissa
    places = int(exponent)
    if places > 6:
        return f"{mantissa}e-{places}"
    sign = "-" if number < 0 else ""
    digits = mantissa.removeprefix("-").replace(".", "")
    return f"{sign}0.{'0' * (places - 1)}{digits}"


def _spell_array(items: Sequence[object], path: _Path) -> str:
    _check_level(path)
    return "[" + ",".join([_spell(item, (*path, at)) for at, item in enumerate(items)]) + "]"


def _spell_object(items: dict[Any, object], path: _Path) -> str:
    _check_level(path)
    for key in items:
        _check_key(key, path)
    members = [
        f"{_quote(key)}:{_spell(items[key], (*path, key))}" for key in sorted(items, key=_utf16)
    ]
    return "{" + ",".join(members) + "}"


def _check_level(path: _Path) -> None:
    if len(path) >= JSON_DEPTH_MAX:
        raise _refusal(
            f"{_show(path)} is nested deeper than {JSON_DEPTH_MAX} levels, or holds itself.",
            "Flatten the value.",
        )


def _check_key(key: object, path: _Path) -> None:
    if type(key) is not str:
        raise _refusal(
            f"{_show(path)} has a key of type {type(key).__name__}; a JSON key is a string.",
            "Make the key a str (not a subclass) first.",
        )
    surrogate_at = _find_surrogate(key)
    if surrogate_at is not None:
        raise _refusal(
            f"The key of {_show((*path, key))} holds a lone surrogate at character {surrogate_at}.",
            "Rename the key.",
        )


def _find_surrogate(text: str) -> int | None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return error.start
    return None


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


_INTEGER_DIGITS_MAX: Final = 4300
"""Python's own default; fixed here so that a process's settings do not change what is read."""

_BETWEEN_BRACKETS: Final = re.compile(r'(?:[^\[\]{}"]++|"(?:[^"\\]++|\\.)*+"?)++', re.DOTALL)
# Possessive, and the closing quote optional: linear in the text, however it is broken.


def _check_text(text: bytes | str) -> str:
    if isinstance(text, str):
        size_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    else:
        size_bytes = len(text)
    if size_bytes > INPUT_BYTES_MAX:
        raise _text_refusal(
            f"The JSON text has {size_bytes} bytes; at most {INPUT_BYTES_MAX} are read.",
            "Split it.",
        )
    characters = text if isinstance(text, str) else _decode_utf8(text)
    if characters.startswith("\ufeff"):
        raise _text_refusal(
            "The JSON text begins with a byte order mark.", "Save it as UTF-8 without one."
        )
    return characters


def _decode_utf8(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _text_refusal(
            f"The JSON text is not UTF-8 at byte {error.start}.", "Convert it to UTF-8."
        ) from error


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the parser, whose stack it could exhaust, sees the text."""
    if text.count("[") + text.count("{") <= JSON_DEPTH_MAX:
        return
    depth = 0
    for bracket in _BETWEEN_BRACKETS.sub("", text):
        depth += 1 if bracket in "[{" else -1
        if depth > JSON_DEPTH_MAX:
            raise _text_refusal(
                f"The JSON text is nested deeper than {JSON_DEPTH_MAX} levels.", "Flatten it."
            )


def _read(text: str) -> JSON:
    try:
        return _strict_decoder.decode(text)  # type: ignore[no-any-return]
    except _DuplicateKeyError:
        # Read again with each object as its pairs: only now is the path worth its cost.
        path = _find_duplicate(_pairs_decoder.decode(text), ())
        raise _text_refusal(
            f"{_show(path)} appears twice in the JSON text; readers disagree on which one counts.",
            "Keep one of them.",
        ) from None


class _DuplicateKeyError(Exception):
    """Leave the parser; never leaves this module."""


def _unique(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateKeyError
    return members


def _integer(digits: str) -> int:
    size = len(digits.lstrip("-"))
    if size <= _INTEGER_DIGITS_MAX:
        try:
            return int(digits)
        except ValueError:
            pass  # The process allows fewer digits than Python does by default.
    raise _text_refusal(
        f"The JSON text has an integer of {size} digits; at most {_INTEGER_DIGITS_MAX} are read.",
        "Give it as a string.",
    )


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _text_refusal(
            "The JSON text has a number too large for a 64-bit float.", "Give it as a string."
        )
    return number


def _constant(name: str) -> NoReturn:
    raise _text_refusal(
        f"The JSON text has {name}, which JSON does not have.", "Give null or a string."
    )


_strict_decoder: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_integer, parse_float=_finite, parse_constant=_constant
)
_pairs_decoder: Final = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=_integer, parse_float=_finite, parse_constant=_constant
)


def _find_duplicate(value: object, path: _Path) -> _Path:
    """Find the first repeated key where objects are tuples of pairs; () when there is none."""
    steps: list[tuple[str | int, object]] = []
    if type(value) is tuple:
        steps = list(value)
    elif type(value) is list:
        steps = list(enumerate(value))
    seen: set[str | int] = set()
    for step, child in steps:
        here = (*path, step)
        if step in seen:
            return here
        seen.add(step)
        if found := _find_duplicate(child, here):
            return found
    return ()


_PATH_KEY_CHARS_MAX: Final = 60
_BARE_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _refusal(what: str, remedy: str) -> InvalidInput:
    meaning = "It has no canonical JSON form, so nothing was recorded."
    return InvalidInput(what, meaning=meaning, remedy=remedy)


def _text_refusal(what: str, remedy: str) -> InvalidInput:
    return InvalidInput(what, meaning="None of it was read.", remedy=remedy)


def _show(path: _Path) -> str:
    return "$" + "".join([_show_step(step) for step in path])


def _show_step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if len(step) > _PATH_KEY_CHARS_MAX:
        kept = json.dumps(step[:_PATH_KEY_CHARS_MAX])
        return f"[{kept}… {len(step) - _PATH_KEY_CHARS_MAX} more characters]"
    return f".{step}" if _BARE_KEY.fullmatch(step) else f"[{json.dumps(step)}]"
