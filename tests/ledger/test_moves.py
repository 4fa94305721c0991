"""Moves of the State Map: refused at append, and a forced one fails fold, verify and boot."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from holdfast.kernel import canonical
from holdfast.kernel.entry import Prepared
from holdfast.kernel.errors import BootFailed, Conflict, Damaged, InvalidInput
from holdfast.kernel.hashing import data_hash
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.verify_moves import check_moves
from holdfast.testing.builders import data_for, open_memory_ledger, prepared
from tests.ledger.saved import PINS, ledger_with, lines_of, over, saved

HASH = data_hash(b"text")


def move(
    before: str | None, after: str, *, version: str = "e/1", artifact: str = HASH, **more: Any
) -> dict[str, Any]:
    symbols = [{"symbol": "f", "artifact": artifact}]
    return data_for(
        "artifact_moved",
        version=version,
        path="a.py",
        before=before,
        after=after,
        symbols=symbols,
        **more,
    )


def moved(*moves: dict[str, Any]) -> Ledger:
    """Return a ledger where an artifact went this way."""
    ledger = open_memory_ledger()
    for data in moves:
        ledger.append("artifact_moved", data, at=ledger.head().size)
    return ledger


def forced(ledger: Ledger, data: dict[str, Any]) -> Ledger:
    """Return a ledger into whose database somebody put one more move, sealed as it should be."""
    encoded = canonical.encode(data)
    last: Prepared = msgspec.structs.replace(
        prepared("artifact_moved", 70), data=encoded, hash=data_hash(encoded)
    )
    return ledger_with(ledger, last)


PROPOSED = move(None, "PROPOSED")
RAISED = move("PROPOSED", "AUTHORITATIVE", grant="parity")

ILLEGAL = {
    "not in the table": ((PROPOSED, RAISED), move("AUTHORITATIVE", "PROPOSED")),
    "from superseded": ((PROPOSED,), move("SUPERSEDED", "AUTHORITATIVE")),
    "never proposed": ((), RAISED),
    "another version": ((PROPOSED,), move("PROPOSED", "AUTHORITATIVE", version="e/2")),
    "another text": ((PROPOSED,), move("PROPOSED", "AUTHORITATIVE", artifact=data_hash(b"x"))),
    "raised twice": ((PROPOSED, RAISED), RAISED),
    "proposed twice": ((PROPOSED,), PROPOSED),
    "proposed while current": ((PROPOSED, RAISED), PROPOSED),
    "not current": ((PROPOSED,), move("AUTHORITATIVE", "SUPERSEDED")),
    "not the current one": (
        (PROPOSED, RAISED),
        move("AUTHORITATIVE", "TOMBSTONED", version="e/2"),
    ),
    "beside the current one": (
        (PROPOSED, RAISED, move(None, "PROPOSED", version="e/2")),
        move("PROPOSED", "AUTHORITATIVE", version="e/2"),
    ),
    "tombstoned twice": (
        (PROPOSED, RAISED, move("AUTHORITATIVE", "TOMBSTONED")),
        move("AUTHORITATIVE", "TOMBSTONED"),
    ),
}


@pytest.mark.req("T6")
@pytest.mark.parametrize(("past", "illegal"), ILLEGAL.values(), ids=ILLEGAL)
def test_a_forced_move_fails_fold_verify_and_boot(
    past: tuple[dict[str, Any], ...], illegal: dict[str, Any]
) -> None:
    good = moved(*past)
    bad = forced(good, illegal)
    place = len(past)
    with pytest.raises(Damaged, match=f"Entry {place} "):
        bad.fold()
    report = bad.verify()
    assert not report.ok
    assert [(fault.seq, fault.kind) for fault in report.faults] == [(place, "transition")]
    with pytest.raises(BootFailed) as failed:
        cold_boot(over(saved(good), lines_of(bad)), bad.reader, pins=PINS)
    assert failed.value.step == 6
    assert f"Entry {place} cannot be replayed" in failed.value.what


@pytest.mark.req("T6")
def test_a_legal_way_passes_fold_verify_and_boot() -> None:
    second = {"version": "e/2", "artifact": data_hash(b"x")}
    ledger = moved(
        PROPOSED,
        RAISED,
        move(None, "PROPOSED", **second),
        move("AUTHORITATIVE", "SUPERSEDED"),
        move("PROPOSED", "AUTHORITATIVE", **second),
        move("AUTHORITATIVE", "TOMBSTONED", **second),
        move(None, "PROPOSED", version="e/3"),
        move("PROPOSED", "TOMBSTONED", version="e/3"),
    )
    assert ledger.verify().ok
    booted = cold_boot(saved(ledger), ledger.reader, pins=PINS)
    assert booted.fold.state("state_map").dump() == ledger.fold().state("state_map").dump()


@pytest.mark.req("T6")
@pytest.mark.parametrize(
    ("before", "after"), [("SUPERSEDED", "AUTHORITATIVE"), ("TOMBSTONED", "PROPOSED")]
)
def test_what_is_not_in_the_table_is_refused_at_append(before: str, after: str) -> None:
    ledger = moved(PROPOSED)
    with pytest.raises(InvalidInput, match=f"no artifact goes from {before} to {after}"):
        ledger.append("artifact_moved", move(before, after), at=1)
    assert ledger.head().size == 1


@pytest.mark.req("T6")
def test_who_moves_an_artifact_must_say_what_they_looked_at() -> None:
    ledger = open_memory_ledger()
    with pytest.raises(InvalidInput, match="looked at"):
        ledger.append("artifact_moved", PROPOSED)
    drafts = [Draft("decision", data_for("decision")), Draft("artifact_moved", PROPOSED)]
    with pytest.raises(InvalidInput, match="looked at") as refused:
        ledger.append_many(drafts)
    assert "Nothing was recorded" in str(refused.value)
    assert ledger.head().size == 0
    ledger.append_many(drafts, at=0)
    assert ledger.head().size == 2


def test_who_looked_too_early_records_nothing() -> None:
    ledger = moved(PROPOSED)
    ledger.append("decision", data_for("decision"))
    with pytest.raises(Conflict):
        ledger.append("artifact_moved", RAISED, at=1)
    assert ledger.head().size == 2
    ledger.append("decision", data_for("decision", 1), at=2)
    with pytest.raises(Conflict):
        ledger.append("decision", data_for("decision", 2), at=2)


def test_verifying_reads_no_other_entries_for_this() -> None:
    """A check by type: what is not a move is not asked for."""
    ledger = moved(PROPOSED, RAISED)
    asked: list[Any] = []

    class Reader:
        def read(self, selection: Any) -> Any:
            asked.append(selection.type)
            return ledger.reader.read(selection)

    assert list(check_moves(Reader())) == []  # type: ignore[arg-type]
    assert asked == ["artifact_moved"]


def test_a_move_that_cannot_be_read_is_a_fault_and_not_an_error() -> None:
    bad = forced(moved(PROPOSED), {"path": "a.py"})
    assert [(fault.seq, fault.kind) for fault in bad.verify().faults] == [(1, "transition")]


def test_data_that_only_its_vault_could_hold_is_refused() -> None:
    """What a fold needs stands in the entry, or nothing is recorded."""
    ledger = open_memory_ledger()
    symbols = [{"symbol": "f", "artifact": HASH, "one": "x" * 20_000, "two": "y" * 20_000}]
    data = data_for("artifact_moved", symbols=symbols)
    with pytest.raises(InvalidInput, match="symbols"):
        ledger.append("artifact_moved", data, at=0)
    assert ledger.head().size == 0
