"""Kept folds: they equal the real ones, survive anything, and never are the truth."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import holdfast as api
from holdfast.index import database
from holdfast.index.terms import expand
from holdfast.index.views import Views
from holdfast.index.words import term_key
from holdfast.kernel.limits import VIEWS_ENTRIES_CHUNK
from holdfast.ledger.ledger import Ledger
from holdfast.recall.search import Query, search
from holdfast.storage.memory import MemoryEngine
from holdfast.stores import STORES
from holdfast.testing.builders import LEDGER, draft, open_memory_ledger
from tests.index.ledgers import Watched, add, filled, say

NAMES = [store.name for store in STORES]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "views.db")


@pytest.fixture
def views(path: str) -> Iterator[Views]:
    with Views(path) as opened:
        yield opened


def assert_folded(views: Views, ledger: Ledger) -> None:
    """Compare every kept item with a fold from the beginning."""
    fold = ledger.fold()
    assert views.size == views.folded == fold.size
    for name in NAMES:
        expected = dict(fold.state(name).items)
        assert dict(views.items(name).items()) == expected
        assert list(views.items(name)) == sorted(expected, key=str.encode)
        assert len(views.items(name)) == len(expected)


def found(views: Views, ledger: Ledger, text: str) -> list[int]:
    return sorted(hit.seq for hit in search(views, ledger.reader, Query(text, limit=1000)).hits)


def test_kept_folds_equal_a_fold_from_the_beginning(views: Views) -> None:
    ledger = filled(500)
    assert views.catch_up(ledger.reader) == 500
    assert_folded(views, ledger)
    for count in (1, 2, 40):
        add(ledger, count)
        views.catch_up(ledger.reader)
        assert_folded(views, ledger)


def test_an_item_is_looked_up_by_its_key(views: Views) -> None:
    ledger = filled(50)
    views.catch_up(ledger.reader)
    items = views.items("sessions")
    assert items["s1"] == ledger.fold().state("sessions").items["s1"]
    assert "s1" in items
    assert "nobody" not in items
    assert items.get("nobody") is None
    with pytest.raises(KeyError):
        items["nobody"]


def test_only_what_is_new_is_read(views: Views) -> None:
    ledger = filled(300)
    reader = Watched(ledger)
    views.catch_up(reader)
    assert reader.given == 300
    views.catch_up(reader)
    assert reader.given == 300
    add(ledger, 1)
    views.catch_up(reader)
    assert reader.given == 301


def test_it_works_in_steps_and_says_how_far_it_is(views: Views) -> None:
    ledger = filled(6000)
    told: list[tuple[int, int]] = []
    views.catch_up(ledger.reader, progress=lambda done, total: told.append((done, total)))
    assert told == [(min(n, 6000), 6000) for n in range(VIEWS_ENTRIES_CHUNK, 6001, 2000)]
    assert_folded(views, ledger)


def test_stopped_half_way_it_goes_on(path: str) -> None:
    ledger = filled(6000)

    def stop(done: int, total: int) -> None:
        raise InterruptedError

    with Views(path) as views, pytest.raises(InterruptedError):
        views.catch_up(ledger.reader, progress=stop)
    with Views(path) as views:
        assert views.size == VIEWS_ENTRIES_CHUNK
        reader = Watched(ledger)
        views.catch_up(reader)
        assert reader.given == 6000 - VIEWS_ENTRIES_CHUNK
        assert_folded(views, ledger)


def test_another_ledger_starts_anew(views: Views) -> None:
    views.catch_up(filled(30).reader)
    other = open_memory_ledger(MemoryEngine("f" * 32))
    say(other, "zebra")
    views.catch_up(other.reader)
    assert_folded(views, other)
    assert found(views, other, "zebra") == [0]
    assert found(views, other, "fork") == []


@pytest.mark.parametrize("size", [5, 20, 30])
def test_a_ledger_that_was_put_back_starts_anew(views: Views, size: int) -> None:
    views.catch_up(filled(20).reader)
    restored = open_memory_ledger(MemoryEngine(LEDGER))
    restored.append_many([draft("error", n, session_id="other") for n in range(size)])
    views.catch_up(restored.reader)
    assert_folded(views, restored)
    assert found(views, restored, "fork") == []


def test_the_same_ledger_does_not_start_anew(views: Views) -> None:
    ledger = filled(20)
    views.catch_up(ledger.reader)
    add(ledger, 10)
    reader = Watched(ledger)
    views.catch_up(reader)
    assert reader.given == 10


class Recounted:
    """A store whose fold changed."""

    name = STORES[0].name
    version = STORES[0].version + 1
    items_max = 10
    takes = None
    reads = frozenset[str]()
    rolls_back = False

    def apply(self, items: object, entry: object, data: object) -> dict[str, bool]:
        return {"changed": True}


def test_a_store_of_another_version_starts_anew(path: str) -> None:
    ledger = filled(20)
    with Views(path) as views:
        views.catch_up(ledger.reader)
    with Views(path, stores=(Recounted(),)) as views:
        views.catch_up(ledger.reader)
        assert dict(views.items(Recounted.name)) == {"changed": True}


def _rot(path: str) -> None:
    size = Path(path).stat().st_size
    with Path(path).open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(16) * ((size - 4096) // 16))


def _foreign(path: str) -> None:
    Path(path).unlink()
    connection = apsw.Connection(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()


def _text(path: str) -> None:
    Path(path).write_bytes(b"this is no database, but it is long enough to be read as one" * 99)


def _older(path: str) -> None:
    connection = apsw.Connection(path)
    connection.pragma("user_version", database.LAYOUT - 1)
    connection.close()


def _cut(path: str) -> None:
    os.truncate(path, 5000)


def _without_a_table(path: str) -> None:
    connection = apsw.Connection(path)
    connection.execute("DROP TABLE items")
    connection.close()


@pytest.mark.parametrize("harm", [_rot, _foreign, _text, _older, _cut, _without_a_table])
def test_a_file_that_cannot_be_used_is_made_anew(path: str, harm: object) -> None:
    assert callable(harm)
    ledger = filled(300)
    with Views(path) as views:
        views.catch_up(ledger.reader)
    harm(path)
    with Views(path) as views:
        assert views.catch_up(ledger.reader) == 300
        assert_folded(views, ledger)
        assert len(found(views, ledger, "shorter")) == 50


def test_a_file_that_rots_while_it_is_open_is_made_anew(path: str) -> None:
    ledger = filled(3000)
    with Views(path) as views:
        views.catch_up(ledger.reader)
    with Views(path) as views:
        _rot(path)
        add(ledger, 1)
        views.catch_up(ledger.reader)
        assert_folded(views, ledger)


def test_a_file_that_is_whole_is_kept(path: str) -> None:
    ledger = filled(10)
    with Views(path) as views:
        views.catch_up(ledger.reader)
    with Views(path) as views:
        assert views.size == 10


def test_nobody_else_may_read_the_file(path: str, views: Views) -> None:
    views.catch_up(filled(10).reader)
    modes = {stat.S_IMODE(file.stat().st_mode) for file in Path(path).parent.glob("views.db*")}
    assert modes == {0o600}


def test_where_nothing_can_be_written_the_views_live_in_memory(tmp_path: Path) -> None:
    ledger = filled(10)
    with Views(str(tmp_path / "absent" / "views.db")) as views:
        views.catch_up(ledger.reader)
        assert_folded(views, ledger)
    assert list(tmp_path.iterdir()) == []


def test_two_who_catch_up_in_turns_see_the_same(path: str) -> None:
    ledger = filled(100)
    with Views(path) as one, Views(path) as other:
        one.catch_up(ledger.reader)
        assert other.size == 100
        add(ledger, 50)
        other.catch_up(ledger.reader)
        add(ledger, 50)
        one.catch_up(ledger.reader)
        assert_folded(other, ledger)


_CATCH_UP = """
import sys
from holdfast.index.views import Views
from holdfast.wiring.looking import open_reader
with Views(sys.argv[2]) as views:
    print(views.catch_up(open_reader(sys.argv[1])))
"""


def test_processes_catch_up_at_once(tmp_path: Path) -> None:
    with api.open(tmp_path) as ledger:
        for first in range(0, 500, 50):
            ledger.append_many([draft("decision", n) for n in range(first, first + 50)])
    path = str(tmp_path / "views.db")
    command = [sys.executable, "-c", _CATCH_UP, str(tmp_path), path]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    said = [process.communicate(timeout=60)[0] for process in running]
    assert said == [b"500\n"] * 4
    with api.open(tmp_path) as ledger, Views(path) as views:
        assert_folded(views, ledger)
        assert len(found(views, ledger, "shorter")) == 500


def test_what_cannot_be_read_is_named_and_the_stores_wait(views: Views) -> None:
    ledger = filled(100)
    reader = Watched(ledger)
    reader.missing = {10, 11, 12, 50, 99}
    assert views.catch_up(reader) == 100
    assert views.unread == [(10, 12), (50, 50), (99, 99)]
    assert views.folded == 10
    half = ledger.fold(stop=10)
    assert dict(views.items("sessions")) == dict(half.state("sessions").items)
    assert len(found(views, ledger, "shorter")) == 16  # of 17 decisions, 12 is unknown


def test_what_can_be_read_again_is_taken_in(views: Views) -> None:
    ledger = filled(100)
    reader = Watched(ledger)
    reader.missing = {10, 11, 50}
    views.catch_up(reader)
    reader.missing = {50}
    views.catch_up(reader)
    assert (views.folded, views.unread) == (50, [(50, 50)])
    reader.missing = ()
    views.catch_up(reader)
    assert views.unread == []
    assert_folded(views, ledger)
    assert len(found(views, ledger, "shorter")) == 17


def test_many_unread_stretches_are_joined_not_lost(views: Views) -> None:
    ledger = filled(4000)
    reader = Watched(ledger)
    reader.missing = range(1, 4000, 2)
    views.catch_up(reader)
    unread = views.unread
    assert len(unread) == 1000
    covered = {seq for first, last in unread for seq in range(first, last + 1)}
    assert covered >= set(reader.missing)


def test_words_that_are_forgotten_are_in_no_file(path: str) -> None:
    ledger = open_memory_ledger()
    text = "quetzalcoatlus " * 9 + "x" * 40_000
    kept, erased = say(ledger, "kept wolverine" + " wolverine" * 9), say(ledger, text)
    with Views(path) as views:
        views.catch_up(ledger.reader)
        assert found(views, ledger, "quetzalcoatlus") == [erased]
        views.forget([erased])
        assert found(views, ledger, "quetzalcoatlus") == []
        assert found(views, ledger, "wolverine") == [kept]
    held = b"".join(file.read_bytes() for file in Path(path).parent.iterdir())
    assert b"quetzal" not in held
    assert b"wolverin" in held
    assert term_key(*expand("quetzalcoatlus")) not in held  # nor how much it counts
    assert term_key(*expand("wolverine")) in held


def test_what_is_left_of_a_forgotten_entry_is_found_again(views: Views) -> None:
    ledger = open_memory_ledger()
    data = {"command": "pytest", "exit_code": 0, "output": "quetzalcoatlus " * 4000}
    seq = ledger.append("command_ran", data).seq
    views.catch_up(ledger.reader)
    assert found(views, ledger, "quetzalcoatlus") == [seq]
    reader = Watched(ledger)
    reader.erased = True
    views.forget([seq], reader)
    assert found(views, ledger, "quetzalcoatlus") == []
    assert found(views, ledger, "pytest") == [seq]
