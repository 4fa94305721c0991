"""Contradictions: which pairs of decisions cannot both hold, and which only look like it.

`fork_pairs.json` was written before the rules. They were made with the first half of each list in
view; the second half was only counted. The `later` ones came after that, harder on purpose.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import FORK_COMPARED_CHARS_MAX
from holdfast.views.contradictions import Statement, conflict, nearness, related

PAIRS: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "fork_pairs.json").read_text(encoding="utf-8")
)
HALVES = {"seen": slice(0, 50), "unseen": slice(50, 100)}


def statement(given: dict[str, Any]) -> Statement:
    """Return a side as a ledger has it: without a subject, it is the cited definitions."""
    symbols = tuple(given.get("symbols", ()))
    return Statement(
        choice=given["choice"],
        subject=given.get("subject") or ", ".join(symbols),
        symbols=symbols,
        alternatives=tuple(given.get("alternatives", ())),
    )


def found(name: str, part: slice = slice(None)) -> list[bool]:
    """Tell for each pair whether a contradiction was found, whichever side came first."""
    answers = []
    for pair in PAIRS[name][part]:
        old, new = statement(pair["old"]), statement(pair["new"])
        forth, back = conflict(new, old), conflict(old, new)
        assert (forth is None) == (back is None), pair
        answers.append(forth is not None)
    return answers


@pytest.mark.req("L2")
def test_of_a_hundred_contradicting_pairs_nine_of_ten_are_found() -> None:
    answers = found("contradicting")
    assert len(answers) == 100
    assert sum(answers) >= 90


@pytest.mark.req("L2")
def test_of_a_hundred_compatible_pairs_at_most_two_are_called_a_contradiction() -> None:
    answers = found("compatible")
    assert len(answers) == 100
    assert sum(answers) <= 2


@pytest.mark.parametrize(("half", "least"), [("seen", 50), ("unseen", 47)])
def test_what_was_not_looked_at_does_about_as_well(half: str, least: int) -> None:
    assert sum(found("contradicting", HALVES[half])) >= least
    assert sum(found("compatible", HALVES[half])) <= 1


def test_of_harder_pairs_three_of_four_are_found_and_at_most_one_is_made_up() -> None:
    answers = found("later_contradicting")
    assert sum(answers) >= 0.75 * len(answers)
    assert sum(found("later_compatible")) <= 1


def test_of_decisions_that_go_together_hardly_any_two_are_called_a_contradiction() -> None:
    pairs = [
        (on(one, subject=topic["subject"]), on(other, subject=topic["subject"]))
        for topic in PAIRS["topics"]
        for one, other in combinations(topic["choices"], 2)
    ]
    assert len(pairs) > 500
    wrong = [pair for pair in pairs if conflict(*pair) is not None]
    assert len(wrong) <= 0.01 * len(pairs), wrong


def test_no_pair_stands_twice() -> None:
    lists = [rows for name, rows in PAIRS.items() if name != "topics"]
    every = [json.dumps([pair["old"], pair["new"]]) for rows in lists for pair in rows]
    assert len(set(every)) == len(every)


def on(choice: str, *alternatives: str, subject: str = "caching") -> Statement:
    return Statement(choice=choice, subject=subject, alternatives=alternatives)


@pytest.mark.req("L2")
@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Use Redis", "Do not use Redis", "negated"),
        ("Cache pages", "Don\u2019t cache pages", "negated"),
        ("Enable it for guests", "Disable it for guests", "negated"),
        ("Fill it eagerly", "Fill it lazily", "opposite"),
        ("Entries live 5 minutes", "Entries live 10 minutes", "value"),
        ("Use Redis", "Use Memcached", "exclusive"),
        ("Write keys with frobnitz", "Write keys with quuxlib", "exclusive"),
        ("Redis over Memcached", "Use Memcached for pages", "alternative"),
        ("Plain SQL instead of an ORM", "Use an ORM", "alternative"),
    ],
)
def test_a_contradiction_says_of_which_kind_it_is(one: str, other: str, kind: str) -> None:
    answer = conflict(on(one), on(other))
    assert answer is not None
    assert answer.kind == kind
    assert answer.reason
    assert conflict(on(other), on(one)) == answer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Never delete audit entries", "Audit entries are kept for good"),
        ("Entries live 10 minutes", "Entries live 600 seconds"),
        ("Write keys with frobnitz", "Write keys with frobnitz 2 in strict mode"),
        ("Cache pages in Redis", "Include the user in the key"),
        ("Include the locale in the key", "Include the user in the key"),
        ("Guests see version 2", "Admins see version 3"),
        ("Use A and B", "Use B and A"),
    ],
)
def test_other_words_more_words_and_other_aspects_are_no_contradiction(
    one: str, other: str
) -> None:
    assert conflict(on(one), on(other)) is None


def test_an_alternative_that_was_turned_down_and_is_chosen_now_is_found() -> None:
    assert conflict(on("Take the quux", "the frob"), on("Take the frob")) is not None
    assert conflict(on("Take the quux", "the frob"), on("Take the quux now", "the frob")) is None


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("session store", "Storage of sessions", "same"),
        ("auth", "authentication", "same"),
        ("max upload size", "upload size limit", "near"),
        ("queue", "job queue", "near"),
        ("request timeout", "upstream timeout", "far"),
        ("cache", "licence", None),
        ("src/a.py::f", "src/a.py::g", None),
        ("src/a.py::f", "src/a.py::f", "same"),
    ],
)
def test_subjects_are_the_same_in_other_words_near_or_far(
    one: str, other: str, near: str | None
) -> None:
    assert nearness(on("x", subject=one), on("y", subject=other)) == near


@pytest.mark.req("L2")
def test_another_choice_for_the_same_symbol_is_found_whatever_the_subjects() -> None:
    one = Statement(choice="Use a heap", subject="queue order", symbols=("a.py::push",))
    other = Statement(choice="Use a list", subject="inserting", symbols=("a.py::push",))
    elsewhere = Statement(choice="Use a list", subject="inserting", symbols=("a.py::pop",))
    assert conflict(one, other) is not None
    assert conflict(one, elsewhere) is None


def test_without_a_subject_nothing_is_compared() -> None:
    assert conflict(Statement(choice="Use Redis"), Statement(choice="Do not use Redis")) is None
    assert not related(Statement(choice="a"), Statement(choice="a"))


WORDS = st.sampled_from(
    [
        *("use", "not", "never", "cache", "pages", "Redis", "Memcached", "5", "10", "minutes"),
        *("on", "off;", "before", "after", "without", "over", "instead of", "eager", "lazy", "is"),
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))


@given(TEXTS, TEXTS)
def test_it_matters_not_who_spoke_first(one: str, other: str) -> None:
    forth, back = conflict(on(one), on(other)), conflict(on(other), on(one))
    assert (forth is None) == (back is None)


@given(TEXTS)
def test_nothing_contradicts_itself(text: str) -> None:
    assert conflict(on(text), on(text)) is None


@pytest.mark.parametrize(
    "text", ["a over " * 5_000, "leave " * 5_000, "not, " * 5_000, "x; " * 5_000, "1" * 20_000]
)
def test_long_texts_are_compared_by_their_beginning(text: str) -> None:
    start = on("Use Redis; ")
    assert conflict(on(text), start) is None
    late = on("x " * FORK_COMPARED_CHARS_MAX + "; do not use Redis")
    assert conflict(start, late) is None
