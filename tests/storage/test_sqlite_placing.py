"""One entry placed in one go is appended just as in a turn of the caller's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel import chain
from holdfast.kernel.entry import Prepared, Sealed
from holdfast.kernel.errors import Busy, Conflict, StorageFailed
from holdfast.ledger.verify import verify
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch, Placer
from holdfast.storage.sqlite import engine as engine_module
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing import open_memory_ledger
from holdfast.testing.builders import LEDGER, data_for, prepared
from holdfast.testing.conformance import append, run_threads
from holdfast.testing.faults.failing import FailingVfs, Plan
from holdfast.testing.faults.ops import Write
from holdfast.testing.faults.recorder import Recorder, RecordingVfs
from tests.storage import databases

TREE_BLOCK = 256
FAILING = "holdfast-failing-placing"
RECORDING = "holdfast-recording-placing"


def place(engine: SqliteEngine, n: int) -> Sealed:
    return engine.place(prepared("decision", n), chain.seal)


def append_plainly(engine: SqliteEngine, n: int) -> Sealed:
    with engine.queue():
        head = engine.head()
        sealed = chain.seal(head, prepared("decision", n))
        engine.append(Batch([sealed]), expected_head=head)
    return sealed


def test_the_sqlite_engine_places_and_the_plain_one_need_not(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    assert isinstance(engine, Placer)
    assert not isinstance(MemoryEngine(LEDGER), Placer)
    engine.close()


def test_placed_entries_leave_the_rows_of_appended_ones(tmp_path: Path) -> None:
    ways = {"placed": place, "appended": append_plainly}
    for name, way in ways.items():
        engine = databases.make(tmp_path / f"{name}.db")
        sealed = [way(engine, n) for n in range(TREE_BLOCK + 70)]
        assert [one.body for one in sealed] == [one.body for one in engine.read()]
        assert verify(engine).ok
        engine.close()
    placed, appended = (databases.rows_of(tmp_path / f"{name}.db") for name in ways)
    assert placed == appended


def test_placed_entries_are_written_and_synced_as_appended_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What power cuts and failing disks prove of one way holds for the other."""
    monkeypatch.setattr(engine_module, "WAL_PAGES_MAX", 40)
    done: list[list[Any]] = []
    for way in (place, append_plainly):
        folder = tmp_path / way.__name__
        folder.mkdir()
        databases.make(folder / "ledger.db").close()
        recorder = Recorder(str(folder))
        vfs = RecordingVfs(RECORDING, recorder)
        recorder.start()
        engine = SqliteEngine(str(folder / "ledger.db"), vfs=RECORDING)
        for n in range(TREE_BLOCK + 70):
            way(engine, n)
            recorder.acknowledge(n + 1)
        engine.close()
        vfs.unregister()
        done.append([outline(step.op) for step in recorder.recording().steps])
    assert done[0] == done[1]
    assert sum(one[0] == "Sync" for one in done[0]) > TREE_BLOCK


def outline(op: Any) -> tuple[Any, ...]:
    """Say what was done and where, without the bytes: a log has random salts in it."""
    if isinstance(op, Write):
        return "Write", op.file, op.offset, len(op.content)
    return type(op).__name__, *(getattr(op, name) for name in op.__struct_fields__)


def test_an_entry_is_placed_behind_what_others_wrote(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    other = SqliteEngine(str(tmp_path / "ledger.db"))
    for n in range(0, 150, 3):
        assert n == place(engine, n).seq
        append(other, 2)
    assert verify(engine).ok
    assert engine.head().size == 150
    engine.close()
    other.close()


def test_threads_that_place_leave_one_chain(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    numbers = iter(range(10**6))
    run_threads(lambda: [place(engine, next(numbers)) for _ in range(25)], 6)
    assert verify(engine).ok
    assert engine.head().size == 150
    engine.close()


def test_an_entry_may_be_placed_in_a_turn_that_has_begun(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")
    with engine.queue():
        before = engine.head()
        sealed = place(engine, 0)
        assert chain.after(before, sealed) == engine.head()
        with pytest.raises(Conflict):
            engine.append(Batch([sealed]), expected_head=before)
    assert verify(engine).ok
    engine.close()


def test_what_cannot_be_sealed_is_not_placed_and_lets_the_next_in(tmp_path: Path) -> None:
    engine = databases.make(tmp_path / "ledger.db")

    def refuse(_head: chain.Head, _entry: Prepared) -> Sealed:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        engine.place(prepared(), refuse)
    run_threads(lambda: place(engine, 0), 1)
    with closing(SqliteEngine(str(tmp_path / "ledger.db"), wait_s=1)) as other:
        place(other, 1)
    assert engine.head().size == 2
    engine.close()


@pytest.fixture
def failing() -> Iterator[FailingVfs]:
    vfs = FailingVfs(FAILING)
    yield vfs
    vfs.unregister()


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.req("P1")
def test_wherever_the_disk_fails_an_acknowledged_entry_is_there(
    tmp_path: Path, failing: FailingVfs, lasting: bool
) -> None:
    """The last of a block, so that index and tree are written too."""
    original = databases.make(tmp_path / "original.db")
    append(original, 255)
    original.close()
    outcomes, at = set(), 0
    while True:
        for path in tmp_path.glob("ledger*"):
            path.unlink()
        path = databases.copy(tmp_path / "original.db", tmp_path / "ledger.db")
        engine = SqliteEngine(str(path), vfs=FAILING)
        failing.plan = Plan(at, lasting=lasting)
        returned = False
        with suppress(StorageFailed, Busy):
            returned = place(engine, 255).seq == 255
        assert lasting or not engine._failed  # made good before anybody else's turn
        fired = failing.plan.fired
        failing.plan.repair()
        done = engine.head().size == 256
        outcomes.add((returned, done))
        place(engine, 256)
        assert verify(engine).ok
        assert engine.head().size == 256 + done
        engine.close()
        if not fired:
            break
        at += 1
    assert {(True, True), (False, False)} <= outcomes
    assert (True, False) not in outcomes


def test_a_disk_that_fails_while_placing_names_the_id_to_try_again_with(
    tmp_path: Path, failing: FailingVfs
) -> None:
    databases.make(tmp_path / "ledger.db").close()
    engine = SqliteEngine(str(tmp_path / "ledger.db"), vfs=FAILING)
    ledger = open_memory_ledger(engine)
    ledger.append("decision", data_for("decision"))
    failing.plan = Plan(0, lasting=True)
    with pytest.raises(StorageFailed, match="same id") as caught:
        ledger.append("decision", data_for("decision", 1))
    failing.plan.repair()
    used = caught.value.remedy.partition("(")[2].partition(")")[0]
    receipt = ledger.append("decision", data_for("decision", 1), id=used)
    assert (1, used) == (receipt.seq, receipt.id)
    assert ledger.verify().ok
    engine.close()
