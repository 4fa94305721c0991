"""Putting a new text where the old one stands, only where that is certain."""

from __future__ import annotations

import pytest

from holdfast.proxy.splicing import column, moved_to, spliced


def test_a_part_is_replaced_where_it_stands_once() -> None:
    assert spliced("a b c", "b", "x") == "a x c"


@pytest.mark.parametrize(("text", "old"), [("a b b", "b"), ("a", "b"), ("a", "")])
def test_a_part_that_stands_nowhere_or_twice_is_not_replaced(text: str, old: str) -> None:
    assert spliced(text, old, "x") is None


@pytest.mark.parametrize(("offset", "before"), [(0, ""), (6, "  "), (4, "")])
def test_a_column_is_what_stands_before_on_the_line(offset: int, before: str) -> None:
    assert column("abc\n  def", offset) == before


def test_a_definition_moves_to_another_column_with_its_lines() -> None:
    alone = "def f():\n    if 1:\n\n        return 2\n"
    inside = "def f():\n        if 1:\n\n            return 2\n"
    assert moved_to(alone, "", "    ") == inside
    assert moved_to(inside, "    ", "") == alone
    assert moved_to(alone, "\t", "\t") == alone


@pytest.mark.parametrize(
    ("text", "have", "want"),
    [
        ("def f():\nreturn 1", "    ", ""),  # a line that is not indented as it should be
        ('def f():\n    x = """\nflush left\n"""', "", "    "),  # what is quoted would change
        ("f() {\n  x = `\nflush left`\n}", "", "  "),
        ("def f(): pass", "x = ", ""),  # it does not begin its line
        ("def f(): pass", "", "x = "),
    ],
)
def test_a_definition_that_moving_could_change_does_not_move(
    text: str, have: str, want: str
) -> None:
    assert moved_to(text, have, want) is None


def test_quoted_lines_that_are_indented_move_along() -> None:
    text = 'def f():\n    """Say.\n\n    More.\n    """\n    return 1'
    assert moved_to(text, "", "  ") == text.replace("\n    ", "\n      ")
