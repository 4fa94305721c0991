"""The hashes of holdfast: SHA-256 throughout, each use told apart by its first byte.

    0x00  a leaf of the tree        0x02  one item of a store
    0x01  an inner node             0x03  a set of item hashes

Leaf and node are those of RFC 9162 §2.1.1. Hashes of content that other tools should be able
to recompute (`sha256sum`) carry no prefix. The tree itself is in `merkle`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

HASH_BYTES: Final = 32
"""Length of every hash."""

EMPTY_ROOT: Final = sha256(b"").digest()
"""Root of the tree without leaves."""

ZERO_LEAF: Final = bytes(HASH_BYTES)
"""Stands where an entry has no entry before it."""


def leaf_hash(body: bytes) -> bytes:
    """Hash the bytes of one entry into its leaf."""
    return sha256(b"\x00" + body).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash two neighbouring subtree roots into the root above them."""
    return sha256(b"\x01" + left + right).digest()


def data_hash(data: bytes) -> str:
    """Hash the canonical bytes of an entry's data, as hex."""
    return sha256(data).hexdigest()


def artifact_hash(content: bytes) -> str:
    """Hash an artifact as `sha256sum` would, as hex."""
    return sha256(content).hexdigest()


def item_hash(key: str, value: bytes) -> bytes:
    """Hash one item of a store; the key's length keeps key and value apart."""
    key_bytes = key.encode()
    return sha256(b"\x02" + len(key_bytes).to_bytes(4, "big") + key_bytes + value).digest()


def item_hashes(items: Iterable[tuple[str, bytes]]) -> list[bytes]:
    """Hash many items; inlines `item_hash`, a third faster so."""
    sha = sha256
    return [
        sha(b"\x02" + len(name := key.encode()).to_bytes(4, "big") + name + value).digest()
        for key, value in items
    ]


def digest_of(hashes: Iterable[bytes]) -> str:
    """Hash a collection of 32-byte hashes, whatever their order, as hex."""
    return sha256(b"\x03" + b"".join(sorted(hashes))).hexdigest()
