"""Taking a chunk of entries into the views: stores and search index together, or stores alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import apsw
import msgspec

from holdfast.index.folding import Folding, read_entry
from holdfast.index.tallies import Tally
from holdfast.index.words import Gathered
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.kernel.limits import UNREAD_RANGES_MAX, VIEWS_BYTES_CHUNK, VIEWS_ENTRIES_CHUNK
from holdfast.kernel.types import Registry
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.stores import Store


class Taken(msgspec.Struct, frozen=True):
    """How far a ledger was taken in: into the search index, and into the stores."""

    ledger: str = ""
    size: int = 0
    """Entries that can be searched, but for those `unread`."""
    folded: int = 0
    """Entries that the stores have seen: more than `size` when they alone were brought forward,
    fewer past one that cannot be read."""
    leaf: str = ""
    """Of the last entry that can be searched, in hex."""
    folded_leaf: str = ""
    """Of the last entry that the stores have seen, in hex."""
    stores: dict[str, int] = {}
    """The version of each store."""
    unread: tuple[tuple[int, int], ...] = ()
    """First and last number of each run of entries that could not be read."""
    cut: int = 0
    """Entries of which only the beginning can be searched."""


class Chunk:
    """One step forward, inside a transaction."""

    def __init__(
        self,
        connection: apsw.Connection,
        reader: Reader,
        stores: Sequence[Store],
        types: Registry,
    ) -> None:
        self._connection = connection
        self._reader = reader
        self._folding = Folding(connection, reader, stores, types)
        self._gathered = Gathered()
        self._tally = Tally()

    def take(self, taken: Taken, head: Head) -> Taken:
        """Take the next entries in, and return how far that goes."""
        folding = self._folding
        folding.start(taken.folded, taken.folded_leaf)
        first = self._first(taken)
        unread = _Unread(taken.unread)
        stop, leaf = first, b""
        for seq, stored in self._entries(first, head.size):
            stop, leaf = seq + 1, b"" if stored is None else stored.leaf
            entry = None if stored is None else read_entry(stored)
            if entry is None:
                unread.add(seq)
                continue
            if seq == folding.size:
                folding.take(entry, leaf)
            if seq < taken.size and not unread.discard(seq):
                continue
            if self._index(entry, seq):
                self._tally.count(seq, entry.type)
            else:
                unread.add(seq)
        folding.flush()
        self._gathered.write(self._connection)
        self._tally.write(self._connection)
        return msgspec.structs.replace(
            taken,
            size=max(stop, taken.size),
            leaf=taken.leaf if stop <= taken.size else self._leaf(stop, leaf),
            folded=folding.size,
            folded_leaf=folding.leaf,
            unread=unread.ranges(),
            cut=taken.cut + self._gathered.cut,
        )

    def fold(self, taken: Taken, head: Head) -> Taken:
        """Take the next entries into the stores alone."""
        folding = self._folding
        folding.start(taken.folded, taken.folded_leaf)
        for _, stored in self._entries(taken.folded, head.size):
            entry = None if stored is None else read_entry(stored)
            if stored is None or entry is None or not folding.take(entry, stored.leaf):
                break
        folding.flush()
        return msgspec.structs.replace(taken, folded=folding.size, folded_leaf=folding.leaf)

    def index_again(self, seqs: Sequence[int]) -> None:
        """Take entries into the search index that are in it already, as they are now."""
        for seq in seqs:
            for stored in self._reader.read(Selection(seq, seq + 1)):
                entry = read_entry(stored)
                if entry is not None:
                    self._index(entry, seq)
        self._gathered.write(self._connection)

    def _first(self, taken: Taken) -> int:
        """Return where to go on: where the stores stopped, if they get past that by now."""
        if taken.folded < taken.size:
            with suppress(Damaged):
                for stored in self._reader.read(Selection(taken.folded, taken.folded + 1)):
                    entry = read_entry(stored)
                    if entry is not None and self._folding.take(entry, stored.leaf):
                        return taken.folded
        return taken.size

    def _entries(self, first: int, size: int) -> Iterator[tuple[int, Stored | None]]:
        """Yield each number of a chunk, with its entry where it is there."""
        expected, stop = first, min(first + VIEWS_ENTRIES_CHUNK, size)
        weight = 0
        with suppress(Damaged):  # pages that cannot be read: what they hold is missing
            for stored in self._reader.read(Selection(first, stop)):
                yield from ((seq, None) for seq in range(expected, stored.seq))
                yield stored.seq, stored
                expected = stored.seq + 1
                weight += len(stored.body)
                if weight >= VIEWS_BYTES_CHUNK:
                    return
        yield from ((seq, None) for seq in range(expected, stop))

    def _index(self, entry: Entry, seq: int) -> bool:
        try:
            self._gathered.take(entry, seq, self._reader.artifact)
        except Damaged:
            return False
        return True

    def _leaf(self, stop: int, leaf: bytes) -> str:
        """Return the leaf hash of the last entry taken in, which may be one that is missing."""
        if leaf or stop == 0:
            return leaf.hex()
        try:
            return self._reader.node(stop - 1, stop).hex()
        except HoldfastError:
            return ""


class _Unread:
    """Numbers of entries that could not be read, as ranges."""

    def __init__(self, ranges: Sequence[tuple[int, int]]) -> None:
        self._ranges = [list(span) for span in ranges]

    def ranges(self) -> tuple[tuple[int, int], ...]:
        return tuple((first, last) for first, last in self._ranges)

    def add(self, seq: int) -> None:
        """Add a number; when there are too many ranges, the last one grows over what is between."""
        if self._at(seq) is not None:
            return
        last = self._ranges[-1] if self._ranges else None
        if last is not None and (
            seq == last[1] + 1 or (seq > last[1] and len(self._ranges) >= UNREAD_RANGES_MAX)
        ):
            last[1] = seq
            return
        self._ranges.append([seq, seq])
        self._ranges.sort()

    def discard(self, seq: int) -> bool:
        """Take a number out, and tell whether it was there."""
        found = self._at(seq)
        if found is None:
            return False
        self._ranges.remove(found)
        first, last = found
        self._ranges += [part for part in ([first, seq - 1], [seq + 1, last]) if part[0] <= part[1]]
        self._ranges.sort()
        return True

    def _at(self, seq: int) -> list[int] | None:
        return next((span for span in self._ranges if span[0] <= seq <= span[1]), None)
