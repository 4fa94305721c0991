"""The definitions of a text within a token budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.code import outline
from holdfast.kernel import tokens

TEXT = """\
class Queue:
    def put(self):
        def inner(): pass

    def take(self): pass

def free(): pass
class Queue: pass
"""


def test_an_outline_shows_what_stands_where_and_in_what() -> None:
    found = outline(TEXT, "python", 1000)
    assert found.text.split("\n") == [
        "1-5 class Queue",
        "  2-3 method put",
        "    3-3 function inner",
        "  5-5 method take",
        "7-7 function free",
        "8-8 class Queue#2",
    ]
    assert (found.shown, found.left_out) == (6, 0)


def test_the_innermost_go_first_and_the_outline_says_so() -> None:
    inner = "".join(f"        def inner{n}(): pass\n" for n in range(20))
    text = f"class A:\n    def f(self):\n{inner}def g(): pass\n"
    found = outline(text, "python", 60)
    assert found.text.split("\n") == [
        "1-22 class A",
        "  2-22 method f",
        "23-23 function g",
        "… 20 definitions left out, all inside of others",
    ]
    assert (found.shown, found.left_out) == (3, 20)


def test_without_room_for_the_outermost_the_last_go() -> None:
    text = "".join(f"def f{n}(): pass\n" for n in range(50))
    found = outline(text, "python", 60)
    *shown, last = found.text.split("\n")
    assert shown[0] == "1-1 function f0"
    assert last == f"… {50 - len(shown)} definitions left out, the inner and the last ones"
    assert found.left_out == 50 - len(shown) > 0


def test_without_room_for_a_word_nothing_is_shown_and_all_is_counted() -> None:
    found = outline(TEXT, "python", 1)
    assert (found.text, found.tokens, found.shown, found.left_out) == ("", 0, 0, 6)


def test_an_outline_of_nothing_is_empty() -> None:
    assert outline("x\n", "python", 10).text == ""


@given(st.integers(0, 200))
def test_an_outline_is_within_its_budget_and_counts_everything(budget: int) -> None:
    found = outline(TEXT, "python", budget)
    assert found.tokens == tokens.estimate(found.text) <= budget
    assert found.counter == tokens.COUNTER
    assert found.shown + found.left_out == 6
