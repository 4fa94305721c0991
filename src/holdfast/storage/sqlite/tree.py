"""Kept nodes of the tree: the hash over every 256 and every 65,536 leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

import apsw

from holdfast.kernel import merkle
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import EMPTY_ROOT, HASH_BYTES, node_hash
from holdfast.kernel.limits import TREE_BLOCK_LEAVES
from holdfast.storage.sqlite.queries import SQL

LEVELS: Final = (8, 16)
"""Tree levels whose nodes are kept: 2^8 and 2^16 leaves."""

Leaves: TypeAlias = Callable[[apsw.Connection, int, int], Iterable[bytes]]
"""Gives the leaf hashes from a number up to before another."""

assert 2 ** LEVELS[0] == TREE_BLOCK_LEAVES


def node(connection: apsw.Connection, first: int, stop: int) -> bytes:
    """Return the tree hash over leaves `first` up to, not including, `stop`."""
    leaves = stop - first
    if leaves <= 0:
        return EMPTY_ROOT
    for level in LEVELS:
        if leaves == 1 << level and first % leaves == 0:
            return _kept(connection, level, first >> level)
    if leaves <= TREE_BLOCK_LEAVES:
        return merkle.root_of(list(leaves_of(connection, first, stop)))
    split = first + (1 << ((leaves - 1).bit_length() - 1))
    return node_hash(node(connection, first, split), node(connection, split, stop))


def complete(
    connection: apsw.Connection, old_size: int, new_size: int, leaves: Leaves | None = None
) -> None:
    """Keep the nodes that an append from `old_size` to `new_size` leaves has completed."""
    if old_size >> LEVELS[0] == new_size >> LEVELS[0]:
        return
    leaves = leaves or leaves_of
    below, per_node = 0, 1
    for level in LEVELS:
        for index in range(old_size >> level, new_size >> level):
            width = (1 << level) // per_node
            children = (
                leaves(connection, index << level, (index + 1) << level)
                if below == 0
                else _kept_range(connection, below, index * width, (index + 1) * width)
            )
            connection.execute(SQL["put_node"], (level, index, merkle.root_of(list(children))))
        below, per_node = level, 1 << level


def leaves_of(connection: apsw.Connection, first: int, stop: int) -> Iterator[bytes]:
    """Yield the kept leaf hashes of a range, archived entries first: they are the older ones."""
    for statement in ("sealed_hashes", "run_hashes"):
        for _, leaf in _leaves(connection, statement, first, stop):
            yield leaf


def sealed_leaves(connection: apsw.Connection, first: int, stop: int) -> dict[int, bytes]:
    """Return the kept leaf hashes of archived entries, by number."""
    return dict(_leaves(connection, "sealed_hashes", first, stop))


def _leaves(
    connection: apsw.Connection, statement: str, first: int, stop: int
) -> Iterator[tuple[int, bytes]]:
    rows: Iterable[Any] = connection.execute(SQL[statement], (first, stop))
    for start, hashes in rows:
        if not isinstance(hashes, bytes):
            continue  # a damaged row: without its leaves no root fits
        begin = max(first - start, 0)
        end = min(stop - start, len(hashes) // HASH_BYTES)
        for index in range(begin, end):
            yield start + index, hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES]


def _kept(connection: apsw.Connection, level: int, index: int) -> bytes:
    found = connection.execute(SQL["node"], (level, index)).get
    if not isinstance(found, bytes):
        raise Damaged(
            f"The tree node {index} of level {level} is missing.",
            meaning="The entries themselves are untouched by this.",
            remedy="Run `holdfast verify`.",
        )
    return found


def _kept_range(connection: apsw.Connection, level: int, first: int, stop: int) -> Iterator[bytes]:
    for (found,) in connection.execute(SQL["nodes_from"], (level, first, stop)):
        assert isinstance(found, bytes)
        yield found
