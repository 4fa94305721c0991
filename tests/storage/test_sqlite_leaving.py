"""What leaves the database leaves in one step; what was erased is in no byte of its files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from holdfast.kernel import chain
from holdfast.kernel.chain import Head
from holdfast.kernel.errors import Busy, HoldfastError, StorageFailed
from holdfast.ledger.verify import verify
from holdfast.storage.port import Archive, Batch, Erased, Selection
from holdfast.storage.sqlite import engine as engine_module
from holdfast.storage.sqlite import leaving as leaving_module
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.builders import prepared
from holdfast.testing.conformance import ArchivedEntries, append, artifact, audited, drop, fill
from holdfast.testing.faults.failing import FailingVfs, Plan
from tests.storage import databases

VFS = "holdfast-failing-leaving"
LARGE = Random(7).randbytes(100_000)
SHORT = b"a canary in a few words"


def bytes_on_disk(folder: Path) -> bytes:
    """Return all that lies in a folder. Nobody has the database open."""
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def pieces(content: bytes) -> list[bytes]:
    """Cut bytes into pieces, each of which is in no place by chance."""
    return [content[at : at + 16] for at in range(0, len(content) - 15, 16)]


def note(head: Head, type_name: str = "artifact_erased", **data: object) -> Batch:
    """Return an entry that says what left."""
    entry = prepared(type_name, head.size, data=data or None)
    return Batch(list(chain.seal_all(head, [entry])))


def erase(engine: SqliteEngine, content: bytes) -> None:
    digest = sha256(content).hexdigest()
    with engine.queue():
        head = engine.head()
        batch = note(head, sha256=digest, bytes=len(content), reason="asked for")
        engine.drop(Erased(digest), batch, expected_head=head)


# Erasing


@pytest.mark.parametrize("content", [LARGE, SHORT], ids=["large", "short"])
@pytest.mark.parametrize("before", ["in the log", "in the database"])
def test_an_erased_artifact_is_in_no_byte_of_the_files(
    tmp_path: Path, content: bytes, before: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages keep remnants of rows that were moved, so many rows come before and after."""
    if before == "in the database":
        monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", 1)
    engine = databases.make(tmp_path / "ledger.db")
    for number in range(60):
        append(engine, 1, artifacts=artifact(b"%d" % number * 300))
        if number == 2:
            append(engine, 1, artifacts=artifact(content))
    engine.close()
    there = bytes_on_disk(tmp_path)
    found = [piece for piece in pieces(content) if piece in there]
    assert len(found) > len(pieces(content)) * 0.9, "it must be there to be erased"
    engine = SqliteEngine(str(tmp_path / "ledger.db"))
    erase(engine, content)
    engine.close()
    left = bytes_on_disk(tmp_path)
    assert [piece for piece in pieces(content) if piece in left] == []
    assert (tmp_path / "ledger.db-wal").stat().st_size == 0


def test_without_the_scrub_remnants_would_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "scrub", lambda *_: None)
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 1, artifacts=artifact(SHORT))
    erase(engine, SHORT)
    engine.close()
    assert SHORT in bytes_on_disk(tmp_path)


def test_a_ledger_is_the_same_after_an_erasure(tmp_path: Path) -> None:
    archived = ArchivedEntries()
    engine = databases.make(tmp_path / "ledger.db", archive_source=archived)
    everything = fill(engine)
    append(engine, 1, artifacts={**artifact(SHORT), **artifact(LARGE)})
    drop(engine, archived.keep(everything[:333]))
    erase(engine, SHORT)
    assert engine.artifact(sha256(LARGE).hexdigest()) == LARGE
    assert everything == list(engine.read())[:-2]
    assert audited(engine) == []
    append(engine, 100)
    assert verify(engine).ok
    again = SqliteEngine(str(tmp_path / "ledger.db"), archive_source=archived)
    assert engine.head() == again.head()
    again.close()
    engine.close()


def test_a_reader_that_holds_the_log_is_told_of_and_repeating_finishes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaving_module, "SCRUB_TRIES", 1)
    monkeypatch.setattr(leaving_module, "SCRUB_WAIT_MS", 1)
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 1, artifacts=artifact(SHORT))
    with databases.foreign(tmp_path / "ledger.db") as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM meta").fetchall()
        with pytest.raises(Busy, match="erased, but a program that reads") as caught:
            erase(engine, SHORT)
        assert "again" in caught.value.remedy
        assert engine.artifact(sha256(SHORT).hexdigest()) is None
        assert engine.head().size == 2
        append(engine, 1)
    erase(engine, SHORT)
    assert verify(engine).ok
    engine.close()
    assert SHORT not in bytes_on_disk(tmp_path)


# Errors of the disk


@pytest.fixture
def failing() -> Iterator[FailingVfs]:
    vfs = FailingVfs(VFS)
    yield vfs
    vfs.unregister()


@pytest.mark.parametrize("kind", ["archive", "artifact"])
@pytest.mark.parametrize("lasting", [False, True])
def test_after_an_error_of_the_disk_all_of_it_is_there_or_nothing(
    tmp_path: Path, failing: FailingVfs, kind: str, lasting: bool
) -> None:
    archived = ArchivedEntries()
    original = databases.make(tmp_path / "original.db")
    everything = fill(original)
    append(original, 1, artifacts=artifact(SHORT))
    original.close()
    leaving: Archive | Erased = archived.keep(everything[:333])
    if kind == "artifact":
        leaving = Erased(sha256(SHORT).hexdigest())
    outcomes = set()
    at = 0
    while True:
        for path in tmp_path.glob("ledger*"):
            path.unlink()
        path = databases.copy(tmp_path / "original.db", tmp_path / "ledger.db")
        engine = SqliteEngine(str(path), archive_source=archived, vfs=VFS)
        head = engine.head()
        failing.plan = Plan(at, lasting=lasting)
        returned = False
        with suppress(StorageFailed, Busy):
            engine.drop(leaving, note(head, "metric"), expected_head=head)
            returned = True
        fired = failing.plan.fired
        failing.plan.repair()
        done = engine.head().size == head.size + 1
        outcomes.add((returned, done))
        assert done or not returned
        gone = engine.artifact(sha256(SHORT).hexdigest()) is None
        assert (bool(engine.archives()), gone) == (
            done and kind == "archive",
            done and kind == "artifact",
        )
        assert everything == list(engine.read())[: len(everything)]
        append(engine, 1)
        assert kind == "artifact" or verify(engine).ok
        engine.close()
        if not fired:
            break
        at += 3
    assert {(True, True), (False, False)} <= outcomes


def test_an_engine_that_inspects_drops_nothing(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 3)
    engine.close()
    engine = SqliteEngine(str(tmp_path / "ledger.db"), inspect=True)
    with pytest.raises(StorageFailed):
        drop(engine, Archive(0, 1, "a", "b", 1))
    assert list(engine.archives()) == []
    engine.close()


# Reading from archives


@pytest.fixture
def sealed(tmp_path: Path) -> Iterator[tuple[SqliteEngine, ArchivedEntries]]:
    """A ledger of 2,000 entries, all but the newest 300 in archives of 100."""
    archived = ArchivedEntries()
    engine = databases.make(tmp_path / "ledger.db", archive_source=archived)
    append(engine, 1990, sessions=("all", "all", "s"))
    append(engine, 10, sessions=("new",))
    everything = list(engine.read())
    for first in range(0, 1700, 100):
        drop(engine, archived.keep(everything[first : first + 100]))
    archived.calls.clear()
    yield engine, archived
    engine.close()


def test_one_archived_entry_is_asked_of_one_archive(
    sealed: tuple[SqliteEngine, ArchivedEntries],
) -> None:
    engine, archived = sealed
    assert [stored.seq for stored in engine.read(Selection(1234, 1235))] == [1234]
    assert archived.calls == [(1234, 1235)]


def test_blocks_side_by_side_are_asked_for_at_once(
    sealed: tuple[SqliteEngine, ArchivedEntries],
) -> None:
    engine, archived = sealed
    found = [stored.seq for stored in engine.read(Selection(session_id="s", stop=1700))]
    assert found == list(range(2, 1700, 3))
    assert archived.calls == [(first, first + 100) for first in range(0, 1700, 100)]


def test_the_newest_archived_entry_is_found_without_reading_older_archives(
    sealed: tuple[SqliteEngine, ArchivedEntries],
) -> None:
    engine, archived = sealed
    newest_first = engine.read(Selection(stop=1650, newest_first=True))
    assert next(newest_first).seq == 1649
    assert archived.calls == [(1600, 1650)]
    assert next(engine.read(Selection(stop=1650, session_id="s", newest_first=True))).seq == 1649
    assert all(first >= 1500 for first, _ in archived.calls)


def test_a_run_that_cannot_be_told_apart_is_not_split(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    engine = databases.make(path)
    append(engine, 20)
    engine.close()
    with databases.foreign(path) as connection:
        databases.force(connection, "UPDATE runs SET lines = x'7b7d'")
    engine = SqliteEngine(str(path))
    with pytest.raises(HoldfastError, match="cannot be told apart"):
        drop(engine, Archive(0, 9, "a", "b", 1))
    assert list(engine.archives()) == []
    engine.close()
