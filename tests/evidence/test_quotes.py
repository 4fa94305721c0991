"""A quote stands in a text word for word, or what became of it is said."""

from __future__ import annotations

import pytest

from holdfast.evidence.quotes import Lines, Seen, look, nearest

TEXT = """import os

class A:
    def f(self):
        return 1

    def g(self):
        return 2
"""


def seen(quote: str, first: int, last: int | None = None, text: str = TEXT) -> Seen:
    return look(Lines(text), quote, first, last)


def test_a_quote_may_be_a_part_of_its_line() -> None:
    assert seen("def f", 4) == Seen("exact", 4)
    assert seen("    def f(self):", 4) == Seen("exact", 4)


def test_a_quote_of_several_lines_ends_its_first_and_begins_its_last() -> None:
    assert seen("f(self):\n        return", 4) == Seen("exact", 4)
    assert seen("f(self):\n        return 1\n\n    def", 4, 7) == Seen("exact", 4)
    assert seen("f(self)\n        return", 4).state == "changed"
    assert seen("f(self):\nreturn", 4).state == "changed"


def test_within_lines_it_may_stand_anywhere_but_must_end_there() -> None:
    assert seen("return 1", 3, 6) == Seen("exact", 5)
    assert seen("def f(self):\n        return 1", 3, 5) == Seen("exact", 4)
    assert seen("def f(self):\n        return 1", 3, 4) == Seen("moved", 4)


def test_it_moved_to_the_nearest_place() -> None:
    text = "x\n" * 3 + "same\n" + "x\n" * 10 + "same\n" + "x\n" * 3
    assert seen("same", 6, text=text) == Seen("moved", 4)
    assert seen("same", 12, text=text) == Seen("moved", 15)
    assert seen("same", 1000, text=text) == Seen("moved", 15)


def test_the_nearest_place_may_overlap_the_cited_line() -> None:
    assert nearest(Lines("a\nb\nc\n"), "a\nb\nc", 2) == 1


def test_line_ends_of_windows_are_line_ends() -> None:
    text = TEXT.replace("\n", "\r\n")
    assert seen("class A:\n    def f(self):", 3, text=text) == Seen("exact", 3)
    assert seen("import os", 1, text=text) == Seen("exact", 1)


def test_a_lone_carriage_return_is_no_line_end() -> None:
    assert seen("b", 2, text="a\rb\n") == Seen("moved", 1)


@pytest.mark.parametrize(
    ("quote", "how"),
    [
        ("def f( self ):", "only blanks differ"),
        ("def\tf(self):", "only blanks differ"),
        ("DEF f(self):", "only capitals differ"),
        ("d\u0435f f(self):", "look-alike characters"),
        ("def\u200b f(self):", "look-alike characters"),
        ("\uff44ef f(self):", "look-alike characters"),
        ("def h(self):", None),
    ],
)
def test_changed_says_what_differs_where_it_is_little(quote: str, how: str | None) -> None:
    assert seen(quote, 4) == Seen("changed", how=how)


def test_behind_the_end_of_the_file_it_is_gone() -> None:
    assert seen("nowhere", 9) == Seen("gone")
    assert seen("nowhere", 8) == Seen("changed")
    assert seen("nowhere", 1, text="") == Seen("gone")


def test_the_last_line_counts_with_and_without_its_end() -> None:
    assert seen("b", 2, text="a\nb") == Seen("exact", 2)
    assert seen("b", 2, text="a\nb\n") == Seen("exact", 2)
    assert seen("c", 3, text="a\nb\n") == Seen("gone")
    assert Lines("a\n\n").total == 2


@pytest.mark.parametrize("ahead", range(12))
@pytest.mark.parametrize("text", [TEXT, TEXT.rstrip(), "", "\n", "a", "a\r\nb"])
def test_what_can_be_had_quickly_is_what_is_there(text: str, ahead: int) -> None:
    plain = Lines(text)
    quick = Lines(text, ahead)
    expected = [plain.lines[n - 1] if n <= plain.total else None for n in range(1, 12)]
    assert expected == [quick.line(n) for n in range(1, 12)]


def test_lines_know_where_they_begin() -> None:
    lines = Lines(TEXT)
    assert [lines.line_at(lines.start_of(line)) for line in range(1, 9)] == list(range(1, 9))
    assert lines.start_of(99) == len(TEXT)
