"""Texts that nobody meant to be code: whatever comes, a reading or `CouldNotLook`.

`python -m bench.code_fuzz` does the same with a hundred thousand texts.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.code_fuzz import mutated
from holdfast.code import CouldNotLook, Reading, outline, read_by_patterns, read_symbols
from holdfast.code.languages import LANGUAGES
from holdfast.code.patterns import built_in
from tests.code.golden import cases

TEXTS = {(case.language, case.title): case.text for case in cases()}


def check(text: str, reading: Reading) -> None:
    """Hold a reading to what is true of every reading."""
    size, lines = len(text.encode()), text.count("\n") + 1
    assert len({s.qualified for s in reading.symbols}) == len(reading.symbols)
    for symbol in reading.symbols:
        assert 0 <= symbol.start_byte < symbol.end_byte <= size
        assert 1 <= symbol.start_line <= symbol.end_line <= lines


@settings(max_examples=150)
@given(st.sampled_from(sorted(TEXTS)), st.integers(0, 2**32), st.integers(1, 12))
def test_a_mutated_text_is_read_or_refused(key: tuple[str, str], seed: int, times: int) -> None:
    text = mutated(TEXTS[key], random.Random(seed), times)
    try:
        reading = read_symbols(text, key[0])
    except CouldNotLook:
        return
    check(text, reading)
    outline(text, key[0], 50, reading=reading)


@settings(max_examples=100)
@given(st.sampled_from(sorted(LANGUAGES)), st.text(max_size=200))
def test_any_text_at_all_is_read_or_refused(language: str, text: str) -> None:
    try:
        check(text, read_symbols(text, language))
    except CouldNotLook as refused:
        assert refused.meaning  # noqa: PT017 - most are read
    except UnicodeEncodeError:
        pytest.fail("a surrogate got through")


@settings(max_examples=100)
@given(st.sampled_from(sorted(built_in().languages)), st.text(max_size=200))
def test_any_text_at_all_is_read_by_patterns_or_refused(language: str, text: str) -> None:
    try:
        check(text, read_by_patterns(text, language))
    except CouldNotLook as refused:
        assert refused.meaning  # noqa: PT017 - most are read


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("text", ["\n", " ", "\t\r\n", "\ufeff", "\x0c", "\u2028", "\r", "}", "'"])
def test_next_to_nothing_is_read(language: str, text: str) -> None:
    check(text, read_symbols(text, language))
