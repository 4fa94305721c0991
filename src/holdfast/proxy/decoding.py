"""A copy of what crosses in a coding, made readable. The bytes that pass are never these.

`gzip`, `deflate` and `zstd` can be read; `br` cannot, so it is not asked for, and where it comes
all the same, the answer is unread and said to be. A copy has a bound: bombs stay small.
"""

from __future__ import annotations

import zlib
from typing import Final

from holdfast.kernel.limits import MIB

READABLE: Final = ("gzip", "deflate", "zstd", "identity")
"""Codings that an upstream may be asked for."""

_WINDOW_BYTES_MAX: Final = 8 * MIB
"""What the standard for HTTP lets a sender use."""

_NONE: Final = frozenset({"", "identity"})


class Undecodable(ValueError):
    """What came cannot be read, and why."""


def decoded(content: bytes, encoding: str, *, bytes_max: int) -> bytes:
    """Return the content without its codings, as far as it came; raise `Undecodable`."""
    for coding in reversed([part.strip().lower() for part in encoding.split(",")]):
        if coding not in _NONE:
            content = _without(content, coding, bytes_max)
    return content


def _without(content: bytes, coding: str, bytes_max: int) -> bytes:
    try:
        match coding:
            case "gzip" | "x-gzip":
                return _inflated(content, zlib.MAX_WBITS | 16, bytes_max)
            case "deflate":
                # the standard says zlib, but some send bare deflate
                bare = len(content) < 2 or int.from_bytes(content[:2], "big") % 31 != 0
                return _inflated(content, -zlib.MAX_WBITS if bare else zlib.MAX_WBITS, bytes_max)
            case "zstd":
                return _unpacked(content, bytes_max)
            case _:
                raise Undecodable(f"nobody here reads the coding {coding[:40]!r}")
    except zlib.error as problem:
        raise Undecodable(f"the {coding} cannot be read: {problem}") from problem


def _inflated(content: bytes, window: int, bytes_max: int) -> bytes:
    """Return what was compressed; several members stand behind each other, the last may be cut."""
    made, rest = bytearray(), content
    while rest:
        reader = zlib.decompressobj(window)
        made += reader.decompress(rest, bytes_max + 1 - len(made))
        if len(made) > bytes_max:
            raise _too_large(bytes_max)
        if not reader.eof or reader.unused_data == rest:
            break
        rest = reader.unused_data
    return bytes(made)


def _unpacked(content: bytes, bytes_max: int) -> bytes:
    import zstandard  # only who is sent zstd pays for it

    try:
        packed = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES_MAX)
        reader = packed.stream_reader(content, read_across_frames=True)
        made = reader.read(bytes_max + 1)
    except zstandard.ZstdError as problem:
        raise Undecodable(f"the zstd cannot be read: {problem}") from problem
    if len(made) > bytes_max:
        raise _too_large(bytes_max)
    return made


def _too_large(bytes_max: int) -> Undecodable:
    return Undecodable(f"it is larger than {bytes_max} bytes when it is read")
