"""From an identifier to the exact lines, or to one whole definition."""

from __future__ import annotations

from hashlib import sha256

import pytest

from holdfast.code import read_symbols
from holdfast.code.values import Reading
from holdfast.counting import count
from holdfast.kernel.errors import CouldNotLook, HoldfastError, InvalidInput, NotFound
from holdfast.kernel.tokens import COUNTER
from holdfast.recall.identifiers import Identifier, Line, Lines, Named
from holdfast.recall.retrieval import Budget, Retrieved, near_names, retrieve

CODE = """\
import os


class Queue:
    # größer
    def put(self, one):
        self.all.append(one)

    @property
    def size(self):
        return len(self.all)


def take(queue):
    return queue.all.pop()
"""


def get(wanted: Identifier, text: str = CODE) -> Retrieved:
    return retrieve(text, wanted, read_symbols)


def no_reading(text: str, language: str) -> Reading:
    raise AssertionError("lines need no parser")


@pytest.mark.req("L6")
def test_lines_are_the_exact_lines() -> None:
    found = retrieve(CODE, Lines("a.py", 4, 6), no_reading)
    assert found.text == "".join(CODE.splitlines(keepends=True)[3:6])
    assert found.digest == sha256(found.text.encode()).hexdigest()
    assert (found.identifier, found.symbol) == ("${PROJECT_ROOT}/a.py:4-6", None)


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\nb", "a\x0c\nb\u2028c\n", "\n", "a\n\n\n"])
def test_all_lines_together_are_the_text(text: str) -> None:
    """Lines end where parsers end them, at a line feed only."""
    lines = text.count("\n") + (not text.endswith("\n"))
    found = [retrieve(text, Lines("a.txt", n, n), no_reading).text for n in range(1, lines + 1)]
    assert "".join(found) == text == retrieve(text, Lines("a.txt", 1, lines), no_reading).text


@pytest.mark.req("L6")
@pytest.mark.parametrize("line", [9, 10, 11])
def test_a_line_stands_for_the_smallest_whole_definition_around_it(line: int) -> None:
    found = get(Line("a.py", line))
    assert found.symbol is not None
    assert (found.symbol.qualified, found.first, found.last) == ("Queue.size", 9, 11)
    assert found.indent + found.text == "\n".join(CODE.split("\n")[8:11])


@pytest.mark.req("L6")
def test_a_name_stands_for_its_definition_with_range_and_digest() -> None:
    found = get(Named("a.py", "Queue.put"))
    assert found.symbol is not None
    assert found.identifier == "${PROJECT_ROOT}/a.py:5-7"
    assert found.digest == found.symbol.digest == sha256(found.text.encode()).hexdigest()
    assert found == get(Line("a.py", 6))


@pytest.mark.req("L6")
def test_the_budget_holds_the_identifier_against_the_text_and_the_file() -> None:
    found = get(Named("a.py", "take"))
    small, part, whole = (count(text) for text in (found.identifier, found.text, CODE))
    assert found.tokens == Budget(small.tokens, part.tokens, whole.tokens, whole.counter)
    estimated = retrieve(CODE, Named("a.py", "take"), read_symbols, model=COUNTER).tokens
    assert (estimated.counter, estimated.file > found.tokens.file) == (COUNTER, True)


@pytest.mark.parametrize(
    ("wanted", "error", "said"),
    [
        (Named("a.py", "Queue.sise"), NotFound, "a.py::Queue.size"),
        (Named("a.py", "put"), NotFound, "a.py::Queue.put"),
        (Named("a.py", "Queue::take"), NotFound, "a.py::take"),
        (Line("a.py", 2), NotFound, "Near ones: Queue (4-11)"),
        (Line("a.py", 16), NotFound, "It has 15 lines"),
        (Line("a.py", 0), NotFound, "It has 15 lines"),
        (Lines("a.py", 14, 16), NotFound, "It has 15 lines"),
        (Lines("a.py", 0, 3), InvalidInput, "Lines count from 1"),
        (Lines("a.py", 5, 3), InvalidInput, "Lines count from 1"),
        (Line("a.xyz", 3), CouldNotLook, "${PROJECT_ROOT}/a.xyz:1-20"),
    ],
)
def test_what_is_not_there_is_named_with_what_is_near(
    wanted: Identifier, error: type[HoldfastError], said: str
) -> None:
    with pytest.raises(error) as raised:
        get(wanted)
    assert said in str(raised.value)


@pytest.mark.lesson("L9")
@pytest.mark.parametrize("wanted", [Named("a.py", "gone"), Line("a.py", 1)])
def test_what_may_stand_where_nobody_could_look_is_not_said_to_be_absent(
    wanted: Identifier,
) -> None:
    with pytest.raises(CouldNotLook, match="could not be parsed"):
        get(wanted, "import os\n\ndef bad(:\n" + CODE)


def test_near_names_are_found_among_very_many() -> None:
    names = [f"Class{n}.method{n}" for n in range(50_000)]
    assert near_names("method49999", names)[0] == "Class49999.method49999"
    assert near_names("x" * 1_000_000, names) == []
