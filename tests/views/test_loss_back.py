"""What of that which was gone the words name that were given afterwards."""

from __future__ import annotations

import pytest

from holdfast.views.loss import Item, compare
from holdfast.views.loss_back import Given, brought_back

ITEMS = [
    Item("constraint", "Never push to main without a review", 1, "p1"),
    Item("constraint", "Keep the bundle below 250 kB", 1, "p1"),
    Item("decision", "Take from the front of the queue", 2, "d1"),
    Item("command", "make check", 3, "c1", exit_code=2),
    Item("open_work", "Review of the lexer", 4, "w1"),
    Item("path", "src/queue.py", 5, "f1"),
]


def _given(text: str, *about: int, seq: int = 9) -> Given:
    return Given(seq, "2026-11-16T00:00:00Z", "s", "compact", 40, "holdfast-2", text, about)


def _back(*given: Given, summary: str | None = "We go on.") -> list[tuple[str, str] | None]:
    found = brought_back(ITEMS, compare(ITEMS, summary), given)
    return [
        None if one.brought_back is None else (f"#{one.brought_back.seq}", one.brought_back.how)
        for one in found
    ]


@pytest.mark.req("X6")
def test_what_stands_in_the_given_words_came_back() -> None:
    text = "- #1 Never push to main without a review\n- exit 2: make check (#3)\n- src/queue.py"

    assert _back(_given(text)) == [
        ("#9", "kept"),
        None,
        None,
        ("#9", "kept"),
        None,
        ("#9", "kept"),
    ]


def test_words_that_name_nothing_bring_nothing_back() -> None:
    assert _back(_given("Left out for want of room: 3 of 9 commands.")) == [None] * 6
    assert _back() == [None] * 6


def test_a_number_is_as_good_as_words_where_an_entry_has_one_thing() -> None:
    found = _back(_given("More is in the ledger.", 1, 2, 3, 4, 5))

    assert found == [None, None, ("#9", "named"), ("#9", "named"), ("#9", "named"), None]


def test_what_was_kept_did_not_have_to_come_back() -> None:
    found = _back(_given("make check, exit 2"), summary="`make check` ended with exit code 2.")

    assert found == [None] * 6


def test_the_first_words_that_have_it_whole_count() -> None:
    part = _given("Never push main without the review that we always have", seq=8)
    whole = _given("Never push to main without a review", seq=9)
    later = _given("Never push to main without a review", seq=10)

    assert _back(part)[0] == ("#8", "paraphrased")
    assert _back(part, whole, later)[0] == ("#9", "kept")
    assert _back(whole, part)[0] == ("#9", "kept")


def test_of_a_summary_that_nobody_knows_all_may_come_back() -> None:
    assert _back(_given("src/queue.py"), summary=None)[5] == ("#9", "kept")
