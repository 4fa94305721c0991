"""Entries that are made ready before the writer's turn are the entries of any other append."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import Conflict, InvalidInput, StorageFailed
from holdfast.kernel.limits import BATCH_ENTRIES_MAX, INLINE_BYTES_MAX, READIED_AT_ONCE
from holdfast.ledger.drafts import Draft
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.readying import Readying
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch
from holdfast.testing import LEDGER, data_for, draft, open_memory_ledger
from holdfast.wiring.opening import open_ledger

SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


def made_ready(ledger: Ledger, drafts: list[Draft]) -> Readying:
    readying = ledger.readying(drafts, ledger.head())
    for _ in readying:
        pass
    return readying


def append(ledger: Ledger, drafts: list[Draft]) -> Readying:
    readying = made_ready(ledger, drafts)
    ledger.append_readied(readying)
    return readying


DRAFTS = st.lists(
    st.sampled_from(
        [
            draft("decision"),
            Draft("prompt_given", {"text": "words"}),
            Draft("prompt_given", {"text": f"my key is {SECRET}"}),
            Draft("prompt_given", {"text": "x" * (INLINE_BYTES_MAX + 1)}),
            Draft("prompt_given", {"text": "of another"}, session_id="s9"),
        ]
    ),
    min_size=1,
    max_size=3 * READIED_AT_ONCE + 1,
)


@given(DRAFTS, DRAFTS)
def test_they_are_what_an_append_records(first: list[Draft], second: list[Draft]) -> None:
    one, other = open_memory_ledger(), open_memory_ledger()
    for drafts in (first, second):
        appended = append(one, drafts)
        receipts = other.append_many(drafts)
        assert [(s.seq, s.id, s.leaf.hex()) for s in appended.sealed] == [
            (receipt.seq, receipt.id, receipt.leaf) for receipt in receipts
        ]
    assert [line.body for line in one.lines()] == [line.body for line in other.lines()]
    assert one.verify().ok
    assert SECRET.encode() not in b"".join(line.body for line in one.lines())


def test_there_are_few_entries_in_a_step() -> None:
    ledger = open_memory_ledger()
    readying = ledger.readying([draft("decision", n) for n in range(5)], ledger.head())
    sizes = [len(readying.sealed) for _ in readying]
    assert sizes == [*range(READIED_AT_ONCE, 5, READIED_AT_ONCE), 5]
    assert ledger.head().size == 0, "nothing is recorded yet"


def test_nothing_is_recorded_behind_another_head() -> None:
    ledger = open_memory_ledger()
    readied = made_ready(ledger, [draft()])
    ledger.append("decision", data_for("decision"))
    with pytest.raises(Conflict):
        ledger.append_readied(readied)
    assert ledger.head().size == 1
    append(ledger, [draft()])
    assert ledger.verify().ok


def test_what_is_not_ready_is_not_recorded() -> None:
    ledger = open_memory_ledger()
    readying = ledger.readying([draft("decision", n) for n in range(5)], ledger.head())
    next(iter(readying))
    with pytest.raises(ValueError, match="not all"):
        ledger.append_readied(readying)
    assert ledger.head().size == 0


def test_nothing_at_all_is_no_append() -> None:
    ledger = open_memory_ledger()
    assert append(ledger, []).sealed == []
    assert ledger.head().size == 0


def test_too_many_a_bad_one_and_one_with_an_id_are_refused() -> None:
    ledger = open_memory_ledger()
    with pytest.raises(InvalidInput, match="at once"):
        ledger.readying([draft()] * (BATCH_ENTRIES_MAX + 1), ledger.head())
    with pytest.raises(InvalidInput):
        made_ready(ledger, [draft(), Draft("prompt_given", {"words": 3})])
    with pytest.raises(ValueError, match="id"):
        ledger.readying([draft(id="mine")], ledger.head())
    assert ledger.head().size == 0


def test_a_disk_that_fails_is_told_with_the_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = MemoryEngine(LEDGER)
    ledger = open_memory_ledger(engine)
    readied = made_ready(ledger, [draft()])

    def fail(_: Batch, **__: object) -> None:
        raise StorageFailed("The disk is full.")

    monkeypatch.setattr(engine, "append", fail)
    with pytest.raises(StorageFailed) as failure:
        ledger.append_readied(readied)
    assert readied.sealed[0].id in (failure.value.remedy or "")


def test_a_ledger_on_disk_takes_them_over_many_blocks(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as ledger:
        for size in (1, 63, 64, 65, 200, 257):
            appended = append(ledger, [draft("decision", n) for n in range(size)])
            assert ledger.get(appended.sealed[-1].id).seq == ledger.head().size - 1
        assert ledger.verify().ok
        assert set(ledger.find({appended.sealed[100].id})) == {appended.sealed[100].id}


def test_the_ledger_is_looked_after_behind_them() -> None:
    told: list[int] = []

    def upkeep(size: int) -> int:
        told.append(size)
        return size

    ledger = open_memory_ledger()
    ledger._upkeep = upkeep
    append(ledger, [draft(), draft("decision", 1)])
    append(ledger, [])
    append(ledger, [draft("decision", 2)])
    assert told == [2, 3]
