"""Words that say nothing are recognised, and refused as a quick resume."""

from __future__ import annotations

import pytest

from holdfast.kernel.errors import InvalidInput
from holdfast.views.facts import Facts
from holdfast.views.resume import checkpoint_data, is_boilerplate


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Phase: unknown, Call: 52",
        "unknown",
        "N/A",
        "n.a.",
        "todo",
        "TBD - none",
        "Checkpoint 7",
        "Session 12, step 3 of 9",
        "task: null; next: null",
        "Continue with the next step",
        "three",
        "...",
        "-/-",
        "work in progress 50%",
    ],
)
def test_boilerplate_is_recognised(text: str) -> None:
    assert is_boilerplate(text)
    with pytest.raises(InvalidInput, match="says nothing"):
        checkpoint_data(Facts(), quick_resume=text)


@pytest.mark.parametrize(
    "text",
    [
        "Working on append-only state, 5/12 done",
        "10/20 items done, next: item 11",
        "fix the lexer",
        "12 of 20 completed",
        "日本語の作業",
        "Phase: migration, Call: 52",
        "a.py",
    ],
)
def test_what_says_something_is_no_boilerplate(text: str) -> None:
    assert not is_boilerplate(text)
    assert checkpoint_data(Facts(), quick_resume=text)["quick_resume"] == text
