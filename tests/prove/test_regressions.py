"""What the campaigns found once, each by itself."""

from pathlib import Path
from random import Random

import apsw
import pytest

from holdfast.kernel.errors import StorageFailed
from holdfast.ledger.verify import verify
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.log import rewrite_log
from holdfast.testing.faults.failing import FailingVfs, Plan
from holdfast.testing.faults.ops import Sync, SyncFailed, Write
from holdfast.testing.prove.material import LEDGER_ID, drafts, ledger_on
from holdfast.testing.prove.scenario import FAILING_VFS, Stage


def _ledger(path: Path, entries: int) -> str:
    database = str(path / "ledger.db")
    create(database, LEDGER_ID)
    with ledger_on(SqliteEngine(database)) as ledger:
        for batch in (drafts(Random(0), number, 1) for number in range(entries)):
            ledger.append_many(batch)
    return database


def test_after_a_refused_sync_the_log_is_written_anew_before_the_next_writer_comes(
    tmp_path: Path,
) -> None:
    with Stage(str(tmp_path), 1) as stage:
        stage.begin()
        ledger = stage.ledger(vfs=FAILING_VFS)
        refused = stage.recorder.note_failed_sync
        stage.failing.plan = Plan(0, only="sync", on_failed_sync=refused)
        with pytest.raises(StorageFailed):
            ledger.append_many(drafts(Random(0), 0, 2))
        ops = [step.op for step in stage.recorder.recording().steps]
    behind = ops[ops.index(SyncFailed("ledger.db-wal")) + 1 :]
    written = [op for op in behind[: behind.index(Sync("ledger.db-wal"))] if isinstance(op, Write)]
    assert sum(len(op.content) for op in written) == (tmp_path / "ledger.db-wal").stat().st_size


def test_a_log_of_any_size_is_written_anew_byte_for_byte(tmp_path: Path) -> None:
    database = _ledger(tmp_path, 60)
    log = tmp_path / "ledger.db-wal"
    before = log.read_bytes()
    assert len(before) > 2 * 128 * 1024
    rewrite_log(database)
    assert log.read_bytes() == before


def test_a_database_without_a_log_has_nothing_to_write_anew(tmp_path: Path) -> None:
    rewrite_log(str(tmp_path / "ledger.db"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("column", ["lines", "hashes"])
@pytest.mark.parametrize("value", [None, "text", 7])
def test_a_row_that_holds_no_bytes_is_named_and_not_stumbled_over(
    column: str, value: object, tmp_path: Path
) -> None:
    database = _ledger(tmp_path, 3)
    connection = apsw.Connection(database)
    connection.pragma("writable_schema", 1)
    connection.execute(
        "UPDATE sqlite_schema SET sql = 'CREATE TABLE runs "
        "(first INTEGER PRIMARY KEY, last, hashes, lines)' WHERE name = 'runs'"
    )
    connection.close()
    connection = apsw.Connection(database)
    connection.execute("DROP TRIGGER runs_no_update")
    connection.execute(f"UPDATE runs SET {column} = ? WHERE first = 1", (value,))
    connection.close()
    engine = SqliteEngine(database, inspect=True)
    faults = verify(engine).faults
    engine.close()
    assert (1, "leaf") in {(fault.seq, fault.kind) for fault in faults}


def test_a_failing_disk_counts_only_the_operations_that_it_is_told_to(tmp_path: Path) -> None:
    database = _ledger(tmp_path, 1)
    vfs = FailingVfs("holdfast-failing-test")
    try:
        vfs.plan = Plan(only="sync")
        with ledger_on(SqliteEngine(database, vfs="holdfast-failing-test")) as ledger:
            ledger.append_many(drafts(Random(0), 5, 1))
        assert set(vfs.plan.kinds) == {"sync"}
        assert vfs.plan.fired == 0
    finally:
        vfs.unregister()
