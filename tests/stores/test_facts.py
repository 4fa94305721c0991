"""Facts: superseded, never edited; the id follows from kind and payload."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import FACT_PROVENANCE_MAX
from holdfast.ledger.ledger import Ledger
from holdfast.stores.facts import count_current, current, fact_id, is_current
from holdfast.stores.store import Items
from holdfast.testing.builders import open_memory_ledger


def say(ledger: Ledger, payload: Any, kind: str = "place", **fields: Any) -> str:
    ledger.append("fact_recorded", {"kind": kind, "payload": payload, **fields})
    return fact_id(kind, payload)


def facts_of(ledger: Ledger) -> Items:
    return ledger.fold().state("facts").items


def names(ledger: Ledger) -> list[str]:
    return [key for key, _ in current(facts_of(ledger))]


def item(ledger: Ledger, key: str) -> dict[str, Any]:
    found = facts_of(ledger)[key]
    assert isinstance(found, dict)
    return found


@pytest.mark.req("O4")
def test_a_fact_has_its_words_where_it_comes_from_and_how_it_may_be_told() -> None:
    ledger = open_memory_ledger(session_id="s")
    key = say(ledger, {"name": "the mill"}, provenance=["e-1"], precision="APPROXIMATE")
    found = item(ledger, key)
    assert (found["kind"], found["payload"]) == ("place", '{"name":"the mill"}')
    assert (found["seq"], found["again"], found["session"]) == (0, 0, "s")
    assert (found["visibility"], found["precision"]) == ("OPEN", "APPROXIMATE")
    assert found["provenance"] == ["e-1"]


def test_the_same_words_of_another_kind_are_another_fact() -> None:
    ledger = open_memory_ledger()
    assert say(ledger, "x", kind="place") != say(ledger, "x", kind="person")
    assert count_current(facts_of(ledger)) == 2


def test_a_superseded_fact_is_kept_and_no_longer_so() -> None:
    ledger = open_memory_ledger()
    old = say(ledger, "red")
    new = say(ledger, "blue", supersedes=[old])
    assert item(ledger, old)["superseded_by"] == new
    assert names(ledger) == [new]
    assert not is_current(facts_of(ledger), old)


def test_a_withdrawn_fact_is_kept_and_no_longer_so() -> None:
    ledger = open_memory_ledger()
    key = say(ledger, "red")
    ledger.append("fact_withdrawn", {"fact": key, "reason": "a rumour"})
    assert item(ledger, key)["withdrawn"] == 1
    assert names(ledger) == []


@pytest.mark.parametrize("how", ["superseded", "withdrawn"])
def test_a_fact_that_is_said_again_is_so_again(how: str) -> None:
    ledger = open_memory_ledger()
    key = say(ledger, "red")
    if how == "superseded":
        say(ledger, "blue", supersedes=[key])
    else:
        ledger.append("fact_withdrawn", {"fact": key, "reason": "r"})
    say(ledger, "red", visibility="HIDDEN")
    found = item(ledger, key)
    assert is_current(facts_of(ledger), key)
    assert (found["seq"], found["again"], found["visibility"]) == (0, 2, "HIDDEN")
    assert names(ledger)[0] == key


def test_what_nobody_said_is_neither_superseded_nor_withdrawn() -> None:
    ledger = open_memory_ledger()
    ledger.append("fact_withdrawn", {"fact": "0" * 32, "reason": "r"})
    key = say(ledger, "red", supersedes=["1" * 32])
    assert [name for name in facts_of(ledger) if not name.startswith(" ")] == [key]


def test_a_fact_does_not_supersede_itself() -> None:
    ledger = open_memory_ledger()
    key = fact_id("place", "red")
    assert say(ledger, "red", supersedes=[key]) == key
    assert names(ledger) == [key]


def test_a_number_with_a_fraction_is_text_in_the_store() -> None:
    ledger = open_memory_ledger()
    key = say(ledger, {"weight": 0.5})
    assert item(ledger, key)["payload"] == '{"weight":0.5}'
    ledger.fold().digests()


def test_more_provenance_than_an_item_holds_is_counted() -> None:
    ledger = open_memory_ledger()
    for part in range(2):
        ids = [f"e-{part}-{n}" for n in range(FACT_PROVENANCE_MAX)]
        key = say(ledger, "red", provenance=ids)
    found = item(ledger, key)
    assert (found["provenance"], found["unnamed"]) == (ids, FACT_PROVENANCE_MAX)


@pytest.mark.lesson("O5")
@pytest.mark.parametrize("payload", [0, False, "", [], {}, None])
def test_a_payload_that_is_nothing_much_is_a_payload(payload: Any) -> None:
    ledger = open_memory_ledger()
    key = say(ledger, payload)
    assert names(ledger) == [key]
    assert item(ledger, key)["payload"] in ("0", "false", '""', "[]", "{}", "null")


@pytest.mark.parametrize("name", [" current", "current ", "a\nb", ""])
def test_a_name_with_blanks_at_its_ends_is_refused(name: str) -> None:
    ledger = open_memory_ledger()
    with pytest.raises(InvalidInput):
        say(ledger, "red", kind=name)


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 5)), max_size=20))
def test_the_list_of_facts_is_what_going_through_all_gives(said: list[tuple[int, Any]]) -> None:
    ledger = open_memory_ledger()
    for payload, superseded in said:
        given_up = [] if superseded is None else [fact_id("place", superseded)]
        say(ledger, payload, supersedes=given_up)
    items = facts_of(ledger)
    so = {key for key in items if not key.startswith(" ") and is_current(items, key)}
    listed = [key for key, _ in current(items)]
    again = [dict(found)["again"] for _, found in current(items)]
    assert set(listed) == so
    assert len(listed) == count_current(items)
    assert again == sorted(again, reverse=True)
