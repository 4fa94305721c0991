"""Any change to what was sealed is found and named; a clean ledger has no fault."""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from holdfast.kernel import chain, merkle
from holdfast.kernel.errors import StorageFailed
from holdfast.kernel.hashing import leaf_hash
from holdfast.ledger import verify as verifier
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.verify import Report, verify
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch, Stored
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing import LEDGER, data_for, draft, open_memory_ledger, prepared
from holdfast.testing.conformance import append
from holdfast.wiring import workers
from tests.storage import databases

SIZE = 600


@pytest.fixture
def engine() -> MemoryEngine:
    engine = MemoryEngine(LEDGER)
    append(engine, SIZE)
    return engine


def faults(report: Report) -> list[tuple[int | None, str]]:
    return [(fault.seq, fault.kind) for fault in report.faults]


def put(engine: MemoryEngine, seq: int, body: bytes, *, with_leaf: bool = False) -> None:
    """Change stored bytes, and the leaf hash beside them or not."""
    leaf = leaf_hash(body) if with_leaf else engine._entries[seq].leaf
    engine._entries[seq] = Stored(seq, body, leaf)


def test_a_clean_ledger_is_proved_and_told(engine: MemoryEngine) -> None:
    report = verify(engine)
    assert report.ok
    assert report.faults == []
    assert (SIZE, engine.head().leaf.hex()) == (report.entries, report.head)
    leaves = [stored.leaf for stored in engine.read()]
    assert merkle.root_of(leaves).hex() == report.root


def test_an_empty_ledger_is_proved() -> None:
    report = verify(MemoryEngine(LEDGER))
    assert (True, 0, sha256(b"").hexdigest()) == (report.ok, report.entries, report.root)


@pytest.mark.parametrize("seq", [0, 1, 255, 256, 511, 512, SIZE - 1])
def test_a_changed_byte_is_found_where_it_is(engine: MemoryEngine, seq: int) -> None:
    put(engine, seq, engine._entries[seq].body.replace(b"Way", b"Wax", 1))
    found = faults(verify(engine))
    assert (seq, "leaf") in found
    assert (seq, "data") in found
    if seq + 1 < SIZE:
        assert (seq + 1, "chain") in found
    else:
        assert (seq, "head") in found


def test_a_change_with_a_new_leaf_is_found_by_the_next_entry(engine: MemoryEngine) -> None:
    put(engine, 9, engine._entries[9].body.replace(b"Way", b"Wax", 1), with_leaf=True)
    found = faults(verify(engine))
    assert [fault for fault in found if fault[0] is not None] == [(9, "data"), (10, "chain")]


def test_a_change_with_a_new_hash_and_leaf_is_found_by_the_next_entry(engine: MemoryEngine) -> None:
    head = chain.Head(LEDGER, 9, engine._entries[8].leaf)
    put(engine, 9, chain.seal(head, prepared(n=9, data={"x": 1})).body, with_leaf=True)
    assert [fault for fault in faults(verify(engine)) if fault[0] is not None] == [(10, "chain")]


def test_bytes_that_are_no_entry_are_found(engine: MemoryEngine) -> None:
    put(engine, 5, b"{half")
    found = faults(verify(engine))
    assert {(5, "leaf"), (5, "entry"), (6, "chain")} <= set(found)


def test_an_entry_in_anothers_place_is_found(engine: MemoryEngine) -> None:
    one, other = engine._entries[3], engine._entries[4]
    engine._entries[3] = Stored(3, other.body, other.leaf)
    engine._entries[4] = Stored(4, one.body, one.leaf)
    found = faults(verify(engine))
    assert {(3, "seq"), (4, "seq"), (3, "chain"), (4, "chain")} <= set(found)


def test_an_entry_of_another_ledger_is_found(engine: MemoryEngine) -> None:
    body = engine._entries[7].body.replace(LEDGER.encode(), b"f" * 32)
    put(engine, 7, body, with_leaf=True)
    assert (7, "ledger") in faults(verify(engine))


def test_a_gap_is_found_entry_by_entry(engine: MemoryEngine) -> None:
    for seq in (300, 301, SIZE - 1):
        put(engine, seq, b"")
    found = faults(verify(engine))
    assert {(300, "missing"), (301, "missing"), (SIZE - 1, "missing")} <= set(found)
    assert not any(seq == 302 for seq, _ in found)


def test_a_ledger_without_any_entry_left_is_all_missing(engine: MemoryEngine) -> None:
    for seq in range(SIZE):
        put(engine, seq, b"")
    report = verify(engine)
    assert len(report.faults) >= SIZE
    assert {"missing", "tree", "head"} == {fault.kind for fault in report.faults}


def test_faults_beyond_the_bound_are_counted(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "FAULTS_MAX", 10)
    for seq in range(100):
        put(engine, seq, b"x")
    report = verify(engine)
    assert len(report.faults) == 10
    monkeypatch.setattr(verifier, "FAULTS_MAX", 10_000)
    assert len(verify(engine).faults) - 10 == report.faults_left_out


def test_a_missing_and_a_changed_artifact_are_found() -> None:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    for letter in "abc":
        ledger.append("error", data_for("error", message=letter * 40_000))
    kept: dict[str, bytes] = engine._artifacts
    first, second, _ = kept
    del kept[first]
    kept[second] = b"else"
    assert faults(ledger.verify()) == [(0, "artifact"), (1, "artifact")]


@pytest.mark.parametrize("name", ["", "zz", "☃", "A" * 64])
def test_a_reference_that_names_no_artifact_is_a_fault_not_an_error(
    tmp_path: Path, name: str
) -> None:
    ledger = sqlite_ledger(tmp_path, 0)
    head = ledger.head()
    made = prepared(data={"x": {"$artifact": name, "bytes": 1, "form": "text"}})
    engine: Any = ledger._engine
    engine.append(Batch(list(chain.seal_all(head, [made]))), expected_head=head)
    assert faults(ledger.verify()) == [(0, "artifact")]
    ledger.close()


def test_a_kept_head_is_compared(engine: MemoryEngine) -> None:
    kept = (400, engine.node(0, 400).hex())
    assert verify(engine, expected=kept).ok
    assert verify(engine, expected=(SIZE, engine.node(0, SIZE).hex())).ok
    assert verify(engine, expected=(0, engine.node(0, 0).hex())).ok
    assert faults(verify(engine, expected=(400, "0" * 64))) == [(None, "expected")]
    assert faults(verify(engine, expected=(SIZE + 1, kept[1]))) == [(SIZE, "expected")]


def test_a_ledger_rewritten_to_its_end_is_found_by_a_kept_head(engine: MemoryEngine) -> None:
    kept = (400, engine.node(0, 400).hex())
    forged = MemoryEngine(LEDGER)
    append(forged, 300)
    append(forged, 300, types=("error",))
    assert verify(forged).ok
    assert faults(verify(forged, expected=kept)) == [(None, "expected")]


def test_ranges_joined_give_the_answer_of_the_whole(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(engine, 255, engine._entries[255].body.replace(b"Way", b"Wax", 1))
    put(engine, 511, b"")
    whole = verify(engine)
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 256)
    assert whole.root == verify(engine).root
    assert {(255, "leaf"), (256, "chain"), (511, "missing")} <= set(faults(verify(engine)))


def test_progress_is_told(engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 256)
    told: list[tuple[int, int]] = []
    verify(engine, progress=lambda done, total: told.append((done, total)))
    assert told == [(256, SIZE), (512, SIZE), (SIZE, SIZE)]


# On disk, in this process and side by side


def sqlite_ledger(tmp_path: Path, count: int) -> Ledger:
    path = tmp_path / "ledger.db"
    create(str(path), LEDGER)
    engine = SqliteEngine(str(path))
    ledger = open_memory_ledger(engine)
    if count:
        append(engine, count - 3, types=("decision", "error"), sessions=("s", None))
        ledger.append_many(
            [draft("error", n, data=data_for("error", message=f"{n}" * 40_000)) for n in range(3)]
        )
    return ledger


def replace_in_run(old: bytes, new: bytes) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with databases.foreign(path) as connection:
            rows: list[Any] = connection.execute("SELECT first, lines FROM runs").fetchall()
            first, lines = next(row for row in rows if old in row[1])
            values = (lines.replace(old, new, 1), first)
            databases.force(connection, "UPDATE runs SET lines = ? WHERE first = ?", values)

    return change


def execute(statement: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with databases.foreign(path) as connection:
            databases.force(connection, statement)

    return change


def drop_guard(path: Path) -> None:
    with databases.foreign(path) as connection:
        connection.execute("DROP TRIGGER runs_no_update")


TAMPERINGS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a changed word": (replace_in_run(b"Way 700", b"Way 7OO"), "leaf"),
    "a line too many": (replace_in_run(b'"choice":"Way 800"', b'"choice":"\nWay 800"'), "leaf"),
    "a line at the end of a run": (replace_in_run(b'"v":1}\n', b'"v":1}\nmore\n'), "leaf"),
    "a line too few": (replace_in_run(b'"v":1}\n', b'"v":1}'), "missing"),
    "a run that is gone": (execute("DELETE FROM runs WHERE first = 512"), "missing"),
    "the newest runs gone": (execute("DELETE FROM runs WHERE first >= 1024"), "index"),
    "a changed leaf": (execute("UPDATE runs SET hashes = zeroblob(length(hashes))"), "leaf"),
    "a changed node": (execute("UPDATE nodes SET hash = zeroblob(32) WHERE idx = 2"), "tree"),
    "a node that is gone": (execute("DELETE FROM nodes WHERE idx = 2"), "tree"),
    "a changed artifact": (execute("UPDATE artifacts SET content = x'00'"), "artifact"),
    "an artifact that is gone": (execute("DELETE FROM artifacts"), "artifact"),
    "an id that is not found": (execute("DELETE FROM ids WHERE block = 2"), "index"),
    "a session that is not found": (execute("DELETE FROM marks WHERE block = 2"), "index"),
    "a block too many": (execute("INSERT INTO marks VALUES (1, 99)"), "index"),
    "another ledger's name": (execute("UPDATE meta SET value = 'f'"), "ledger"),
    "a guard that is down": (drop_guard, "schema"),
}


@pytest.mark.parametrize("kind", TAMPERINGS)
def test_tampering_is_found_in_this_process_and_side_by_side_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    change, expected = TAMPERINGS[kind]
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 512)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    ledger = sqlite_ledger(tmp_path, 1400)
    ledger.close()
    change(tmp_path / "ledger.db")
    reader = SqliteEngine(str(tmp_path / "ledger.db"), inspect=True)
    alone = verify(reader)
    together = verify(reader, checks=workers.checks_side_by_side(tmp_path / "ledger.db"))
    reader.close()
    assert expected in [fault.kind for fault in alone.faults]
    assert alone == together


def test_a_clean_ledger_is_clean_in_this_process_and_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 512)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    ledger = sqlite_ledger(tmp_path, 1400)
    told: list[tuple[int, int]] = []
    alone = ledger.verify()
    together = verify(
        ledger._engine,
        checks=workers.checks_side_by_side(tmp_path / "ledger.db"),
        progress=lambda done, total: told.append((done, total)),
    )
    assert alone.ok
    assert alone == together
    assert told[-1] == (1400, 1400)
    ledger.close()


def test_the_upper_level_of_the_tree_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    engine = databases.make(path)
    for _ in range(7):
        append(engine, 9_400)
    assert engine.head().size == 65_800
    engine.close()
    execute("UPDATE nodes SET hash = zeroblob(32) WHERE level = 16")(path)
    engine = SqliteEngine(str(path))
    assert faults(verify(engine)) == [(None, "tree")]
    engine.close()


def test_a_worker_that_ends_early_is_an_error_not_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = sqlite_ledger(tmp_path, 1400)
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 512)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 1\n")
    silent.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(silent))
    checks = workers.checks_side_by_side(tmp_path / "ledger.db")
    with pytest.raises(StorageFailed, match="without an answer"):
        verify(ledger._engine, checks=checks)
    ledger.close()


def test_modules_of_the_folder_we_stand_in_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = sqlite_ledger(tmp_path, 1400)
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    for name in ("msgspec", "apsw", "subprocess", "holdfast"):
        (hostile / f"{name}.py").write_text("raise SystemExit('hostile code ran')\n")
    monkeypatch.chdir(hostile)
    monkeypatch.setattr(verifier, "RANGE_ENTRIES", 512)
    monkeypatch.setattr(workers, "_cores", lambda: 2)
    assert verify(ledger._engine, checks=workers.checks_side_by_side(tmp_path / "ledger.db")).ok
    ledger.close()
