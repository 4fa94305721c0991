"""Citations are found wherever they stand; what is meant as one and is wrong has a fault."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.evidence.citations import Cited, parse, spell


def place(text: str) -> list[tuple[str, int, int | None, str]]:
    return [(one.path, one.line, one.last, one.quote) for one in parse(text)]


def faults(text: str) -> list[str | None]:
    return [one.fault for one in parse(text)]


@pytest.mark.req("L7")
def test_the_form_of_the_seed_is_read() -> None:
    text = "`export function validateToken()` [${PROJECT_ROOT}/src/auth/jwt.ts:45]"
    assert parse(text) == [
        Cited("src/auth/jwt.ts", 45, None, "export function validateToken()", None, 0, len(text))
    ]


def test_lines_from_one_to_another_are_read() -> None:
    assert place("`a\nb` [${PROJECT_ROOT}/a.py:3-4]") == [("a.py", 3, 4, "a\nb")]


@pytest.mark.lesson("L2")
def test_several_in_one_text_are_several() -> None:
    text = (
        "First `a` [${PROJECT_ROOT}/x.py:1], then `b` [${PROJECT_ROOT}/x.py:2];"
        "`c`\n[${PROJECT_ROOT}/y:3]"
    )
    assert place(text) == [("x.py", 1, None, "a"), ("x.py", 2, None, "b"), ("y", 3, None, "c")]


@pytest.mark.lesson("L2")
def test_one_inside_the_quote_of_another_is_part_of_the_quote() -> None:
    inner = "`q` [${PROJECT_ROOT}/inner.py:1]"
    assert place(f"`` {inner} `` [${{PROJECT_ROOT}}/outer.py:9]") == [("outer.py", 9, None, inner)]


def test_it_says_which_part_of_the_text_it_is() -> None:
    citation = "`a` [${PROJECT_ROOT}/x.py:1]"
    [found] = parse(f"See {citation}, please.")
    assert (found.start, found.end) == (4, 4 + len(citation))


@pytest.mark.parametrize(
    ("written", "quote"),
    [
        ("``a`b``", "a`b"),
        ("`` `a` ``", "`a`"),
        ("```\nx = 1\n\ny = 2\n```", "x = 1\n\ny = 2"),
        ("```python\n    x = 1\n```", "    x = 1"),
        ("```a``b```", "a``b"),
        ("` a`", " a"),
        ("`a `", "a "),
        ("` a `", "a"),
        ("`a\r\nb`", "a\nb"),
    ],
)
def test_quotes_are_fenced_as_in_commonmark(written: str, quote: str) -> None:
    assert place(f"{written} [${{PROJECT_ROOT}}/a.py:3]") == [("a.py", 3, None, quote)]


@pytest.mark.parametrize(
    "path", ["app/[id]/page.tsx", "app/[[...slug]]/page.tsx", "a b/c (1).py", "ä/ö.py", "C++/a:b.h"]
)
def test_odd_names_of_files_are_read(path: str) -> None:
    assert place(f"`q` [${{PROJECT_ROOT}}/{path}:12]") == [(path, 12, None, "q")]


@pytest.mark.req("L18")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("`a` [src/a.py:1]", "relative-path"),
        ("`a` [./a.py:1]", "relative-path"),
        ("`all:` [Makefile:1]", "relative-path"),
        ("`a` [$PROJECT_ROOT/a.py:1]", "relative-path"),
        ("`a` [${PROJECT_ROOT}:1]", "relative-path"),
        ("`a` [${PROJECT_ROOT}/:1]", "relative-path"),
        ("validateToken [src/auth/jwt.ts:45]", "relative-path"),
        ("`a` [/etc/passwd:1]", "absolute-path"),
        (r"`a` [C:\a.py:1]", "absolute-path"),
        ("`a` [${PROJECT_ROOT}/../a.py:1]", "parent-path"),
        ("`a` [${PROJECT_ROOT}/b/../a.py:1]", "parent-path"),
        ("a [${PROJECT_ROOT}/a.py:1]", "no-quote"),
        ("[${PROJECT_ROOT}/a.py:1]", "no-quote"),
        ("`` `` [${PROJECT_ROOT}/a.py:1]", "no-quote"),
        ("a` [${PROJECT_ROOT}/a.py:1]", "no-quote"),
        ("`a` is in [${PROJECT_ROOT}/a.py:1]", "no-quote"),
        ("`[${PROJECT_ROOT}/a.py:1]`", "no-quote"),
        ("`a` [${PROJECT_ROOT}/a.py]", "no-line"),
        ("`a` [${PROJECT_ROOT}/a.py:line]", "no-line"),
        ("`a` [${PROJECT_ROOT}/a.py:L3]", "no-line"),
        ("`a` [${PROJECT_ROOT}/a.py:0]", "bad-lines"),
        ("`a` [${PROJECT_ROOT}/a.py:4-3]", "bad-lines"),
    ],
)
def test_what_cannot_be_used_is_found_and_has_its_fault(text: str, fault: str) -> None:
    assert faults(text) == [fault]
    assert faults(f"Before. {text} After.") == [fault]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no citation",
        "a list [1], a link [text](src/a.py:3), a time [12:30], `x` [0]",
        "`code` [see below](https://example.org:80)",
        "[http://example.org:8080] and [10.0.0.1:80]",
        "`x` [a note:1]",
        "`a` (${PROJECT_ROOT}/a.py:1)",
    ],
)
def test_what_is_none_is_not_taken_for_one(text: str) -> None:
    assert parse(text) == []


def test_stray_backticks_do_not_shift_the_ones_behind_them() -> None:
    right = "`a` [${PROJECT_ROOT}/a.py:1]"
    for stray in ("`", "``", "it`s ", "```\nopen\n", "` `` ```"):
        assert place(f"{stray} and {right}")[-1] == ("a.py", 1, None, "a")
        assert place(f"{right} and {stray}") == [("a.py", 1, None, "a")]


def test_the_end_of_one_quote_is_not_the_beginning_of_another() -> None:
    text = "`a` [${PROJECT_ROOT}/a.py:1] b` [${PROJECT_ROOT}/b.py:2]"
    assert faults(text) == [None, "no-quote"]


lines = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1)
paths = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="[]`\n/"), min_size=1
)


@given(lines.filter(lambda text: text.strip() != ""), paths, st.integers(1, 999_999_999))
@example("`", "a", 1)
@example(" a ", "a", 1)
@example("``a", "a", 1)
@example("x\n y", "a", 1)
def test_what_is_spelled_is_read_again(quote: str, path: str, line: int) -> None:
    if path in ("..", "."):
        return
    last = line + quote.count("\n")
    assert place(spell(quote, path, line)) == [(path, line, None, quote)]
    assert place(f"x {spell(quote, path, line, last)} y") == [(path, line, last, quote)]


pieces = st.sampled_from(
    ["`", "``", "[", "]", "${PROJECT_ROOT}/", "a.py", ":1", "-2", " ", "\n", "..", "/", "x", "("]
)


@given(st.lists(pieces, max_size=60).map("".join) | st.text())
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    found = parse(text)
    assert all(text[one.start : one.end].endswith("]") for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(one.fault or (one.quote.strip() and one.line > 0 and one.path) for one in found)


HOSTILE = {
    "brackets": "[",
    "targets": "`[a.py:1]",
    "open": "[${PROJECT_ROOT}/",
    "nested": "[[x]",
    "ticks": "` `` ``` ",
    "long": "[" + "a" * 1199,
    "right": "`a` [${PROJECT_ROOT}/a.py:1] ",
    "blanks": "`" + " " * 63 + "[a.py:1]",
}


def steps(work: Callable[[], object]) -> int:
    """Count the lines of Python that run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_twice_the_text_takes_about_twice_the_steps(piece: str) -> None:
    once, twice = (steps(partial(parse, piece * size)) for size in (300, 600))
    assert twice <= 2.2 * once + 200


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_megabyte_of_hostile_text_is_read(piece: str) -> None:
    """Steps inside the pattern engine are not counted; a square of them would never end."""
    for one in parse(piece * (1_000_000 // len(piece))):
        assert one.end > one.start


def test_runs_of_every_length_are_read() -> None:
    """The classic way to make a reader of backticks quadratic: no two runs are as long."""
    lengths = list(range(1, 1500))
    random.Random(1).shuffle(lengths)
    text = " ".join("`" * length for length in lengths)
    assert faults(f"{text} [${{PROJECT_ROOT}}/a.py:1]") == ["no-quote"]
