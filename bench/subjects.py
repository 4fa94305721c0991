"""The things measured beside each other. Each writes the same entries, durably, one way.

All use a write-ahead log with `synchronous=FULL` and move it into the database at 1,000 pages.
Each runs in a process of its own: two SQLite libraries are in play.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Final

from bench import entries

PREPARED: Final = 2_000
"""Entries made before the clock starts; writers go through them again and again."""

SYNCHRONOUS_FULL: Final = 2
BUSY_TIMEOUT_MS: Final = 60_000


class Subject(ABC):
    """One way to write. `folder` is shared by all workers of a subject, `worker` is not."""

    name: str

    def __init__(self, folder: Path, worker: int) -> None:
        self._next = 0
        self._open(folder, worker)

    def write(self, count: int) -> None:
        """Write the next entries in one durable step."""
        start = self._next
        self._next = start + count if start + 2 * count <= PREPARED else 0
        self._write(start, start + count)

    @abstractmethod
    def _open(self, folder: Path, worker: int) -> None: ...

    @abstractmethod
    def _write(self, start: int, stop: int) -> None: ...


class Holdfast(Subject):
    """The public API with everything on: redaction, checks, chain, tree, indexes, queue.

    Only sealing by itself is off: what it costs comes in lumps, and is measured apart.
    """

    name = "holdfast"
    seals = False

    def _open(self, folder: Path, worker: int) -> None:
        import holdfast
        from holdfast.config import Seal

        self._ledger = holdfast.open(folder, seal=Seal(auto=self.seals))
        self._drafts = entries.drafts(PREPARED, seed=worker + 1)

    def _write(self, start: int, stop: int) -> None:
        if stop - start == 1:
            draft = self._drafts[start]
            self._ledger.append(draft.type, draft.data, session_id=draft.session_id)
        else:
            self._ledger.append_many(self._drafts[start:stop])


class HoldfastSealing(Holdfast):
    """The same as it comes: old entries move into an archive whenever there are 1,000."""

    name = "holdfast, sealing by itself"
    seals = True


class BareApsw(Subject):
    """The entries' bytes into `(seq INTEGER PRIMARY KEY, body BLOB)`, by apsw, and no more."""

    name = "bare apsw"

    def _open(self, folder: Path, worker: int) -> None:
        import apsw

        connection = apsw.Connection(str(folder / "bare.db"))
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        for pragma, value in (
            ("journal_mode", "WAL"),
            ("synchronous", "FULL"),
            ("fullfsync", "ON"),
            ("checkpoint_fullfsync", "ON"),
            ("cell_size_check", "ON"),
            ("mmap_size", 0),
            ("temp_store", "MEMORY"),
        ):
            connection.pragma(pragma, value)
        connection.wal_autocheckpoint(1000)
        connection.execute("CREATE TABLE IF NOT EXISTS e (seq INTEGER PRIMARY KEY, body BLOB)")
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._bodies = [(body,) for body in entries.bodies(PREPARED, seed=worker + 1)]

    def _write(self, start: int, stop: int) -> None:
        self._execute("BEGIN IMMEDIATE")
        if stop - start == 1:
            self._execute("INSERT INTO e (body) VALUES (?)", self._bodies[start])
        else:
            self._executemany("INSERT INTO e (body) VALUES (?)", self._bodies[start:stop])
        self._execute("COMMIT")


class EventSourcing(Subject):
    """`eventsourcing`'s SQLite application recorder, given the same bytes as an event's state."""

    name = "eventsourcing recorder"

    def _open(self, folder: Path, worker: int) -> None:
        from uuid import uuid4

        from eventsourcing.persistence import StoredEvent
        from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

        store = SQLiteDatastore(str(folder / "events.db"), lock_timeout=BUSY_TIMEOUT_MS // 1000)
        with store.get_connection(commit=True) as pooled:
            _demand_full(pooled._sqlite_conn)
        self._recorder = SQLiteApplicationRecorder(store)
        self._recorder.create_table()
        self._event: Any = StoredEvent
        self._originator = uuid4()
        self._version = 0
        self._bodies = entries.bodies(PREPARED, seed=worker + 1)

    def _write(self, start: int, stop: int) -> None:
        version = self._version
        self._version += stop - start
        self._recorder.insert_events(
            [
                self._event(self._originator, version + offset, "bench:Recorded", body)
                for offset, body in enumerate(self._bodies[start:stop])
            ]
        )


class LangGraph(Subject):
    """`langgraph-checkpoint-sqlite` putting a state with one message: the data as its content."""

    name = "langgraph SqliteSaver"

    def _open(self, folder: Path, worker: int) -> None:
        import sqlite3

        import msgspec
        from langgraph.checkpoint.base import empty_checkpoint
        from langgraph.checkpoint.sqlite import SqliteSaver

        connection = sqlite3.connect(str(folder / "checkpoints.db"), check_same_thread=False)
        self._saver = SqliteSaver(connection)
        self._saver.setup()
        _demand_full(connection)
        self._empty = empty_checkpoint
        self._config: Any = {"configurable": {"thread_id": f"t{worker}", "checkpoint_ns": ""}}
        self._texts = [
            msgspec.json.encode(draft.data).decode()
            for draft in entries.drafts(PREPARED, seed=worker + 1)
        ]

    def _write(self, start: int, stop: int) -> None:
        for text in self._texts[start:stop]:
            checkpoint: Any = self._empty()
            checkpoint["channel_values"] = {"messages": [{"role": "assistant", "content": text}]}
            self._saver.put(self._config, checkpoint, {"source": "loop", "step": start}, {})


def _demand_full(connection: Any) -> None:
    """Set FULL where a peer leaves it to how its SQLite was built."""
    connection.execute("PRAGMA synchronous=FULL")
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    level = connection.execute("PRAGMA synchronous").fetchone()[0]
    if (mode, level) != ("wal", SYNCHRONOUS_FULL):
        raise AssertionError(f"not like for like: journal {mode}, synchronous {level}")
