"""What an append writes, inside a transaction that the engine has begun."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import apsw

from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Sealed
from holdfast.kernel.limits import (
    INDEX_BLOCK_ENTRIES,
    INLINE_BYTES_MAX,
    RUN_BYTES_MAX,
    RUN_ENTRIES_MAX,
)
from holdfast.storage.port import Batch
from holdfast.storage.sqlite import reading, tree
from holdfast.storage.sqlite.keys import id_keys, session_key, type_key
from holdfast.storage.sqlite.newest import Newest
from holdfast.storage.sqlite.queries import SQL

_PUT_RUN: Final = SQL["put_run"]


def append(cursor: apsw.Cursor, batch: Batch, newest: Newest | None = None) -> None:
    """Write a batch behind what is there. The caller has compared the head.

    A cursor is given because making one takes as long as a short statement.
    """
    entries = batch.entries
    if not entries:
        return
    if batch.artifacts:
        _put_artifacts(cursor.connection, batch.artifacts)
    first, stop = entries[0].seq, entries[-1].seq + 1
    newest = newest or Newest(Head("", first))
    if stop - first == 1:
        append_one(cursor, entries[0], newest)
        return
    for run in _runs(entries):
        lines = b"\n".join([entry.body for entry in run])
        hashes = b"".join([entry.leaf for entry in run])
        cursor.execute(_PUT_RUN, (run[0].seq, run[-1].seq, hashes, lines))
    newest.follow(entries)
    if first // INDEX_BLOCK_ENTRIES != stop // INDEX_BLOCK_ENTRIES:
        _complete(cursor.connection, newest, first, stop)


def append_one(cursor: apsw.Cursor, entry: Sealed, newest: Newest) -> None:
    """Do what `append` does for one entry without artifacts, as nearly every append is."""
    seq = entry.seq
    cursor.execute(_PUT_RUN, (seq, seq, entry.leaf, entry.body))
    newest.follow((entry,))
    if (seq + 1) % INDEX_BLOCK_ENTRIES == 0:
        _complete(cursor.connection, newest, seq, seq + 1)


def is_heavy(batch: Batch) -> bool:
    """Tell whether the log may have grown by more than WAL_PAGES_COMMIT."""
    entries = batch.entries
    return len(entries) != 1 or bool(batch.artifacts) or len(entries[0].body) > INLINE_BYTES_MAX


def _complete(connection: apsw.Connection, newest: Newest, first: int, stop: int) -> None:
    """Write what is done for many entries at once, which is what keeps an append to one page."""
    _index_full(connection, newest, first, stop)
    tree.complete(connection, first, stop, newest.leaves)
    newest.forget_full()


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


def _index_full(connection: apsw.Connection, newest: Newest, first: int, stop: int) -> None:
    """Put the blocks that entries `first` up to before `stop` have filled into the index."""
    blocks = {}
    for number in range(first // INDEX_BLOCK_ENTRIES, stop // INDEX_BLOCK_ENTRIES):
        start = number * INDEX_BLOCK_ENTRIES
        blocks[number] = newest.names(connection, start, start + INDEX_BLOCK_ENTRIES)
    _index(connection, blocks)


def _index(connection: apsw.Connection, blocks: Mapping[int, Sequence[reading.Names]]) -> None:
    for number, block in blocks.items():
        ids = sorted(id_keys([entry.id for entry in block]))
        connection.execute(SQL["put_ids"], (_spelled(ids), number))
        connection.execute(SQL["put_marks"], (_spelled(_marks(block)), number))


def _spelled(keys: Iterable[int]) -> str:
    """Spell keys as JSON: one statement for all of them holds up no other thread."""
    return f"[{','.join(map(str, keys))}]"


def _runs(entries: Sequence[Sealed]) -> Iterator[Sequence[Sealed]]:
    """Split a batch into runs of bounded length and weight."""
    weight = sum([len(entry.body) for entry in entries]) + len(entries) - 1
    if len(entries) <= RUN_ENTRIES_MAX and weight <= RUN_BYTES_MAX:
        yield entries
        return
    start = size = 0
    for index, entry in enumerate(entries):
        heavy = size + len(entry.body) > RUN_BYTES_MAX
        if index > start and (heavy or index - start == RUN_ENTRIES_MAX):
            yield entries[start:index]
            start, size = index, 0
        size += len(entry.body) + 1
    yield entries[start:]


def _marks(block: Sequence[reading.Names]) -> set[int]:
    """Return the keys of every type and session in a block."""
    types = {type_key(name) for name in {entry.type for entry in block}}
    sessions = {entry.session_id for entry in block} - {None}
    return types | {session_key(session_id) for session_id in sessions if session_id}


def _put_artifacts(connection: apsw.Connection, artifacts: Mapping[str, bytes]) -> None:
    for name, content in artifacts.items():
        digest = bytes.fromhex(name)
        if connection.execute(SQL["has_artifact"], (digest,)).get is None:
            connection.execute(SQL["put_artifact"], (digest, content))
