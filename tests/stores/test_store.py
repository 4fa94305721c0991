"""Stores are folds: the same entries give the same items and the same digest."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel import chain
from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.hashing import digest_of, item_hash
from holdfast.kernel.types import TYPES, Model, Registry, RolledBack, TypeSpec
from holdfast.ledger.ledger import Ledger
from holdfast.storage.port import Selection
from holdfast.stores import STORES, Changes, Fold, Items, State, Store, facts
from holdfast.testing.builders import (
    LEDGER,
    data_for,
    open_memory_ledger,
    prepared,
    sealed_chain,
)


def read_chain(count: int, **options: Any) -> list[Entry]:
    return [entries.read(s.body) for s in sealed_chain(Head(LEDGER), count, **options)]


class Tally:
    """Counts entries of each type; forgets a type when a session ends."""

    name = "tally"
    version = 1
    items_max = 3
    takes = None
    reads = frozenset[str]()
    rolls_back = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        if entry.type == "session_ended":
            return {"decision": None}
        count = items.get(entry.type, 0)
        assert isinstance(count, int)
        return {entry.type: count + 1}


class Leaky(Tally):
    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        return {"ratio": {"parts": [0.5]}}  # type: ignore[list-item]


def test_the_digest_is_over_the_sorted_hashes_of_the_items() -> None:
    fold = Fold([Tally()])
    for entry in read_chain(5, types=("decision", "error")):
        fold.apply(entry)
    expected = digest_of([item_hash("decision", b"3"), item_hash("error", b"2")])
    assert fold.digests() == {"tally": expected}
    assert fold.state("tally").dump() == (
        b'{"items":{"decision":3,"error":2},"store":"tally","version":1}'
    )


def test_an_item_that_is_gone_leaves_no_trace_in_the_digest() -> None:
    fold = Fold([Tally()])
    for entry in read_chain(2, types=("decision", "session_ended")):
        fold.apply(entry)
    assert fold.state("tally").items == {}
    assert fold.digests() == {"tally": digest_of([])}


@given(st.lists(st.sampled_from(["decision", "error", "session_ended"]), max_size=12))
def test_the_kept_digest_equals_one_made_from_scratch(types: list[str]) -> None:
    fold = Fold([Tally()])
    for entry in read_chain(len(types), types=types or ("decision",)):
        fold.apply(entry)
    scratch = State(Tally(), fold.state("tally").items)
    assert fold.state("tally").digest() == scratch.digest()


def test_a_float_in_an_item_is_refused() -> None:
    fold = Fold([Leaky()])
    fold.apply(read_chain(1)[0])
    with pytest.raises(TypeError, match="floats"):
        fold.digests()
    with pytest.raises(TypeError, match="floats"):
        fold.state("tally").dump()


def test_a_store_over_its_limit_is_a_hard_failure() -> None:
    *within, beyond = read_chain(4, types=("decision", "error", "metric", "checkpoint"))
    fold = Fold([Tally()])
    for entry in within:
        fold.apply(entry)
    with pytest.raises(Damaged, match="more than 3 items"):
        fold.apply(beyond)


def test_entries_are_taken_in_order_only() -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        Fold([Tally()]).apply(read_chain(2)[1])


def test_a_type_nobody_knows_is_a_hard_failure() -> None:
    only_errors = Registry(TypeSpec("error", TYPES.spec("error").model))
    with pytest.raises(InvalidInput, match="decision"):
        Fold([Tally()], only_errors).apply(read_chain(1)[0])


def test_an_unknown_store_is_named_together_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r"'session'.*sessions"):
        Fold().state("session")


def test_store_names_are_unique_and_versions_start_at_one() -> None:
    assert len({store.name for store in STORES}) == len(STORES)
    assert all(store.version >= 1 for store in STORES)


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_a_store_takes_every_type_that_changes_it(store: Store) -> None:
    """A type that a store does not take is not shown to it; it must not have wanted it."""
    assert store.takes is None or store.takes <= set(TYPES)
    ledger = open_memory_ledger(session_id="s")
    for name in TYPES:
        ledger.append(name, data_for(name), at=ledger.head().size)
    items = ledger.fold().state(store.name).items
    for entry in ledger.read():
        for n in (1, 2):
            data = TYPES.read(entries.read(sealed_with(entry.type, n)))
            changes = store.apply(items, entry, data)
            assert not changes or store.takes is None or entry.type in store.takes


def sealed_with(name: str, n: int) -> bytes:
    return chain.seal(Head(LEDGER), prepared(name, n, session_id="s")).body


def ledger_of_many_types(seed: int, length: int) -> Ledger:
    """Make entries of every type that a store takes, rollbacks among them; by chance of a seed."""
    chance = random.Random(seed)
    ledger = open_memory_ledger()
    taken = sorted({name for store in STORES for name in store.takes or ()} | {"rolled_back"})
    for seq in range(length):
        name = chance.choice(taken)
        n = seq if name == "artifact_moved" else chance.randrange(4)  # each is proposed once
        data = data_for(name, n, to=chance.randrange(seq + 2)) if name == "rolled_back" else None
        session_id = chance.choice(["a", "b", None])
        ledger.append(name, data or data_for(name, n), session_id=session_id, at=seq)
    return ledger


def by_the_letter(ledger: Ledger, size: int) -> dict[str, Items]:
    """What is true after `size` entries, with rollbacks taken literally: by folding again."""
    state = Fold()
    for entry in ledger.read(Selection(stop=size)):
        data = TYPES.read(entry)
        if isinstance(data, RolledBack) and data.to < entry.seq:
            past = by_the_letter(ledger, data.to + 1)
            now = {
                store.name: past[store.name] if store.rolls_back else state.items()[store.name]
                for store in STORES
            }
            state = Fold(size=entry.seq, items=now)
            for store in STORES:
                if store.takes is None:
                    state.state(store.name).apply(entry, data)
            state.size += 1
        else:
            state.apply(entry)
    return {name: dict(items) for name, items in state.items().items()}


@pytest.mark.req("L20")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30))
def test_rolled_back_stores_are_what_they_were_and_the_others_go_on(seed: int, length: int) -> None:
    ledger = ledger_of_many_types(seed, length)
    assert ledger.fold().items() == by_the_letter(ledger, length)


@given(st.integers(0, 10_000), st.integers(2, 30), st.data())
@settings(max_examples=40, deadline=None)
def test_a_fold_may_start_anywhere_and_ends_up_the_same(
    seed: int, length: int, data: st.DataObject
) -> None:
    ledger = ledger_of_many_types(seed, length)
    size = data.draw(st.integers(0, length))
    started = Fold(
        size=size,
        items=ledger.fold(size).items(),
        past=lambda to: ledger.fold(to + 1).items(),
    )
    for entry in ledger.read(Selection(size)):
        started.apply(entry)
    assert started.digests() == ledger.fold().digests()


@given(st.integers(0, 10_000), st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_entries_taken_together_give_what_they_give_one_by_one(seed: int, length: int) -> None:
    chance = random.Random(seed)
    ledger = open_memory_ledger()
    for seq in range(length):
        name = chance.choice(["tool_called", "command_ran"] * 6 + sorted(TYPES))
        n = seq if name == "artifact_moved" else 1
        session_id = chance.choice(["a", "a", "b", None])
        ledger.append(name, data_for(name, n), session_id=session_id, at=seq)
    together, read = Fold(), list(ledger.read())
    cut = chance.randrange(length + 1)
    together.apply_all(read[:cut], lambda entry: entry)
    together.apply_all(read[cut:], lambda entry: entry)
    assert together.items() == ledger.fold().items()
    assert together.digests() == ledger.fold().digests()
    assert together.size == length


def test_entries_taken_together_come_in_order_and_none_is_taken_when_they_do_not() -> None:
    fold = Fold()
    first, second, third = read_chain(3, types=("tool_called",), sessions=("s",))
    fold.apply_all([first], lambda entry: entry)
    with pytest.raises(ValueError, match="cannot follow"):
        fold.apply_all([third, second], lambda entry: entry)
    assert fold.size == 1


def test_going_back_to_before_the_start_of_a_fold_needs_the_past() -> None:
    ledger = open_memory_ledger()
    ledger.append("fact_recorded", data_for("fact_recorded"))
    ledger.append("fact_recorded", data_for("fact_recorded", 1))
    ledger.append("rolled_back", {"to": 0, "reason": "r"})
    fold = Fold(size=2, items=ledger.fold(2).items())
    with pytest.raises(Damaged, match="goes back to 0"):
        fold.apply(entries.read(ledger.get(2).body))


@pytest.mark.req("L20")
def test_facts_unlocks_story_and_decisions_go_back_and_nothing_else() -> None:
    going_back = {store.name for store in STORES if store.rolls_back}
    with_decisions = {"evidence", "subjects"}  # what they rest on, and what they are about
    assert going_back == {"facts", "unlocks", "story", "decisions", *with_decisions}


@pytest.mark.req("L20")
def test_a_rollback_can_be_rolled_back() -> None:
    ledger = open_memory_ledger()
    for n in range(3):
        ledger.append("fact_recorded", data_for("fact_recorded", n))
    whole = ledger.fold().state("facts").items
    ledger.append("rolled_back", {"to": 0, "reason": "too far"})
    assert len(list(facts.current(ledger.fold().state("facts").items))) == 1
    ledger.append("rolled_back", {"to": 2, "reason": "not at all"})
    assert ledger.fold().state("facts").items == whole


def test_going_back_to_what_is_not_there_yet_changes_nothing() -> None:
    ledger = open_memory_ledger()
    ledger.append("fact_recorded", data_for("fact_recorded"))
    before = ledger.fold().digests()["facts"]
    ledger.append("rolled_back", {"to": 40, "reason": "a slip"})
    assert ledger.fold().digests()["facts"] == before
