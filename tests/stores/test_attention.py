"""The store of attention: how full each session's context is, and what was done about it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ledger.ledger import Ledger
from holdfast.stores.attention import OUTSIDE
from holdfast.testing.builders import data_for, open_memory_ledger


def attention_of(ledger: Ledger) -> dict[str, Any]:
    return dict(ledger.fold().state("attention").items)


def count(ledger: Ledger, tokens: int, zone: str, session: str | None = "s", **more: Any) -> int:
    data = {"tokens": tokens, "zone": zone, "counter": "c", "source": "test", **more}
    return ledger.append("attention_measured", data, session_id=session).seq


@pytest.mark.req("L5")
def test_the_newest_count_counts_and_the_peak_stays() -> None:
    ledger = open_memory_ledger()
    count(ledger, 100, "green")
    count(ledger, 6000, "yellow", model="gpt-4o", window=128_000)
    count(ledger, 50, "green")
    found = attention_of(ledger)["s"]
    assert found == {
        "checked": None,
        "entered": 2,
        "model": "gpt-4o",
        "peak": 6000,
        "risen": None,
        "seq": 2,
        "synced": None,
        "tokens": 50,
        "window": 128_000,
        "zone": "green",
    }


def test_a_zone_is_entered_once_however_often_it_is_counted() -> None:
    ledger = open_memory_ledger()
    for tokens in (5000, 6000, 7000):
        count(ledger, tokens, "yellow")
    count(ledger, 10_000, "orange")
    found = attention_of(ledger)["s"]
    assert (found["entered"], found["risen"]) == (3, 0)


def test_sessions_are_counted_apart_and_what_has_none_too() -> None:
    ledger = open_memory_ledger()
    count(ledger, 1, "green", "a")
    count(ledger, 2, "green", "b")
    count(ledger, 3, "green", None)
    tokens = {key: item["tokens"] for key, item in attention_of(ledger).items()}
    assert tokens == {"a": 1, "b": 2, OUTSIDE: 3}


def test_what_was_done_about_it_is_noted() -> None:
    ledger = open_memory_ledger(session_id="s")
    count(ledger, 5000, "yellow")
    ledger.append("delta_synced", data_for("delta_synced"))
    ledger.append("gate_ran", data_for("gate_ran"))
    found = attention_of(ledger)["s"]
    assert (found["synced"], found["checked"]) == (1, 2)


def test_a_run_of_the_gate_before_any_count_leaves_nothing_counted() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("gate_ran", data_for("gate_ran"))
    found = attention_of(ledger)["s"]
    assert (found["seq"], found["tokens"], found["checked"]) == (None, 0, 0)


def test_going_back_does_not_empty_a_context() -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("metric", data_for("metric"))
    count(ledger, 5000, "yellow")
    before = attention_of(ledger)
    ledger.append("rolled_back", data_for("rolled_back") | {"to": 0})
    assert attention_of(ledger) == before


ZONES = st.sampled_from(["green", "yellow", "orange", "red"])


@given(st.lists(st.tuples(st.integers(0, 20_000), ZONES), min_size=1, max_size=20))
def test_it_says_what_plain_variables_say(counts: list[tuple[int, str]]) -> None:
    ledger = open_memory_ledger()
    for tokens, zone in counts:
        count(ledger, tokens, zone)
    zones = [zone for _, zone in counts]
    entered = max(i for i in range(len(zones)) if i == 0 or zones[i] != zones[i - 1])
    greens = [i for i, zone in enumerate(zones) if zone == "green"]
    risen = None if zones[-1] == "green" else (greens[-1] + 1 if greens else 0)
    found = attention_of(ledger)["s"]
    assert (found["entered"], found["risen"]) == (entered, risen)
    assert found["peak"] == max(tokens for tokens, _ in counts)
