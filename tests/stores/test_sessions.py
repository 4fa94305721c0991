"""The store of sessions: beginnings, ends, lineage, and what belongs to which."""

from typing import Any

import pytest

from holdfast.kernel.entry import Actor, Span
from holdfast.kernel.limits import ITEM_CHARS_MAX
from holdfast.kernel.types.sessions import CRASHED
from holdfast.ledger.ledger import Ledger
from holdfast.stores import sessions
from holdfast.testing.builders import data_for, open_memory_ledger


def sessions_of(ledger: Ledger) -> dict[str, Any]:
    return dict(sessions.sessions_of(ledger.fold().state("sessions").items))


def about_all(ledger: Ledger) -> dict[str, Any]:
    items = ledger.fold().state("sessions").items
    return {key: item for key, item in items.items() if key.startswith(" ")}


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
            "actor": "builder",
            "checkpoint": None,
            "ended": 1,
            "entries": 2,
            "first": 0,
            "holder": None,
            "last": 1,
            "parent": "s1",
            "reason": "done",
            "root": "s2",
            "started": 0,
            "title": None,
            "tool_calls": 0,
        }
    }


def test_a_session_that_starts_again_is_open_again() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {})
    ledger.append("session_ended", {"reason": "done"})
    ledger.append("session_started", {})
    assert sessions_of(ledger)["s"]["ended"] is None


def test_a_start_says_who_works_in_it_which_process_holds_it_and_what_it_is_called() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("prompt_given", {"text": "go"}, actor=Actor("user", "someone"))
    assert sessions_of(ledger)["s"]["actor"] == "someone"
    holder = {"pid": 41, "started": "8812"}
    ledger.append("session_started", {"holder": holder, "title": "Sort out the parser"})
    found = sessions_of(ledger)["s"]
    assert (found["actor"], found["holder"]) == ("builder", holder)
    assert found["title"] == "Sort out the parser"


def test_starting_again_without_a_holder_forgets_the_old_one_and_keeps_the_title() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {"holder": {"pid": 1, "started": "x"}, "title": "one"})
    ledger.append("session_started", {})
    assert sessions_of(ledger)["s"]["holder"] is None
    assert sessions_of(ledger)["s"]["title"] == "one"


def test_a_long_title_is_cut_and_the_cut_is_counted() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {"title": "t" * 1000})
    assert sessions_of(ledger)["s"]["title"] == "t" * ITEM_CHARS_MAX + f"… +{1000 - ITEM_CHARS_MAX}"


def test_the_root_of_the_lineage_comes_from_the_span() -> None:
    ledger = open_memory_ledger(session_id="s2")
    ledger.append("session_started", {"parent": "s1"}, span=Span("s2", "s1", "s0"))
    assert sessions_of(ledger)["s2"]["root"] == "s0"
    ledger.append("metric", data_for("metric"), session_id="s3", span=Span("s3", "s2", "s0"))
    assert sessions_of(ledger)["s3"]["root"] == "s0"


def test_tool_calls_are_counted_and_the_last_checkpoint_is_noted() -> None:
    ledger = open_memory_ledger(session_id="s")
    for number, name in enumerate(["tool_called", "checkpoint", "tool_called", "command_ran"]):
        ledger.append(name, data_for(name, number))
    found = sessions_of(ledger)["s"]
    assert (found["tool_calls"], found["checkpoint"]) == (2, 1)


def test_an_entry_after_a_presumed_crash_shows_that_the_session_goes_on() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_started", {})
    ledger.append("session_ended", {"reason": CRASHED})
    assert sessions_of(ledger)["s"]["ended"] == 1
    ledger.append("metric", data_for("metric"))
    found = sessions_of(ledger)["s"]
    assert (found["ended"], found["reason"]) == (None, None)


def test_an_entry_after_any_other_end_leaves_it_ended() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_ended", {"reason": "done"})
    ledger.append("metric", data_for("metric"))
    assert sessions_of(ledger)["s"]["reason"] == "done"


def test_an_end_that_follows_a_presumed_crash_is_the_end() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_ended", {"reason": CRASHED})
    ledger.append("session_ended", {"reason": "done"})
    found = sessions_of(ledger)["s"]
    assert (found["ended"], found["reason"]) == (1, "done")


def test_another_sessions_entry_does_not_take_a_crash_back() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("session_ended", {"reason": CRASHED})
    ledger.append("metric", data_for("metric"), session_id="other")
    assert sessions_of(ledger)["s"]["reason"] == CRASHED


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


def test_which_sessions_are_open_is_known_without_going_through_all() -> None:
    ledger = open_memory_ledger()
    for name in "abc":
        ledger.append("session_started", {}, session_id=name)
    ledger.append("session_ended", {"reason": "done"}, session_id="b")
    items = ledger.fold().state("sessions").items
    assert sessions.open_ids(items) == ["a", "c"]
    assert about_all(ledger) == {
        " open": ["a", "c"],
        " newest": "b",
        " over": "b",
        " ended by builder": 3,
    }
    ledger.append("session_started", {}, session_id="b")
    assert sessions.open_ids(ledger.fold().state("sessions").items) == ["a", "c", "b"]
    assert " over" not in about_all(ledger)


def test_a_session_that_nobody_started_is_never_open() -> None:
    ledger = open_memory_ledger()
    ledger.append("decision", data_for("decision"), session_id="named only")
    assert about_all(ledger) == {" newest": "named only", " over": "named only"}


def test_a_presumed_crash_that_is_taken_back_is_open_again() -> None:
    ledger = open_memory_ledger()
    ledger.append("session_started", {}, session_id="a")
    ledger.append("session_ended", {"reason": CRASHED}, session_id="a")
    assert sessions.open_ids(ledger.fold().state("sessions").items) == []
    ledger.append("decision", data_for("decision"), session_id="a")
    assert sessions.open_ids(ledger.fold().state("sessions").items) == ["a"]
