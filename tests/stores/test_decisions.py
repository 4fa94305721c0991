"""The store of decisions: what holds, what was superseded, and what rests on a superseded one."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types import TYPES
from holdfast.ledger.ledger import Ledger
from holdfast.stores.decisions import CURRENT, FLAGGED, Decisions, count, newest
from holdfast.stores.store import Items
from holdfast.testing.builders import data_for, open_memory_ledger


def decide(ledger: Ledger, name: str, **fields: Any) -> None:
    ledger.append("decision", data_for("decision", choice=f"choose {name}", **fields), id=name)


def decisions_of(ledger: Ledger) -> Items:
    return ledger.fold().state("decisions").items


def names(items: Items, which: str) -> list[str]:
    return [key for key, _ in newest(items, which)]


def at(items: Items, key: str) -> dict[str, Any]:
    item = items[key]
    assert isinstance(item, dict)
    return item


def test_a_decision_has_its_place_its_words_and_nothing_against_it() -> None:
    ledger = open_memory_ledger(session_id="s")
    decide(ledger, "a", subject="storage")
    found = at(decisions_of(ledger), "a")
    assert found["seq"] == 0
    assert (found["session"], found["subject"], found["choice"]) == ("s", "storage", "choose a")
    assert found["superseded_by"] is None
    assert found["cites_superseded"] == []


@pytest.mark.lesson("N2")
def test_a_superseded_decision_is_marked_and_leaves_the_current_ones() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", supersedes=["a"])
    items = decisions_of(ledger)
    assert at(items, "a")["superseded_by"] == "b"
    assert at(items, "b")["supersedes"] == ["a"]
    assert names(items, CURRENT) == ["b"]


def test_in_a_chain_only_the_last_one_holds() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", supersedes=["a"])
    decide(ledger, "c", supersedes=["b"])
    items = decisions_of(ledger)
    assert names(items, CURRENT) == ["c"]
    assert [at(items, key)["superseded_by"] for key in "abc"] == ["b", "c", None]


def test_the_first_to_supersede_a_decision_stays_the_one() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", supersedes=["a"])
    decide(ledger, "c", supersedes=["a"])
    items = decisions_of(ledger)
    assert at(items, "a")["superseded_by"] == "b"
    assert at(items, "c")["supersedes"] == ["a"]
    assert names(items, CURRENT) == ["c", "b"]


def test_nothing_supersedes_itself() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", supersedes=["a"], cites=["a"])
    items = decisions_of(ledger)
    assert names(items, CURRENT) == ["a"]
    assert at(items, "a")["supersedes"] == ["a"]
    assert at(items, "a")["cites_superseded"] == []


def test_an_id_superseded_before_it_appears_never_holds() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "b", supersedes=["a"])
    assert at(decisions_of(ledger), "a")["kind"] is None
    decide(ledger, "a")
    items = decisions_of(ledger)
    assert at(items, "a")["superseded_by"] == "b"
    assert names(items, CURRENT) == ["b"]


@pytest.mark.lesson("N2")
def test_what_cites_a_decision_is_flagged_when_that_is_superseded() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", cites=["a"])
    decide(ledger, "c", cites=["a", "b"])
    assert names(decisions_of(ledger), FLAGGED) == []
    decide(ledger, "d", supersedes=["a"])
    items = decisions_of(ledger)
    assert sorted(names(items, FLAGGED)) == ["b", "c"]
    assert at(items, "c")["cites_superseded"] == ["a"]
    assert at(items, "d")["cites_superseded"] == []


def test_what_cites_a_superseded_decision_afterwards_is_flagged_at_once() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", supersedes=["a"])
    decide(ledger, "c", cites=["a"])
    assert names(decisions_of(ledger), FLAGGED) == ["c"]


def test_citing_what_one_supersedes_is_no_reason_for_a_flag() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", cites=["a"], supersedes=["a"])
    items = decisions_of(ledger)
    assert names(items, FLAGGED) == []
    assert at(items, "b")["cites_superseded"] == []


def test_a_flagged_decision_that_is_superseded_is_flagged_no_longer() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    decide(ledger, "b", cites=["a"])
    decide(ledger, "c", supersedes=["a"])
    decide(ledger, "d", supersedes=["b"])
    assert names(decisions_of(ledger), FLAGGED) == []
    assert count(decisions_of(ledger), FLAGGED) == 0


def test_a_checkpoint_that_cites_is_noted_but_is_no_decision() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    ledger.append("checkpoint", data_for("checkpoint", cites=["a"]), id="p")
    ledger.append("checkpoint", data_for("checkpoint", 1), id="q")
    decide(ledger, "b", supersedes=["a"])
    items = decisions_of(ledger)
    assert at(items, "p")["cites_superseded"] == ["a"]
    assert at(items, "p")["kind"] == "checkpoint"
    assert names(items, CURRENT) == ["b"]
    assert names(items, FLAGGED) == []
    assert "q" not in items


def test_ids_that_stand_in_the_vault_are_said_to_be_unread() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a", supersedes=[f"{number:0190}" for number in range(200)])
    assert at(decisions_of(ledger), "a")["unread"] == ["supersedes"]
    decide(ledger, "b")
    assert at(decisions_of(ledger), "b")["unread"] == []


def test_the_newest_are_reached_without_looking_at_the_others() -> None:
    ledger = open_memory_ledger()
    for number in range(30):
        decide(ledger, f"d{number:02}")
    items = Watched(decisions_of(ledger))
    assert [key for key, _ in newest(items, CURRENT, 3)] == ["d29", "d28", "d27"]
    assert len(items.asked) == 4
    assert count(items, CURRENT) == 30


class Watched(Mapping[str, Any]):
    """Items that can only be asked for by key, and remember what was asked."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self.asked: list[str] = []

    def __getitem__(self, key: str) -> Any:
        self.asked.append(key)
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("a fold must not go through all items")

    def __len__(self) -> int:
        raise AssertionError("a fold must not count all items")


def test_a_decision_costs_the_same_however_many_there_are() -> None:
    asked = []
    for before in (10, 300):
        ledger = open_memory_ledger()
        for number in range(before):
            decide(ledger, f"d{number}", cites=[f"d{number - 1}"])
        items = Watched(decisions_of(ledger))
        decide(ledger, "last", supersedes=["d3"], cites=["d5"])
        *_, entry = ledger.read()
        Decisions().apply(items, entry, TYPES.read(entry))
        asked.append(len(items.asked))
    assert asked[0] == asked[1]


links = st.lists(st.integers(0, 7).map(str), max_size=3)
steps = st.lists(st.tuples(links, links), max_size=8)


@given(steps)
def test_the_fold_says_what_a_plain_look_at_all_decisions_says(
    steps: list[tuple[list[str], list[str]]],
) -> None:
    ledger = open_memory_ledger()
    for number, (supersedes, cites) in enumerate(steps):
        decide(ledger, str(number), supersedes=supersedes, cites=cites)
    items = decisions_of(ledger)
    by: dict[str, str] = {}
    for number, (supersedes, _) in enumerate(steps):
        for target in supersedes:
            if target != str(number):
                by.setdefault(target, str(number))
    holding = [str(number) for number in range(len(steps)) if str(number) not in by]
    assert names(items, CURRENT) == holding[::-1]
    assert count(items, CURRENT) == len(holding)
    flags = {
        str(number): {c for c in cites if c in by and c != str(number)} - set(supersedes)
        for number, (supersedes, cites) in enumerate(steps)
    }
    for key, expected in flags.items():
        assert set(at(items, key)["cites_superseded"]) == expected
        assert at(items, key)["superseded_by"] == by.get(key)
    assert set(names(items, FLAGGED)) == {key for key in holding if flags[key]}
    assert count(items, FLAGGED) == len(names(items, FLAGGED))


@given(steps)
def test_a_fold_leaves_the_items_it_is_given_alone(
    steps: list[tuple[list[str], list[str]]],
) -> None:
    ledger = open_memory_ledger()
    for number, (supersedes, cites) in enumerate(steps):
        before = ledger.fold()
        digest, dump = before.digests(), before.state("decisions").dump()
        decide(ledger, str(number), supersedes=supersedes, cites=cites)
        *_, entry = ledger.read()
        Decisions().apply(before.state("decisions").items, entry, TYPES.read(entry))
        assert before.state("decisions").dump() == dump
        assert before.digests() == digest


def test_no_decision_can_reach_the_list_itself() -> None:
    ledger = open_memory_ledger()
    decide(ledger, "a")
    with pytest.raises(InvalidInput, match="does not fit"):
        decide(ledger, "b", supersedes=[CURRENT])
    assert names(decisions_of(ledger), CURRENT) == ["a"]
