"""Reading entries back: in pages, so that neither writers nor other threads wait for a reader.

Paging needs no snapshot: entries only ever come at the end, and one that moves to an archive in the
meantime is read from there. A lookup by name reads the blocks that the index points to, and the few
newest entries that are not in it yet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final, TypeAlias

import apsw
import msgspec

from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import HASH_BYTES, leaf_hash
from holdfast.kernel.limits import (
    INDEX_BLOCK_ENTRIES,
    INTEGER_MAX,
    READ_BYTES_PAGE,
    READ_RUNS_FIRST,
    READ_RUNS_PAGE,
)
from holdfast.storage.port import Selection, Stored
from holdfast.storage.sqlite.archived import Archived
from holdfast.storage.sqlite.keys import id_key, session_key, type_key
from holdfast.storage.sqlite.queries import SQL

Connecting: TypeAlias = Callable[[], AbstractContextManager[apsw.Connection]]
Span: TypeAlias = tuple[int, int]
"""Entries from the first number up to, not including, the second."""

BLOCKS_JOINED_MAX: Final = 64
"""Blocks side by side that are read as one; more would keep the first of them waiting."""

NEWEST_CHECKED: Final = 64
"""Runs looked at after an error of the disk."""


class Names(msgspec.Struct, frozen=True, gc=False):
    """The part of an entry that lookups compare."""

    id: str
    type: str
    session_id: str | None


_names: Final = msgspec.json.Decoder(Names)


def names_of(body: bytes) -> Names | None:
    """Return an entry's id, type and session, None when its bytes are damaged."""
    try:
        return _names.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def head(connection: apsw.Connection, ledger: str) -> Head | None:
    """Return where the chain of a ledger ends, None when the row that says so is damaged."""
    newest: Any = connection.execute(SQL["head"]).get
    if newest is None:
        newest = connection.execute(SQL["sealed_head"]).get
    if newest is None:
        return Head(ledger)
    last, leaf = newest
    return Head(ledger, last + 1, leaf) if type(last) is int and type(leaf) is bytes else None


def read(connecting: Connecting, selection: Selection, archived: Archived) -> Iterator[Stored]:
    """Yield the entries that fit a selection."""
    selection = _within_sqlite(selection)
    if selection.id is selection.type is selection.session_id is None:
        stop = INTEGER_MAX if selection.stop is None else selection.stop
        span = (max(selection.first, 0), stop)
        yield from read_span(connecting, span, archived, newest_first=selection.newest_first)
        return
    unread, found = 0, False
    for span in _spans(connecting, selection):
        unread += max(span[1] - span[0], 0)
        for stored in read_span(connecting, span, archived, newest_first=selection.newest_first):
            unread -= 1
            if _fits(stored, selection):
                found = True
                yield stored
    if selection.id is not None and unread > 0 and not found:
        raise Damaged(
            f"The id {selection.id[:60]!r} may be that of an entry that cannot be read.",
            meaning="Whether it is there cannot be told.",
            remedy="Run `holdfast verify` to see which entries are affected.",
        )


def find(connecting: Connecting, ids: Collection[str], archived: Archived) -> dict[str, Stored]:
    """Return the entries that have one of these ids; each block is read once for all of them."""
    wanted = set(ids)
    with connecting() as connection:
        size = size_of(connection)
        blocks = {
            block
            for one in wanted
            for (block,) in connection.execute(SQL["blocks_with_id"], (id_key(one),))
        }
    stop = size - size % INDEX_BLOCK_ENTRIES
    spans = [
        (begin * INDEX_BLOCK_ENTRIES, min(end * INDEX_BLOCK_ENTRIES, stop))
        for begin, end in _joined(sorted(blocks))
    ]
    unread, found = 0, dict[str, Stored]()
    for span in [*spans, (stop, size)]:
        unread += max(span[1] - span[0], 0)
        for stored in read_span(connecting, span, archived):
            names = names_of(stored.body)
            unread -= names is not None
            if names is not None and names.id in wanted:
                found.setdefault(names.id, stored)
    if unread:  # then each is asked for alone, to tell which of them cannot be told
        for one in wanted - found.keys():
            found.update((one, stored) for stored in read(connecting, Selection(id=one), archived))
    return found


def _within_sqlite(selection: Selection) -> Selection:
    """Keep numbers that no ledger reaches away from SQLite, whose integers end before."""
    first, stop = selection.first, selection.stop
    if first <= INTEGER_MAX and (stop is None or stop <= INTEGER_MAX):
        return selection
    return msgspec.structs.replace(
        selection,
        first=min(first, INTEGER_MAX),
        stop=None if stop is None else min(stop, INTEGER_MAX),
    )


def read_span(
    connecting: Connecting, span: Span, archived: Archived, *, newest_first: bool = False
) -> Iterator[Stored]:
    """Yield consecutive entries, the archived ones from their archives."""
    return (_newest_first if newest_first else _oldest_first)(connecting, span, archived)


def held(connection: apsw.Connection, first: int, stop: int) -> Iterator[Stored]:
    """Yield entries that are not archived, on one connection and without paging."""
    start = _run_start(connection, first)
    for row in connection.execute(SQL["runs"], (start, stop, -1)):
        yield from (stored for stored in _entries(*row) if first <= stored.seq < stop)


def check_newest(connection: apsw.Connection) -> None:
    """Refuse to go on when the newest entries do not fit their leaf hashes."""
    rows: Iterable[Any] = connection.execute(SQL["runs_newest"], (0, INTEGER_MAX, NEWEST_CHECKED))
    for row in rows:
        for stored in _entries(*row):
            if leaf_hash(stored.body) != stored.leaf:
                raise Damaged(
                    f"Entry {stored.seq} is not what was sealed.",
                    meaning="Nothing more is written to this ledger.",
                    remedy="Run `holdfast verify`, then restore a backup.",
                )


def _oldest_first(connecting: Connecting, span: Span, archived: Archived) -> Iterator[Stored]:
    """Page through the runs of a span. What is not in them has moved to an archive by now."""
    first, stop = span
    begin, runs = -1, READ_RUNS_FIRST
    while first < stop:
        with connecting() as connection:
            begin = _run_start(connection, first) if begin < 0 else begin
            page = _page(connection.execute(SQL["runs"], (begin, stop, runs)))
        runs = READ_RUNS_PAGE
        yield from archived.read(first, page[0][0] if page else stop)
        if not page:
            return
        for run in page:
            seq, hashes, lines = run
            if (
                type(lines) is type(hashes) is bytes
                and len(hashes) == HASH_BYTES
                and b"\n" not in lines
                and first <= seq < stop
            ):  # a single entry, as most runs are
                yield Stored(seq, lines, hashes)
            else:
                yield from _of_run(run, max(first, seq), stop)
        first = begin = _run_stop(page[-1])


def _newest_first(connecting: Connecting, span: Span, archived: Archived) -> Iterator[Stored]:
    first, stop = span
    with connecting() as connection:
        begin = _run_start(connection, first)
    runs = READ_RUNS_FIRST
    while first < stop:
        with connecting() as connection:
            page = _page(connection.execute(SQL["runs_newest"], (begin, stop, runs)))
        runs = READ_RUNS_PAGE
        if not page:
            yield from archived.read_newest_first(first, stop)
            return
        for run in page:
            yield from reversed(_of_run(run, first, stop))
        stop = page[-1][0]


def _of_run(run: tuple[int, Any, Any], first: int, stop: int) -> list[Stored]:
    """Return the entries of a run that lie in a span."""
    return [stored for stored in _entries(*run) if first <= stored.seq < stop]


def _run_stop(run: tuple[int, Any, Any]) -> int:
    """Return the number behind a run; a damaged one may hold more lines than that, or fewer."""
    hashes = run[1]
    return run[0] + (max(len(hashes) // HASH_BYTES, 1) if isinstance(hashes, bytes) else 1)


def _entries(first: int, hashes: Any, lines: Any) -> list[Stored]:
    """Return the entries of a run. A damaged one may hold fewer lines than it should, or none."""
    if not (isinstance(hashes, bytes) and isinstance(lines, bytes)):
        hashes = lines = b""
    return [
        Stored(first + index, line, hashes[index * HASH_BYTES : (index + 1) * HASH_BYTES])
        for index, line in enumerate(lines.split(b"\n"))
    ]


def _page(cursor: Any) -> list[tuple[int, Any, Any]]:
    """Take runs until the page is heavy enough."""
    page: list[tuple[int, Any, Any]] = []
    weight = 0
    for run in cursor:
        page.append(run)
        weight += len(run[2]) if isinstance(run[2], bytes) else 0
        if weight >= READ_BYTES_PAGE:
            cursor.close()
            break
    return page


def _run_start(connection: apsw.Connection, seq: int) -> int:
    run: Any = connection.execute(SQL["run_holding"], (seq,)).get
    return 0 if run is None else int(run[0])


def _fits(stored: Stored, selection: Selection) -> bool:
    names = names_of(stored.body)
    return (
        names is not None
        and selection.id in (None, names.id)
        and selection.type in (None, names.type)
        and selection.session_id in (None, names.session_id)
    )


def _spans(connecting: Connecting, selection: Selection) -> Iterator[Span]:
    """Yield the spans that may hold what is asked for, in the order asked for."""
    with connecting() as connection:
        size = size_of(connection)
    stop = size if selection.stop is None else min(selection.stop, size)
    indexed_stop = size - size % INDEX_BLOCK_ENTRIES
    newest = (max(selection.first, indexed_stop), stop)
    blocks = _blocks_with_id if selection.id is not None else _blocks_with_marks
    if selection.newest_first:
        yield newest
    for begin, end in _joined(blocks(connecting, selection, min(stop, indexed_stop))):
        start = begin * INDEX_BLOCK_ENTRIES
        yield max(start, selection.first), min(end * INDEX_BLOCK_ENTRIES, stop)
    if not selection.newest_first:
        yield newest


def _joined(blocks: Iterable[int]) -> Iterator[Span]:
    """Join blocks that lie side by side, whichever way they are counted, a bounded number each."""
    begin = end = 0
    for block in blocks:
        if end - begin in range(1, BLOCKS_JOINED_MAX) and block in (end, begin - 1):
            begin, end = min(begin, block), max(end, block + 1)
            continue
        if begin < end:
            yield begin, end
        begin, end = block, block + 1
    if begin < end:
        yield begin, end


def size_of(connection: apsw.Connection) -> int:
    """Return how many entries there are."""
    newest: Any = connection.execute(SQL["head"]).get or connection.execute(SQL["sealed_head"]).get
    return 0 if newest is None else int(newest[0]) + 1


def _blocks_with_id(connecting: Connecting, selection: Selection, stop: int) -> Iterable[int]:
    with connecting() as connection:
        rows: Any = connection.execute(SQL["blocks_with_id"], (id_key(selection.id or ""),))
        return [block for (block,) in rows if block * INDEX_BLOCK_ENTRIES < stop]


def _blocks_with_marks(connecting: Connecting, selection: Selection, stop: int) -> Iterator[int]:
    keys = []
    if selection.session_id is not None:
        keys.append(session_key(selection.session_id))
    if selection.type is not None:
        keys.append(type_key(selection.type))
    begin = max(selection.first, 0) // INDEX_BLOCK_ENTRIES
    end = -(-stop // INDEX_BLOCK_ENTRIES)
    statement = SQL["blocks_with_marks_newest" if selection.newest_first else "blocks_with_marks"]
    while begin < end:
        with connecting() as connection:
            values = (keys[0], keys[-1], begin, end, READ_RUNS_PAGE)
            page: Any = connection.execute(statement, values).fetchall()
        if not page:
            return
        yield from (block for (block,) in page)
        if selection.newest_first:
            end = page[-1][0]
        else:
            begin = page[-1][0] + 1
