"""The budgeted compiler: the frame always, items in one order, never more than the budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import canonical
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.tokens import estimate
from holdfast.views.compiling import (
    Candidate,
    Compiled,
    Section,
    compile_sections,
    cost_of,
    frame_tokens,
)

FRAME = {"about": "a test"}


def section(name: str, values: list[Any], turn: int = 1) -> Section:
    candidates = [Candidate(f"{name}{n}", (value,)) for n, value in enumerate(values)]
    return Section(name, candidates, len(values), turn)


def compiled(sections: list[Section], tokens: int = 1000, item_tokens: int = 400) -> Compiled:
    return compile_sections(FRAME, sections, tokens=tokens, item_tokens=item_tokens)


texts = st.one_of(
    st.text(max_size=40),
    st.text("{}[]\",:-=#'\\ \n", max_size=40),
    st.sampled_from(["word", "=" * 40, "two words", "漢字", "'s", " "]),
)
values = st.recursive(
    st.one_of(texts, st.integers(0, 10**6), st.none(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=5,
)
many = st.lists(
    st.tuples(st.lists(values, max_size=12), st.integers(1, 4)), min_size=1, max_size=4
).map(lambda found: [section(f"s{n}", part, turn) for n, (part, turn) in enumerate(found)])


@given(many, st.integers(0, 400), st.integers(1, 80))
@pytest.mark.req("O11")
def test_the_budget_holds_and_everything_is_put_in_or_counted(
    sections: list[Section], room: int, item_tokens: int
) -> None:
    tokens = frame_tokens(FRAME, sections) + room
    made = compiled(sections, tokens, item_tokens)
    assert made.tokens == estimate(made.canonical_bytes.decode()) <= tokens
    assert made.canonical_bytes == canonical.encode(made.value)
    for one, put in zip(sections, made.value["sections"], strict=True):
        assert (put["name"], len(put["items"]) + put["left_out"]) == (one.name, one.count)
    assert made.left_out == {one["name"]: one["left_out"] for one in made.value["sections"]}


@given(many)
def test_costs_are_bounds_so_that_nothing_is_put_in_and_taken_out_again(
    sections: list[Section],
) -> None:
    made = compiled(sections, 10**6, 10**6)
    costs = sum(cost_of(one) for put in made.value["sections"] for one in put["items"])
    assert made.tokens <= frame_tokens(FRAME, sections) + costs
    assert set(made.left_out.values()) == {0}


@given(many, st.integers(0, 300), st.integers(0, 300))
@pytest.mark.req("O11")
def test_a_larger_budget_gives_the_same_items_and_perhaps_more(
    sections: list[Section], room: int, more: int
) -> None:
    tokens = frame_tokens(FRAME, sections) + room
    small = compiled(sections, tokens, 60).value["sections"]
    large = compiled(sections, tokens + more, 60).value["sections"]
    for one, other in zip(small, large, strict=True):
        assert other["items"][: len(one["items"])] == one["items"]


def test_sections_take_turns_until_there_is_no_room() -> None:
    sections = [section("a", ["word"] * 9, turn=2), section("b", ["word"] * 9)]
    room = 6 * cost_of("word")
    made = compiled(sections, frame_tokens(FRAME, sections) + room)
    assert made.handles == ("a0", "a1", "a2", "a3", "b0", "b1")
    assert made.left_out == {"a": 5, "b": 7}


def test_the_first_item_without_room_ends_it_even_if_a_later_one_would_fit() -> None:
    sections = [section("a", ["word", "word " * 50, "word"])]
    made = compiled(sections, frame_tokens(FRAME, sections) + 60)
    assert (made.handles, made.left_out) == (("a0",), {"a": 2})


def test_an_item_too_large_by_itself_is_passed_over_and_counted() -> None:
    made = compiled([section("a", ["word", "word " * 50, "word"])], item_tokens=20)
    assert (made.handles, made.left_out) == (("a0", "a2"), {"a": 1})


def test_the_longest_form_that_is_not_too_large_is_taken() -> None:
    forms: tuple[Any, ...] = ({"text": "word " * 50}, {"text": "word", "chars_cut": 245}, {})
    one = Section("a", [Candidate("x", forms)], 1)
    assert compiled([one], item_tokens=30).value["sections"][0]["items"] == [forms[1]]
    assert compiled([one], item_tokens=100).value["sections"][0]["items"] == [forms[0]]
    assert compiled([one], item_tokens=5).value["sections"][0]["items"] == [forms[2]]


def test_no_more_is_asked_for_than_is_needed() -> None:
    asked = 0

    def endless() -> Iterator[Candidate]:
        nonlocal asked
        while True:
            asked += 1
            yield Candidate(str(asked), ("word",))

    made = compiled([Section("a", endless(), 10**9)], tokens=200)
    assert asked == len(made.handles) + 1
    assert made.left_out == {"a": 10**9 - len(made.handles)}


def test_a_frame_that_does_not_fit_is_refused_with_what_it_takes() -> None:
    needed = frame_tokens(FRAME, [])
    assert compiled([], needed).value == {**FRAME, "sections": []}
    with pytest.raises(InvalidInput, match=f"takes {needed}"):
        compiled([], needed - 1)
