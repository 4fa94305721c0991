"""SEARCH/REPLACE blocks: their marks, and what cannot be read because of them."""

from __future__ import annotations

import pytest

from holdfast.code.edits import (
    Applied,
    Edit,
    Piece,
    Search,
    Unreadable,
    apply,
    find_edits,
    from_tool_call,
)


def only(text: str) -> Edit:
    (edit,) = find_edits(text)
    return edit


@pytest.mark.parametrize(
    "marks",
    [
        ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
        ("<<<<<<<<< SEARCH>", "=========  ", ">>>>>>>>> REPLACE "),
        ("------- SEARCH", "=======", "+++++++ REPLACE"),
    ],
)
def test_marks_of_several_lengths_and_kinds_are_read(marks: tuple[str, str, str]) -> None:
    edit = only(f"a.py\n```\n{marks[0]}\nold\n{marks[1]}\nnew\n{marks[2]}\n```\n")
    assert isinstance(edit, Search)
    assert edit.pieces == (Piece("old\n", "new\n"),)


@pytest.mark.parametrize("empty", [True, False])
def test_either_side_may_be_empty(empty: bool) -> None:
    sides = ("", "x\n") if empty else ("x\n", "")
    edit = only("a.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n".format(*sides))
    assert isinstance(edit, Search)
    assert edit.pieces == (Piece(*sides),)


@pytest.mark.parametrize(
    ("text", "reason", "complete"),
    [
        ("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "the block has no divider", True),
        (
            "<<<<<<< SEARCH\na\n=======\nb\n=======\n>>>>>>> REPLACE\n",
            "2 lines that could be",
            True,
        ),
        ("<<<<<<< SEARCH\na\n=======\nb\n", "the text ended inside", False),
        ("<<<<<<< SEARCH\na\n", "the text ended inside", False),
        (
            "<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\nb\n>>>>>>> REPLACE\n",
            "a closing mark stands behind the block",
            True,
        ),
    ],
)
def test_a_block_that_can_be_read_in_two_ways_is_not_read(
    text: str, reason: str, complete: bool
) -> None:
    edit = only(f"a.py\n```\n{text}")
    assert isinstance(edit, Unreadable)
    assert reason in edit.reason
    assert (edit.path, edit.complete) == ("a.py", complete)


def test_a_block_without_its_end_does_not_swallow_the_next() -> None:
    text = "a.py\n<<<<<<< SEARCH\nx\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    first, second = find_edits(text)
    assert isinstance(first, Unreadable)
    assert apply(second, "a\n") == Applied("b\n")


def test_all_blocks_of_one_call_are_one_edit() -> None:
    diff = "".join(f"------- SEARCH\n{n}\n=======\n{n}{n}\n+++++++ REPLACE\n\n" for n in "ab")
    (edit,) = from_tool_call("replace_in_file", {"path": "x", "diff": diff})
    assert apply(edit, "a\nb\n") == Applied("aa\nbb\n")


def test_roos_hints_and_escapes_are_read() -> None:
    diff = (
        "<<<<<<< SEARCH\n:start_line:3\n:end_line:4\n-------\n\\=======\n\\\\n\n=======\n"
        "\\>>>>>>> REPLACE\n>>>>>>> REPLACE\n"
    )
    (edit,) = from_tool_call("apply_diff", {"path": "x", "diff": diff})
    assert isinstance(edit, Search)
    assert edit.pieces == (Piece("=======\n\\\\n\n", ">>>>>>> REPLACE\n", 3),)


def test_a_git_conflict_is_no_edit() -> None:
    assert find_edits("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> branch\n") == ()
