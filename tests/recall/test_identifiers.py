"""What stands for code, and what does not."""

from __future__ import annotations

import pytest

from holdfast.counting import count
from holdfast.recall.identifiers import Identifier, Line, Lines, Named, parse, spell


@pytest.mark.req("L6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${PROJECT_ROOT}/src/a.py:45-67", Lines("${PROJECT_ROOT}/src/a.py", 45, 67)),
        ("src/a.py:45", Line("src/a.py", 45)),
        ("a.py::Class.method", Named("a.py", "Class.method")),
        ("a.rs::Foo::bar", Named("a.rs", "Foo::bar")),
        ("a.md::What: 3-4", Named("a.md", "What: 3-4")),
        ("odd:name.py:3", Line("odd:name.py", 3)),
        ("x\ny:0-9", Lines("x\ny", 0, 9)),
    ],
)
def test_the_forms_of_an_identifier(text: str, expected: Identifier) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("12", "retry-7", "a.py", ":45", "::f", ""),
        *("a.py:", "a.py::", "a.py:4-", "a.py:-4", "a.py:x", "a.py:1-2-3x"),
        *("a.py:٤٥", "a.py:1234567890"),
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert parse(text) is None


@pytest.mark.req("L6")
def test_an_identifier_is_a_few_tokens_and_is_read_back() -> None:
    spelled = spell("src/holdfast/kernel/tokens.py", 45, 67)
    assert parse(spelled) == Lines("${PROJECT_ROOT}/src/holdfast/kernel/tokens.py", 45, 67)
    assert count(spelled).tokens <= 20
