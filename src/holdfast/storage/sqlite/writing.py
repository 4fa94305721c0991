"""What an append writes, inside a transaction that the engine has begun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import apsw

from holdfast.kernel.entry import Sealed
from holdfast.kernel.limits import INDEX_BLOCK_ENTRIES, RUN_BYTES_MAX, RUN_ENTRIES_MAX
from holdfast.storage.port import Batch
from holdfast.storage.sqlite import reading, tree
from holdfast.storage.sqlite.keys import id_key, session_key, type_key
from holdfast.storage.sqlite.queries import SQL

_Named: TypeAlias = reading.Names | Sealed


def append(connection: apsw.Connection, batch: Batch) -> None:
    """Write a batch behind what is there. The caller has compared the head."""
    entries = batch.entries
    if not entries:
        return
    for digest, content in batch.artifacts.items():
        _put_artifact(connection, bytes.fromhex(digest), content)
    if len(entries) == 1:  # by far the most common, so it takes the short way
        [one] = entries
        connection.execute(SQL["put_run"], (one.seq, one.seq, one.leaf, one.body))
    else:
        for run in _runs(entries):
            lines = b"\n".join([entry.body for entry in run])
            hashes = b"".join([entry.leaf for entry in run])
            connection.execute(SQL["put_run"], (run[0].seq, run[-1].seq, hashes, lines))
    _index_newest(connection, entries)
    tree.complete(connection, entries[0].seq, entries[-1].seq + 1)


def index_waiting(connection: apsw.Connection, first: int, stop: int, size: int) -> None:
    """Put entries that are leaving into the index, when their block is not full yet.

    Once archived they cannot be read here when the block is completed.
    """
    number = size // INDEX_BLOCK_ENTRIES
    start = max(first, number * INDEX_BLOCK_ENTRIES)
    if start >= stop:
        return
    names = [reading.names_of(stored.body) for stored in reading.held(connection, start, stop)]
    _index(connection, {number: [name for name in names if name is not None]})


def _index_newest(connection: apsw.Connection, batch: Sequence[Sealed]) -> None:
    """Put the blocks that a batch has completed into the index.

    Doing this for many entries at once is what keeps an append to one page.
    """
    first_block = batch[0].seq // INDEX_BLOCK_ENTRIES
    stop_block = (batch[-1].seq + 1) // INDEX_BLOCK_ENTRIES
    if first_block == stop_block:
        return
    start = first_block * INDEX_BLOCK_ENTRIES
    blocks: dict[int, list[_Named]] = {number: [] for number in range(first_block, stop_block)}
    for stored in reading.held(connection, start, batch[0].seq):
        name = reading.names_of(stored.body)
        if name is not None:
            blocks[first_block].append(name)
    for entry in batch[: stop_block * INDEX_BLOCK_ENTRIES - batch[0].seq]:
        blocks[entry.seq // INDEX_BLOCK_ENTRIES].append(entry)
    _index(connection, blocks)


def _index(connection: apsw.Connection, blocks: Mapping[int, Sequence[_Named]]) -> None:
    ids: list[tuple[int, int]] = []
    marks: list[tuple[int, int]] = []
    for number, block in blocks.items():
        ids += [(key, number) for key in sorted({id_key(entry.id) for entry in block})]
        marks += [(key, number) for key in _marks(block)]
    connection.executemany(SQL["put_id"], ids)
    connection.executemany(SQL["put_mark"], marks)


def _runs(entries: Sequence[Sealed]) -> Iterator[Sequence[Sealed]]:
    """Split a batch into runs of bounded length and weight."""
    start = size = 0
    for index, entry in enumerate(entries):
        heavy = size + len(entry.body) > RUN_BYTES_MAX
        if index > start and (heavy or index - start == RUN_ENTRIES_MAX):
            yield entries[start:index]
            start, size = index, 0
        size += len(entry.body) + 1
    yield entries[start:]


def _marks(block: Sequence[_Named]) -> set[int]:
    """Return the keys of every type and session in a block."""
    types = {type_key(name) for name in {entry.type for entry in block}}
    sessions = {entry.session_id for entry in block} - {None}
    return types | {session_key(session_id) for session_id in sessions if session_id}


def _put_artifact(connection: apsw.Connection, digest: bytes, content: bytes) -> None:
    if connection.execute(SQL["has_artifact"], (digest,)).get is None:
        connection.execute(SQL["put_artifact"], (digest, content))
