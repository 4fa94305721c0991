"""Ghosts: what searches prove, and which two questions count as two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.evidence.ghosts import (
    BORNE_OUT,
    COSINE_MAX,
    JACCARD_MAX,
    Diversity,
    Looked,
    borne_out,
    diversity,
    judge,
    refuse_alike,
    refuse_untelling,
    remedy,
)
from holdfast.index import vectors
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.types import GhostQuery


def looked(
    query: str,
    *,
    hits: int = 0,
    failed: str | None = None,
    semantic: bool = True,
    by_name: bool = False,
) -> Looked:
    record = GhostQuery(query=query, level="hybrid", files=3, unread=0, hits=hits, best=0.2)
    return Looked(record, failed, semantic, by_name)


@pytest.mark.req("L9")
def test_two_questions_with_nothing_near_confirm_it() -> None:
    assert judge([looked("one"), looked("two")]).status == "confirmed"


@pytest.mark.req("L9")
def test_something_near_either_question_says_that_it_is_there() -> None:
    assert judge([looked("one"), looked("two", hits=1)]).status == "present"


@pytest.mark.req("L9")
def test_something_near_its_own_name_says_that_it_is_there() -> None:
    three = [looked("one"), looked("two"), looked("name", hits=1, by_name=True)]
    assert judge(three).status == "present"


@pytest.mark.req("L9")
def test_its_own_name_needs_no_meaning() -> None:
    name = looked("name", semantic=False, by_name=True)
    assert judge([looked("one"), looked("two"), name]).status == "confirmed"


@pytest.mark.req("L9")
def test_its_own_name_is_no_second_question() -> None:
    assert judge([looked("one"), looked("name", by_name=True)]).status == "unverified"


@pytest.mark.lesson("L9")
@pytest.mark.parametrize("bad", [0, 1])
def test_a_search_that_failed_is_no_sign_that_nothing_is_there(bad: int) -> None:
    both = [looked("one"), looked("two")]
    both[bad] = looked("failed", failed="The disk is full.")
    verdict = judge(both)
    assert (verdict.status, verdict.reason) == ("could_not_look", "The disk is full.")


@pytest.mark.lesson("L9")
def test_a_hit_counts_even_where_not_everything_was_searched() -> None:
    assert judge([looked("one", hits=1, failed="no"), looked("two")]).status == "present"


@pytest.mark.req("L9")
def test_one_question_proves_nothing_however_often_it_is_asked() -> None:
    assert judge([looked("one")]).status == "unverified"
    assert judge([looked("one"), looked("one")]).status == "unverified"


@pytest.mark.req("L9")
def test_words_alone_ask_for_a_person_to_look() -> None:
    verdict = judge([looked("one", semantic=False), looked("two", semantic=False)])
    assert verdict.status == "unverified"
    assert "--manual --because" in verdict.remedy


@pytest.mark.req("L9")
def test_questions_are_compared_by_their_words_without_endings() -> None:
    found = diversity("retry failed requests", "retries of a failed request", None)
    assert found == Diversity(1.0, None)
    found = diversity("OAuth2 login", "sign in with another provider", vectors.load())
    assert found.jaccard == 0
    assert found.cosine is not None
    assert found.cosine < COSINE_MAX


@pytest.mark.req("L9")
@pytest.mark.parametrize(
    "found", [Diversity(JACCARD_MAX, None), Diversity(1.0, 0.2), Diversity(0.1, COSINE_MAX)]
)
def test_questions_that_are_alike_are_refused_with_the_numbers(found: Diversity) -> None:
    with pytest.raises(InvalidInput) as told:
        refuse_alike(found)
    assert f"{found.jaccard:.2f}" in told.value.what
    assert told.value.remedy


def test_questions_that_differ_in_both_ways_pass() -> None:
    refuse_alike(Diversity(JACCARD_MAX - 0.01, COSINE_MAX - 0.01))
    refuse_alike(Diversity(0.0, None))


@pytest.mark.req("L9")
@pytest.mark.parametrize("text", ["the of and", "a an is", "x", "class", "def"])
def test_words_that_tell_nothing_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as told:
        refuse_untelling("The query", text)
    assert repr(text) in told.value.what
    assert "in words" in told.value.remedy


@pytest.mark.parametrize("text", ["banana phone", "list", "retry_budget", "\u9375"])
def test_words_that_tell_something_pass(text: str) -> None:
    refuse_untelling("The query", text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "two words",
            "`holdfast ghost 'two words' --query A --query B` with two different questions, or "
            "`holdfast ghost 'two words' --manual --because WHY`.",
        ),
        (
            "--force",
            "`holdfast ghost --query A --query B -- --force` with two different questions, or "
            "`holdfast ghost --manual --because WHY -- --force`.",
        ),
        ("-x", "`holdfast ghost --manual --because WHY -- -x`."),
    ],
)
def test_the_remedy_can_be_pasted_whatever_its_name_begins_with(name: str, expected: str) -> None:
    assert remedy(name) == expected


SHARE = st.floats(0, 1)


@pytest.mark.req("L9")
@given(SHARE, SHARE, SHARE)
def test_what_the_other_question_bears_out_is_never_nearer_than_it_was(
    similarity: float, other: float, more: float
) -> None:
    found = borne_out(similarity, other)
    assert 0 <= found <= similarity
    if other >= BORNE_OUT:
        assert found == similarity
    if more >= other:
        assert borne_out(similarity, more) >= found


def test_what_is_barely_near_needs_the_other_question_and_what_is_very_near_does_not() -> None:
    assert borne_out(0.45, 0.02) < 0.4 <= borne_out(0.45, 0.2)
    assert borne_out(0.75, 0.0) >= 0.4 > borne_out(0.7, 0.0)
