"""The ledger as callers use it: recorded once, in order, in full, and found again."""

from __future__ import annotations

import warnings
from typing import Any

import msgspec
import pytest

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Span
from holdfast.kernel.errors import Conflict, Damaged, InvalidInput, NotFound, StorageFailed
from holdfast.kernel.hashing import data_hash, leaf_hash
from holdfast.kernel.limits import BATCH_ENTRIES_MAX
from holdfast.kernel.types import TYPES
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch, Fault, Selection, Stored
from holdfast.testing import LEDGER, data_for, draft, open_memory_ledger
from holdfast.testing.clock import START_US, id_for
from holdfast.testing.conformance import run_threads


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


def seqs(ledger: Ledger, **selection: Any) -> list[int]:
    return [entry.seq for entry in ledger.read(Selection(**selection))]


@pytest.mark.parametrize("name", list(TYPES))
def test_every_type_is_recorded_and_read_back(ledger: Ledger, name: str) -> None:
    receipt = ledger.append(name, data_for(name), at=0)
    (entry,) = ledger.read()
    assert name == entry.type
    assert data_for(name) == ledger.data(entry)
    assert (receipt.seq, receipt.id, receipt.hash) == (entry.seq, entry.id, entry.hash)


def test_a_receipt_names_the_bytes_that_are_stored(ledger: Ledger) -> None:
    receipt = ledger.append("decision", data_for("decision"))
    stored = ledger.get(receipt.seq)
    assert leaf_hash(stored.body).hex() == receipt.leaf == stored.leaf.hex()
    assert data_hash(bytes(entries.read(stored.body).data)) == receipt.hash
    assert not receipt.duplicate
    assert receipt.redactions == 0


def test_an_entry_says_when_and_by_whom_and_in_which_session() -> None:
    ledger = open_memory_ledger(session_id="s1")
    ledger.append("decision", data_for("decision"))
    ledger.append(
        "decision",
        data_for("decision", 1),
        session_id="s2",
        actor=Actor("tool", "grep"),
        id="mine",
        span=Span("a", "b", "c"),
    )
    first, second = ledger.read()
    assert first.timestamp == "2026-11-15T07:00:00.000000Z"
    assert second.timestamp == "2026-11-15T07:00:00.001000Z"
    assert ("s1", Actor("agent", "builder"), None) == (first.session_id, first.actor, first.span)
    assert ("s2", Actor("tool", "grep")) == (second.session_id, second.actor)
    assert Span("a", "b", "c") == second.span
    assert (id_for(0), "mine") == (first.id, second.id)


def test_entries_stand_in_the_order_they_were_appended(ledger: Ledger) -> None:
    for n in range(5):
        assert n == ledger.append("error", data_for("error", n)).seq
    assert seqs(ledger) == [0, 1, 2, 3, 4]
    assert ledger.head().size == 5


def test_a_batch_is_recorded_in_order(ledger: Ledger) -> None:
    receipts = ledger.append_many(draft(n=n) for n in range(4))
    assert [receipt.seq for receipt in receipts] == [0, 1, 2, 3]
    assert [data_for("decision", n) for n in range(4)] == [ledger.data(e) for e in ledger.read()]


def test_an_empty_batch_records_nothing(ledger: Ledger) -> None:
    assert ledger.append_many([]) == []
    assert ledger.head().size == 0


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_batch_with_one_bad_draft_records_nothing(ledger: Ledger, at: int) -> None:
    drafts = [draft(n=n) for n in range(3)]
    drafts[at] = Draft("decision", {"choice": "no more"})
    with pytest.raises(InvalidInput, match="question"):
        ledger.append_many(drafts)
    assert ledger.head().size == 0
    assert ledger.verify().ok


def test_a_batch_that_is_too_large_records_nothing(ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match=str(BATCH_ENTRIES_MAX + 1)):
        ledger.append_many([draft()] * (BATCH_ENTRIES_MAX + 1))
    assert ledger.head().size == 0


def test_the_same_id_again_returns_the_first_receipt(ledger: Ledger) -> None:
    first = ledger.append("decision", data_for("decision"), id="once")
    ledger.append("decision", data_for("decision", 1))
    again = ledger.append("decision", data_for("decision"), id="once")
    assert msgspec.structs.replace(first, duplicate=True) == again
    assert ledger.head().size == 2


def test_the_same_id_with_other_data_says_so_and_records_nothing(ledger: Ledger) -> None:
    first = ledger.append("decision", data_for("decision"), id="once")
    again = ledger.append("decision", data_for("decision", 9), id="once")
    assert (first.seq, first.hash, True, True) == (
        again.seq,
        again.hash,
        again.duplicate,
        again.differs,
    )
    assert [data_for("decision")] == [ledger.data(entry) for entry in ledger.read()]


def test_a_batch_may_hold_known_and_new_ids_and_one_twice(ledger: Ledger) -> None:
    ledger.append("decision", data_for("decision"), id="known")
    receipts = ledger.append_many(
        [
            draft(n=1, id="a"),
            draft(n=0, id="known"),
            draft(n=2, id="a"),
            draft(n=3),
            draft(n=1, id="a"),
        ]
    )
    assert [receipt.seq for receipt in receipts] == [1, 0, 1, 2, 1]
    assert [receipt.duplicate for receipt in receipts] == [False, True, True, False, True]
    assert [receipt.differs for receipt in receipts] == [False, False, True, False, False]
    assert ledger.head().size == 3


def test_a_batch_of_known_ids_records_nothing(ledger: Ledger) -> None:
    ledger.append_many([draft(n=n, id=str(n)) for n in range(3)])
    head = ledger.head()
    assert all(r.duplicate for r in ledger.append_many([draft(n=n, id=str(n)) for n in range(3)]))
    assert head == ledger.head()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"session_id": ""}, "session id"),
        ({"session_id": "a\nb"}, "session id"),
        ({"id": ""}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"actor": Actor("robot", "r")}, "robot"),  # type: ignore[arg-type]
        ({"actor": Actor("user", "")}, "actor"),
        ({"span": Span("", None, "r")}, "span"),
        ({"span": Span("a", "\n", "r")}, "span"),
        ({"span": Span("a", None, "r" * 201)}, "span"),
    ],
)
def test_a_name_that_could_not_be_found_again_is_refused(
    ledger: Ledger, fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        ledger.append("decision", data_for("decision"), **fields)
    assert ledger.head().size == 0


@pytest.mark.parametrize("session_id", ["", " s", "a\tb"])
def test_a_ledger_is_not_opened_for_a_session_that_could_not_be_found(session_id: str) -> None:
    with pytest.raises(InvalidInput, match="session id"):
        open_memory_ledger(session_id=session_id).append("decision", data_for("decision"))


def test_an_unknown_type_is_refused(ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match="decison"):
        ledger.append("decison", data_for("decision"))
    assert ledger.head().size == 0


@pytest.mark.parametrize("data", [None, [], "text", 5])
def test_data_that_is_no_object_is_refused(ledger: Ledger, data: Any) -> None:
    with pytest.raises(InvalidInput):
        ledger.append("decision", data)
    assert ledger.head().size == 0


def test_what_is_given_is_not_changed(ledger: Ledger) -> None:
    data = data_for("error", extra={"$artifact": ["\ud800", 2**70, {"deep": "x" * 40_000}]})
    copy = data_for("error", extra={"$artifact": ["\ud800", 2**70, {"deep": "x" * 40_000}]})
    ledger.append("error", data)
    assert copy == data


def test_an_entry_is_found_by_its_number_and_its_id(ledger: Ledger) -> None:
    receipts = ledger.append_many([draft(n=n) for n in range(3)])
    for receipt in receipts:
        assert (
            receipt.leaf == ledger.get(receipt.seq).leaf.hex() == ledger.get(receipt.id).leaf.hex()
        )


@pytest.mark.parametrize("key", [3, -1, 10**30, "nobody", ""])
def test_an_entry_that_is_not_there_is_not_found(ledger: Ledger, key: int | str) -> None:
    ledger.append_many([draft(n=n) for n in range(3)])
    with pytest.raises(NotFound):
        ledger.get(key)


def test_in_an_empty_ledger_nothing_is_found_and_it_says_so(ledger: Ledger) -> None:
    with pytest.raises(NotFound, match="empty"):
        ledger.get(0)


def test_entries_are_selected_by_type_and_session(ledger: Ledger) -> None:
    for n in range(12):
        name = ("decision", "error", "metric")[n % 3]
        ledger.append(name, data_for(name, n), session_id=("a", "b")[n % 2])
    assert seqs(ledger, type="decision") == [0, 3, 6, 9]
    assert seqs(ledger, type="decision", session_id="a") == [0, 6]
    assert seqs(ledger, session_id="b", newest_first=True)[:3] == [11, 9, 7]
    assert seqs(ledger, first=4, stop=7) == [4, 5, 6]


def damaged_ledger() -> Ledger:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    ledger.append_many([draft(n=n) for n in range(4)])
    broken = engine._entries[1]
    engine._entries[1] = Stored(1, b"{half", broken.leaf)
    return ledger


def test_a_damaged_entry_is_reported_and_the_others_still_come() -> None:
    ledger = damaged_ledger()
    faults: list[Fault] = []
    assert [entry.seq for entry in ledger.read(on_damaged=faults.append)] == [0, 2, 3]
    assert [(fault.seq, fault.kind) for fault in faults] == [(1, "entry")]
    assert not ledger.verify().ok


def test_a_damaged_entry_is_never_left_out_silently() -> None:
    ledger = damaged_ledger()
    with pytest.warns(RuntimeWarning, match="Entry 1 is damaged"):
        list(ledger.read())


def test_a_damaged_entry_is_still_given_out_as_its_bytes() -> None:
    assert [stored.seq for stored in damaged_ledger().lines()] == [0, 1, 2, 3]
    assert damaged_ledger().get(1).body == b"{half"


def test_what_is_true_now_cannot_be_worked_out_past_damage() -> None:
    with pytest.raises(Damaged):
        damaged_ledger().fold()


class FailingEngine(MemoryEngine):
    """A disk that refuses once it is told to, before or after it has written."""

    fail_before = fail_after = False

    def append(self, batch: Batch, *, expected_head: Any) -> None:
        if self.fail_before:
            raise StorageFailed("The disk failed.")
        super().append(batch, expected_head=expected_head)
        if self.fail_after:
            raise StorageFailed("The disk failed.")


@pytest.mark.parametrize("written", [False, True])
def test_a_failed_append_names_the_id_to_try_again_with(written: bool) -> None:
    engine = FailingEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    engine.fail_before, engine.fail_after = not written, written
    with pytest.raises(StorageFailed) as caught:
        ledger.append("decision", data_for("decision"))
    used = id_for(0, START_US)
    assert used in caught.value.remedy
    engine.fail_before = engine.fail_after = False
    receipt = ledger.append("decision", data_for("decision"), id=used)
    assert (0, written) == (receipt.seq, receipt.duplicate)
    assert ledger.head().size == 1


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    run_threads(lambda: [ledger.append("error", data_for("error")) for _ in range(20)], 8)
    assert list(range(160)) == seqs(ledger)
    assert len({entry.id for entry in ledger.read()}) == 160
    assert ledger.verify().ok


def test_a_ledger_is_closed_at_the_end_of_its_block() -> None:
    closed = []

    class Noticing(MemoryEngine):
        def close(self) -> None:
            closed.append(True)

    with open_memory_ledger(Noticing(LEDGER)) as ledger:
        ledger.append("decision", data_for("decision"))
        assert closed == []
    assert closed == [True]


def test_the_queue_is_held_for_the_place_only() -> None:
    """Checking, hashing and redacting data happens before a writer makes others wait."""
    inside = []

    class Watched(MemoryEngine):
        def head(self) -> chain.Head:
            inside.append(True)
            return super().head()

    ledger = open_memory_ledger(Watched(LEDGER))
    with pytest.raises(InvalidInput):
        ledger.append("decision", {})
    assert inside == []
    ledger.append("decision", data_for("decision"))
    assert inside != []


def test_reading_warns_about_nothing_when_nothing_is_wrong(ledger: Ledger) -> None:
    ledger.append("decision", data_for("decision"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(ledger.read())) == 1


def test_roots_of_every_size_are_told(ledger: Ledger) -> None:
    roots = [ledger.root()]
    for n in range(5):
        ledger.append("error", data_for("error", n))
        roots.append(ledger.root())
    assert roots == [ledger.root(size) for size in range(6)]
    assert len(set(roots)) == 6


@pytest.mark.parametrize("key", [None, "one"])
def test_a_batch_for_a_certain_place_is_recorded_there_or_not_at_all(
    ledger: Ledger, key: str | None
) -> None:
    ledger.append("error", data_for("error"))
    wanted = [Draft("decision", data_for("decision"), id=key)]
    for size in (0, 2):
        with pytest.raises(Conflict):
            ledger.append_many(wanted, at=size)
    assert ledger.head().size == 1
    assert ledger.append_many(wanted, at=1)[0].seq == 1
