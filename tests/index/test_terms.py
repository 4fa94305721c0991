"""What counts as the same word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.index.terms import count_terms, expand, find_tokens, stem
from holdfast.index.words import MARKS, TIERS, Weights, impact, mark, mark_in, term_key
from holdfast.kernel.limits import TERM_CHARS_MAX


@pytest.mark.parametrize(
    "words",
    [
        ("retry", "retries", "retried", "retrying"),
        ("fail", "fails", "failed", "failing"),
        ("cache", "caches", "cached", "caching"),
        ("run", "runs", "running"),
        ("box", "boxes", "boxed"),
        ("decision", "decisions"),
        ("call", "calls", "called", "calling"),
    ],
)
def test_the_forms_of_a_word_are_one(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("bus", "bu"), ("process", "proces"), ("string", "str"), ("red", "r")]
)
def test_words_that_only_look_alike_are_two(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("retry_budget", {"retry_budget", "retri", "budget"}),
        ("retryBudget", {"retrybudget", "retri", "budget"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("3.14", {"3.14", "3", "14"}),
        ("8080", {"8080"}),
        ("0.85", {"0.85", "0", "85"}),
        ("src/api/router.py", {"src", "api", "router.py", "router", "py"}),
        ("__init__", {"init"}),
        ("Größe", {"gross"}),
        ("café", {"caf"}),
        ("日本語", {"日本", "本語"}),
        ("end.", {"end"}),
    ],
)
def test_wholes_and_parts_are_found(text: str, terms: set[str]) -> None:
    assert set(count_terms(text)[0]) == terms


def test_accents_and_case_do_not_matter() -> None:
    assert expand("Größe") == expand("GRÖSSE") == expand("grosse")
    assert expand("Café") == expand("cafe")


@given(st.text())
def test_a_term_is_made_only_of_what_the_index_takes_as_one_word(text: str) -> None:
    counts, length = count_terms(text)
    assert length == len(find_tokens(text))
    for term in counts:
        assert 0 < len(term) <= TERM_CHARS_MAX
        assert all(char.isalnum() or char in "_.-" for char in term)


def test_a_word_counts_more_when_it_is_frequent_and_the_text_short() -> None:
    assert impact(2, 40) > impact(1, 40) > impact(1, 80)
    assert len(MARKS) > mark(5, 10) > mark(2, 30) > mark(1, 30)
    assert mark(1, 400) == 0


@given(st.dictionaries(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), st.integers(1, 9)))
def test_the_weights_of_an_entry_say_the_mark_of_each_of_its_terms(counts: dict[str, int]) -> None:
    keys = {term_key(term) for term in counts}
    length = sum(counts.values())
    weights = Weights.of(counts, length)
    expected = {term: mark(n, length) for term, n in counts.items()}
    marked = {term + MARKS[place] for term, place in expected.items() if place}
    marked |= {
        term + TIERS[tier] for term, place in expected.items() for tier in TIERS if place >= tier
    }
    assert sorted(weights.marked(counts)) == sorted(marked)
    if len(keys) == len(counts):
        packed = weights.packed()
        assert {term: mark_in(packed, term_key(term)) for term in counts} == expected


def test_a_key_that_straddles_two_others_is_not_taken_for_one() -> None:
    packed = bytes((3, 1, 2, 3, 9, 5, 6, 7, 8))
    assert mark_in(packed, bytes((3, 9, 5))) == 3
    assert mark_in(packed, bytes((5, 6, 7))) == 8
    assert mark_in(packed + bytes((3, 9, 5, 4)), bytes((3, 9, 5))) == 4
