"""Looking for damage in what the engine adds to the entries: schema, indexes, kept tree nodes.

Shares nothing with the code that writes these, except the definition of the keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import apsw
import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import INDEX_BLOCK_ENTRIES
from holdfast.storage.port import Fault
from holdfast.storage.sqlite import reading, tree
from holdfast.storage.sqlite.connection import FORMAT, SCHEMA_DIGESTS, schema_digest
from holdfast.storage.sqlite.keys import id_keys, session_key, type_key
from holdfast.storage.sqlite.queries import SQL
from holdfast.storage.sqlite.reading import Connecting

TABLES_BESIDE_RUNS: Final = (
    "meta",
    "sealed",
    "archives",
    "artifacts",
    "erased",
    "nodes",
    "ids",
    "marks",
)

_LOW: Final = 0xFFFFFFFF
_BLOCK_BITS: Final = INDEX_BLOCK_ENTRIES.bit_length() - 1


class Totals(msgspec.Struct):
    """Sums over the lookup tables as the entries themselves say they must be.

    They change when any one row does, add up over ranges, and take no memory.
    """

    ids: tuple[int, ...] = (0, 0, 0, 0)
    marks: dict[int, tuple[int, int]] = {}

    def add_block(self, block: int, ids: set[int], names: set[tuple[str, str | None]]) -> None:
        """Count what the index must hold of one block."""
        sums = (
            len(ids),
            len(ids) * block,
            sum(k & _LOW for k in ids),
            sum(k >> 32 & _LOW for k in ids),
        )
        self.ids = tuple(total + value for total, value in zip(self.ids, sums, strict=True))
        keys = {type_key(name) for name, _ in names}
        keys |= {session_key(session_id) for _, session_id in names if session_id is not None}
        for key in keys:
            count, total = self.marks.get(key, (0, 0))
            self.marks[key] = (count + 1, total + block)

    def add(self, other: Totals) -> None:
        """Count another range."""
        self.ids = tuple(mine + theirs for mine, theirs in zip(self.ids, other.ids, strict=True))
        for key, (count, total) in other.marks.items():
            mine = self.marks.get(key, (0, 0))
            self.marks[key] = (mine[0] + count, mine[1] + total)


class SqliteAudit:
    """Counts entries into what the index must hold, and compares."""

    def __init__(self, connecting: Connecting) -> None:
        self._connecting = connecting
        self._totals = Totals()
        self._block: list[Entry] = []

    def take(self, entry: Entry) -> None:
        """Count one entry to its block."""
        if self._block and entry.seq >> _BLOCK_BITS != self._block[-1].seq >> _BLOCK_BITS:
            self._close_block()
        self._block.append(entry)

    def part(self) -> bytes:
        """Return the sums; a last block that is not full is in no index."""
        if self._block and (self._block[-1].seq + 1) % INDEX_BLOCK_ENTRIES == 0:
            self._close_block()
        return msgspec.json.encode(self._totals)

    def structure(self) -> Iterator[Fault]:
        """Yield faults of the schema, of the database's pages and of the number of nodes."""
        with self._connecting() as connection:
            yield from [*_check_structure(connection), *_check_nodes(connection)]

    def compare(self, parts: Sequence[bytes], size: int) -> Iterator[Fault]:
        """Yield faults of the lookup tables."""
        expected = Totals()
        for part in parts:
            expected.add(msgspec.json.decode(part, type=Totals))
        with self._connecting() as connection:
            yield from list(_check_indexes(connection, expected, size))

    def _close_block(self) -> None:
        number = self._block[-1].seq >> _BLOCK_BITS
        ids = id_keys([entry.id for entry in self._block])
        names = {(entry.type, entry.session_id) for entry in self._block}
        self._totals.add_block(number, ids, names)
        self._block = []


def _check_structure(connection: apsw.Connection) -> Iterator[Fault]:
    """Yield faults of the schema and of the database's pages.

    The pages of the runs are left out: whoever checks the entries reads every one of them.
    """
    if schema_digest(connection) != SCHEMA_DIGESTS[FORMAT]:
        yield Fault(None, "schema", "a table, an index or a guard was changed by another program")
    for table in TABLES_BESIDE_RUNS:
        for (line,) in connection.execute(SQL["quick_check"], (table,)):
            if line != "ok":
                yield Fault(None, "database", f"{table}: {line}")


def _check_indexes(connection: apsw.Connection, expected: Totals, size: int) -> Iterator[Fault]:
    stop = size // INDEX_BLOCK_ENTRIES
    newest: Any = connection.execute(SQL["newest_block"]).get
    if newest * INDEX_BLOCK_ENTRIES >= _indexed_stop(connection):
        yield Fault(size, "index", f"the index knows a block {newest}; its entries are gone")
    if connection.execute(SQL["id_totals"], (stop,)).get != expected.ids:
        yield Fault(None, "index", "the index of ids does not fit the entries")
    rows: list[Any] = connection.execute(SQL["mark_totals"], (stop,)).fetchall()
    if {key: (count, total) for key, count, total in rows} != expected.marks:
        yield Fault(None, "index", "the index of types and sessions does not fit the entries")


def _indexed_stop(connection: apsw.Connection) -> int:
    """Return up to where entries may be in the index: full blocks, and all that is archived."""
    size = reading.size_of(connection)
    sealed: Any = connection.execute(SQL["sealed_head"]).get
    full = size - size % INDEX_BLOCK_ENTRIES
    return full if sealed is None else max(full, int(sealed[0]) + 1)


def _check_nodes(connection: apsw.Connection) -> Iterator[Fault]:
    """Yield a fault for each level of the tree that has too few nodes, or too many."""
    for level in tree.LEVELS:
        count, last = cast("tuple[int, int]", connection.execute(SQL["node_count"], (level,)).get)
        if count != (last + 1) >> level:
            wanted = (last + 1) >> level
            yield Fault(None, "tree", f"{count} nodes of level {level} are kept, not {wanted}")
