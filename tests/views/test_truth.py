"""The order of truth: who outranks whom."""

from __future__ import annotations

from itertools import combinations

import pytest

from holdfast.views.truth import ORDER, Source, higher, source_of


@pytest.mark.req("L1")
def test_the_order_is_that_of_the_protocol() -> None:
    expected = "code user task notes trajectory design legacy model"
    assert " ".join(ORDER) == expected


@pytest.mark.req("L1")
@pytest.mark.parametrize(("upper", "lower"), list(combinations(ORDER, 2)))
def test_whoever_stands_before_outranks_whoever_stands_after(upper: Source, lower: Source) -> None:
    assert (higher(upper, lower).side, higher(upper, lower).source) == ("statement", upper)
    assert (higher(lower, upper).side, higher(lower, upper).source) == ("against", upper)
    assert "outranks" in higher(upper, lower).text


@pytest.mark.req("L1")
@pytest.mark.parametrize("source", ORDER)
def test_of_equals_what_was_recorded_before_stands(source: Source) -> None:
    answer = higher(source, source)
    assert answer.side == "against"
    assert "until it is ruled on" in answer.text


@pytest.mark.req("L1")
def test_a_users_word_outranks_an_agents_whether_that_is_recorded_or_not() -> None:
    user = source_of("user", recorded=False)
    recorded, of_a_task = source_of("agent"), source_of("agent", task="hf-1")
    said = source_of("agent", recorded=False)
    order = [user, of_a_task, recorded, said]
    assert order == sorted(order, key=ORDER.index)
    assert said == ORDER[-1]
    assert source_of("tool", recorded=False) == said
