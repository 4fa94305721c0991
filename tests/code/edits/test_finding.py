"""Edits in prose: every form is found, with its path, its place, and whether all of it came."""

from __future__ import annotations

import pytest

from holdfast.code.edits import (
    Applied,
    Block,
    Delete,
    Diff,
    Edit,
    Patch,
    Refused,
    Search,
    Unreadable,
    Whole,
    apply,
    find_edits,
)
from holdfast.kernel.limits import EDIT_TEXT_CHARS_MAX, EDITS_MAX


def only(text: str) -> Edit:
    (edit,) = find_edits(text)
    return edit


def block(text: str) -> Block:
    edit = only(text)
    assert isinstance(edit, Block)
    return edit


@pytest.mark.parametrize(
    ("head", "path"),
    [
        ("```python src/a.py", "src/a.py"),
        ("```python:src/a.py", "src/a.py"),
        ("```src/a.py", "src/a.py"),
        ('```python title="src/a.py"', "src/a.py"),
        ("```python title='my file.py'", "my file.py"),
        ("```python {file=src/a.py}", "src/a.py"),
        ("```py filename=a.py", "a.py"),
        ("src/a.py\n```python", "src/a.py"),
        ("**src/a.py**\n\n```python", "src/a.py"),
        ("**`src/a.py`**:\n```python", "src/a.py"),
        ("### `src/a.py`\n```python", "src/a.py"),
        ("1. **src/__init__.py**\n```python", "src/__init__.py"),
        ("File: src/a.py\n```python", "src/a.py"),
        ("`my dir/a b.py`\n```", "my dir/a b.py"),
        ("Dockerfile\n```", "Dockerfile"),
        (".gitignore\n```", ".gitignore"),
        ("../up.py\n```", "../up.py"),
        ("/etc/hosts\n```", "/etc/hosts"),
        ("C:\\x\\a.py\n```", "C:\\x\\a.py"),
        ("Make it so:\n```python\n# src/a.py", "src/a.py"),
        ("```ts\n// src/a.ts", "src/a.ts"),
        ("```css\n/* a/b.css */", "a/b.css"),
        ("```html\n<!-- index.html -->", "index.html"),
        ("```sh\n#!/bin/sh\n# bin/run.sh", "bin/run.sh"),
        ("```sql\n-- q/x.sql", "q/x.sql"),
        ("```py\n# File: src/a.py", "src/a.py"),
    ],
)
def test_a_path_is_taken_from_info_line_before_or_first_comment(head: str, path: str) -> None:
    assert block(f"{head}\nx = 1\n```\n").path == path


@pytest.mark.parametrize(
    "head",
    [
        "```python",
        "```",
        "```js {1,3-5}",
        "Then run `src/a.py` like this:\n```bash",
        "### Node.js\n```js",
        "In version 3.11\n```",
        "See https://example.org/a.py\n```",
        "etc.\n```",
        "src/a.py\n\n\n```",
        "src/a.py\nmore words\n```",
        "```py\n# the module a.py does x",
        "```py\nx = 1\n# src/a.py",
        "```py\nimport a.py",
    ],
)
def test_no_path_is_guessed_from_other_words(head: str) -> None:
    edit = block(f"{head}\nx = 1\n```\n")
    assert edit.path is None
    assert apply(edit, "y") == Refused("the block names no file")


def test_the_info_string_comes_before_the_line_before_and_that_before_the_comment() -> None:
    text = "b.py\n```py {}\n# c.py\n```\n"
    assert block(text.format("title=a.py")).path_from == "info"
    assert block(text.format("")).path_from == "before"
    assert block(text.format("").replace("b.py", "so:")).path_from == "comment"


def test_the_line_before_a_block_is_not_the_end_of_another() -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+c\n b.py\n"
    first, second = find_edits(f"{diff}```\ny\n```\n")
    assert (first.path, second.path) == ("x", None)


def test_an_edit_says_where_it_stood() -> None:
    text = "Look:\na.py\n```py\nx\n```\nand <b>\n```\ny\n```"
    assert [text[edit.start : edit.end] for edit in find_edits(text)] == [
        "```py\nx\n```\n",
        "```\ny\n```",
    ]


@pytest.mark.parametrize(
    "info",
    [
        "12:34:src/a.py", "src/a.py (1-2)", "python src/a.py:1-20", "src/a.py#L5", "src/a.py#L1-L5",
        "python src/a.py lines 3-9", "python title=src/a.py L3-9", "src/a.py (lines 1–2)",
    ],
)  # fmt: skip
def test_a_block_that_cites_lines_changes_nothing(info: str) -> None:
    edit = block(f"```{info}\nx\n```\n")
    assert (edit.path, edit.quoted) == ("src/a.py", True)
    assert isinstance(apply(edit, "x\n"), Refused)


@pytest.mark.parametrize(
    "info", ["python src/a.py", "js src/a.py {1,3-5}", "python src/v1-2.py", "c++ src/a-1-2.py"]
)
def test_a_block_with_numbers_in_its_info_is_a_file_all_the_same(info: str) -> None:
    edit = block(f"```{info}\nx\n```\n")
    assert edit.path is not None
    assert not edit.quoted


@pytest.mark.lesson("N14")
def test_a_block_in_a_quote_changes_nothing_and_one_in_a_list_does() -> None:
    quoted = block("> a.py\n> ```python\n> x = 1\n> ```\n")
    assert (quoted.path, quoted.quoted, quoted.content) == ("a.py", True, "x = 1\n")
    assert isinstance(apply(quoted, "x = 2\n"), Refused)
    in_both = block("- > a.py\n  > ```python\n  > x = 1\n  > ```\n")
    assert in_both.quoted
    assert not block("- a.py\n  ```python\n  x = 1\n  ```\n").quoted
    diff = block("> ```diff\n> --- a/a.py\n> +++ b/a.py\n> @@ -1 +1 @@\n> -x\n> +y\n> ```\n")
    assert diff.quoted


@pytest.mark.parametrize(
    "path",
    [
        "café.py",
        "cafe\u0301.py",
        "модель.py",
        "数据.py",
        "src/数据.py",
        "über/größe.ts",
        "naïve.py",
    ],
)
def test_a_path_may_be_written_in_any_letters(path: str) -> None:
    assert block(f"{path}\n```\nx\n```\n").path == path
    assert block("Вот.\n```\nx\n```\n").path is None


@pytest.mark.parametrize(
    "line",
    ["# ... existing code ...", "// ... rest of the file", "    # … unchanged …", "/* ... */",
     "<!-- ... other rows -->", "...", "# rest of the class stays the same ..."],
)  # fmt: skip
def test_a_block_that_leaves_code_out_is_not_applied(line: str) -> None:
    found = apply(block(f"a.py\n```py\nx = 1\n{line}\n```\n"), "x = 2\ny = 3\n")
    assert isinstance(found, Refused)
    assert "leaves code out in its line 2" in found.reason


@pytest.mark.parametrize("line", ["def f(x: int = ...) -> int: ...", "    ...", "print('...')",
                                  "# wait for it...", "# e.g. 1, 2, ..., n"])  # fmt: skip
def test_dots_that_are_code_do_not_leave_code_out(line: str) -> None:
    assert apply(block(f"a.py\n```py\n{line}\n```\n"), None) == Applied(line + "\n")


def test_a_block_that_may_have_ended_at_an_inner_fence_is_not_applied() -> None:
    text = "README.md\n```md\n# Run\n```bash\nmake\n```\nmore\n```\n"
    first, _ = find_edits(text)
    assert isinstance(first, Block)
    assert isinstance(apply(first, None), Refused)
    longer = text.replace("```md", "````md").replace("more\n```", "more\n````")
    assert apply(only(longer), None) == Applied("# Run\n```bash\nmake\n```\nmore\n")


def test_an_incomplete_block_is_not_applied() -> None:
    found = apply(block("a.py\n```py\nx = 1\n"), None)
    assert found == Refused("the edit is not complete: the text ended before it was closed")


def test_aiders_blocks_take_the_path_before_inside_or_last() -> None:
    one = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
    text = (
        f"a.py\n```python\n{one.format('1', '2')}```\n"
        f"again\n```\n{one.format('3', '4')}```\n"
        f"```\nb.py\n{one.format('5', '6')}\n{one.format('7', '8')}```\n"
        f"c.py\n{one.format('9', '0')}"
        "```py\nunrelated\n```\n"
    )
    *edits, last = find_edits(text)
    assert [edit.path for edit in edits] == ["a.py", "a.py", "b.py", "b.py", "c.py"]
    assert all(isinstance(edit, Search) for edit in edits)
    assert isinstance(last, Block)


def test_a_search_block_may_hold_fences() -> None:
    text = (
        "a.md\n```md\n<<<<<<< SEARCH\n```sh\nx\n```\n=======\n```sh\ny\n```\n>>>>>>> REPLACE\n```\n"
    )
    assert apply(only(text), "```sh\nx\n```\n") == Applied("```sh\ny\n```\n")


def test_a_patch_is_found_bare_and_fenced_and_may_hold_fences() -> None:
    patch = (
        "*** Begin Patch\n*** Add File: a.md\n+```\n+x\n+```\n*** Delete File: b\n*** End Patch\n"
    )
    for text in (f"So:\n{patch}Done.", f"So:\n```\n{patch}```\nDone.", f"~~~patch\n{patch}~~~\n"):
        first, second = find_edits(text)
        assert isinstance(first, Whole)
        assert isinstance(second, Delete)
        assert first.content == "```\nx\n```\n"
    cut = find_edits(patch.replace("*** End Patch\n", ""))
    assert [edit.complete for edit in cut] == [False, False]
    assert isinstance(apply(cut[0], None), Refused)


def test_a_fenced_diff_may_hold_fences() -> None:
    text = "```diff\n--- a/r.md\n+++ b/r.md\n@@ -1,3 +1,3 @@\n ```\n-x\n+y\n ```\n```\nEnd\n"
    assert apply(only(text), "```\nx\n```\n") == Applied("```\ny\n```\n")


def test_a_diff_without_names_takes_the_path_before() -> None:
    edit = only("a.py\n```diff\n@@ -1 +1 @@\n-x\n+y\n```\n")
    assert isinstance(edit, Diff)
    assert edit.path == "a.py"
    edit = only("a.py\n```diff\n--- original\n+++ modified\n@@ -1 +1 @@\n-x\n+y\n```\n")
    assert edit.path == "a.py"
    edit = only("```diff\n-x\n+y\n```\n")
    assert edit.path is None
    assert apply(edit, "a\nx\nb\n") == Applied("a\ny\nb\n")


def test_a_rule_in_prose_is_no_diff() -> None:
    assert find_edits("--- a\n+++ b\nwords\n\n---\n- item\n*** Bold ***\n<b>\n") == ()


def test_prose_is_no_edit() -> None:
    assert find_edits("") == ()
    assert find_edits("Nothing `here` to see.\n\n    indented\n") == ()


def test_carriage_returns_of_the_answer_are_not_part_of_a_block() -> None:
    assert block("a.py\r\n```py\r\nx\r\n```\r\n").content == "x\n"


def test_more_edits_than_are_looked_at_are_counted() -> None:
    *edits, last = find_edits("```\n```\n" * (EDITS_MAX + 5))
    assert len(edits) == EDITS_MAX
    assert isinstance(last, Unreadable)
    assert f"the last {5 * 8} characters" in last.reason
    updates = "".join(f"*** Update File: {n}\n@@\n-a\n" for n in range(EDITS_MAX + 5))
    *edits, last = find_edits(f"*** Begin Patch\n{updates}*** End Patch\n")
    assert len(edits) == EDITS_MAX
    assert isinstance(last, Unreadable)
    assert last.reason.startswith("too much: 5 edits")


def test_a_text_that_is_too_long_says_how_much_was_not_looked_at() -> None:
    last = find_edits("x" * EDIT_TEXT_CHARS_MAX + "\n```\n```\n")[-1]
    assert isinstance(last, Unreadable)
    assert not last.complete
    assert last.start == EDIT_TEXT_CHARS_MAX


@pytest.mark.parametrize(
    ("path", "unsafe"),
    [("src/a.py", False), ("a..b/c", False), ("../a", True), ("a/../../b", True), ("/a", True),
     ("~/a", True), ("C:\\a", True), ("a\\..\\b", True), ("a\u202eb", True), ("a\x00b", True),
     ("\\\\host\\a", True), ("a\nb", True)],
)  # fmt: skip
def test_a_path_that_leaves_the_project_is_kept_and_flagged(path: str, unsafe: bool) -> None:
    edit = Whole(path=path, content="")
    assert (edit.path, edit.unsafe) == (path, unsafe)
    moved = Patch(path="a", chunks=(), renamed_to=path)
    assert moved.unsafe == unsafe
