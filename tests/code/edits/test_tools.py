"""Tool calls of the agents: each name and spelling gives its edit, a bad call says why not."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.code.edits import (
    Applied,
    Cell,
    Delete,
    Edit,
    Refused,
    Unreadable,
    Whole,
    apply,
    from_tool_call,
)

BASE = "one\ntwo\nthree\n"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n one\n-two\n+2\n*** End Patch"


def only(name: str, arguments: dict[str, Any]) -> Edit:
    (edit,) = from_tool_call(name, arguments)
    return edit


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Write", {"file_path": "a.py", "content": "new\n"}),
        ("write", {"filePath": "a.py", "content": "new\n"}),
        ("write_file", {"path": "a.py", "content": "new\n"}),
        ("writeFile", {"path": "a.py", "content": "new\n"}),
        ("mcp__filesystem__write_file", {"path": "a.py", "content": "new\n"}),
        ("create_file", {"filePath": "a.py", "content": "new\n"}),
        ("write_to_file", {"path": "a.py", "content": "new\n", "line_count": 1}),
        ("str_replace_editor", {"command": "create", "path": "a.py", "file_text": "new\n"}),
        (
            "str_replace_based_edit_tool",
            {"command": "create", "path": "a.py", "file_text": "new\n"},
        ),
        ("editor", {"path": "a.py", "new_text": "new\n"}),
        (
            "apply_patch_call",
            {"operation": {"type": "create_file", "path": "a.py", "diff": "+new\n"}},
        ),
    ],
)
def test_a_tool_that_writes_gives_the_whole_file(name: str, arguments: dict[str, Any]) -> None:
    edit = only(name, arguments)
    assert edit.path == "a.py"
    assert apply(edit, BASE) == apply(edit, None) == Applied("new\n")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Edit", {"file_path": "a.py", "old_string": "two", "new_string": "2"}),
        (
            "Edit",
            {"file_path": "a.py", "old_string": "two", "new_string": "2", "replace_all": False},
        ),
        ("edit", {"filePath": "a.py", "oldString": "two", "newString": "2"}),
        ("edit_file", {"path": "a.py", "edits": [{"oldText": "two", "newText": "2"}]}),
        ("replace", {"file_path": "a.py", "old_string": "two", "new_string": "2"}),
        ("search_replace", {"file_path": "a.py", "old_string": "two", "new_string": "2"}),
        ("replace_string_in_file", {"filePath": "a.py", "oldString": "two", "newString": "2"}),
        ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "two", "new_string": "2"}]}),
        ("multiedit", {"filePath": "a.py", "edits": [{"oldString": "two", "newString": "2"}]}),
        ("MultiEdit", {"file_path": "a.py", "edits": '[{"old_string": "two", "new_string": "2"}]'}),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": "a.py", "oldString": "two", "newString": "2"}]},
        ),
        (
            "str_replace_editor",
            {"command": "str_replace", "path": "a.py", "old_str": "two", "new_str": "2"},
        ),
        ("editor", {"path": "a.py", "old_text": "two", "new_text": "2"}),
        ("search_and_replace", {"path": "a.py", "search": "two", "replace": "2"}),
        (
            "replace_in_file",
            {"path": "a.py", "diff": "------- SEARCH\ntwo\n=======\n2\n+++++++ REPLACE"},
        ),
        (
            "apply_diff",
            {
                "path": "a.py",
                "diff": "<<<<<<< SEARCH\n:start_line:2\n-------\ntwo\n=======\n2\n>>>>>>> REPLACE",
            },
        ),
        ("apply_diff", {"path": "a.py", "diff": "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"}),
        ("apply_patch", {"input": PATCH}),
        ("apply_patch", {"patch": PATCH}),
        ("apply_patch", {"command": PATCH}),
        ("apply_patch", {"command": ["apply_patch", PATCH]}),
        ("apply_patch", {"patchText": PATCH + "\n"}),
        ("apply_patch", {"patch": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"}),
        (
            "apply_patch_call",
            {"operation": {"type": "update_file", "path": "a.py", "diff": "@@\n one\n-two\n+2\n"}},
        ),
        ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"}),
        ("shell", {"command": ["bash", "-lc", f"cd x && apply_patch <<EOF\n{PATCH}\nEOF"]}),
        ("Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
        ("local_shell_call", {"action": {"command": ["apply_patch", PATCH]}}),
    ],
)
def test_a_tool_that_changes_gives_the_change(name: str, arguments: dict[str, Any]) -> None:
    edit = only(name, arguments)
    assert edit.path == "a.py"
    assert apply(edit, BASE) == Applied("one\n2\nthree\n")
    assert isinstance(apply(edit, "one\nthree\n"), Refused)
    assert isinstance(apply(edit, None), Refused)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Read", {"file_path": "a.py"}),
        ("Bash", {"command": "sed -i s/a/b/ a.py"}),
        ("Bash", {"command": "cat <<'EOF'\n*** Begin Patch\nEOF"}),
        ("Bash", {}),
        ("shell", {"command": [1, 2]}),
        ("TodoWrite", {"todos": []}),
        ("str_replace_editor", {"command": "view", "path": "a.py"}),
        ("mcp__memory__remember", {"content": "x"}),
        ("", {}),
    ],
)
def test_a_tool_that_edits_nothing_gives_nothing(name: str, arguments: dict[str, Any]) -> None:
    assert from_tool_call(name, arguments) == ()


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("Write", {"file_path": "a.py"}, "the call has no content"),
        ("Write", {"content": "x"}, "the call has no path"),
        ("Write", {"file_path": 7, "content": "x"}, "the call has no path"),
        ("Edit", {"file_path": "a.py", "new_string": "x"}, "the call has no text to replace"),
        ("Edit", {"file_path": "a.py", "old_string": "x"}, "the call has no new text"),
        ("MultiEdit", {"file_path": "a.py", "edits": []}, "the call has no list of edits"),
        ("MultiEdit", {"file_path": "a.py", "edits": "[nonsense"}, "the call has no list of edits"),
        ("MultiEdit", {"file_path": "a.py", "edits": [3]}, "the call has no list of edits"),
        ("multi_replace_string_in_file", {}, "the call has no list of replacements"),
        (
            "NotebookEdit",
            {"notebook_path": "a", "edit_mode": "x", "new_source": ""},
            "the edit mode",
        ),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, "the call has no new source"),
        ("str_replace_editor", {"command": "insert", "path": "a", "new_str": "x"}, "no number"),
        ("str_replace_editor", {"command": "undo_edit", "path": "a"}, "takes back an edit"),
        ("edit_file", {"target_file": "a.py", "code_edit": "# ..."}, "for another model"),
        ("insert_edit_into_file", {"filePath": "a.py", "code": "x"}, "for another model"),
        (
            "search_and_replace",
            {"path": "a", "search": "x", "replace": "", "use_regex": "true"},
            "pattern",
        ),
        (
            "search_and_replace",
            {"path": "a", "search": "x", "replace": "", "start_line": 3},
            "some lines",
        ),
        ("replace_in_file", {"path": "a.py", "diff": "words"}, "no SEARCH/REPLACE block"),
        ("apply_patch", {"input": "words"}, "there is no line `*** Begin Patch`"),
        ("apply_patch", {}, "the call has no patch"),
        ("apply_patch_call", {"operation": {"type": "rename"}}, "none of create, update, delete"),
        (
            "apply_patch_call",
            {"operation": {"type": "create_file", "path": "a", "diff": "x"}},
            "line 1",
        ),
        (
            "apply_patch_call",
            {"operation": {"type": "update_file", "path": "a", "diff": "*** x"}},
            "chunks",
        ),
    ],
)
def test_a_call_without_what_it_needs_says_so(
    name: str, arguments: dict[str, Any], reason: str
) -> None:
    edit = only(name, arguments)
    assert isinstance(edit, Unreadable)
    assert reason in edit.reason
    assert apply(edit, BASE) == Refused(edit.reason)


def test_a_call_may_delete() -> None:
    edit = only("delete_file", {"target_file": "a.py"})
    assert isinstance(edit, Delete)
    assert apply(edit, BASE) == Applied(None)
    assert apply(edit, None) == Refused("the file is not there")


@pytest.mark.parametrize(
    ("line", "text", "after"),
    [
        (0, "x", "x\none\ntwo\nthree\n"),
        (1, "x\n", "one\nx\ntwo\nthree\n"),
        (3, "x\ny", "one\ntwo\nthree\nx\ny\n"),
    ],
)
def test_lines_are_inserted_behind_a_line(line: int, text: str, after: str) -> None:
    arguments = {"command": "insert", "path": "a", "insert_line": line, "insert_text": text}
    assert apply(only("str_replace_based_edit_tool", arguments), BASE) == Applied(after)
    crlf = apply(only("editor", {"path": "a", "new_text": text, "insert_line": line}),
                 BASE.replace("\n", "\r\n"))  # fmt: skip
    assert crlf == Applied(after.replace("\n", "\r\n"))


def test_roo_inserts_before_a_line_or_at_the_end() -> None:
    arguments = {"path": "a", "content": "x"}
    before = only("insert_content", {**arguments, "line": "2"})
    assert apply(before, BASE) == Applied("one\nx\ntwo\nthree\n")
    at_end = only("insert_content", {**arguments, "line": 0})
    assert apply(at_end, "one") == Applied("one\nx")


def test_lines_are_not_inserted_behind_the_end() -> None:
    edit = only("editor", {"path": "a", "new_text": "x", "insert_line": 4})
    assert apply(edit, BASE) == Refused("the base has 3 lines, not 4", 3)


def test_a_notebook_call_is_read() -> None:
    edit = only(
        "NotebookEdit", {"notebook_path": "/n.ipynb", "cell_id": "ab", "new_source": "x = 1"}
    )
    assert isinstance(edit, Cell)
    assert (edit.cell, edit.mode, edit.unsafe) == ("ab", "replace", True)
    old = only("NotebookEdit", {"notebook_path": "n", "cell_number": 2, "edit_mode": "delete"})
    assert isinstance(old, Cell)
    assert (old.cell, old.mode) == ("cell-2", "delete")


def test_paths_are_never_changed() -> None:
    path = "/a/../b\u202e.py"
    edit = only("Write", {"file_path": path, "content": ""})
    assert isinstance(edit, Whole)
    assert (edit.path, edit.unsafe) == (path, True)
