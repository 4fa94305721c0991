"""Texts made to be hard to read: the work grows with the length, not faster."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.code.edits import (
    Applied,
    Chunk,
    Diff,
    Edit,
    Hunk,
    Patch,
    Piece,
    Refused,
    Search,
    apply,
    applying_lines,
    find_edits,
    from_tool_call,
)

TEXTS: dict[str, Callable[[int], str]] = {
    "backticks": lambda n: "`" * n,
    "fences": lambda n: "```\n" * n,
    "open fence": lambda n: "```\n" + "x\n" * n,
    "list fences": lambda n: "- ```\n" * n,
    "quotes": lambda n: ">" * 90 + "\n" + "> a\n" * n,
    "list marks": lambda n: "* " * n + "x",
    "heads": lambda n: "<<<<<<< SEARCH\n" * n,
    "blocks": lambda n: "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n" * n,
    "dividers": lambda n: "<<<<<<< SEARCH\n" + "=======\n" * n,
    "tails": lambda n: "<<<<<<< SEARCH\n=======\n" + ">>>>>>> REPLACE\n" * n,
    "open tags": lambda n: "<tool_call>\n" * n,
    "tags": lambda n: "<write_to_file><path>a</path><content>b</content></write_to_file>\n" * n,
    "values": lambda n: "<write_to_file>" + "<a>x</a>" * n + "</write_to_file>",
    "parameters": lambda n: '<invoke name="Write">' + '<parameter name="a">' * n + "</invoke>",
    "diffs": lambda n: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n" * n,
    "diff headers": lambda n: "--- a\n+++ b\n@@ -1 +1 @@\n" * n,
    "diffs with wrong counts": lambda n: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n+z\n" * n,
    "cut diffs": lambda n: "```diff\n--- a\n+++ b\n@@ -1,9 +1 @@\n x\n" * n,
    "patches": lambda n: "*** Begin Patch\n" * n,
    "chunks": lambda n: "*** Begin Patch\n*** Update File: x\n" + "@@\n-a\n" * n,
    "info": lambda n: "```" + " title=" * n + "\nx\n```\n",
    "elisions": lambda n: "a.py\n```\n" + "# ... x\n" * n + "```\n",
}


def steps(work: Callable[[], Any]) -> int:
    """Count the lines of Python that some work runs."""
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


def read_and_apply(text: str) -> None:
    for edit in find_edits(text):
        apply(edit, "a\n")


@pytest.mark.parametrize("name", TEXTS)
def test_twice_the_text_takes_about_twice_the_steps(name: str) -> None:
    read_and_apply(TEXTS[name](10))  # what is made once does not count
    once, twice = (steps(partial(read_and_apply, TEXTS[name](size))) for size in (150, 300))
    assert twice <= 2.2 * once + 200


def test_many_equal_lines_are_sought_in_linear_time() -> None:
    def work(size: int) -> int:
        edit = Search(path="x", via="aider", pieces=(Piece("a\n" * size + "b\n", ""),))
        return steps(lambda: apply(edit, "a\n" * 2 * size))

    assert work(400) <= 2.2 * work(200) + 200


def test_ten_megabytes_of_backticks_are_read() -> None:
    (edit,) = find_edits("`" * 10_000_000)
    assert not edit.complete


@given(st.text(alphabet="`~<>=-+*@ \n\r\tSa/#.[]|\\{\"'0:", max_size=200))
@settings(max_examples=500, deadline=None)
def test_no_text_makes_it_stumble(text: str) -> None:
    for edit in find_edits(text):
        assert isinstance(apply(edit, text), Applied | Refused)
        assert 0 <= edit.start <= edit.end <= len(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = ["Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "apply_diff", "editor",
         "Bash", "insert_content", "search_and_replace", "multi_replace_string_in_file",
         "shell", "str_replace_editor", "apply_patch_call", "delete_file"]  # fmt: skip
KEYS = ["file_path", "path", "content", "old_string", "new_string", "edits", "command", "input",
        "diff", "operation", "line", "replacements", "action", "cell_id", "new_source", "edit_mode",
        "insert_line", "replace_all", "expected_replacements", "type"]  # fmt: skip


@given(st.sampled_from(NAMES), st.dictionaries(st.sampled_from(KEYS), values, max_size=6))
@example("multi_replace_string_in_file", {"replacements": True})
@settings(max_examples=200, deadline=None)
def test_no_call_makes_it_stumble(name: str, arguments: dict[str, Any]) -> None:
    for edit in from_tool_call(name, arguments):
        assert isinstance(apply(edit, "x\n"), Applied | Refused)


def test_more_seeking_than_is_bearable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying_lines, "EDIT_WORK_LINES_MAX", 1000)
    numbers = range(50)
    base = "".join(f"{n}\n" for n in numbers)
    edits: list[Edit] = [
        Diff(path="x", hunks=tuple(Hunk(None, (f"{n}\n",), ("x\n",)) for n in numbers)),
        Patch(path="x", chunks=tuple(Chunk((f"{n}",), ("x",)) for n in numbers)),
        Search(path="x", pieces=tuple(Piece(f"{n}\n", "x\n") for n in numbers)),
    ]
    for edit in edits:
        found = apply(edit, base)
        assert isinstance(found, Refused)
        assert "too many" in found.reason
    placed = tuple(Hunk(n + 1, (f"{n}\n",), ("x\n",)) for n in numbers)
    assert apply(Diff(path="x", hunks=placed), base) == Applied("x\n" * 50)
