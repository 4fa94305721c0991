"""Stores and search index each have their own way forward, and survive whatever stops them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as api
from holdfast.index import folding, taking
from holdfast.index.views import Views
from holdfast.kernel.types import Model
from holdfast.ledger.ledger import Ledger
from holdfast.recall.search import Query, search
from holdfast.storage.memory import MemoryEngine
from holdfast.stores import STORES, Changes, Items
from holdfast.testing.builders import LEDGER, draft, open_memory_ledger
from tests.index.histories import wander
from tests.index.ledgers import Watched, add, filled

NAMES = [store.name for store in STORES]


@pytest.fixture(autouse=True, scope="module")
def small_steps() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "FOLD_POINT_ENTRIES", 8)
        patch.setattr(taking, "VIEWS_ENTRIES_CHUNK", 5)
        yield


@pytest.fixture
def views(tmp_path: Path) -> Iterator[Views]:
    with Views(str(tmp_path / "views.db")) as opened:
        yield opened


def assert_whole(views: Views, ledger: Ledger) -> None:
    """Everything is folded and can be searched, and nothing else is there."""
    fold = ledger.fold()
    assert (views.size, views.folded) == (fold.size, fold.size)
    assert views.digests() == fold.digests()
    for name in NAMES:
        assert dict(views.items(name).items()) == dict(fold.items()[name])
    assert searchable(views) == list(range(fold.size))
    half = fold.size // 2
    point, items = views.items_at(half, ledger.reader)
    assert items == {name: dict(found) for name, found in ledger.fold(point).items().items()}


def searchable(views: Views) -> list[int]:
    statement = "SELECT rowid FROM words ORDER BY rowid"
    return views.look(lambda connection: [seq for (seq,) in connection.execute(statement)])


def test_what_is_only_folded_is_named_as_not_searched(views: Views) -> None:
    ledger = filled(12)
    assert views.fold_up(ledger.reader) == 12
    assert (views.size, views.folded) == (0, 12)
    found = search(views, ledger.reader, Query("shorter"))
    assert (found.hits, found.not_searched) == ([], [(0, 11)])


def test_words_of_what_was_folded_are_taken_in_later_and_nothing_is_folded_twice(
    views: Views,
) -> None:
    ledger = filled(12)
    views.fold_up(ledger.reader)
    add(ledger, 9)
    reader = Watched(ledger)
    assert views.catch_up(reader) == 21
    assert reader.given == 21
    assert_whole(views, ledger)


def test_folding_reads_only_what_is_new(views: Views) -> None:
    ledger = filled(12)
    reader = Watched(ledger)
    views.catch_up(reader)
    views.fold_up(reader)
    assert reader.given == 12
    add(ledger, 3)
    views.fold_up(reader)
    views.fold_up(reader)
    assert reader.given == 15
    assert (views.size, views.folded) == (12, 15)


def test_folding_goes_in_steps_and_says_how_far_it_is(views: Views) -> None:
    told: list[tuple[int, int]] = []
    ledger = filled(12)
    views.fold_up(ledger.reader, progress=lambda done, total: told.append((done, total)))
    assert told == [(5, 12), (10, 12), (12, 12)]


class Stopped(Exception):
    """Somebody pulled the plug."""


def _stop(_done: int, _total: int) -> None:
    raise Stopped


OPERATIONS = ("fold", "catch up", "fold a step", "catch up a step", "record", "mark")


@given(st.lists(st.sampled_from(OPERATIONS), max_size=12), st.integers(0, 9))
def test_every_way_forward_leads_to_the_same(operations: list[str], seed: int) -> None:
    ledger = open_memory_ledger()
    wander(ledger, 13, seed)
    with Views(":memory:") as views:
        for operation in operations:
            try:
                _do(operation, views, ledger, seed)
            except Stopped:
                continue
        views.catch_up(ledger.reader)
        assert_whole(views, ledger)


def _do(operation: str, views: Views, ledger: Ledger, seed: int) -> None:
    match operation:
        case "fold":
            assert views.fold_up(ledger.reader) == ledger.head().size
        case "catch up":
            views.catch_up(ledger.reader)
        case "fold a step":
            views.fold_up(ledger.reader, progress=_stop)
        case "catch up a step":
            views.catch_up(ledger.reader, progress=_stop)
        case "record":
            wander(ledger, 7, seed + ledger.head().size)
        case _:
            assert views.mark_point(views.folded)


@pytest.mark.parametrize("size", [3, 7, 12, 20, 30])
@pytest.mark.parametrize("searched", [0, 5, 20])
@pytest.mark.parametrize("folds", [True, False])
def test_a_ledger_that_was_put_back_starts_anew(
    views: Views, size: int, searched: int, folds: bool
) -> None:
    _get_to(views, searched=searched, folded=20)
    restored = open_memory_ledger(MemoryEngine(LEDGER))
    restored.append_many([draft("error", n, session_id="other") for n in range(size)])
    if folds:
        views.fold_up(restored.reader)
        assert views.digests() == restored.fold().digests()
    views.catch_up(restored.reader)
    assert_whole(views, restored)


@pytest.mark.parametrize("searched", [0, 5, 15, 20])
def test_a_ledger_that_is_shorter_starts_anew(views: Views, searched: int) -> None:
    longer = _get_to(views, searched=searched, folded=20)
    shorter = open_memory_ledger()
    _add_singly(shorter, 15)
    assert shorter.head().leaf == longer.reader.node(14, 15)
    assert views.fold_up(shorter.reader) == 15
    views.catch_up(shorter.reader)
    assert_whole(views, shorter)


def test_a_ledger_that_is_another_only_behind_what_is_folded_starts_anew(views: Views) -> None:
    ledger, other = open_memory_ledger(), open_memory_ledger()
    for one in (ledger, other):
        _add_singly(one, 12)
    add(ledger, 8)
    other.append_many([draft("error", n, session_id="other") for n in range(9)])
    reader = Watched(ledger)
    reader.missing = {10}
    views.catch_up(reader)
    assert (views.size, views.folded) == (20, 10)
    views.catch_up(other.reader)
    assert_whole(views, other)
    found = search(views, other.reader, Query("attempt", limit=100))
    assert {hit.seq for hit in found.hits} == {1, 7, *range(12, 21)}


def test_another_ledger_starts_anew_though_only_folded(views: Views) -> None:
    _get_to(views, searched=5, folded=20)
    other = open_memory_ledger(MemoryEngine("f" * 32))
    add(other, 20)
    assert views.fold_up(other.reader) == 20
    assert views.size == 0
    views.catch_up(other.reader)
    assert_whole(views, other)


def _get_to(views: Views, *, searched: int, folded: int) -> Ledger:
    """Bring the search index and the stores to different ends of one ledger."""
    ledger = open_memory_ledger()
    _add_singly(ledger, searched)
    views.catch_up(ledger.reader)
    _add_singly(ledger, folded - searched)
    views.fold_up(ledger.reader)
    assert (views.size, views.folded) == (searched, folded)
    return ledger


def _add_singly(ledger: Ledger, count: int) -> None:
    """Append one by one, so that ledgers of different length begin alike."""
    for _ in range(count):
        add(ledger, 1)


def test_folding_stops_at_what_cannot_be_read_and_goes_on_later(views: Views) -> None:
    ledger = filled(30)
    reader = Watched(ledger)
    reader.missing = {12}
    assert views.fold_up(reader) == 12
    assert views.fold_up(reader) == 12
    assert views.catch_up(reader) == 30
    assert (views.folded, views.unread) == (12, [(12, 12)])
    reader.missing = ()
    assert views.fold_up(reader) == 30
    assert views.unread == [(12, 12)]


class Small:
    """A store that counts entries, and holds three items at most."""

    name = "small"
    version = 1
    items_max = 3
    takes = None
    reads = frozenset[str]()
    rolls_back = False

    def apply(self, items: Items, entry: Any, data: Model) -> Changes:
        """Count, with an item more for every tenth."""
        count: Any = items.get("count", 0)
        return {"count": count + 1, f"item {entry.seq // 10}": True}


def test_a_store_that_is_full_stops_where_it_is_and_search_goes_on() -> None:
    ledger = filled(45)
    with Views(":memory:", stores=(Small(),)) as views:
        for _ in range(3):
            assert views.catch_up(ledger.reader) == 45
            assert views.folded == 20
            assert dict(views.items("small")) == {"count": 20, "item 0": True, "item 1": True}
        assert searchable(views) == list(range(45))


_FORWARD = """
import sys
from holdfast.index.views import Views
from holdfast.wiring.looking import open_reader
with Views(sys.argv[2]) as views:
    reader = open_reader(sys.argv[1])
    for step in sys.argv[3]:
        print((views.fold_up if step == "f" else views.catch_up)(reader))
"""


def test_processes_fold_and_catch_up_at_once(tmp_path: Path) -> None:
    with api.open(tmp_path) as ledger:
        wander(ledger, 300, seed=1)
    path = str(tmp_path / "views.db")
    command = [sys.executable, "-c", _FORWARD, str(tmp_path), path]
    running = [
        subprocess.Popen([*command, steps], stdout=subprocess.PIPE) for steps in ("fc", "c", "f")
    ]
    said = [process.communicate(timeout=60)[0] for process in running]
    assert said == [b"300\n300\n", b"300\n", b"300\n"]
    with api.open(tmp_path) as ledger, Views(path) as views:
        assert_whole(views, ledger)
