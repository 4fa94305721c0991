"""What a parse worker and its owner say to each other: length, then MessagePack."""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.code.patterns import PatternMap
from holdfast.code.values import Reading

HEADER_BYTES: Final = 4


class Job(msgspec.Struct, frozen=True):
    """One text to read, and the seconds of a processor that it may take."""

    text: str
    language: str
    timeout_s: float
    known: PatternMap | None = None
    """Patterns of the user's, for languages that have no grammar."""


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The child could not look, for a reason it knows."""

    what: str
    meaning: str
    remedy: str


class Read(msgspec.Struct, frozen=True, tag=True):
    """What the child read."""

    reading: Reading


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The child has started."""


Answer = Read | Refused | Ready


def framed(message: msgspec.Struct) -> bytes:
    """Return a message as it goes over a pipe."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(HEADER_BYTES, "big") + body
