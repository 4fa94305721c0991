"""Delete everything but the save and the log, boot, and get the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import holdfast
from holdfast.kernel.errors import InvalidInput
from holdfast.ledger import saving
from holdfast.ledger.base import Base
from holdfast.ledger.booting import STEPS, Booted, cold_boot
from holdfast.ledger.history import fold_at
from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import data_for
from holdfast.views.working_set import Policy
from tests.ledger.saved import PINS, STORY, based, lines_of, saved, told

SIZES = range(len(STORY) + 1)


def proved(booted: Booted) -> tuple[Any, ...]:
    """Return everything of a boot that has bytes."""
    return (
        booted.snapshot.to_line(),
        {name: booted.fold.state(name).dump() for name in booted.digests},
        booted.digests,
        booted.working_set.canonical_bytes,
        booted.pending,
        booted.compactions,
    )


@pytest.mark.req("O3", "O4", "O9", "O11")
@pytest.mark.parametrize("kind", ["SCENE", "SESSION", "CAMPAIGN"])
def test_a_boot_gives_back_what_was_saved(kind: Any) -> None:
    """SL-G1, its first test."""
    ledger = told()
    fold, save = ledger.fold(), saved(ledger, kind)
    booted = holdfast.cold_boot(save, ledger, pins=holdfast.environment_pins())
    assert booted.digests == save.store_digests == fold.digests()
    assert booted.working_set.bytes_hash == save.working_set_digest
    for name in save.store_digests:
        assert booted.fold.state(name).dump() == fold.state(name).dump()
    again = saving.take_save(ledger.reader, booted.fold, kind, pins=PINS)
    assert again.to_line() == save.to_line()


@pytest.mark.req("O3")
def test_a_boot_takes_the_twelve_steps_in_their_order() -> None:
    ledger = told()
    booted = cold_boot(saved(ledger), ledger, pins=PINS)
    assert [step.number for step in booted.steps] == list(range(1, 13))
    assert tuple(step.name for step in booted.steps) == STEPS
    assert all(step.result for step in booted.steps)


@pytest.mark.parametrize(
    "log",
    [
        lambda ledger: ledger,
        lambda ledger: ledger.reader,
        lines_of,
        lambda ledger: (line + b"\n" for line in lines_of(ledger)),
    ],
    ids=["ledger", "reader", "lines", "lines with line feeds"],
)
@pytest.mark.req("O2", "O3")
def test_a_log_is_a_ledger_a_reader_or_lines(log: Callable[[Ledger], Any]) -> None:
    ledger = told()
    save = saved(ledger)
    expected = proved(cold_boot(save, ledger, pins=PINS))
    assert proved(cold_boot(save.to_line(), log(ledger), pins=PINS)) == expected


@pytest.mark.parametrize("log", [b"{}\n", "{}\n", ["{}"], 7, None])
def test_what_is_no_log_is_refused(log: Any) -> None:
    with pytest.raises(InvalidInput, match="no event log"):
        cold_boot(saved(told(1)), log, pins=PINS)


@pytest.mark.req("O9")
def test_two_replays_come_to_the_same() -> None:
    """SL-G2, its first test; the log itself is as it was."""
    ledger = told()
    save, lines = saved(ledger), lines_of(ledger)
    assert proved(cold_boot(save, ledger, pins=PINS)) == proved(cold_boot(save, ledger, pins=PINS))
    assert lines_of(ledger) == lines


@pytest.mark.req("O9")
@pytest.mark.lesson("O2")
@pytest.mark.parametrize("start", SIZES)
def test_every_base_leads_to_the_same_digests(start: int) -> None:
    """SL-G2, its second test: from each entry on. The story goes back, too, before some of them."""
    ledger = told()
    ledger.append("rolled_back", {"to": 5, "reason": "far back"}, session_id="s1")
    ledger.append("decision", data_for("decision", 9), session_id="s1")
    save = saved(ledger, "CAMPAIGN")
    expected = proved(cold_boot(save, ledger, pins=PINS))
    booted = cold_boot(save, ledger, pins=PINS, base=based(ledger, start))
    assert proved(booted) == expected
    lines = lines_of(ledger)
    assert proved(cold_boot(save, lines, pins=PINS, base=based(ledger, start))) == expected


@pytest.mark.lesson("O2")
@pytest.mark.parametrize("segment", [1, 3, 8])
def test_bases_before_in_and_after_the_segment_work(
    segment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "SAVE_SEGMENT_ENTRIES", segment)
    ledger = told()
    save = saved(ledger)
    for start in SIZES:
        booted = cold_boot(save, ledger, pins=PINS, base=based(ledger, start))
        assert booted.digests == save.store_digests


def test_what_a_base_has_for_the_past_is_asked_for_it() -> None:
    ledger = told()
    ledger.append("rolled_back", {"to": 5, "reason": "far back"})
    asked = []

    def past(seq: int) -> Any:
        asked.append(seq)
        return fold_at(ledger.reader, seq + 1).items()

    base = based(ledger, 10)
    cold_boot(saved(ledger), ledger, pins=PINS, base=Base(base.snapshot, base.items, past))
    assert asked == [5]


def test_entries_after_the_save_do_no_harm() -> None:
    ledger = told()
    save = saved(ledger)
    expected = proved(cold_boot(save, ledger, pins=PINS))
    for n in range(3):
        ledger.append("decision", data_for("decision", 10 + n))
    assert proved(cold_boot(save, ledger, pins=PINS)) == expected


@pytest.mark.lesson("O2")
def test_the_policy_of_the_save_is_the_one_that_counts() -> None:
    ledger = told()
    small = saved(ledger, policy=Policy(tokens=2000, decisions=1))
    booted = cold_boot(small, ledger, pins=PINS)
    assert booted.working_set.value()["policy"]["decisions"] == 1
    assert small.working_set_digest != saved(ledger).working_set_digest


@pytest.mark.req("O3")
def test_the_booted_state_goes_on_like_any_fold() -> None:
    ledger = told()
    booted = cold_boot(saved(ledger), ledger, pins=PINS, base=based(ledger, 4))
    ledger.append("rolled_back", {"to": 1, "reason": "before the base"})
    for entry in ledger.read(holdfast.Selection(first=booted.fold.size)):
        booted.fold.apply(entry)
    assert booted.fold.digests() == ledger.fold().digests()
