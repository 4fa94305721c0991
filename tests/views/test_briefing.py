"""What an agent is told when it comes back fits, and says what was left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.agents.answering import in_utf8, in_utf16
from holdfast.views.briefing import (
    EVERYTHING,
    FIRST,
    LEFT_OUT,
    Section,
    briefed,
    briefing,
    without_briefings,
)


def _section(name: str, count: int, *, share: int = 1, more: int = 0) -> Section:
    lines = tuple(f"{name} {number} {'x' * 40}" for number in range(count))
    return Section(name.title(), name, lines, share, more)


def test_everything_is_told_where_there_is_room() -> None:
    text = briefing("First.", [_section("commands", 2), _section("files", 1)], 5_000)

    assert text.startswith("First.\n\nCommands:\n- commands 0 ")
    assert "Files:\n- files 0" in text
    assert LEFT_OUT not in text
    assert text.endswith(EVERYTHING)


def test_what_is_left_out_is_counted_by_kind() -> None:
    text = briefing("First.", [_section("commands", 50), _section("files", 50, more=7)], 1_500)

    commands, files = text.count("- commands"), text.count("- files")
    assert 0 < commands < 50
    assert 0 < files < 50
    left_out = f"{50 - commands} of 50 commands, {57 - files} of 57 files."
    assert f"{LEFT_OUT}{left_out} {EVERYTHING}" in text


def test_a_section_gets_its_share_however_long_the_one_before_it_is() -> None:
    text = briefing("First.", [_section("words", 500), _section("commands", 2)], 2_000)

    assert "- commands 1" in text


def test_what_one_section_leaves_goes_to_the_others() -> None:
    text = briefing("First.", [_section("words", 1), _section("commands", 500)], 4_000)

    assert len(text) > 3_800


@pytest.mark.parametrize("units", [len, in_utf8, in_utf16])
@given(
    first=st.text(max_size=400),
    lines=st.lists(st.lists(st.text(max_size=80), max_size=30), max_size=6),
    most=st.integers(0, 3_000),
)
def test_it_never_takes_more_than_it_may(
    units: object, first: str, lines: list[list[str]], most: int
) -> None:
    sections = [Section(f"T{at}", f"things {at}", tuple(some)) for at, some in enumerate(lines)]

    text = briefing(first, sections, most, units=units)  # type: ignore[arg-type]

    assert units(text) <= most  # type: ignore[operator]


def test_it_knows_which_entries_its_lines_are_told_from_and_what_was_left_out() -> None:
    commands = Section("Commands", "commands", tuple("abc"), seqs=(7, None, 7))
    files = Section("Files", "files", tuple("x" * 90 for _ in range(9)), more=2)
    found = briefed("First.", [commands, files], 600)

    assert found.about == (7,)
    assert found.left_out == {"files": 11 - found.text.count("- x")}
    assert found.text == briefing("First.", [commands, files], 600)


def test_entries_of_lines_that_were_left_out_are_not_named() -> None:
    lines = tuple("x" * 90 for _ in range(9))
    section = Section("Commands", "commands", lines, seqs=tuple(range(9)))
    found = briefed("First.", [section], 500)
    shown = found.text.count("- x")

    assert 0 < shown < 9
    assert found.about == tuple(range(shown))
    assert found.left_out == {"commands": 9 - shown}


def test_what_was_told_is_taken_out_of_words_that_repeat_it() -> None:
    told = briefing(f"{FIRST} The context was cleared.", [_section("commands", 2)], 5_000)

    assert without_briefings(f"Before. {told} After.").split() == ["Before.", "After."]
    assert without_briefings(f"Before. {told[:90]}").split() == ["Before."]  # cut off
    assert without_briefings("From holdfast, of course.") == "From holdfast, of course."
