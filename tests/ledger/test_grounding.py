"""The grounding ratio: over the decisions that hold since the gate passed, assumptions apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.index.views import Views
from holdfast.kernel.entry import Actor
from holdfast.ledger.grounding import Ratio, ratio
from holdfast.ledger.ledger import Ledger
from holdfast.stores.gate import GATE
from holdfast.testing.builders import data_for, open_memory_ledger

PROVED = {"cited": 1, "exact": 1}
UNPROVED = {"cited": 2, "exact": 1, "faults": ["changed"]}


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger()


@pytest.fixture
def views(tmp_path: Path) -> Iterator[Views]:
    with Views(str(tmp_path / "views.db")) as views:
        yield views


def decide(ledger: Ledger, name: str, grounds: Any = None, **fields: Any) -> None:
    said = {} if grounds is None else {"grounds": grounds}
    data = data_for("decision", choice=f"choose {name}", **said, **fields)
    ledger.append("decision", data, id=name)


def ran(ledger: Ledger, actor: Actor = GATE, **changes: Any) -> None:
    ledger.append("gate_ran", data_for("gate_ran", **changes), actor=actor)


def found(ledger: Ledger, views: Views) -> Ratio:
    views.catch_up(ledger.reader)
    return ratio(views)


@pytest.mark.req("L7")
def test_without_decisions_it_is_whole(ledger: Ledger, views: Views) -> None:
    assert found(ledger, views) == Ratio(0, 0, [], [], 1.0)


@pytest.mark.req("L7")
def test_it_is_the_grounded_among_all(ledger: Ledger, views: Views) -> None:
    decide(ledger, "a", PROVED)
    decide(ledger, "b", UNPROVED)
    decide(ledger, "c")
    decide(ledger, "d", PROVED)
    was = found(ledger, views)
    assert (was.total, was.grounded, was.value) == (4, 2, 0.5)
    assert [(one.id, one.seq, one.choice, one.faults) for one in was.ungrounded] == [
        ("c", 2, "choose c", ["no-citation"]),
        ("b", 1, "choose b", ["changed"]),
    ]


@pytest.mark.req("L7")
def test_assumptions_are_listed_apart_and_counted_on_neither_side(
    ledger: Ledger, views: Views
) -> None:
    decide(ledger, "a", PROVED)
    decide(ledger, "b", {"cited": 0, "exact": 0, "assumption": True})
    was = found(ledger, views)
    assert (was.total, was.grounded, was.assumptions, was.value) == (1, 1, [("b", 1)], 1.0)


@pytest.mark.req("L7")
def test_superseded_ones_are_out_of_it(ledger: Ledger, views: Views) -> None:
    decide(ledger, "a")
    decide(ledger, "b", PROVED, supersedes=["a"])
    assert found(ledger, views).value == 1.0


@pytest.mark.req("L7")
def test_it_begins_anew_when_the_gate_passed_and_only_then(ledger: Ledger, views: Views) -> None:
    decide(ledger, "a")
    ran(ledger, passed=False)
    assert found(ledger, views).value == 0.0
    ran(ledger)
    assert found(ledger, views) == Ratio(0, 0, [], [], 1.0)
    decide(ledger, "b", PROVED)
    assert (found(ledger, views).total, found(ledger, views).value) == (1, 1.0)


def test_grounding_anew_counts(ledger: Ledger, views: Views) -> None:
    decide(ledger, "a", UNPROVED)
    assert found(ledger, views).value == 0.0
    ledger.append("decision_grounded", {"decision": "a", "grounds": PROVED})
    assert found(ledger, views).value == 1.0


BLOCK = {"step": 2, "reason": "[UNVERIFIED GHOST] g", "remedy": "look for it"}


@pytest.mark.lesson("L1")
@pytest.mark.parametrize(
    "changes",
    [
        {"trigger": "orange"},
        {"trigger": "red"},
        {"enforcement": "warn", "blocks": [BLOCK]},
        {"enforcement": "disabled", "blocks": [BLOCK]},
        {"passed": False},
        {"actor": Actor("user", "gate")},
        {"actor": Actor("holdfast", "script")},
    ],
)
def test_only_a_clear_that_nothing_was_in_the_way_of_begins_anew(
    ledger: Ledger, views: Views, changes: Any
) -> None:
    decide(ledger, "a")
    ran(ledger, **changes)
    assert found(ledger, views).total == 1
    ran(ledger)
    assert found(ledger, views).total == 0


@pytest.mark.req("L7")
def test_what_is_grounded_anew_after_a_clear_is_counted_again(ledger: Ledger, views: Views) -> None:
    decide(ledger, "a", PROVED)
    decide(ledger, "b", PROVED)
    ran(ledger)
    ledger.append("decision_grounded", {"decision": "a", "grounds": UNPROVED})
    was = found(ledger, views)
    assert (was.total, [one.id for one in was.ungrounded]) == (1, ["a"])
    ran(ledger)
    assert found(ledger, views).total == 0


@pytest.mark.req("L7")
def test_a_check_that_fails_after_a_clear_counts_its_decision_again(
    ledger: Ledger, views: Views
) -> None:
    decide(ledger, "a", PROVED)
    decide(ledger, "b", PROVED)
    ran(ledger)
    check = {"kind": "command", "command": "make", "passed": True, "decision": "a"}
    ledger.append("evidence_recorded", check)
    assert found(ledger, views).total == 0
    ledger.append("evidence_recorded", check | {"passed": False})
    was = found(ledger, views)
    assert (was.total, [one.faults for one in was.ungrounded]) == (1, [["failed-check"]])


@pytest.mark.req("L7")
def test_an_assumption_is_listed_after_a_clear_until_it_is_grounded_or_superseded(
    ledger: Ledger, views: Views
) -> None:
    assumed = {"cited": 0, "exact": 0, "assumption": True}
    for name in ("a", "b", "c"):
        decide(ledger, name, assumed)
    ran(ledger)
    assert found(ledger, views) == Ratio(0, 0, [("c", 2), ("b", 1), ("a", 0)], [], 1.0)
    ledger.append("decision_grounded", {"decision": "a", "grounds": PROVED})
    assert found(ledger, views).assumptions == [("c", 2), ("b", 1)]
    decide(ledger, "d", PROVED, supersedes=["b"])
    assert found(ledger, views).assumptions == [("c", 2)]


def test_checks_of_what_was_superseded_or_never_decided_count_nothing(
    ledger: Ledger, views: Views
) -> None:
    decide(ledger, "a", PROVED)
    decide(ledger, "b", PROVED, supersedes=["a"])
    ran(ledger)
    for name in ("a", "nobody's"):
        check = {"kind": "command", "command": "make", "passed": False, "decision": name}
        ledger.append("evidence_recorded", check)
    assert found(ledger, views) == Ratio(0, 0, [], [], 1.0)
