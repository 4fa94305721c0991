"""The SQLite engine: one file for each ledger, any number of processes.

Writes happen only here: queue, BEGIN IMMEDIATE, compare the head, insert, commit with a full sync.
After any error of the disk the engine forgets its connection; the next call opens a new one, checks
the newest entries and moves the log into the database before it acknowledges anything again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import get_ident

import apsw

from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Prepared, Sealed
from holdfast.kernel.errors import Conflict, Damaged, HoldfastError, StorageFailed
from holdfast.kernel.limits import INLINE_BYTES_MAX, WAL_PAGES_COMMIT, WAL_PAGES_MAX
from holdfast.storage.port import (
    EVERYTHING,
    Archive,
    ArchiveSource,
    Batch,
    Erased,
    Selection,
    Stored,
)
from holdfast.storage.sqlite import artifacts, reading, tree, writing
from holdfast.storage.sqlite.archived import Archived
from holdfast.storage.sqlite.audit import SqliteAudit
from holdfast.storage.sqlite.connection import (
    FORMAT,
    check_format,
    check_schema,
    connect,
    forbid_schema_changes,
    identity,
    translate,
    translated,
    unreadable,
)
from holdfast.storage.sqlite.create import checkpoint, empty_log, migrate
from holdfast.storage.sqlite.leaving import drop, permit, scrub
from holdfast.storage.sqlite.log import rewrite_log
from holdfast.storage.sqlite.newest import Newest
from holdfast.storage.sqlite.queries import SQL
from holdfast.storage.sqlite.queue import WAIT_S_DEFAULT, WriterQueue, lock_path


class SqliteEngine:
    """A ledger in one SQLite file. Safe to share between threads, and across a fork."""

    def __init__(
        self,
        path: str,
        *,
        wait_s: float = WAIT_S_DEFAULT,
        archive_source: ArchiveSource | None = None,
        vfs: str | None = None,
        synchronous: str = "FULL",
        inspect: bool = False,
    ) -> None:
        """Open a ledger. With `inspect` it is never written, and its schema is taken as it is."""
        self._path = os.path.abspath(path)  # noqa: PTH100
        self._wait_s = wait_s
        self._archived = Archived(self._reading, archive_source)
        self._vfs = vfs
        self._synchronous = synchronous
        self._inspect = inspect
        self._pid = 0
        self._connection: apsw.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._failed = False
        self._unasked = 0
        self._turn = _Turn(self)
        self._turn_depth = self._turn_owner = 0
        self._turn_head: Head | None = None
        self._begin_process()
        self._connected()

    # Reading

    def head(self) -> Head:
        if self._turn_owner != get_ident():
            with self._reading() as connection:
                return self._read_head(connection)
        try:
            return self._turn_head or self._begin()
        except apsw.Error as error:
            raise self._failure(error) from error

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        return reading.read(self._reading, selection, self._archived)

    def node(self, first: int, stop: int) -> bytes:
        with self._reading() as connection:
            return tree.node(connection, first, stop)

    def artifact(self, sha256: str) -> bytes | None:
        with self._reading() as connection:
            return artifacts.read(connection, sha256)

    def archives(self) -> Sequence[Archive]:
        with self._reading() as connection:
            return tuple(Archive(*row) for row in connection.execute(SQL["archives"]))

    def audit(self) -> SqliteAudit:
        return SqliteAudit(self._reading)

    # Writing

    def queue(self) -> AbstractContextManager[None]:
        return self._turn

    def find(self, ids: Collection[str]) -> Mapping[str, Stored]:
        return reading.find(self._reading, ids, self._archived)

    def append(self, batch: Batch, *, expected_head: Head) -> None:
        if self._turn_owner != get_ident():
            with self.queue():
                self.append(batch, expected_head=expected_head)
            return
        try:
            _compare(self._turn_head or self._begin(), expected_head)
            writing.append(self._cursor, batch, self._newest)
            self._cursor.execute("COMMIT")
        except apsw.Error as error:
            raise self._undo(error) from error
        except BaseException:
            self._roll_back()
            raise
        self._settle(heavy=writing.is_heavy(batch))

    def place(self, entry: Prepared, seal: Callable[[Head, Prepared], Sealed]) -> Sealed:
        with self._turn:
            try:
                sealed = seal(self._turn_head or self._begin(), entry)
                writing.append_one(self._cursor, sealed, self._newest)
                self._cursor.execute("COMMIT")
            except apsw.Error as error:
                raise self._undo(error) from error
            except BaseException:
                self._roll_back()
                raise
            self._settle(heavy=len(sealed.body) > INLINE_BYTES_MAX)
        return sealed

    def _undo(self, error: apsw.Error) -> HoldfastError:
        """Take back a write that failed, and say what that means."""
        self._roll_back()
        failure = self._failure(error)
        self._try_to_recover()
        return failure

    def _settle(self, *, heavy: bool) -> None:
        """Rely on what was committed, and look after the log when it may have become long."""
        self._turn_head = None
        self._newest.settle(self._cursor.connection)
        self._unasked -= 1
        if self._unasked < 0 or heavy:
            self._tidy()

    def drop(self, leaving: Archive | Erased, note: Batch, *, expected_head: Head) -> None:
        """Drop what may go and append the note, on a connection that may do just that."""
        with self.queue():
            try:
                self._drop(leaving, note, expected_head)
            except apsw.Error as error:
                failure = self._failure(error)
                self._try_to_recover()
                raise failure from error

    def _drop(self, leaving: Archive | Erased, note: Batch, expected_head: Head) -> None:
        self._connected()
        self._roll_back()  # the turn's transaction holds nothing but the lock
        connection = connect(self._path, vfs=self._vfs, synchronous=self._synchronous)
        try:
            connection.pragma("query_only", self._inspect)
            permit(connection, leaving)
            connection.execute("BEGIN IMMEDIATE")
            _compare(self._read_head(connection), expected_head)
            drop(connection, leaving, note, expected_head.size)
            connection.execute("COMMIT")
            if isinstance(leaving, Erased):
                scrub(connection, leaving)
        finally:
            connection.close(force=True)  # what was not committed is undone
        self._tidy()

    def close(self) -> None:
        self._begin_process()  # a child lets go of nothing that is its parent's
        with self._lock:
            if self._connection is not None:
                self._connection.close(force=True)
            self._connection = None
            self._queue.close()

    # A writer's turn: the queue, then a write transaction, in which the head cannot move

    def _begin(self) -> Head:
        """Begin the turn's transaction and return where the chain ends: nobody else can move it."""
        connection = self._connection
        if connection is None or self._identity != identity(self._path):
            connection = self._connected()
        self._cursor.execute("BEGIN IMMEDIATE")
        try:
            head = self._newest.head(connection)
            if head is None:
                head = self._newest.begin(connection, self._read_head(connection))
        except BaseException:
            self._roll_back()
            raise
        self._turn_head = head
        return head

    # The connection

    def _begin_process(self) -> None:
        """Start afresh in a forked child: its parent's connection and lock are not its own."""
        if self._pid == os.getpid():
            return
        if self._connection is not None:
            self._inherited = self._connection, self._cursor  # never closed here: the parent's
        self._connection = None
        self._turn_depth = self._turn_owner = 0
        self._turn_head = None
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._queue = WriterQueue(lock_path(self._path), wait_s=self._wait_s)

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            self._check_identity()
            self._connection = self._open()
            self._cursor, self._newest, self._unasked = self._connection.cursor(), Newest(), 0
        elif not self._connection.in_transaction:
            self._check_identity()
        return self._connection

    def _check_identity(self) -> None:
        """Stay with the file that was opened first: another one in its place is another ledger."""
        if self._identity is None or self._identity == identity(self._path):
            return
        self._forget()
        raise StorageFailed(
            f"{self._path} was replaced by another file while it was open.",
            meaning="Nothing was written to either.",
            remedy="Close what replaced it, put the right file back, and open it again.",
        )

    def _open(self) -> apsw.Connection:
        found = identity(self._path)  # before it is opened: what comes later is noticed
        if self._failed:
            with self._queue, translated(self._path):
                rewrite_log(self._path, self._vfs)
        connection = connect(self._path, vfs=self._vfs, synchronous=self._synchronous)
        try:
            with translated(self._path):
                version = check_format(connection, self._path)
                if self._inspect:
                    connection.pragma("query_only", True)
                else:
                    self._bring_up_to_date(connection, version)
                forbid_schema_changes(connection)
                self._ledger = str(connection.execute(SQL["ledger_id"]).get)
                if self._failed:
                    self._recover(connection)
        except BaseException:
            connection.close(force=True)
            raise
        self._identity = found
        return connection

    def _bring_up_to_date(self, connection: apsw.Connection, version: int) -> None:
        if version < FORMAT:
            with self._queue:
                migrate(connection, self._path, vfs=self._vfs)
        check_schema(connection, FORMAT)

    def _recover(self, connection: apsw.Connection) -> None:
        """Earn the right to acknowledge again after an error of the disk.

        The log was written anew by now. Moving it into the database does the same for the pages
        there, so whatever can be read is on disk.
        """
        with self._queue:
            reading.check_newest(connection)
            if not checkpoint(connection):
                raise StorageFailed(
                    "The log could not be moved into the database after an error of the disk.",
                    meaning="Nothing new is acknowledged until it is.",
                    remedy="Close other programs that read this ledger and try again.",
                )
        self._failed = False

    def _try_to_recover(self) -> None:
        """Recover while it is still our turn: nobody may append behind what is not on disk."""
        if self._failed:
            with suppress(apsw.Error, HoldfastError):
                self._connected()

    def _forget(self) -> None:
        """Drop a connection that can't be trusted any more."""
        self._failed = not self._inspect  # who never writes has nothing to make good
        self._turn_head = None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close(force=True)

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        self._begin_process()
        if self._failed:
            with self._queue, self._lock:  # in this order, as every writer takes them
                self._connected()
        with self._lock:
            try:
                yield self._connected()
            except apsw.Error as error:
                raise self._failure(error) from error
            except UnicodeDecodeError as error:
                raise unreadable(self._path) from error

    def _failure(self, error: apsw.Error) -> HoldfastError:
        """Say what an error of SQLite means, and stop trusting the connection if it must be."""
        ours = translate(error, self._path)
        if isinstance(ours, (StorageFailed, Damaged)):
            self._forget()
        return ours

    def _roll_back(self) -> None:
        """Undo what the turn's transaction holds, if there is one."""
        self._turn_head = None
        try:
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error:
            self._forget()

    def _tidy(self) -> None:
        """Move a long log into the database. The entries are durable already: a failure waits."""
        if self._connection is None:
            return
        self._unasked = WAL_PAGES_MAX // WAL_PAGES_COMMIT
        try:
            pages, _ = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
            if pages >= WAL_PAGES_MAX:
                checkpoint(self._connection)
            if pages >= 2 * WAL_PAGES_MAX:
                empty_log(self._connection)
        except apsw.Error:
            self._forget()

    def _read_head(self, connection: apsw.Connection) -> Head:
        found = reading.head(connection, self._ledger)
        if found is None:
            raise unreadable(self._path)
        return found


class _Turn:
    """A writer's turn as a context; it may be entered within itself."""

    def __init__(self, engine: SqliteEngine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        engine = self._engine
        if engine._pid != os.getpid():
            engine._begin_process()
        engine._queue.__enter__()
        engine._lock.acquire()
        engine._turn_owner = get_ident()
        engine._turn_depth += 1

    def __exit__(self, *_: object) -> None:
        engine = self._engine
        engine._turn_depth -= 1
        if engine._turn_depth == 0:
            engine._turn_owner = 0
            connection = engine._connection
            if connection is not None and connection.in_transaction:
                engine._roll_back()  # what was not committed is undone
        engine._lock.release()
        engine._queue.__exit__()


def _compare(head: Head, expected: Head) -> None:
    if head is not expected and head != expected:
        raise Conflict(
            "Another writer was faster.",
            meaning="Nothing was written.",
            remedy="Read the head again and retry.",
        )
