"""views.db: what is true now, kept; and the index that search goes through.

Everything here is derived from the ledger and can be removed at any time. How far the ledger was
taken in stands beside it with the leaf hash of the last entry, so that another ledger, or one that
was put back from a backup, is noticed and everything begins anew.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias, TypeVar

import apsw
import msgspec

from holdfast.index import database, points, words
from holdfast.index.items import KeptItems
from holdfast.index.queries import SQL
from holdfast.index.taking import Chunk, Taken
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import HoldfastError
from holdfast.kernel.limits import VIEWS_ENTRIES_MERGED
from holdfast.kernel.types import TYPES, Registry
from holdfast.storage.port import Reader
from holdfast.stores import STORES, Items, Store, Value

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many entries are taken in, of how many."""

T = TypeVar("T")

_CLEAR: Final = (
    "clear_items",
    "clear_past",
    "clear_points",
    "clear_counts",
    "clear_docs",
    "clear_paths",
    "clear_touched",
    "clear_moments",
    "clear_tallies",
    "clear_decisions",
    "clear_superseded",
    "clear_rollbacks",
    "clear_words",
    "clear_meanings",
    "let_go",
)


def no_progress(_done: int, _total: int) -> None:
    """Tell nobody."""


class Views:
    """Kept folds and the search index of one ledger. Safe to share between threads."""

    def __init__(
        self, path: str, *, stores: Sequence[Store] = STORES, types: Registry = TYPES
    ) -> None:
        self._path = path
        self._stores = stores
        self._types = types
        self._versions = {store.name: store.version for store in stores}
        self._lock = threading.RLock()
        self._reader: Reader | None = None
        """The ledger they were last brought up to date with."""
        self._connection = database.connect(path)

    def __enter__(self) -> Views:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def size(self) -> int:
        """How many entries can be searched, or are known not to be readable."""
        return self.taken.size

    @property
    def folded(self) -> int:
        """How many entries the stores have seen."""
        return self.taken.folded

    @property
    def versions(self) -> Mapping[str, int]:
        """The version of each store that is kept."""
        return self._versions

    @property
    def unread(self) -> list[tuple[int, int]]:
        """The first and last number of each run of entries that could not be taken in."""
        return list(self.taken.unread)

    @property
    def taken(self) -> Taken:
        """How far the ledger was taken in, as of now, whichever process did it."""
        return self.look(self._taken)

    def items(self, store: str) -> Items:
        """Return the items of a store as they are kept."""
        return KeptItems(self.look, store)

    def look(self, query: Callable[[apsw.Connection], T]) -> T:
        """Ask the database something; one that turns out to be damaged is made anew, and asked."""
        with self._lock, _translated():
            try:
                return query(self._connection)
            except database.UNUSABLE:
                self._renew()
                if self._reader is not None:
                    self._catch_up(self._reader, no_progress)
                return query(self._connection)

    def change(self, change: Callable[[apsw.Connection], T]) -> T:
        """Change what is kept beside stores and words, in one transaction."""

        def changed(connection: apsw.Connection) -> T:
            with self._transaction():
                return change(connection)

        return self.look(changed)

    def catch_up(self, reader: Reader, *, progress: Progress = no_progress) -> int:
        """Take in what was appended since, and return how many entries are taken in.

        Works in steps, and lets others in between; several processes may do it at once.
        """
        with self._lock, _translated():
            self._reader = reader
            try:
                return self._catch_up(reader, progress)
            except database.UNUSABLE:
                self._renew()
                return self._catch_up(reader, progress)

    def fold_up(self, reader: Reader, *, progress: Progress = no_progress) -> int:
        """Bring the stores alone forward, and return how many entries they have seen.

        Quick: nothing becomes searchable by it. That is left to the next `catch_up`.
        """
        with self._lock, _translated():
            self._reader = reader
            try:
                return self._fold_up(reader, progress)
            except database.UNUSABLE:
                self._renew()
                return self._fold_up(reader, progress)

    def digests(self) -> dict[str, str]:
        """Return the digest of every store, as the items are kept after `folded` entries."""
        return self.look(lambda connection: points.digests(connection, self._versions))

    def mark_point(self, size: int) -> bool:
        """Let the items as they are now be had later, if so many entries are what is folded."""

        def mark(connection: apsw.Connection) -> bool:
            with self._transaction():
                if self._taken(connection).folded != size:
                    return False
                connection.execute(SQL["put_point"], (size, None))
                return True

        return self.look(mark)

    def items_at(
        self, size: int, reader: Reader | None = None
    ) -> tuple[int, dict[str, dict[str, Value]]]:
        """Return the nearest point that is not after `size` entries, and every store's items there.

        With a reader, only what belongs to its ledger counts. Where nothing is kept, or it cannot
        be read, the point is 0.
        """
        return self._at(size, reader, points.load)

    def spelled_at(
        self, size: int, reader: Reader | None = None
    ) -> tuple[int, dict[str, dict[str, bytes]]]:
        """Return the same as `items_at`, with each item as it is written: in canonical JSON."""
        return self._at(size, reader, points.spelled)

    def forget(self, seqs: Iterable[int], reader: Reader | None = None) -> None:
        """Let the words of entries be found no more, nor stay in the file.

        With a reader, what is still there of the entries can be found again.
        """
        chosen = sorted(set(seqs))

        def drop(connection: apsw.Connection) -> None:
            with self._transaction():
                if reader is not None:
                    Chunk(connection, reader, self._stores, self._types).index_again(chosen)
                words.forget(connection, chosen if reader is None else ())
                connection.execute(SQL["clear_meanings"])
                connection.execute(SQL["let_go"])
            connection.execute(SQL["vacuum"])  # pages that are free may still hold the words
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

        self.look(drop)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _at(
        self,
        size: int,
        reader: Reader | None,
        load: Callable[[apsw.Connection, int, Iterable[str]], dict[str, dict[str, T]]],
    ) -> tuple[int, dict[str, dict[str, T]]]:
        with self._lock, _translated():
            try:
                with self._connection as connection:  # all of it as of one moment
                    taken = self._taken(connection)
                    if taken.stores == self._versions and (
                        reader is None or self._continues(taken, reader)
                    ):
                        point = points.nearest(connection, size, taken.folded)
                        return point, load(connection, point, self._versions)
            except database.UNUSABLE:
                self._renew()
        return 0, {store: {} for store in self._versions}

    def _catch_up(self, reader: Reader, progress: Progress) -> int:
        head = reader.head()
        first = taken = self._taken(self._connection)
        if self._is_current(taken, head):
            return taken.size
        while True:
            before, taken = taken, self._take_chunk(reader, head)
            progress(min(taken.size, head.size), head.size)
            if taken.size >= head.size and (
                taken.folded >= head.size or taken.folded == before.folded
            ):
                break
        if taken.size - first.size >= max(VIEWS_ENTRIES_MERGED, taken.size // 4):
            with self._transaction() as connection:
                connection.execute(SQL["merge_words"])
        return taken.size

    def _fold_up(self, reader: Reader, progress: Progress) -> int:
        head = reader.head()
        taken = self._taken(self._connection)
        while not self._is_folded(taken, head):
            before, taken = taken, self._take_chunk(reader, head, fold_only=True)
            progress(min(taken.folded, head.size), head.size)
            if taken.folded >= head.size or taken.folded == before.folded:
                break
        return taken.folded

    def _is_current(self, taken: Taken, head: Head) -> bool:
        return (taken.size, taken.leaf) == (head.size, head.leaf.hex()) and self._is_folded(
            taken, head
        )

    def _is_folded(self, taken: Taken, head: Head) -> bool:
        return (
            (taken.ledger, taken.folded) == (head.ledger, head.size)
            and taken.folded_leaf == head.leaf.hex()
            and taken.stores == self._versions
        )

    def _take_chunk(self, reader: Reader, head: Head, *, fold_only: bool = False) -> Taken:
        with self._transaction() as connection:
            taken = self._taken(connection)
            if not self._continues(taken, reader):
                for name in _CLEAR:
                    connection.execute(SQL[name])
                taken = Taken(head.ledger, stores=self._versions)
            chunk = Chunk(connection, reader, self._stores, self._types)
            taken = chunk.fold(taken, head) if fold_only else chunk.take(taken, head)
            connection.execute(SQL["put_meta"], ("taken", msgspec.json.encode(taken)))
            return taken

    def _continues(self, taken: Taken, reader: Reader) -> bool:
        """Tell whether what is kept belongs to this ledger as it is."""
        head = reader.head()  # others may have appended and taken in since it was last looked at
        if taken.ledger != head.ledger or taken.stores != self._versions:
            return False
        ends = {taken.size: taken.leaf, taken.folded: taken.folded_leaf}
        return max(ends) <= head.size and all(_ends_so(reader, *end) for end in ends.items())

    def _taken(self, connection: apsw.Connection) -> Taken:
        found: Any = connection.execute(SQL["meta"], ("taken",)).get
        try:
            return Taken() if found is None else msgspec.json.decode(found, type=Taken)
        except msgspec.DecodeError as error:
            raise apsw.CorruptError(str(error)) from error

    @contextmanager
    def _transaction(self) -> Iterator[apsw.Connection]:
        connection = self._connection
        connection.execute(SQL["begin"])
        try:
            yield connection
        except BaseException:
            if connection.in_transaction:
                connection.execute(SQL["rollback"])
            raise
        connection.execute(SQL["commit"])

    def _renew(self) -> None:
        """Put a new file in the place of a damaged one."""
        self._connection.close(force=True)
        database.discard(self._path)
        self._connection = database.connect(self._path)


def _ends_so(reader: Reader, size: int, leaf: str) -> bool:
    """Tell whether the first `size` entries of a ledger end with this leaf."""
    if size == 0:
        return True
    try:
        return reader.node(size - 1, size).hex() == leaf
    except HoldfastError:
        return True  # it cannot be seen; a damaged ledger is not another one


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise database.translate(error) from error
