"""A writer relies on what it wrote itself only while nobody else has written."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import apsw
import pytest

from holdfast.storage.port import Selection
from holdfast.storage.sqlite import engine as engine_module
from holdfast.storage.sqlite import writing
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.keys import id_key, id_keys
from holdfast.testing import open_memory_ledger
from holdfast.testing.conformance import append, artifact
from tests.storage import databases

BLOCK = 64
TREE_BLOCK = 256


def selects(engine: SqliteEngine, work: Callable[[], object]) -> list[str]:
    """Return the statements that read, of all that some work runs."""
    seen: list[str] = []

    def note(event: dict[str, Any]) -> None:
        if event["sql"].startswith("SELECT"):
            seen.append(event["sql"])

    with engine._reading() as connection:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT, note)
    work()
    with engine._reading() as connection:
        connection.trace_v2(0, None)
    return seen


def assert_whole(engine: SqliteEngine, size: int) -> None:
    """Prove chain, tree and index, and find every entry by its id."""
    report = open_memory_ledger(engine).verify()
    assert report.faults == []
    assert size == engine.head().size


def test_who_writes_alone_reads_nothing_back(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 1)
    work = [append] * (TREE_BLOCK + 3)
    assert selects(engine, lambda: [one(engine, 1) for one in work]) == []
    assert_whole(engine, TREE_BLOCK + 4)
    engine.close()


def test_what_others_wrote_is_read(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    other = SqliteEngine(str(tmp_path / "ledger.db"))
    append(engine, 1)
    append(other, 1)
    assert selects(engine, lambda: append(engine, 1)) != []
    assert_whole(engine, 3)
    engine.close()
    other.close()


@pytest.mark.parametrize("seed", range(4))
def test_writers_who_take_turns_leave_chain_tree_and_index_whole(tmp_path: Path, seed: int) -> None:
    """Blocks are begun by one writer and filled by another, in every way that chance makes."""
    chance = Random(seed)
    engines = [databases.make(tmp_path / "ledger.db")]
    engines += [SqliteEngine(str(tmp_path / "ledger.db")) for _ in range(2)]
    size = 0
    while size < 3 * TREE_BLOCK:
        engine = chance.choice(engines)
        for _ in range(chance.choice((1, 5, BLOCK))):
            count = chance.choice((1, 1, 1, 2, BLOCK - 1, BLOCK + 1))
            append(engine, count)
            size += count
    assert_whole(engines[0], size)
    for engine in engines:
        engine.close()


def test_what_was_not_committed_is_not_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, BLOCK - 2)
    written = writing.append

    def torn(*args: Any) -> None:
        written(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(writing, "append", torn)
        with pytest.raises(KeyboardInterrupt):
            append(engine, 1, types=("error",))
    append(engine, BLOCK)
    assert list(engine.read(Selection(type="error"))) == []
    assert_whole(engine, 2 * BLOCK - 2)
    engine.close()


def test_a_log_that_others_made_long_is_moved_by_the_next_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Processes that record one entry each do not count far, and let no log begin anew."""
    path = tmp_path / "ledger.db"
    databases.make(path).close()
    monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", 40)
    for _ in range(120):
        engine = SqliteEngine(str(path))
        append(engine, 1)
        engine.close()
    assert Path(f"{path}-wal").stat().st_size < (2 * 40 + 10) * (4096 + 24)


def test_a_reader_keeps_a_long_log_and_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger.db"
    engine = databases.make(path)
    monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", 1)
    with databases.foreign(path) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM runs").fetchall()
        append(engine, 200)
        append(engine, 1)
        assert reader.execute("SELECT count(*) FROM runs").get == 0
        long = Path(f"{path}-wal").stat().st_size
    append(engine, 1)
    assert Path(f"{path}-wal").stat().st_size < long
    assert_whole(engine, 202)
    engine.close()


def test_an_artifact_makes_a_writer_ask_how_long_the_log_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    append(engine, 1)
    monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", 160)
    for number in range(8):  # fewer than are appended without asking, but for the artifacts
        append(engine, 1, artifacts=artifact(bytes([number]) * 40 * 4096))
    assert Path(f"{tmp_path}/ledger.db-wal").stat().st_size < (160 + 60) * (4096 + 24)
    engine.close()


@pytest.mark.parametrize(
    "ids",
    [
        ["01a0c450-6c00-7000-8000-000000000000", "01a0c450-6c00-7000-9abc-000000000001"],
        ["01a0c450-6c00-7000-8000-000000000000", "f1a0c450-6c00-7000-8000-000000000000"],
        ["01a0c450-6c00-7000-8000-000000000000", "01a0c450-6c00-7000"],
        ["zzzzzzzz-6c00-7000-8000-000000000000", "zzzzzzzz-6c00-7000-8000-000000000001"],
        [str(uuid.UUID(int=number, version=4)) for number in range(3)],
        ["", "mine"],
        [],
    ],
)
def test_keys_of_several_ids_are_those_of_each(ids: list[str]) -> None:
    assert {id_key(one) for one in ids} == id_keys(ids)
