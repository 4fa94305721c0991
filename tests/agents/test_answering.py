"""Answers: nothing in a text breaks them, and what is cut says so."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.answering import in_utf8, in_utf16, shortened, spelled


@given(st.text(alphabet=st.characters(), max_size=400), st.sampled_from([len, in_utf8, in_utf16]))
def test_a_text_fits_or_says_how_much_of_it_is_gone(text: str, units: object) -> None:
    assert callable(units)
    found = shortened(text, 120, units)
    if units(text) <= 120:
        assert found == (text or None)
        return
    assert found is not None
    kept, _, note = found.rpartition("\n[")
    assert units(found) <= 120
    assert text.startswith(kept)
    assert note.startswith(f"{len(text) - len(kept):,} characters were cut off")


def test_as_much_as_can_be_is_kept() -> None:
    found = shortened("a" * 20_000, 9_000)
    assert found is not None
    assert 8_990 <= len(found) <= 9_000


@pytest.mark.parametrize("text", [None, ""])
def test_nothing_is_nothing(text: str | None) -> None:
    assert shortened(text, 10) is None
    assert spelled(context=shortened(text, 10)).stdout == ""


@given(st.text(alphabet=st.characters(), max_size=50))
def test_what_is_printed_is_one_line_of_ascii(text: str) -> None:
    printed = spelled(context=text).stdout
    assert printed.isascii()
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"context": text}
