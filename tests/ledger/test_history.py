"""Time travel: what was true at any entry, and what changed between two of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.index import folding
from holdfast.index.views import Views
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.kernel.types import Model, Registry
from holdfast.ledger.history import diff, fold_at
from holdfast.storage.memory import MemoryEngine
from holdfast.stores import STORES, Changes, Fold, Items
from holdfast.testing.builders import data_for, draft, open_memory_ledger
from tests.index.histories import Step, steps, walk, wander
from tests.index.ledgers import Watched, decide, filled

EVERY = 8


@pytest.fixture(autouse=True, scope="module")
def near_points() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "FOLD_POINT_ENTRIES", EVERY)
        yield


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "views.db")


@pytest.fixture
def views(path: str) -> Iterator[Views]:
    with Views(path) as opened:
        yield opened


def assert_same(fold: Fold, expected: Fold) -> None:
    assert fold.size == expected.size
    assert fold.items() == expected.items()
    assert fold.digests() == expected.digests()


@pytest.mark.req("X2")
@given(taken=steps, kept=st.integers(0, 60), marked=st.integers(0, 60))
def test_what_was_true_at_any_entry_is_had_with_kept_folds_or_without(
    taken: list[Step], kept: int, marked: int
) -> None:
    ledger = open_memory_ledger()
    with Views(":memory:") as views:
        walk(ledger, taken[:kept])
        views.fold_up(ledger.reader)
        views.mark_point(views.folded)
        walk(ledger, taken[kept:])  # of which the kept folds know nothing
        for size in {0, kept // 2, kept, (kept + len(taken)) // 2, marked, len(taken)}:
            if size <= len(taken):
                expected = ledger.fold(size)
                assert_same(fold_at(ledger.reader, size), expected)
                assert_same(fold_at(ledger.reader, size, views), expected)


def test_it_goes_on_from_the_nearest_point(views: Views) -> None:
    ledger = filled(50)
    views.fold_up(ledger.reader)
    for size, read in ((50, 0), (49, 1), (48, 0), (47, 7), (7, 7), (0, 0)):
        reader = Watched(ledger)
        assert_same(fold_at(reader, size, views), ledger.fold(size))
        assert reader.given == read


def test_a_fold_from_a_point_goes_on_through_rollbacks_to_before_it(views: Views) -> None:
    ledger = open_memory_ledger()
    wander(ledger, 20, seed=2, kinds=("decision", "fact_recorded"))
    views.fold_up(ledger.reader)
    for to in (3, 18, 1, 20, 22):
        ledger.append("rolled_back", data_for("rolled_back", to))
        decide(ledger, f"after {to}")
    assert_same(fold_at(ledger.reader, 30, views), ledger.fold())


def test_what_is_before_the_first_entry_is_nothing() -> None:
    fold = fold_at(filled(3).reader, 0)
    assert (fold.size, any(fold.items().values())) == (0, False)


def test_what_is_still_to_come_is_not_known() -> None:
    with pytest.raises(NotFound):
        fold_at(filled(3).reader, 4)
    with pytest.raises(InvalidInput):
        fold_at(filled(3).reader, -1)


def test_an_entry_that_is_missing_is_a_hard_failure_unless_a_point_lies_behind_it(
    views: Views,
) -> None:
    ledger = filled(30)
    views.fold_up(ledger.reader)
    reader = Watched(ledger)
    reader.missing = {10}
    with pytest.raises(Damaged, match="Entry 10"):
        fold_at(reader, 12)
    with pytest.raises(Damaged, match="Entry 10"):
        fold_at(reader, 12, views)
    assert_same(fold_at(reader, 17, views), ledger.fold(17))


def test_an_entry_of_an_unknown_type_is_a_hard_failure() -> None:
    with pytest.raises(InvalidInput):
        fold_at(filled(3).reader, 3, types=Registry())


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE items SET value = x'7b'",
        "UPDATE past SET value = x'7b'",
        "DROP TABLE points",
        "UPDATE meta SET value = x'7b'",
        "DELETE FROM meta",
    ],
)
def test_kept_folds_that_are_damaged_do_not_count(path: str, harm: str) -> None:
    ledger = open_memory_ledger()
    ledger.append_many([draft("error", n, session_id="one") for n in range(20)])
    with Views(path) as views:
        views.fold_up(ledger.reader)
    connection = apsw.Connection(path)
    connection.execute(harm)
    connection.close()
    with Views(path) as views:
        for size in (19, 20):
            assert_same(fold_at(ledger.reader, size, views), ledger.fold(size))


def test_kept_folds_of_another_ledger_do_not_count(views: Views) -> None:
    other = open_memory_ledger(MemoryEngine("f" * 32))
    other.append_many([draft("error", n, session_id="other") for n in range(40)])
    views.fold_up(other.reader)
    ledger = filled(30)
    assert_same(fold_at(ledger.reader, 30, views), ledger.fold())


class Recounted:
    """A store whose fold changed."""

    name = STORES[0].name
    version = STORES[0].version + 1
    items_max = 10
    takes = None
    reads = frozenset[str]()
    rolls_back = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Know that something happened."""
        return {"changed": True}


def test_kept_folds_of_other_stores_do_not_count(views: Views) -> None:
    ledger = filled(10)
    views.fold_up(ledger.reader)
    fold = fold_at(ledger.reader, 10, views, stores=(Recounted(),))
    assert fold.items() == {Recounted.name: {"changed": True}}


@pytest.mark.req("X2")
def test_a_difference_says_what_came_went_and_became_another() -> None:
    ledger = open_memory_ledger()
    ledger.append_many([draft("work_opened", n) for n in (3, 1, 2)])
    ledger.append("work_closed", data_for("work_closed", 3))
    ledger.append("work_opened", data_for("work_opened", 1, title="anew"))
    ledger.append("work_opened", data_for("work_opened", 0))
    before, after = fold_at(ledger.reader, 3), fold_at(ledger.reader, 6)
    found = diff(before, after)
    assert (found.before, found.after) == (3, 6)
    [work] = found.stores
    was, became = before.items()["open_work"], after.items()["open_work"]
    assert work.store == "open_work"
    assert work.added == {"work-0": became["work-0"]}
    assert work.removed == {"work-3": was["work-3"]}
    assert work.changed == {"work-1": (was["work-1"], became["work-1"])}
    [back] = diff(after, before).stores
    assert (back.added, back.removed) == (work.removed, work.added)
    assert back.changed == {"work-1": (became["work-1"], was["work-1"])}


def test_a_difference_has_stores_and_keys_in_order() -> None:
    ledger = open_memory_ledger()
    ledger.append_many([draft("work_opened", n, session_id=f"s{n}") for n in (5, 2, 9, 1)])
    decide(ledger, "sqlite")
    found = diff(fold_at(ledger.reader, 0), fold_at(ledger.reader, 5))
    names = [store.name for store in STORES]
    assert [one.store for one in found.stores] == sorted(
        ["sessions", "decisions", "open_work", "evidence"], key=names.index
    )
    for one in found.stores:
        assert list(one.added) == sorted(one.added)


def test_nothing_differs_from_itself(views: Views) -> None:
    ledger = open_memory_ledger()
    wander(ledger, 40, seed=9)
    views.fold_up(ledger.reader)
    assert diff(fold_at(ledger.reader, 37, views), ledger.fold(37)).stores == ()


class Said:
    """A store that holds whatever is put there."""

    name = "said"
    version = 1
    items_max = 10
    takes = None
    reads = frozenset[str]()
    rolls_back = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Do nothing."""
        return {}


@pytest.mark.parametrize(("old", "new"), [(1, True), ([0], [False]), ({"a": 1}, {"a": True})])
def test_true_is_not_1(old: Any, new: Any) -> None:
    before = Fold((Said(),), items={"said": {"key": old}})
    after = Fold((Said(),), items={"said": {"key": new}})
    assert diff(before, after).stores[0].changed == {"key": (old, new)}
    assert diff(before, before).stores == ()
