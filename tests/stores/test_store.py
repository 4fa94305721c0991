"""Stores are folds: the same entries give the same items and the same digest."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound, UnknownType
from holdfast.kernel.hashing import digest_of, item_hash
from holdfast.kernel.types import TYPES, Model, Registry, TypeSpec
from holdfast.stores import STORES, Changes, Fold, Items, State
from holdfast.testing.builders import LEDGER, sealed_chain


def read_chain(count: int, **options: Any) -> list[Entry]:
    return [entries.read(s.body) for s in sealed_chain(Head(LEDGER), count, **options)]


class Tally:
    """Counts entries of each type; forgets a type when a session ends."""

    name = "tally"
    version = 1
    items_max = 3

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
    scratch = State(Tally())
    for key, value in fold.state("tally").items.items():
        scratch._put(key, value)
    assert fold.state("tally").digest() == scratch.digest()


def test_a_float_in_an_item_is_refused() -> None:
    with pytest.raises(TypeError, match="no floats"):
        Fold([Leaky()]).apply(read_chain(1)[0])


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
    with pytest.raises(UnknownType, match="decision"):
        Fold([Tally()], only_errors).apply(read_chain(1)[0])


def test_an_unknown_store_is_named_together_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r"'session'.*sessions"):
        Fold().state("session")


def test_store_names_are_unique_and_versions_start_at_one() -> None:
    assert len({store.name for store in STORES}) == len(STORES)
    assert all(store.version >= 1 for store in STORES)
