"""Tool calls written as tags: the same edits as the calls, and doubt where a tag stands twice."""

from __future__ import annotations

import pytest

from holdfast.code.edits import (
    Applied,
    Block,
    Edit,
    Refused,
    Unreadable,
    Whole,
    apply,
    find_edits,
)

BASE = "one\ntwo\n"


def only(text: str) -> Edit:
    (edit,) = find_edits(text)
    return edit


@pytest.mark.parametrize(
    "text",
    [
        "<write_to_file>\n<path>a.py</path>\n<content>\none\n2\n</content>\n</write_to_file>",
        "<write_to_file><path> a.py </path><content>one\n2\n</content></write_to_file>",
        "<replace_in_file>\n<path>a.py</path>\n<diff>\n------- SEARCH\ntwo\n=======\n2\n"
        "+++++++ REPLACE\n</diff>\n</replace_in_file>",
        "<apply_diff>\n<path>a.py</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:2\n-------\ntwo\n"
        "=======\n2\n>>>>>>> REPLACE\n</diff>\n</apply_diff>",
        "<search_and_replace>\n<path>a.py</path>\n<search>two</search>\n<replace>2</replace>\n"
        "</search_and_replace>",
        '<invoke name="Edit">\n<parameter name="file_path">a.py</parameter>\n'
        '<parameter name="old_string">two</parameter>\n<parameter name="new_string">2</parameter>\n'
        "</invoke>",
        '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", '
        '"content": "one\\n2\\n"}}\n</tool_call>',
        '<tool_call>{"name": "edit", "arguments": "{\\"filePath\\": \\"a.py\\", '
        '\\"oldString\\": \\"two\\", \\"newString\\": \\"2\\"}"}</tool_call>',
        "<apply_patch>\n<input>\n*** Begin Patch\n*** Update File: a.py\n@@\n-two\n+2\n"
        "*** End Patch\n</input>\n</apply_patch>",
    ],
)
def test_a_tag_gives_the_edit_of_its_tool(text: str) -> None:
    edit = only(f"I will do it.\n\n{text}\n\nDone.")
    assert edit.path == "a.py"
    assert apply(edit, BASE) == Applied("one\n2\n")


def test_lines_are_inserted_by_a_tag() -> None:
    inner = "<path>a</path>\n<line>1</line>\n<content>\nzero\n</content>"
    text = f"<insert_content>\n{inner}\n</insert_content>"
    assert apply(only(text), BASE) == Applied("zero\none\ntwo\n")


def test_fences_and_markup_inside_a_value_belong_to_it() -> None:
    content = "# T\n```py\nx = 1\n```\n<path>p</path>\n& <b>\n</content>\n"
    text = f"<write_to_file>\n<path>R.md</path>\n<content>\n{content}</content>\n</write_to_file>\n"
    edit = only(text + "\n")
    assert isinstance(edit, Whole)
    assert apply(edit, "\n") == Applied(content)


def test_several_tags_follow_each_other_and_fences_them() -> None:
    one = "<write_to_file><path>{0}</path><content>{0}</content></write_to_file>\n"
    edits = find_edits(one.format("a") + one.format("b") + "```\nx\n```\n")
    assert [type(edit) for edit in edits] == [Whole, Whole, Block]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<write_to_file><path>a</path><content>x</write_to_file>", "<content> is not closed"),
        ("<write_to_file><content>x</content></write_to_file>", "the call has no path"),
        (
            "<write_to_file><path>a</path><content>x</content></write_to_file> y</content>"
            "</write_to_file>",
            "stands twice",
        ),
        (
            '<invoke name="Write"><parameter name="path">a</parameter>'
            '<parameter name="content">x</parameter> y</parameter></invoke>',
            "not clear where the parameter content ends",
        ),
        ("<tool_call>{nonsense}</tool_call>", "the tool call is not JSON"),
        ('<tool_call>{"name": "write", "arguments": "{"}</tool_call>', "the call has no path"),
    ],
)
def test_a_tag_that_can_be_read_in_two_ways_is_not_read(text: str, reason: str) -> None:
    edit = only(text)
    assert isinstance(edit, Unreadable)
    assert reason in edit.reason


@pytest.mark.parametrize(
    "text", ["<write_to_file><path>a</path><content>x", '<invoke name="Write">\n']
)
def test_a_tag_open_at_the_end_is_not_complete(text: str) -> None:
    edit = only(text)
    assert not edit.complete
    assert isinstance(apply(edit, None), Refused)


def test_a_tag_of_a_tool_that_edits_nothing_hides_nothing_when_it_is_open() -> None:
    text = '<invoke name="Read">\n<tool_call>\na.py\n```\nx\n```\n'
    assert apply(only(text), None) == Applied("x\n")


@pytest.mark.parametrize(
    "text",
    [
        "The tag `<write_to_file>` writes.",
        '<invoke name="Read"><parameter name="file_path">a</parameter></invoke>',
        '<tool_call>{"name": "ls", "arguments": {}}</tool_call>',
        "<tool_call>[1]</tool_call>",
        "<invoke>x</invoke>",
    ],
)
def test_other_tags_are_no_edits(text: str) -> None:
    assert find_edits(text) == ()


def test_a_tag_inside_a_fence_is_only_shown() -> None:
    edit = only("```xml\n<write_to_file><path>a</path><content>x</content></write_to_file>\n```\n")
    assert isinstance(edit, Block)
    assert edit.path is None
