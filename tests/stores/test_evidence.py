"""The store of evidence: what each decision rests on, by the numbers."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.limits import CHECKS_FAILED_MAX
from holdfast.ledger.ledger import Ledger
from holdfast.stores.evidence import faults_in, is_grounded
from holdfast.testing.builders import data_for, open_memory_ledger


def decide(ledger: Ledger, name: str, grounds: Any = None, **fields: Any) -> None:
    said = {} if grounds is None else {"grounds": grounds}
    ledger.append("decision", data_for("decision", **said, **fields), id=name)


def ground(ledger: Ledger, name: str, **grounds: Any) -> None:
    ledger.append("decision_grounded", {"decision": name, "grounds": grounds})


def check(ledger: Ledger, name: str | None, *, passed: bool, command: str = "make") -> None:
    data = {"kind": "command", "command": command, "passed": passed}
    ledger.append("evidence_recorded", data | ({"decision": name} if name else {}))


def at(ledger: Ledger, name: str) -> Any:
    return ledger.fold().state("evidence").items.get(name)


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("cited", "exact", "grounded"), [(0, 0, False), (1, 1, True), (2, 1, False), (3, 3, True)]
)
def test_grounded_is_a_citation_and_every_one_exact(cited: int, exact: int, grounded: bool) -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", {"cited": cited, "exact": exact})
    assert is_grounded(at(ledger, "a")) == grounded


def test_a_decision_that_says_nothing_is_not_grounded() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    assert not is_grounded(at(ledger, "a"))
    assert faults_in(at(ledger, "a")) == ["no-citation"]
    assert faults_in(None) == ["no-citation"]
    assert not is_grounded(None)


def test_grounds_that_cannot_be_read_ground_nothing() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", {"cited": "many", "exact": "all"})
    decide(ledger, "b", {"cited": -1, "exact": -1})
    assert not is_grounded(at(ledger, "a"))
    assert not is_grounded(at(ledger, "b"))


def test_grounding_anew_takes_the_place_of_what_was_before() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", {"cited": 1, "exact": 0, "faults": ["changed"], "assumption": True})
    assert faults_in(at(ledger, "a")) == ["changed"]
    ground(ledger, "a", cited=1, exact=1)
    found = at(ledger, "a")
    assert is_grounded(found)
    assert (found["seq"], found["at"], found["faults"], found["assumption"]) == (0, 1, [], False)


def test_a_choice_that_says_assumption_is_one() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", choice="[ASSUMPTION] it is fast")
    decide(ledger, "b", {"cited": 0, "exact": 0, "assumption": True})
    assert at(ledger, "a")["assumption"]
    assert at(ledger, "b")["assumption"]


def test_a_failed_check_ungrounds_until_the_same_check_passes() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", {"cited": 1, "exact": 1})
    check(ledger, "a", passed=False)
    assert not is_grounded(at(ledger, "a"))
    assert faults_in(at(ledger, "a")) == ["failed-check"]
    check(ledger, "a", passed=True, command="true")
    assert not is_grounded(at(ledger, "a"))
    check(ledger, "a", passed=True)
    assert is_grounded(at(ledger, "a"))


def test_checks_that_passed_do_not_take_the_place_of_a_quote() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    check(ledger, "a", passed=True)
    assert at(ledger, "a")["passed"] == 1
    assert not is_grounded(at(ledger, "a"))


def test_grounding_anew_does_not_forget_a_failed_check() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    check(ledger, "a", passed=False)
    ground(ledger, "a", cited=1, exact=1)
    assert not is_grounded(at(ledger, "a"))


def test_a_check_before_the_decision_counts_for_it() -> None:
    ledger = open_memory_ledger()
    check(ledger, "a", passed=False)
    decide(ledger, "a", {"cited": 1, "exact": 1})
    assert not is_grounded(at(ledger, "a"))


def test_a_check_of_nothing_that_was_decided_changes_nothing() -> None:
    ledger = open_memory_ledger()
    check(ledger, None, passed=False)
    assert dict(ledger.fold().state("evidence").items) == {}


def test_failed_checks_are_bounded_and_never_forgotten() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", {"cited": 1, "exact": 1})
    for number in range(CHECKS_FAILED_MAX + 1):
        check(ledger, "a", passed=False, command=f"make {number}")
    for number in range(CHECKS_FAILED_MAX):
        check(ledger, "a", passed=True, command=f"make {number}")
    assert (at(ledger, "a")["failed"], at(ledger, "a")["failed_more"]) == ({}, 1)
    assert not is_grounded(at(ledger, "a"))
    ground(ledger, "a", cited=1, exact=1)
    assert is_grounded(at(ledger, "a"))


def test_it_goes_back_with_a_rollback() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", {"cited": 1, "exact": 1})
    check(ledger, "a", passed=False)
    ledger.append("rolled_back", data_for("rolled_back", to=0))
    assert is_grounded(at(ledger, "a"))
