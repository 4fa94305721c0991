"""Definitions that a parser takes for whole, and that are not."""

from __future__ import annotations

import time

import pytest

from holdfast.code import read_symbols

ALIVE = "\n\ndef g():\n    return 1\n"


def broken(text: str, language: str = "python") -> list[str]:
    """Return the definitions that have errors."""
    reading = read_symbols(text, language)
    found = [symbol.qualified for symbol in reading.symbols if symbol.errors]
    assert reading.errors or not found
    return found


@pytest.mark.lesson("T3")
@pytest.mark.parametrize(
    "text",
    [
        "def f():\n" + ALIVE,
        "def f():",
        "def f():\n    # ... rest of the code unchanged\n" + ALIVE,
        "def f():  # a note: this\n\n    # and more\n" + ALIVE,
        "async def f():\n" + ALIVE,
        "class f(Base):\n\n    # ...\n" + ALIVE,
        "def f(x):\n    if x:\n    return 1\n" + ALIVE,
        "def f(x):\n    if x:  # a note:\n    return 1\n" + ALIVE,
        "def f(x):\n    try:\n        # nothing\n    except ValueError:\n        pass\n" + ALIVE,
    ],
)
def test_a_head_without_a_body_is_broken_and_what_is_beside_it_is_not(text: str) -> None:
    assert broken(text) == ["f"]


def test_a_method_without_a_body_breaks_its_class() -> None:
    text = "class A:\n    def f(self):\n        # rest\n\n    def g(self):\n        return 1\n"
    assert broken(text) == ["A", "A.f"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(): pass\n",
        "class A: x = 1\n",
        "def f():\n\n    # a note\n\n    return 1\n",
        "def f(a):\n    x = {'a':\n         1}\n    return a[1:\n             2]\n",
        'def f():\n    """Say:\n\n    """\n    return 1\n',
        "def f(x):\n    match x:\n        case 1:\n            return 1\n",
        "x = 1  # see:\n",
    ],
)
def test_a_body_that_is_there_is_seen(text: str) -> None:
    assert broken(text) == []
    assert not read_symbols(text, "python").errors


@pytest.mark.lesson("T3")
def test_what_stands_on_the_line_of_an_error_is_broken() -> None:
    assert broken("const e = new Map(();\nconst b = 1;\n", "javascript") == ["e"]


@pytest.mark.parametrize("line", ["if x:\n", "a: b: c:\n", "::::\n", "def f():\n\n#\n"])
def test_many_colons_take_linear_time(line: str) -> None:
    spent = []
    for count in (250, 1_000):
        before = time.process_time()
        assert read_symbols(line * count, "python").errors
        spent.append(time.process_time() - before)
    assert spent[1] < 10 * max(spent[0], 0.02)


def test_what_is_behind_too_many_heads_is_not_taken_for_whole() -> None:
    text = 'x = """\n' + "see:\n" * 1_100 + '"""\n\n\ndef f():\n    return 1\n'
    assert broken(text) == ["x"]
