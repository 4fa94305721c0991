"""The store of open work: there while it is open, gone when it is closed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ledger.ledger import Ledger
from holdfast.testing.builders import data_for, open_memory_ledger


def work_of(ledger: Ledger) -> dict[str, Any]:
    return dict(ledger.fold().state("open_work").items)


@pytest.mark.lesson("N3")
def test_work_is_listed_while_it_is_open() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("work_opened", {"work": "w", "title": "Look into it", "kind": "subagent"})
    expected = {"kind": "subagent", "seq": 0, "session": "s", "title": "Look into it"}
    assert work_of(ledger) == {"w": expected}
    ledger.append("work_closed", {"work": "w", "outcome": "found nothing"})
    assert work_of(ledger) == {}


def test_closing_what_is_not_open_changes_nothing() -> None:
    ledger = open_memory_ledger()
    ledger.append("work_opened", data_for("work_opened", 1))
    before = ledger.fold().digests()["open_work"]
    ledger.append("work_closed", data_for("work_closed", 2))
    assert ledger.fold().digests()["open_work"] == before


def test_opened_twice_it_keeps_the_first_number_and_takes_the_newest_title() -> None:
    ledger = open_memory_ledger()
    ledger.append("work_opened", {"work": "w", "title": "first"})
    ledger.append("metric", data_for("metric"))
    ledger.append("work_opened", {"work": "w", "title": "second"})
    assert (work_of(ledger)["w"]["seq"], work_of(ledger)["w"]["title"]) == (0, "second")


def test_opened_after_it_was_closed_it_is_new() -> None:
    ledger = open_memory_ledger()
    for name in ("work_opened", "work_closed", "work_opened"):
        ledger.append(name, data_for(name))
    assert work_of(ledger)["work-0"]["seq"] == 2


def test_a_title_in_the_vault_is_named_by_its_hash() -> None:
    ledger = open_memory_ledger()
    ledger.append("work_opened", {"work": "w", "title": "t" * 40_000})
    assert len(work_of(ledger)["w"]["title"]) == 64


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=20))
def test_what_is_open_is_what_a_plain_set_says(steps: list[tuple[bool, int]]) -> None:
    ledger = open_memory_ledger()
    expected: dict[str, int] = {}
    for seq, (opens, number) in enumerate(steps):
        name = "work_opened" if opens else "work_closed"
        ledger.append(name, data_for(name, number))
        if opens:
            expected.setdefault(f"work-{number}", seq)
        else:
            expected.pop(f"work-{number}", None)
    assert {key: item["seq"] for key, item in work_of(ledger).items()} == expected
