"""What the lines of a log hash to: the tree over all of them, and one segment as JSON Lines.

Hashing stands apart from folding, so that another process may do it meanwhile (`wiring.hashing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from typing import Protocol, TypeAlias

import msgspec

from holdfast.kernel.merkle import Frontier


class Proof(msgspec.Struct, frozen=True):
    """What the lines hash to, in hex."""

    root: str
    segment: str


class Beginning(msgspec.Struct, frozen=True):
    """Where hashing begins."""

    peaks: tuple[bytes, ...] = ()
    size: int = 0
    """The tree that is known already: its peaks, and how many leaves are under them."""
    first: int = 0
    """Number of the first line that will come; those below `size` are in the tree already."""
    segment_first: int = 0
    """Number of the first line of the segment."""
    stop: int = 0
    """How far the lines go; the last one that will come is the one before."""


class Hashing(Protocol):
    """Hashes lines as they come by."""

    def take(self, bodies: Sequence[bytes]) -> None:
        """Take the next lines."""

    def finish(self) -> Proof:
        """Return what all of them hash to."""


HashingFrom: TypeAlias = Callable[[Beginning], AbstractContextManager[Hashing]]
"""Begins to hash, here or elsewhere; whatever was begun ends with the context."""


class Hasher:
    """Hashes in this process."""

    def __init__(self, beginning: Beginning) -> None:
        self._frontier = Frontier(beginning.size, beginning.peaks)
        self._next = beginning.first
        self._segment_first = beginning.segment_first
        self._segment = sha256()

    def take(self, bodies: Sequence[bytes]) -> None:
        """Take the next lines."""
        fresh = bodies[max(self._frontier.size - self._next, 0) :]
        if fresh:
            sha = sha256  # `leaf_hash`, inlined: a call for each line would cost a quarter more
            leaves = [sha(b"\x00" + body).digest() for body in fresh]
            self._frontier = self._frontier.extend(leaves)
        told = bodies[max(self._segment_first - self._next, 0) :]
        if told:
            self._segment.update(b"\n".join(told) + b"\n")
        self._next += len(bodies)

    def finish(self) -> Proof:
        """Return what all of them hash to."""
        return Proof(self._frontier.root().hex(), self._segment.hexdigest())


@contextmanager
def hashing_here(beginning: Beginning) -> Iterator[Hashing]:
    """Hash in this process."""
    yield Hasher(beginning)
