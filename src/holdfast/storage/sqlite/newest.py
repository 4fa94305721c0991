"""What one connection knows of the newest entries without reading them again.

A process that appends one entry after another would read back what it has just written: the head
for every entry, names and leaf hashes for every block. SQLite tells by its data version whether
anybody has committed since; while nobody has, what was written last is still the newest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import apsw

from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Sealed
from holdfast.kernel.limits import TREE_BLOCK_LEAVES
from holdfast.storage.sqlite import reading, tree

NOWHERE: Final = Head("")


class Placed(reading.Names, frozen=True, gc=False):
    """What the index and the tree take from an entry."""

    leaf: bytes


class Newest:
    """The end of the chain, and the entries before it that one connection wrote itself.

    `begin` with a head that was read, `follow` with what is written behind it, and `settle` once
    that is committed. Until then, and when it never is, the head has to be read again.
    """

    def __init__(self, head: Head = NOWHERE) -> None:
        self._version: int | None = None
        self._head = head
        self._first = head.size
        self._placed: list[Placed] = []

    def head(self, connection: apsw.Connection) -> Head | None:
        """Return the head if nobody has moved it; inside a transaction, which alone can tell."""
        return self._head if connection.data_version() == self._version else None

    def begin(self, connection: apsw.Connection, head: Head) -> Head:
        """Start over with a head that was read in this transaction."""
        self._head, self._first, self._placed = head, head.size, []
        self._version = connection.data_version()
        return head

    def follow(self, entries: Sequence[Sealed]) -> None:
        """Add entries that are being written."""
        self._version = None
        for one in entries:
            self._placed.append(Placed(one.id, one.type, one.session_id, one.leaf))
        self._head = Head(self._head.ledger, one.seq + 1, one.leaf)

    def settle(self, connection: apsw.Connection) -> None:
        """Rely on what was followed, now that it is committed."""
        self._version = connection.data_version()

    def forget_full(self) -> None:
        """Forget the entries of full blocks: index and tree have what they need of them."""
        start = self._head.size - self._head.size % TREE_BLOCK_LEAVES
        if self._first < start:
            del self._placed[: start - self._first]
            self._first = start

    def names(self, connection: apsw.Connection, first: int, stop: int) -> list[reading.Names]:
        """Return the names of entries, reading those that others wrote, but for damaged ones."""
        names: list[reading.Names] = []
        if first < self._first:
            stored = reading.held(connection, first, min(stop, self._first))
            found = [reading.names_of(one.body) for one in stored]
            names = [one for one in found if one is not None]
        return names + self._between(first, stop)

    def leaves(self, connection: apsw.Connection, first: int, stop: int) -> list[bytes]:
        """Return the leaf hashes of entries, reading those that others wrote."""
        leaves: list[bytes] = []
        if first < self._first:
            leaves = list(tree.leaves_of(connection, first, min(stop, self._first)))
        return leaves + [one.leaf for one in self._between(first, stop)]

    def _between(self, first: int, stop: int) -> list[Placed]:
        return self._placed[max(first - self._first, 0) : max(stop - self._first, 0)]
