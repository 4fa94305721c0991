"""Codex's patches: its grammar, one place for each chunk, and what its tool does at the ends."""

from __future__ import annotations

import pytest

from holdfast.code.edits import (
    Applied,
    Delete,
    Edit,
    Patch,
    Refused,
    Unreadable,
    Whole,
    apply,
    from_tool_call,
)

METHOD = "    def f(self):\n        x = 1\n        return x\n"
CODE = f"class A:\n{METHOD}\nclass B:\n{METHOD}"


def read(*lines: str) -> tuple[Edit, ...]:
    text = "".join(line + "\n" for line in ("*** Begin Patch", *lines, "*** End Patch"))
    return from_tool_call("apply_patch", {"input": text})


def update(*lines: str) -> Edit:
    (edit,) = read("*** Update File: a.py", *lines)
    return edit


def test_a_patch_may_add_update_move_and_delete() -> None:
    added, updated, deleted = read(
        "*** Add File: n.py", "+x = 1", "+", "+y = 2",
        "*** Update File: a.py", "*** Move to: b.py", "@@", "-x", "+y",
        "*** Delete File: d.py",
    )  # fmt: skip
    assert isinstance(added, Whole)
    assert added.content == "x = 1\n\ny = 2\n"
    assert isinstance(updated, Patch)
    assert (updated.path, updated.renamed_to) == ("a.py", "b.py")
    assert apply(updated, "x\n") == Applied("y\n", "b.py")
    assert isinstance(deleted, Delete)


def test_a_context_tells_equal_places_apart() -> None:
    edit = update("@@ class B:", "-        x = 1", "+        x = 2")
    found = apply(edit, CODE)
    assert found == Applied(CODE[::-1].replace("1 = x", "2 = x", 1)[::-1])


def test_contexts_narrow_one_behind_the_other() -> None:
    edit = update("@@ class B:", "@@     def f(self):", "-        x = 1", "+        x = 2")
    assert apply(edit, CODE) == Applied(CODE[::-1].replace("1 = x", "2 = x", 1)[::-1])


@pytest.mark.parametrize(
    ("lines", "reason", "line"),
    [
        (
            ("@@", "-        x = 1", "+        x = 2"),
            "the lines sought stand in line 3 and again",
            8,
        ),
        (("@@     def f(self):", "-        x = 1"), "the context '    def f(self):': the lines", 7),
        (("@@ class C:", "-        x = 1"), "the context 'class C:': none of the lines", None),
        (("@@ class A:", "-        x = 7"), "none of the lines sought stands", None),
        (("@@ class B:", "+    y = 1"), "adds lines and does not say behind which", 6),
    ],
)
def test_a_chunk_without_one_place_is_refused(
    lines: tuple[str, ...], reason: str, line: int | None
) -> None:
    found = apply(update(*lines), CODE)
    assert isinstance(found, Refused)
    assert reason in found.reason
    assert (found.line, found.part) == (line, 1)


def test_chunks_come_in_the_order_of_the_file() -> None:
    edit = update("@@", "-b", "+B", "@@", "-a", "+A")
    found = apply(edit, "a\nb\n")
    assert isinstance(found, Refused)
    assert found.part == 2


def test_a_chunk_may_stand_at_the_end_of_the_file() -> None:
    edit = update("@@", "-x", "+y", "*** End of File")
    assert apply(edit, "x\na\nx\n") == Applied("x\na\ny\n")
    assert isinstance(apply(edit, "x\na\n"), Refused)


def test_added_lines_alone_go_to_the_end() -> None:
    assert apply(update("@@", "+z"), "a\n") == Applied("a\nz\n")


def test_the_first_chunk_needs_no_mark() -> None:
    assert apply(update(" a", "-b", "+c"), "a\nb\n") == Applied("a\nc\n")


def test_every_file_ends_with_a_newline() -> None:
    assert apply(update("@@", "-a", "+b"), "a\nc") == Applied("b\nc\n")


def test_an_empty_line_is_context() -> None:
    assert apply(update("@@", " a", "", "-b", "+c"), "a\n\nb\n") == Applied("a\n\nc\n")


def test_an_empty_line_behind_the_last_line_is_the_end_of_the_file() -> None:
    assert apply(update("@@", " a", "-b", "+c", ""), "a\nb\n") == Applied("a\nc\n")


def test_a_blank_line_at_the_end_stays() -> None:
    assert apply(update("@@", "-b", "+"), "a\nb\n") == Applied("a\n\n")


def test_crlf_is_kept_and_a_mixture_refused() -> None:
    edit = update("@@", " a", "-b", "+c", "+d")
    assert apply(edit, "a\r\nb\r\nz\r\n") == Applied("a\r\nc\r\nd\r\nz\r\n")
    assert isinstance(apply(edit, "a\r\nb\n"), Refused)


def test_lines_of_the_file_that_look_like_markers_are_lines() -> None:
    lines = ("@@", " *** End Patch", "-*** Begin Patch", "+*** Update File: q", " z")
    base = "*** End Patch\n*** Begin Patch\nz\n"
    assert apply(update(*lines), base) == Applied("*** End Patch\n*** Update File: q\nz\n")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ((), "the patch is empty"),
        (("*** Update File: a",), "the update of a is empty"),
        (("*** Update File: a", "@@"), "has no lines"),
        (("*** Update File: a", "*** Move to: b"), "the update of a is empty"),
        (("*** Update File: a", "@@", "-a", "words"), "is no part of a chunk"),
        (("*** Rename File: a",), "names no file"),
        (("words",), "line 4 of the patch names no file: 'words'"),
        (("*** Add File: a", "+x", "y"), "names no file"),
    ],
)
def test_a_patch_off_the_grammar_is_refused_whole(lines: tuple[str, ...], reason: str) -> None:
    (edit,) = read("*** Add File: good.py", "+x", *lines) if lines else read()
    assert isinstance(edit, Unreadable)
    assert reason in edit.reason


def test_a_patch_without_its_end_is_not_complete() -> None:
    text = "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n"
    (edit,) = from_tool_call("apply_patch", {"input": text})
    assert not edit.complete
    assert isinstance(apply(edit, "a\n"), Refused)
