"""The store of sessions: beginnings, ends, lineage, and what belongs to which."""

from typing import Any

import pytest

from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import data_for, open_memory_ledger


def sessions_of(ledger: Ledger) -> dict[str, Any]:
    return dict(ledger.fold().state("sessions").items)


def test_an_entry_without_a_session_changes_nothing() -> None:
    ledger = open_memory_ledger()
    ledger.append("decision", data_for("decision"))
    assert sessions_of(ledger) == {}


def test_interleaved_sessions_each_get_their_own_numbers() -> None:
    ledger = open_memory_ledger()
    for number in range(6):
        ledger.append("error", data_for("error", number), session_id="ab"[number % 2])
    found = sessions_of(ledger)
    assert (found["a"]["first"], found["a"]["last"], found["a"]["entries"]) == (0, 4, 3)
    assert (found["b"]["first"], found["b"]["last"], found["b"]["entries"]) == (1, 5, 3)


def test_start_and_end_are_noted_with_reason_and_parent() -> None:
    ledger = open_memory_ledger(session_id="s2")
    ledger.append("session_started", {"parent": "s1"})
    ledger.append("session_ended", {"reason": "done"})
    assert sessions_of(ledger) == {
        "s2": {
            "ended": 1,
            "entries": 2,
            "first": 0,
            "last": 1,
            "parent": "s1",
            "reason": "done",
            "started": 0,
        }
    }


def test_a_session_that_starts_again_is_open_again() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {})
    ledger.append("session_ended", {"reason": "done"})
    ledger.append("session_started", {})
    assert sessions_of(ledger)["s"]["ended"] is None


def test_the_state_at_an_earlier_entry_can_be_worked_out() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {})
    before = ledger.fold().digests()
    ledger.append("session_ended", {"reason": "done"})
    assert ledger.fold(1).digests() == before
    assert ledger.fold().digests() != before


def test_a_reason_too_long_for_an_entry_is_noted_by_its_hash() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_ended", {"reason": "r" * 40_000})
    assert len(sessions_of(ledger)["s"]["reason"]) == 64


@pytest.mark.parametrize("stop", [0, 3])
def test_a_fold_stops_where_it_is_told(stop: int) -> None:
    ledger = open_memory_ledger(session_id="s")
    for number in range(5):
        ledger.append("metric", data_for("metric", number))
    assert ledger.fold(stop).size == stop
