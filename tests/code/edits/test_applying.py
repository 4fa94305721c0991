"""Replaced texts: one place or none, as each tool does it, and never half."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.code.edits import (
    Applied,
    Piece,
    Refused,
    Replace,
    Replacement,
    Search,
    apply,
    from_tool_call,
)
from holdfast.kernel.limits import EDIT_WORK_CHARS_MAX


def edited(base: str | None, old: str, new: str, name: str = "Edit", **more: Any) -> object:
    arguments = {
        "file_path": more.pop("path", "a.py"),
        "old_string": old,
        "new_string": new,
        **more,
    }
    (edit,) = from_tool_call(name, arguments)
    return apply(edit, base)


def test_a_text_that_stands_twice_is_refused_and_the_second_place_named() -> None:
    found = edited("a = 1\nb\na = 1\n", "a = 1", "c")
    assert found == Refused("the text to replace stands in more than one place", 3, 1)
    assert isinstance(edited("aaa", "aa", "b"), Refused)


def test_every_place_is_replaced_when_asked_for() -> None:
    assert edited("a b a", "a", "c", replace_all=True) == Applied("c b c")
    assert edited("a b a", "a", "c", "edit", replaceAll=True) == Applied("c b c")


def test_an_expected_number_of_places_must_be_there() -> None:
    assert edited("a b a", "a", "c", "replace", expected_replacements=2) == Applied("c b c")
    found = edited("a b a", "a", "c", "replace", expected_replacements=3)
    assert found == Refused("3 places are expected, 2 are there", None, 1)


def test_an_empty_old_text_makes_a_file_but_changes_none() -> None:
    assert edited(None, "", "x\n") == Applied("x\n")
    assert edited("", "", "x\n") == Applied("x\n")
    assert edited("y\n", "", "x\n") == Refused("the text to replace is empty", None, 1)


def test_an_edit_that_changes_nothing_is_refused() -> None:
    assert edited("x\n", "x", "x") == Refused("the edit changes nothing")


def test_crlf_is_kept_and_a_mixture_refused() -> None:
    assert edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny") == Applied("x\r\ny\r\nc\r\n")
    assert edited("a\r\nb\r\n", "a\r\nb", "x\r\ny") == Applied("x\r\ny\r\n")
    assert isinstance(edited("a\r\nb\nc\n", "a", "x"), Refused)


def test_a_byte_order_mark_stays() -> None:
    assert edited("\ufeffa\nb\n", "a\n", "x\n") == Applied("\ufeffx\nb\n")


def test_claude_code_drops_spaces_at_line_ends_but_not_in_markdown() -> None:
    assert edited("x\n", "x", "a  \nb\t\n  \nc ") == Applied("a\nb\n\nc\n")
    assert edited("x\n", "x", "a  \nb", path="R.md") == Applied("a  \nb\n")
    assert edited("x\n", "x", "a  \nb", "edit") == Applied("a  \nb\n")
    for name, path, after in (("Write", "a.py", "a\nb\n"), ("Write", "R.mdx", "a  \nb\t\n"),
                              ("write", "a.py", "a  \nb\t\n")):  # fmt: skip
        (edit,) = from_tool_call(name, {"file_path": path, "content": "a  \nb\t\n"})
        assert apply(edit, None) == Applied(after)


def test_a_deleted_line_goes_with_its_end() -> None:
    assert edited("a\nb\nc\n", "b", "") == Applied("a\nc\n")
    assert edited("a\nb", "b", "") == Applied("a\n")
    assert edited("a\nb\nc\n", "b\n", "") == Applied("a\nc\n")


def test_a_part_may_not_seek_what_an_earlier_one_wrote() -> None:
    edits = [{"old_string": "a", "new_string": "bx"}, {"old_string": "b", "new_string": "c"}]
    (edit,) = from_tool_call("MultiEdit", {"file_path": "x", "edits": edits})
    reason = "the text to replace stands in what an earlier part put in"
    assert apply(edit, "a\n") == Refused(reason, None, 2)


def test_later_parts_see_what_earlier_ones_left() -> None:
    edits = [{"oldText": "a", "newText": "b"}, {"oldText": "b", "newText": "c"}]
    (edit,) = from_tool_call("edit_file", {"path": "x", "edits": edits})
    assert apply(edit, "a\n") == Applied("c\n")


def test_too_much_work_is_refused() -> None:
    parts = tuple(Replacement(f"q{n}", "x") for n in range(2000))
    base = "a" * (EDIT_WORK_CHARS_MAX // 2000 + 1)
    found = apply(Replace(path="x", replacements=parts), base)
    assert isinstance(found, Refused)
    assert "too many" in found.reason


def search(base: str | None, *pieces: tuple[str, str], via: str = "aider") -> object:
    edit = Search(path="f.py", via=via, pieces=tuple(Piece(old, new) for old, new in pieces))
    return apply(edit, base)


def test_lines_are_sought_whole() -> None:
    assert search("aa\na\n", ("a\n", "b\n")) == Applied("aa\nb\n")


def test_lines_that_stand_twice_are_refused_and_both_places_named() -> None:
    found = search("a\nb\na\n", ("a\n", "x\n"))
    assert found == Refused("the lines sought stand in line 1 and again", 3, 1)


def test_a_miss_says_how_far_it_went() -> None:
    found = search("a\nb\nc\n", ("a\nb\nX\n", "y\n"))
    assert found == Refused("after 2 of 3 lines 'X' is sought, and 'c' stands there", 3, 1)
    found = search("a\nb\n", ("b\nc\n", ""))
    assert found == Refused(
        "after 1 of 2 lines 'c' is sought, and the end of the file stands there", 3, 1
    )
    assert search("a\n", ("x\n", "")) == Refused(
        "none of the lines sought stands in the base", None, 1
    )


def test_the_second_block_failing_leaves_nothing_of_the_first() -> None:
    found = search("a\nb\n", ("a\n", "x\n"), ("q\n", "y\n"))
    assert isinstance(found, Refused)
    assert found.part == 2


def test_aider_ends_every_file_with_a_newline() -> None:
    assert search("a\nb", ("a\n", "x\n")) == Applied("x\nb\n")
    assert search("a\nb", ("b\n", "x\n")) == Applied("a\nx\n")


def test_roo_and_cline_keep_a_missing_newline() -> None:
    assert search("a\nb", ("a\n", "x\n"), via="apply_diff") == Applied("x\nb")
    assert search("a\nb", ("b\n", "x\n"), via="apply_diff") == Applied("a\nx")
    assert search("a\nb", ("a\n", "x\n"), via="replace_in_file") == Applied("x\nb")
    assert isinstance(search("a\nb", ("b\n", "x\n"), via="replace_in_file"), Refused)


def test_an_empty_search_adds_to_the_end_in_aider_only() -> None:
    assert search("a\n", ("", "b\n")) == Applied("a\nb\n")
    assert search(None, ("", "b\n")) == search("", ("", "b\n")) == Applied("b\n")
    assert isinstance(search("a\n", ("", "b\n"), via="replace_in_file"), Refused)
    assert isinstance(search("a\n\n", ("\n", "b\n")), Refused)
    assert isinstance(search("", ("\n", "b\n")), Refused)
    assert isinstance(search("a\n", ("", "b\n\n")), Refused)


def test_search_keeps_crlf() -> None:
    assert search("a\r\nb\r\n", ("a\n", "x\ny\n")) == Applied("x\r\ny\r\nb\r\n")
    assert isinstance(search("a\r\nb\n", ("a\n", "x\n")), Refused)


def test_a_stated_line_tells_equal_lines_apart_also_behind_other_changes() -> None:
    pieces = (Piece("a\n", "1\n2\n", 1), Piece("a\n", "x\n", 3))
    edit = Search(path="x", via="apply_diff", pieces=pieces)
    assert apply(edit, "a\nb\na\na\n") == Applied("1\n2\nb\nx\na\n")


@pytest.mark.parametrize(("base", "after"), [("a\n", "x\n"), ("a", "x"), (None, "x")])
def test_write_to_file_ends_as_the_base_did(base: str | None, after: str) -> None:
    (edit,) = from_tool_call("write_to_file", {"path": "a", "content": "x"})
    assert apply(edit, base) == Applied(after)
    (edit,) = from_tool_call("write_to_file", {"path": "a", "content": "x\n\n"})
    assert isinstance(apply(edit, base), Refused)


@pytest.mark.parametrize("content", ["```py\nx\n", "x\n```\n", "a &lt; b\n"])
def test_what_cline_would_alter_is_refused(content: str) -> None:
    (edit,) = from_tool_call("write_to_file", {"path": "a", "content": content})
    assert isinstance(apply(edit, "x\n"), Refused)
    (edit,) = from_tool_call("write", {"path": "a", "content": content})
    assert apply(edit, "x\n") == Applied(content)


def test_entities_in_blocks_of_cline_are_refused_and_in_those_of_aider_kept() -> None:
    assert isinstance(search("a\n", ("a\n", "&amp;\n"), via="replace_in_file"), Refused)
    assert search("a\n", ("a\n", "&amp;\n")) == Applied("&amp;\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [("a\n\n", "b\n"), ("a\n", "b\n\n"), ("# f.py\na\n", "a\n"), ("# f.py\na\n", "# src/f.py\na\n"),
     ("```\na\n```\n", "a\n")],
)  # fmt: skip
def test_a_block_of_which_aider_drops_lines_on_one_side_is_refused(old: str, new: str) -> None:
    found = search(f"x\n{old}y\n", (old, new))
    assert isinstance(found, Refused)
    assert "drop lines" in found.reason
    assert search(f"x\n{old}y\n", (old, new), via="apply_diff") == Applied(f"x\n{new}y\n")


def test_lines_that_aider_drops_on_both_sides_do_not_tell_places_apart() -> None:
    assert search("a\n\n", ("a\n\n", "b\n\n")) == Applied("b\n\n")
    assert isinstance(search("a\nx\na\n\n", ("a\n\n", "b\n\n")), Refused)


def test_aider_leaves_no_file_empty() -> None:
    assert isinstance(search("a\n", ("a\n", "")), Refused)
    assert search("a\n", ("a\n", ""), via="apply_diff") == Applied("")
