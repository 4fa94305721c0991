"""The Merkle tree over entries: RFC 9162 §2.1 (the tree of RFC 6962), over leaf hashes.

Three parts: building (`Frontier`, `root_of`), proving, and verifying. The verifier follows the
algorithms of §2.1.3.2 and §2.1.4.2 and shares nothing with the prover but the node hash.

Not here: where leaves and nodes are stored. A prover asks for subtree roots through `node`.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.hashing import EMPTY_ROOT, HASH_BYTES, node_hash
from holdfast.kernel.limits import INTEGER_MAX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PROOF_HASHES_MAX: Final = INTEGER_MAX.bit_length() + 1
"""Hashes in the longest proof: one a level of the highest tree, and one to start from."""

Node = Callable[[int, int], bytes]
"""`node(first, last)` MUST return the root of leaves[first:last).

`first` is a multiple of the smallest power of two that holds the range, so every whole block of
2**k leaves in it is a node of the tree; only the last block of the tree may be ragged.
"""


class Frontier(msgspec.Struct, frozen=True):
    """The right edge of a tree: enough to append to it and to know its root.

    `peaks` are the roots of its perfect subtrees, one for each set bit of `size`, largest first.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    @classmethod
    def empty(cls) -> Frontier:
        """Start a tree without leaves."""
        return cls()

    def append(self, leaf: bytes) -> Frontier:
        """Add one leaf."""
        return self.append_subtree(leaf, 1)

    def extend(self, leaves: Iterable[bytes]) -> Frontier:
        """Add leaves in order, hashing level by level: one hash a leaf, no loop a leaf."""
        level = list(leaves)
        _require_hashes(level)
        size = self.size + len(level)
        old_peaks, old_size = list(self.peaks), self.size
        new_peaks: list[bytes] = []
        while level or old_size:
            if old_size & 1:
                level.insert(0, old_peaks.pop())
            if len(level) & 1:
                new_peaks.append(level.pop())
            level = _parents(level)
            old_size >>= 1
        return Frontier(size, tuple(reversed(new_peaks)))

    def append_subtree(self, root: bytes, leaves: int) -> Frontier:
        """Add a perfect subtree by its root; `leaves` is a power of two that divides `size`."""
        _require_hashes([root])
        if leaves < 1 or leaves & (leaves - 1) or self.size % leaves:
            raise InvalidInput(
                f"A subtree of {leaves} leaves does not fit a tree of {self.size}.",
                meaning="The tree is unchanged.",
                remedy="Give a power of two that divides the size of the tree.",
            )
        peaks, place = list(self.peaks), self.size // leaves
        while place & 1:
            root = node_hash(peaks.pop(), root)
            place >>= 1
        return Frontier(self.size + leaves, (*peaks, root))

    def root(self) -> bytes:
        """Return the root of the tree."""
        if not self.peaks:
            return EMPTY_ROOT
        *left, root = self.peaks
        for peak in reversed(left):
            root = node_hash(peak, root)
        return root


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of the tree over these leaves."""
    return Frontier().extend(leaves).root()


def node_from_leaves(leaves: Sequence[bytes]) -> Node:
    """Answer a prover from leaves held in memory."""
    return lambda first, last: root_of(leaves[first:last])


def inclusion_proof(index: int, size: int, node: Node) -> list[bytes]:
    """Prove that leaf `index` is in the tree of `size` leaves: siblings, from the leaf upward."""
    if not 0 <= index < size:
        raise InvalidInput(
            f"There is no leaf {index} in a tree of {size}.",
            meaning="No proof was made.",
            remedy=f"Give an index from 0 up to, not including, {size}.",
        )
    first, last = 0, size
    proof = []
    while last - first > 1:
        middle = first + _split(last - first)
        if index < middle:
            proof.append(node(middle, last))
            last = middle
        else:
            proof.append(node(first, middle))
            first = middle
    return proof[::-1]


def consistency_proof(old_size: int, new_size: int, node: Node) -> list[bytes]:
    """Prove that the tree of `old_size` leaves is a prefix of that of `new_size`."""
    if not 0 <= old_size <= new_size:
        raise InvalidInput(
            f"A tree of {old_size} leaves cannot be a prefix of a tree of {new_size}.",
            meaning="No proof was made.",
            remedy="Give the older, smaller size first.",
        )
    if old_size == 0:
        return []
    first, last = 0, new_size
    proof = []
    while last != old_size:
        middle = first + _split(last - first)
        if old_size <= middle:
            proof.append(node(middle, last))
            last = middle
        else:
            proof.append(node(first, middle))
            first = middle
    # A subtree that starts at leaf 0 is the old tree itself, whose root the verifier holds.
    if first:
        proof.append(node(first, last))
    return proof[::-1]


def verify_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    """Check an inclusion proof; a malformed one is false, never an error."""
    if not (_is_size(index) and _is_size(size) and _are_hashes((leaf, root)) and _is_proof(proof)):
        return False
    if index >= size:
        return False
    place, last = index, size - 1
    computed = leaf
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            computed = node_hash(sibling, computed)
            place, last = _climb(place, last)
        else:
            computed = node_hash(computed, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and computed == root


def verify_consistency(
    old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Check a consistency proof; a malformed one is false, never an error."""
    if not (_is_size(old_size) and _is_size(new_size)):
        return False
    if not (_are_hashes((old_root, new_root)) and _is_proof(proof)):
        return False
    if old_size == new_size:
        return not proof and old_root == new_root and (old_size > 0 or old_root == EMPTY_ROOT)
    if old_size == 0:
        return not proof and old_root == EMPTY_ROOT
    if old_size > new_size or not proof:
        return False
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    return _roots_along(path, old_size, new_size) == (old_root, new_root)


def _roots_along(path: list[bytes], old_size: int, new_size: int) -> tuple[bytes, bytes] | None:
    """Compute the old and the new root from a consistency path; None if its length is wrong."""
    place, last = old_size - 1, new_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return None
        if place & 1 or place == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            place, last = _climb(place, last)
        else:
            new = node_hash(new, sibling)
        place, last = place >> 1, last >> 1
    return (old, new) if last == 0 else None


def _climb(place: int, last: int) -> tuple[int, int]:
    """Skip the levels where a node on the right edge has no sibling."""
    while place and not place & 1:
        place, last = place >> 1, last >> 1
    return place, last


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= INTEGER_MAX


def _are_hashes(values: Iterable[object]) -> bool:
    return all(isinstance(value, bytes) and len(value) == HASH_BYTES for value in values)


def _is_proof(proof: object) -> bool:
    return isinstance(proof, list | tuple) and len(proof) <= PROOF_HASHES_MAX and _are_hashes(proof)


def _require_hashes(hashes: list[bytes]) -> None:
    if set(map(len, hashes)) <= {HASH_BYTES}:
        return
    raise InvalidInput(
        f"A hash in a tree is {HASH_BYTES} bytes long; one of these is not.",
        meaning="The tree is unchanged.",
        remedy="Give leaf hashes, not the bytes they were made from.",
    )


def _parents(level: list[bytes]) -> list[bytes]:
    """Hash an even number of nodes pair by pair; inlines `node_hash`, a third faster so."""
    sha, pairs = sha256, iter(level)
    return [sha(b"\x01" + left + right).digest() for left, right in zip(pairs, pairs, strict=True)]


def _split(count: int) -> int:
    """Return the largest power of two below `count`, which is at least 2."""
    return 1 << ((count - 1).bit_length() - 1)
