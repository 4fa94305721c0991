"""What an append and a seal write, inside a transaction that the engine has begun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import apsw
import msgspec

from holdfast.kernel.entry import Sealed
from holdfast.kernel.errors import Conflict
from holdfast.kernel.limits import INDEX_BLOCK_ENTRIES, RUN_BYTES_MAX, RUN_ENTRIES_MAX
from holdfast.storage.port import Archive, Batch
from holdfast.storage.sqlite import reading, tree
from holdfast.storage.sqlite.keys import id_key, session_key, type_key
from holdfast.storage.sqlite.queries import SQL


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


def _index_newest(connection: apsw.Connection, batch: Sequence[Sealed]) -> None:
    """Put the blocks that a batch has completed into the index.

    Doing this for many entries at once is what keeps an append to one page.
    """
    first_block = batch[0].seq // INDEX_BLOCK_ENTRIES
    stop_block = (batch[-1].seq + 1) // INDEX_BLOCK_ENTRIES
    if first_block == stop_block:
        return
    start = first_block * INDEX_BLOCK_ENTRIES
    waiting = reading.held(connection, start, batch[0].seq)
    names: list[reading.Names | Sealed | None] = [reading.names_of(s.body) for s in waiting]
    names += batch
    ids: list[tuple[int, int]] = []
    marks: list[tuple[int, int]] = []
    for number in range(first_block, stop_block):
        offset = number * INDEX_BLOCK_ENTRIES - start
        block = [n for n in names[offset : offset + INDEX_BLOCK_ENTRIES] if n is not None]
        ids += [(key, number) for key in sorted({id_key(entry.id) for entry in block})]
        marks += [(key, number) for key in _marks(block)]
    connection.executemany(SQL["put_id"], ids)
    connection.executemany(SQL["put_mark"], marks)


def seal(connection: apsw.Connection, archive: Archive) -> None:
    """List an archive and drop the runs it holds, in a transaction of its own."""
    # Not innocuous by default: a schema that is not trusted could not call it from a trigger.
    connection.create_scalar_function("holdfast_sealing", _sealing, 0, flags=apsw.SQLITE_INNOCUOUS)
    with connection:
        run: Any = connection.execute(SQL["run_holding"], (archive.last,)).get
        if run is None or run[1] != archive.last:
            raise Conflict(
                f"Entry {archive.last} is not the last of its run.",
                meaning="Nothing was archived.",
                remedy="Archive whole runs.",
            )
        span = (archive.first, archive.last)
        try:
            connection.execute(SQL["put_archive"], msgspec.structs.astuple(archive))
        except apsw.ConstraintError as error:
            raise Conflict(
                f"Entry {archive.first} is not the oldest one that is still held.",
                meaning="Nothing was archived.",
                remedy="Archive the oldest entries first.",
            ) from error
        connection.execute(SQL["keep_hashes"], span)
        connection.execute(SQL["drop_runs"], span)


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


def _marks(block: list[reading.Names | Sealed]) -> set[int]:
    """Return the keys of every type and session in a block."""
    types = {type_key(name) for name in {entry.type for entry in block}}
    sessions = {entry.session_id for entry in block} - {None}
    return types | {session_key(session_id) for session_id in sessions if session_id}


def _put_artifact(connection: apsw.Connection, digest: bytes, content: bytes) -> None:
    if connection.execute(SQL["has_artifact"], (digest,)).get is None:
        connection.execute(SQL["put_artifact"], (digest, content))


def _sealing(*_: object) -> int:
    return 1
