"""Pins come from the environment: one that differs ends a boot, unless the log says it is meant."""

from __future__ import annotations

from typing import Any

import pytest

import holdfast
from holdfast.kernel.errors import BootFailed, InvalidInput
from holdfast.ledger.booting import cold_boot
from holdfast.ledger.ledger import Ledger
from tests.ledger.saved import PINS, lines_of, saved, told

NOW = {**PINS, "tokens": "holdfast-9"}
"""The environment of somebody whose token counter is another."""


def revise(ledger: Ledger, before: str, after: str, pin: str = "tokens") -> None:
    ledger.append(
        "pin_revised", {"pin": pin, "before": before, "after": after, "reason": "it counts better"}
    )


@pytest.mark.req("O3", "O9")
@pytest.mark.lesson("O1")
def test_a_changed_pin_ends_the_boot() -> None:
    """G6, its first test."""
    ledger = told()
    with pytest.raises(BootFailed) as failed:
        cold_boot(saved(ledger), ledger, pins=NOW)
    error = failed.value
    assert (error.step, error.expected, error.found) == (2, PINS["tokens"], "holdfast-9")
    assert "'tokens'" in error.what


@pytest.mark.req("O9")
def test_a_pin_that_was_revised_passes() -> None:
    """G6, its second test."""
    ledger = told()
    save = saved(ledger)
    revise(ledger, PINS["tokens"], "holdfast-9")
    booted = cold_boot(save, ledger, pins=NOW)
    assert booted.digests == save.store_digests
    assert booted.steps[1].result == f"{len(PINS)} compared, tokens revised"


@pytest.mark.parametrize("name", list(PINS))
@pytest.mark.req("O9")
def test_each_pin_is_compared(name: str) -> None:
    ledger = told(2)
    save = saved(ledger)
    without = {key: PINS[key] for key in PINS if key != name}
    for pins in ({**PINS, name: "another"}, without):
        with pytest.raises(BootFailed) as failed:
            cold_boot(save, ledger, pins=pins)
        error = failed.value
        expected = (2, PINS[name], pins.get(name, "absent"))
        assert (error.step, error.expected, error.found) == expected


def test_a_pin_that_the_save_does_not_have_is_a_difference() -> None:
    ledger = told(2)
    with pytest.raises(BootFailed) as failed:
        cold_boot(saved(ledger), ledger, pins={**PINS, "store.dreams": "1"})
    assert (failed.value.expected, failed.value.found) == ("absent", "1")
    save = saved(ledger)
    revise(ledger, "absent", "1", "store.dreams")
    assert cold_boot(save, ledger, pins={**PINS, "store.dreams": "1"}).snapshot == save


@pytest.mark.lesson("O1")
def test_pins_that_are_left_out_are_an_error() -> None:
    ledger = told(2)
    boot: Any = holdfast.cold_boot
    with pytest.raises(TypeError, match="pins"):
        boot(saved(ledger), ledger)
    wrong: list[Any] = [None, [], {"tokens": 1}, "holdfast-2"]
    for pins in wrong:
        with pytest.raises(InvalidInput, match="have to be given"):
            boot(saved(ledger), ledger, pins=pins)


@pytest.mark.parametrize("place", ["before the save", "after the save", "both"])
def test_revisions_may_stand_anywhere_and_follow_one_another(place: str) -> None:
    ledger = told()
    if place != "after the save":
        revise(ledger, PINS["tokens"], "holdfast-8")
    if place == "before the save":
        revise(ledger, "holdfast-8", "holdfast-9")
    save = saved(ledger)
    if place == "after the save":
        revise(ledger, PINS["tokens"], "holdfast-8")
    if place != "before the save":
        revise(ledger, "holdfast-8", "holdfast-9")
    assert cold_boot(save, ledger, pins=NOW).snapshot == save
    assert cold_boot(save, lines_of(ledger), pins=NOW).snapshot == save


@pytest.mark.parametrize(
    ("before", "after", "pin"),
    [
        ("holdfast-2", "holdfast-8", "tokens"),
        ("holdfast-8", "holdfast-9", "tokens"),
        ("holdfast-9", "holdfast-2", "tokens"),
        ("holdfast-2", "holdfast-9", "token"),
        ("holdfast-2", "holdfast-9", "hash"),
    ],
)
def test_a_revision_that_leads_elsewhere_does_not_help(before: str, after: str, pin: str) -> None:
    ledger = told()
    save = saved(ledger)
    revise(ledger, before, after, pin)
    with pytest.raises(BootFailed) as failed:
        cold_boot(save, ledger, pins=NOW)
    assert failed.value.step == 2


@pytest.mark.parametrize("log", [lambda ledger: ledger, lines_of], ids=["ledger", "lines"])
def test_a_revision_that_was_never_sealed_there_does_not_help(log: Any) -> None:
    """Before the save the tree of the save says what is in the log."""
    ledger, other = told(3), told(3)
    revise(other, PINS["tokens"], "holdfast-9")
    for one in (ledger, other):
        one.append("tool_called", {"tool": "Read", "params": {}})
    ledger.append("tool_called", {"tool": "Read", "params": {}})
    with pytest.raises(BootFailed) as failed:
        cold_boot(saved(ledger), log(other), pins=NOW)
    assert failed.value.step == 2


def test_a_revision_in_the_vault_does_not_help() -> None:
    ledger = told()
    save = saved(ledger)
    long = "holdfast-9" * 4000
    revise(ledger, PINS["tokens"], long)
    with pytest.raises(BootFailed):
        cold_boot(save, ledger, pins={**PINS, "tokens": long})
