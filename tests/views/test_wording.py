"""Words on one line, cut in the middle; what is gone is counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import INLINE_BYTES_MAX
from holdfast.kernel.tokens import estimate
from holdfast.views.budget import Part, joined
from holdfast.views.wording import apart, cut_middle, first_sentence, fit, one_line


@given(st.text(max_size=200), st.integers(0, 80))
def test_a_cut_text_says_how_many_characters_are_gone(text: str, chars_max: int) -> None:
    cut = cut_middle(text, chars_max)
    if len(text) <= chars_max:
        assert cut == text
    else:
        gone = len(text) - chars_max
        assert f"… +{gone} …" in cut
        assert cut.startswith(text[: chars_max - chars_max // 3])


@given(st.text(max_size=300), st.integers(12, 60))
def test_a_fitted_text_keeps_its_budget(text: str, tokens_max: int) -> None:
    fitted = fit(text, tokens_max)
    assert estimate(fitted) <= tokens_max
    if estimate(text) <= tokens_max:
        assert fitted == text


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("a\n  b\tc", "a b c"),
        (None, ""),
        ({"b": 1, "a": [True, None]}, '{"a":[true,null],"b":1}'),
        (3, "3"),
        (
            {"$artifact": "ab" * 32, "bytes": 5, "form": "text"},
            "(5 bytes in the vault, abababababab)",
        ),
        (object(), "(a value that JSON cannot hold)"),
    ],
)
def test_any_value_fits_on_one_line(value: object, line: str) -> None:
    assert one_line(value) == line


def test_a_text_that_the_vault_will_keep_is_named_by_its_size() -> None:
    assert apart("short") == "short"
    assert apart("ä" * INLINE_BYTES_MAX) == f"({2 * INLINE_BYTES_MAX} bytes in the vault)"
    assert apart("no file can hold \ud800") == "(20 bytes in the vault)"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Done. Next is b.", "Done."),
        ("Version 1.5 of a.py is ok now", "Version 1.5 of a.py is ok now"),
        ("Is it?\nYes", "Is it?"),
        ("e.g. this one. Then that", "e.g. this one."),
        ("終わった。次へ", "終わった。"),
        ("", ""),
    ],
)
def test_the_first_sentence_ends_where_a_new_one_begins(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


parts = st.lists(
    st.builds(
        Part,
        st.integers(0, 8),
        st.sampled_from(["next: ", "changed: ", ""]),
        st.text(min_size=1, max_size=300),
    ),
    max_size=8,
)


@given(parts, st.integers(60, 120))
def test_parts_keep_their_order_and_budget_and_those_left_out_are_counted(
    parts: list[Part], tokens_max: int
) -> None:
    few = [part for part in parts if part.rank >= 3] + [p for p in parts if p.rank < 3][:3]
    text = joined(few, tokens_max)
    assert estimate(text) <= tokens_max
    assert text == joined(few, tokens_max)


def test_what_matters_least_is_left_out_first() -> None:
    must = Part(0, "next: ", "read the scheduler code")
    more = [Part(rank, f"{rank}: ", "quarrelsome zeppelin " * 4) for rank in (5, 4, 3)]
    text = joined([*more, must], 40)
    assert text.endswith("next: read the scheduler code (+2 facts)")
    assert text.startswith("3: ")
    assert re.search(r"… \+\d+ …", joined([Part(0, "", "word " * 200)], 30))
