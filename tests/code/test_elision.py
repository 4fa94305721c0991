"""Which texts say that something was left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.code import read_symbols
from holdfast.code.elision import says_left_out

HERE = Path(__file__).parent
MARKS = (HERE / "left_out.txt").read_text(encoding="utf-8").splitlines()
OTHERS = (HERE / "not_left_out.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("comment", MARKS)
def test_a_comment_that_says_so_is_a_mark(comment: str) -> None:
    assert says_left_out(comment.encode())


@pytest.mark.parametrize("comment", OTHERS)
def test_another_comment_is_none(comment: str) -> None:
    assert not says_left_out(comment.encode())


@pytest.mark.parametrize(
    "text",
    [
        "def f(): ...\n",
        "def f():\n    '''Doc.'''\n    ...\n",
        "def f():\n    x = 1\n    ...\n    return x\n",
        "def f():\n    if x:\n        ...\n    return x\n",
        "def f():\n    try: g()\n    except X:\n        log()\n        ...\n",
        "class f: ...\n",
        "class f(Base):\n    ...\n",
        "def f():\n    pass  # unchanged\n",
        "def f():\n    # ...\n    return 1\n",
        "def f(): pass  # same as before\n",
    ],
)
def test_a_python_definition_with_a_part_left_out_is_elided(text: str) -> None:
    (symbol,) = read_symbols(text, "python").symbols
    assert symbol.elided


@pytest.mark.parametrize(
    "text",
    [
        "@overload\ndef f(a: int) -> int: ...\n",
        "@typing.overload\ndef f(a: int) -> int:\n    ...\n",
        "@abc.abstractmethod\ndef f(self): ...\n",
        "class f(Protocol[T]):\n    ...\n",
        "class f(ValueError): ...\n",
        "if TYPE_CHECKING:\n    def f(): ...\n",
        "def f(a=...): return a[..., 1]\n",
        "def f():\n    with raises(X): ...\n",
        "def f():\n    while g(): ...\n",
        "def f():\n    raise NotImplementedError\n",
        "def f():\n    pass\n",
        "def f(a=1,  # unchanged\n      b=2):\n    return a\n",
        "def f():\n    return '# ... existing code ...'\n",
        "def f():\n    '''Text.\n\n    ...\n    '''\n",
        "def f():\n    # One of these:\n    # ...\n    # or others.\n    return 1\n",
    ],
)
def test_a_python_definition_that_is_all_there_is_not(text: str) -> None:
    assert [s.name for s in read_symbols(text, "python").symbols if s.elided] == []


def test_methods_of_a_protocol_are_whole_and_those_of_a_class_are_not() -> None:
    body = "    def a(self) -> int: ...\n"
    assert not read_symbols(f"class P(Protocol):\n{body}", "python").elided
    assert read_symbols(f"class P(Base):\n{body}", "python").elided


def test_in_a_stub_file_dots_are_how_bodies_are_written() -> None:
    text = "def f(a: int) -> int:\n    ...\nclass A:\n    def g(self) -> None: ...\n"
    assert not read_symbols(text, "python-stub").elided
    assert read_symbols(text + "# ... rest unchanged\n", "python-stub").elided


def test_what_holds_something_elided_is_elided_and_its_neighbour_is_not() -> None:
    gone, kept = "# rest unchanged\n        pass", "return 1"
    text = f"class A:\n    def f(self):\n        {gone}\n    def g(self):\n        {kept}\n"
    found = {s.qualified: s.elided for s in read_symbols(text, "python").symbols}
    assert found == {"A": True, "A.f": True, "A.g": False}


def test_a_mark_between_definitions_is_told_of_the_text_alone() -> None:
    reading = read_symbols("# ... existing code ...\n\ndef f(): return 1\n", "python")
    assert reading.elided
    assert [s.elided for s in reading.symbols] == [False]


@pytest.mark.parametrize(
    ("language", "text", "elided"),
    [
        ("javascript", "function f() { ... }", True),
        ("javascript", "function f() {\n  ...\n}", True),
        ("javascript", "function f() {\n  …\n}", True),
        ("javascript", "const f = (...a) => [...a, { ...b }];", False),
        ("javascript", "const f = `\n...\n`;", False),
        ("javascript", "function f() {} // unchanged", True),
        ("javascript", "function f() { return 1; /* ... */ }", False),
        ("c", "int f(const char *a,\n  ...\n);", False),
        ("cpp", "void f() { try {} catch (...) {} }", False),
        ("yaml", "a: 1\n...\n", False),
        ("go", "package a\nfunc f(a ...int) { f(a...) }\n", False),
    ],
)
def test_dots_are_a_mark_where_they_are_no_code(language: str, text: str, elided: bool) -> None:
    assert read_symbols(text, language).elided is elided


@pytest.mark.parametrize(
    "piece", ["the ", "rest ", "same as ", "existing code ", "is ", "... ", "a-", "(", "other x "]
)
def test_a_comment_made_to_be_tried_in_every_way_is_understood_at_once(piece: str) -> None:
    comment = ("# " + piece * 200)[:200].encode()
    assert not says_left_out(comment) or piece in ("... ", "existing code ")
