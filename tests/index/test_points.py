"""Points: the items of every store as they were, after rollbacks and whatever else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.index import folding, taking
from holdfast.index.views import Views
from holdfast.kernel.limits import FOLD_POINT_ENTRIES
from holdfast.ledger.ledger import Ledger
from holdfast.storage.memory import MemoryEngine
from holdfast.stores import STORES
from holdfast.testing.builders import data_for, draft, open_memory_ledger
from tests.index.histories import Step, steps, walk, wander
from tests.index.ledgers import Watched, add, decide, filled

NAMES = [store.name for store in STORES]
NOTHING: dict[str, Any] = {name: {} for name in NAMES}
EVERY = 8


@pytest.fixture(autouse=True, scope="module")
def near_points() -> Iterator[None]:
    """Let points and chunks be near enough for small ledgers to have many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "FOLD_POINT_ENTRIES", EVERY)
        patch.setattr(taking, "VIEWS_ENTRIES_CHUNK", 5)
        yield


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "views.db")


@pytest.fixture
def views(path: str) -> Iterator[Views]:
    with Views(path) as opened:
        yield opened


def folded(ledger: Ledger, size: int | None = None) -> dict[str, dict[str, Any]]:
    return {name: dict(items) for name, items in ledger.fold(size).items().items()}


def assert_as_folded(views: Views, ledger: Ledger) -> None:
    """Compare items, counts and digests with a fold from the beginning."""
    fold = ledger.fold()
    assert views.folded == fold.size
    assert {name: dict(views.items(name).items()) for name in NAMES} == folded(ledger)
    assert [len(views.items(name)) for name in NAMES] == [len(fold.items()[n]) for n in NAMES]
    assert views.digests() == fold.digests()


@given(steps=steps, cuts=st.lists(st.integers(1, 15), max_size=8))
def test_kept_folds_and_every_point_equal_a_fold_in_memory(
    steps: list[Step], cuts: list[int]
) -> None:
    ledger = open_memory_ledger()
    with Views(":memory:") as views:
        points = {0}
        for n, cut in enumerate([*cuts, len(steps)]):
            walk(ledger, steps[:cut])
            del steps[:cut]
            (views.fold_up if n % 2 else views.catch_up)(ledger.reader)
            assert_as_folded(views, ledger)
            if n % 3 == 0:
                assert views.mark_point(views.folded)
                points.add(views.folded)
        points |= set(range(0, views.folded + 1, EVERY)) | {views.folded}
        for size in range(views.folded + 1):
            point, items = views.items_at(size)
            assert max(known for known in points if known <= size) <= point <= size
            assert items == folded(ledger, point)


@pytest.mark.parametrize("to", [0, 30, 62, 63, 64, 69, 70, 71, 5000])
def test_a_rollback_leads_to_what_was_true_after_any_entry(views: Views, to: int) -> None:
    ledger = open_memory_ledger()
    wander(ledger, 70, seed=5, kinds=("decision", "fact_recorded", "work_opened", "scene_started"))
    views.fold_up(ledger.reader)
    ledger.append("rolled_back", data_for("rolled_back", to))
    views.fold_up(ledger.reader)
    assert_as_folded(views, ledger)
    then = folded(ledger, min(to + 1, 71))
    for store in STORES:
        if store.rolls_back:
            assert dict(views.items(store.name)) == then[store.name]
    assert dict(views.items("open_work")) == folded(ledger, 70)["open_work"]


def test_going_back_is_gone_back_on(views: Views) -> None:
    ledger = open_memory_ledger()
    first = decide(ledger, "sqlite")
    decide(ledger, "postgres", supersedes=[first])
    for to in (0, 1, 2, 3):
        ledger.append("rolled_back", data_for("rolled_back", to))
        views.catch_up(ledger.reader)
        item: Any = views.items("decisions")[first]
        assert (item["superseded_by"] is None) == (to in (0, 2))
        assert_as_folded(views, ledger)


def test_many_rollbacks_to_one_entry_read_what_came_before_it_once(views: Views) -> None:
    ledger = open_memory_ledger()
    wander(ledger, 62, seed=3, kinds=("decision",))
    reader = Watched(ledger)
    views.fold_up(reader)
    for _ in range(20):
        ledger.append("rolled_back", data_for("rolled_back", 60))
    before = reader.given
    views.fold_up(reader)
    assert reader.given - before == 20 + 61 - 56
    assert_as_folded(views, ledger)


def test_a_rollback_past_an_entry_that_cannot_be_read_waits_for_it(views: Views) -> None:
    ledger = open_memory_ledger()
    wander(ledger, 20, seed=4, kinds=("decision", "fact_recorded"))
    reader = Watched(ledger)
    views.catch_up(reader)
    ledger.append("rolled_back", data_for("rolled_back", 12))
    add(ledger, 30)
    reader.missing = {10}
    for _ in range(2):
        assert views.catch_up(reader) == 51
        assert (views.folded, views.unread) == (20, [])
        assert dict(views.items("decisions")) == folded(ledger, 20)["decisions"]
    reader.missing = ()
    views.catch_up(reader)
    assert_as_folded(views, ledger)


def test_points_lie_so_far_apart_unless_somebody_asks(views: Views) -> None:
    ledger = filled(EVERY + 3)
    views.fold_up(ledger.reader)
    assert views.items_at(EVERY + 2)[0] == EVERY
    add(ledger, 1)
    views.fold_up(ledger.reader)
    assert views.mark_point(EVERY + 4)
    add(ledger, 2)
    views.fold_up(ledger.reader)
    assert [views.items_at(size)[0] for size in range(EVERY + 7)] == [
        *[0] * EVERY,
        *[EVERY] * 4,
        *[EVERY + 4] * 2,
        EVERY + 6,
    ]
    assert FOLD_POINT_ENTRIES == 16_384


def test_only_what_is_true_now_can_be_marked(views: Views) -> None:
    ledger = filled(12)
    views.fold_up(ledger.reader)
    assert not views.mark_point(11)
    assert not views.mark_point(13)
    assert views.mark_point(12)
    assert views.mark_point(12)
    add(ledger, 1)
    views.fold_up(ledger.reader)
    assert not views.mark_point(12)
    assert views.items_at(12) == (12, folded(ledger, 12))


def test_an_item_that_changes_with_every_entry_is_kept_once_for_a_point(
    path: str, views: Views
) -> None:
    ledger = open_memory_ledger()
    ledger.append_many([draft("error", n, session_id="one") for n in range(EVERY * 10)])
    views.fold_up(ledger.reader)
    connection = apsw.Connection(path)
    assert connection.execute("SELECT count(*) FROM past WHERE key = 'one'").get == 9
    connection.close()


def test_of_another_ledger_nothing_is_had(views: Views) -> None:
    ledger = filled(20)
    views.fold_up(ledger.reader)
    other = open_memory_ledger(MemoryEngine("f" * 32))
    add(other, 30)
    again = open_memory_ledger()
    again.append_many([draft("error", n) for n in range(30)])
    assert views.items_at(20, other.reader) == (0, NOTHING)
    assert views.items_at(20, again.reader) == (0, NOTHING)
    assert views.items_at(20, ledger.reader) == (20, folded(ledger))


def test_of_a_shorter_ledger_nothing_is_had(views: Views) -> None:
    views.fold_up(filled(20).reader)
    assert views.items_at(10, filled(15).reader) == (0, NOTHING)


def test_where_nothing_is_kept_the_point_is_0(views: Views) -> None:
    assert views.items_at(5) == (0, NOTHING)
    assert views.digests() == open_memory_ledger().fold().digests()


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE items SET value = x'7b'",
        "UPDATE past SET store = 'nobody' WHERE store = 'sessions'",
        "UPDATE past SET value = x'ff'",
        "DROP TABLE past",
    ],
)
def test_a_point_that_cannot_be_read_does_not_count(path: str, harm: str) -> None:
    ledger = filled(20)
    with Views(path) as views:
        views.fold_up(ledger.reader)
    connection = apsw.Connection(path)
    connection.execute(harm)
    connection.close()
    with Views(path) as views:
        assert views.items_at(10) == (0, NOTHING)
        views.catch_up(ledger.reader)
        assert_as_folded(views, ledger)
        assert views.items_at(10) == (8, folded(ledger, 8))


def test_an_item_that_cannot_be_read_is_worked_out_again(path: str) -> None:
    ledger = filled(20)
    with Views(path) as views:
        views.catch_up(ledger.reader)
        connection = apsw.Connection(path)
        connection.execute("UPDATE items SET value = x'7b'")
        connection.close()
        assert views.items("sessions")["s1"] == folded(ledger)["sessions"]["s1"]
        assert_as_folded(views, ledger)
