"""One whole definition out of a text."""

from __future__ import annotations

import pytest

from holdfast.code import CouldNotLook, read_symbols, section_at, section_named
from holdfast.kernel.errors import NotFound

TEXT = """\
import a

# Above.
class Queue:
    size = 'ä'

    @cached
    def take(self):
        def inner():
            return 1
        return inner()

LIMIT = (
    3
)
"""


@pytest.mark.parametrize(
    ("line", "qualified"),
    [
        (3, "Queue"),
        (5, "Queue"),
        (7, "Queue.take"),
        (8, "Queue.take"),
        (10, "Queue.take.inner"),
        (11, "Queue.take"),
        (14, "LIMIT"),
    ],
)
def test_the_smallest_whole_definition_around_a_line_is_found(line: int, qualified: str) -> None:
    assert section_at(TEXT, "python", line).symbol.qualified == qualified


def test_a_section_is_all_of_a_definition() -> None:
    section = section_at(TEXT, "python", 8)
    lines = TEXT.split("\n")[section.symbol.start_line - 1 : section.symbol.end_line]
    assert section.text == "\n".join(lines).lstrip()
    assert section.text.startswith("@cached\n")


@pytest.mark.parametrize("line", [1, 2, 12, 99, 0, -1])
def test_a_line_outside_of_all_definitions_is_not_found(line: int) -> None:
    with pytest.raises(NotFound, match=f"line {line}"):
        section_at(TEXT, "python", line)


def test_a_section_is_found_by_its_qualified_name() -> None:
    section = section_named(TEXT, "python", "Queue.take.inner")
    assert section.text == "def inner():\n            return 1"


def test_a_name_that_is_not_qualified_is_not_guessed_but_hinted_at() -> None:
    with pytest.raises(NotFound, match=r"Did you mean Queue\.take\?"):
        section_named(TEXT, "python", "take")


def test_a_name_that_nothing_is_like_is_not_found() -> None:
    with pytest.raises(NotFound, match="An outline lists them"):
        section_named(TEXT, "python", "absent")


def test_a_reading_made_elsewhere_is_used() -> None:
    reading = read_symbols(TEXT, "python")
    assert section_at(TEXT, "unheard-of", 8, reading=reading).symbol.name == "take"


def test_a_text_that_cannot_be_read_has_no_missing_sections() -> None:
    with pytest.raises(CouldNotLook):
        section_named("x\0", "python", "x")
