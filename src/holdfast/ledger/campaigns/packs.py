"""Packs of a campaign: artifacts behind a list of their names and sizes, all in one frame.

sha256 bytes\\n     one line for each artifact
\\n
the bytes of all artifacts, one after the other
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

from holdfast.kernel.limits import CAMPAIGN_PACK_BYTES
from holdfast.storage.archives.container import Unreadable

Artifact: TypeAlias = tuple[bytes, bytes]
"""An artifact's SHA-256 and its bytes."""

Place: TypeAlias = tuple[bytes, int, int]
"""An artifact's SHA-256, and where it begins and ends in a pack."""

_DIGITS_MAX: Final = 12


def grouped(artifacts: Iterator[Artifact]) -> Iterator[list[Artifact]]:
    """Put artifacts together, as many as fit a pack; one that is larger is alone."""
    group: list[Artifact] = []
    held = 1
    for digest, content in artifacts:
        weight = len(_line(digest, content)) + len(content)
        if group and held + weight > CAMPAIGN_PACK_BYTES:
            yield group
            group, held = [], 1
        group.append((digest, content))
        held += weight
    if group:
        yield group


def encode(group: Sequence[Artifact]) -> bytes:
    """Return what a pack holds."""
    lines = [_line(digest, content) for digest, content in group]
    return b"".join((*lines, b"\n", *(content for _, content in group)))


def places(raw: bytes, count: int) -> list[Place]:
    """Return where the artifacts of a pack stand, which take all of it."""
    found: list[tuple[bytes, int]] = []
    at = 0
    for _ in range(count):
        end = raw.find(b"\n", at, at + 66 + _DIGITS_MAX)
        if end < 0:
            raise Unreadable("its list of artifacts is cut short")
        found.append(_read_line(raw[at:end]))
        at = end + 1
    if raw[at : at + 1] != b"\n":
        raise Unreadable("it holds more or fewer artifacts than stated")
    at += 1
    placed: list[Place] = []
    for digest, size in found:
        placed.append((digest, at, at + size))
        at += size
    if at != len(raw):
        raise Unreadable("its artifacts are longer or shorter than stated")
    return placed


def content_at(raw: bytes, place: Place) -> bytes:
    """Return an artifact, proved by its name."""
    digest, start, stop = place
    content = raw[start:stop]
    if sha256(content).digest() != digest:
        raise Unreadable(f"the artifact {digest.hex()} is not what its name says")
    return content


def _line(digest: bytes, content: bytes) -> bytes:
    return b"%b %d\n" % (digest.hex().encode(), len(content))


def _read_line(line: bytes) -> tuple[bytes, int]:
    name, _, size = line.partition(b" ")
    try:
        digest, length = bytes.fromhex(name.decode("ascii")), int(size)
    except ValueError as error:
        raise Unreadable("its list of artifacts cannot be read") from error
    if length < 0 or line != b"%b %d" % (digest.hex().encode(), length) or len(digest) != 32:
        raise Unreadable("its list of artifacts cannot be read")
    return digest, length
