"""Search says of a decision that it no longer holds, also after going back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.index.queries import SQL
from holdfast.index.views import Views
from holdfast.ledger.ledger import Ledger
from holdfast.recall.search import Hit, Query, search
from holdfast.storage.port import Selection
from holdfast.testing.builders import data_for, open_memory_ledger
from tests.index.histories import Step, walk
from tests.index.ledgers import Watched, decide


@pytest.fixture
def views() -> Iterator[Views]:
    with Views(":memory:") as opened:
        yield opened


def hits(views: Views, ledger: Ledger, text: str, **filters: Any) -> dict[str, Hit]:
    """Search the decisions, and return those found by their ids."""
    views.catch_up(ledger.reader)
    found = search(views, ledger.reader, Query(text, types=("decision",), **filters))
    return {hit.id: hit for hit in found.hits}


def go_back(ledger: Ledger, to: int) -> int:
    return ledger.append("rolled_back", data_for("rolled_back", to)).seq


@pytest.mark.req("L20")
def test_a_decision_that_was_gone_back_on_no_longer_holds(views: Views) -> None:
    ledger = open_memory_ledger()
    first, second = decide(ledger, "wolverine one"), decide(ledger, "wolverine two")
    back = go_back(ledger, 0)
    found = hits(views, ledger, "wolverine")
    assert (found[first].superseded, found[first].superseded_by) == (False, None)
    assert (found[second].superseded, found[second].superseded_by) == (True, back)
    assert set(hits(views, ledger, "wolverine", superseded=False)) == {first}
    assert set(hits(views, ledger, "wolverine", superseded=True)) == {second}


@pytest.mark.req("L20")
def test_a_decision_superseded_only_after_where_it_went_back_to_holds_again(views: Views) -> None:
    ledger = open_memory_ledger()
    first = decide(ledger, "wolverine one")
    second = decide(ledger, "wolverine two", supersedes=[first])
    assert hits(views, ledger, "wolverine")[first].superseded_by == 1
    back = go_back(ledger, 0)
    found = hits(views, ledger, "wolverine")
    assert not found[first].superseded
    assert found[second].superseded_by == back
    go_back(ledger, 1)
    found = hits(views, ledger, "wolverine")
    assert found[first].superseded_by == 1
    assert not found[second].superseded


def test_what_is_decided_after_going_back_counts(views: Views) -> None:
    ledger = open_memory_ledger()
    first, second = decide(ledger, "wolverine one"), decide(ledger, "wolverine two")
    go_back(ledger, 0)
    third = decide(ledger, "wolverine three", supersedes=[first, second])
    found = hits(views, ledger, "wolverine")
    assert [found[key].superseded_by for key in (first, second, third)] == [3, 3, None]


def test_going_back_to_where_it_had_gone_back_leaves_that_as_it_was(views: Views) -> None:
    ledger = open_memory_ledger()
    first, second = decide(ledger, "wolverine one"), decide(ledger, "wolverine two")
    back = go_back(ledger, 0)
    third = decide(ledger, "wolverine three")
    again = go_back(ledger, back)
    found = hits(views, ledger, "wolverine")
    assert [found[key].superseded_by for key in (first, second, third)] == [None, back, again]


def test_what_was_gone_back_on_supersedes_nothing_that_comes_later(views: Views) -> None:
    ledger = open_memory_ledger()
    decide(ledger, "wolverine one")
    decide(ledger, "wolverine two", supersedes=["later"])
    go_back(ledger, 0)
    assert not hits(views, ledger, "wolverine").get("later")
    ledger.append("decision", data_for("decision", choice="wolverine three"), id="later")
    assert not hits(views, ledger, "wolverine")["later"].superseded


def test_a_decision_that_could_be_read_only_later_was_gone_back_on_all_the_same(
    views: Views,
) -> None:
    ledger = open_memory_ledger()
    decide(ledger, "wolverine one")
    second = decide(ledger, "wolverine two")
    back = go_back(ledger, 0)
    reader = Watched(ledger)
    reader.missing = {1}
    views.catch_up(reader)
    reader.missing = ()
    assert hits(views, ledger, "wolverine")[second].superseded_by == back


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["decision", "decision", "rolled_back", "error"]),
            st.integers(0, 25),
            st.integers(0, 6),
        ),
        max_size=25,
    ),
    missing=st.sets(st.integers(0, 24), max_size=3),
    cut=st.integers(0, 25),
)
def test_search_marks_what_the_store_says_no_longer_holds(
    steps: list[Step], missing: set[int], cut: int
) -> None:
    ledger = open_memory_ledger()
    reader = Watched(ledger)
    reader.missing = missing
    with Views(":memory:") as views:
        for part in (steps[:cut], steps[cut:]):
            walk(ledger, part)
            views.catch_up(reader)
        reader.missing = ()
        views.catch_up(reader)
        assert views.unread == []
        items: Any = ledger.fold().items()["decisions"]
        decisions = {
            entry.seq: items.get(entry.id) for entry in ledger.read(Selection(type="decision"))
        }
        gone = {seq for seq, item in decisions.items() if not _holds(item)}
        assert set(_marked(views, list(decisions))) == gone


def _holds(item: Any) -> bool:
    """Tell whether a decision is in the store, not just named there, and nothing superseded it."""
    return bool(item and item["kind"]) and item["superseded_by"] is None


def _marked(views: Views, seqs: list[int]) -> dict[int, int]:
    asked = (json.dumps(seqs),)
    rows: Any = views.look(
        lambda connection: connection.execute(SQL["superseded_by"], asked).fetchall()
    )
    return dict(rows)
