"""What a question is taken to ask for."""

from __future__ import annotations

import pytest

from holdfast.index.asking import words_of
from holdfast.index.kinds import kinds_of
from holdfast.index.terms import find_tokens
from holdfast.kernel.types import TYPES


def needed(text: str) -> int:
    return len(words_of(text).groups)


@pytest.mark.parametrize(
    "text",
    [
        "could you please remind me exactly what was said about kestrels?",
        "Do we know anything regarding the kestrel",
        "Kestrel?",
    ],
)
def test_words_that_only_ask_carry_no_weight(text: str) -> None:
    assert words_of(text).terms == ("kestrel",)


def test_a_question_of_such_words_alone_is_still_asked() -> None:
    assert words_of("what about it").terms == ("what", "about", "it")
    assert needed("what about it") == 3


def test_words_that_say_something_all_have_to_be_there() -> None:
    assert needed("kestrel nest budget") == 3


def test_a_word_that_names_a_kind_is_looked_for_and_need_not_be_there() -> None:
    asked = words_of("what did we decide about kestrels")
    assert len(asked.terms) == 2
    assert len(asked.groups) == 1
    assert asked.kinds == ("decision",)


def test_words_that_name_kinds_have_to_be_there_when_there_are_no_others() -> None:
    assert needed("failed tests") == 2


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("what was decided", {"decision"}),
        ("why a kestrel", {"decision"}),
        ("which commands failed", {"command_ran", "error"}),
        ("what the user wanted", {"prompt_given"}),
        ("where does it live", {"file_change"}),
        ("how many kestrels", {"metric"}),
        ("how much time", {"metric"}),
        ("how are the many kestrels", set()),
        ("the last checkpoint", {"checkpoint"}),
        ("kestrel nest", set()),
    ],
)
def test_kinds_are_named_by_common_words(text: str, kinds: set[str]) -> None:
    assert set(kinds_of(find_tokens(text))) == kinds
    for name in kinds:
        TYPES.spec(name)  # refuses one that is not known
