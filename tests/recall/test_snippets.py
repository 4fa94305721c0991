"""What is shown of a text that was found."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from holdfast.index.terms import expand, find_tokens
from holdfast.kernel.limits import SNIPPET_CHARS
from holdfast.recall.snippets import CUT, snippet, spans

LONG = " ".join(f"word{n}" for n in range(400))


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("one\ntwo \t three ", {"two"}) == "one two three"


def test_a_long_text_is_cut_on_both_sides_around_the_match() -> None:
    shown = snippet(LONG, {"word200"})
    assert shown.startswith(CUT)
    assert shown.endswith(CUT)
    assert " word200 " in shown
    assert shown.strip(CUT) in LONG


def test_the_part_with_the_most_terms_is_shown() -> None:
    text = f"alpha {LONG} alpha beta gamma {LONG}"
    assert "alpha beta gamma" in snippet(text, {"alpha", "beta", "gamma"})


def test_the_beginning_is_shown_where_nothing_matches() -> None:
    shown = snippet(LONG, {"absent"})
    assert shown.startswith("word0 ")
    assert shown.endswith(CUT)


def test_other_forms_of_a_word_are_seen() -> None:
    text = "It retried; the retryBudget was gone."
    assert [text[a:b] for a, b in spans(text, {"retri"})] == ["retried", "retryBudget"]


WORDS = st.sampled_from(
    [
        "retry",
        "retries",
        "RetryBudget",
        "retry_budget",
        "run-time",
        "v3.14",
        "Café",
        "tries",
        "stopped",
        "I",
        "the",
        "K",
        "·",
        "x\ny",
    ]
)


@given(st.lists(WORDS), WORDS)
def test_every_word_that_stands_for_a_term_is_seen(words: list[str], asked: str) -> None:
    text, terms = " ".join(words), {term for token in find_tokens(asked) for term in expand(token)}
    tokens = re.finditer(r"\w+(?:[.\-]\w+)*", text)
    expected = [each.span() for each in tokens if not terms.isdisjoint(expand(each[0]))]
    assert list(spans(text, terms)) == expected


@given(st.text(max_size=2000), st.sets(st.text(max_size=5), max_size=4))
def test_a_snippet_is_bounded_whatever_the_text(text: str, terms: set[str]) -> None:
    shown = snippet(text, terms)
    assert len(shown) <= SNIPPET_CHARS + 2
    assert "\n" not in shown
