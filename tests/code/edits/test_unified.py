"""Unified diffs: no fuzz, git's headers, missing newlines, CRLF, wrong counts."""

from __future__ import annotations

import pytest

from holdfast.code.edits import Applied, Diff, Edit, Refused, Unreadable, apply, find_edits

HEAD = "--- a/x.py\n+++ b/x.py\n"


def only(text: str) -> Edit:
    (edit,) = find_edits(text)
    return edit


def applied(text: str, base: str | None) -> Applied | Refused:
    return apply(only(text), base)


def test_a_hunk_is_applied_where_its_header_says() -> None:
    assert applied(f"{HEAD}@@ -3 +3 @@\n-a\n+b\n", "a\na\na\n") == Applied("a\na\nb\n")


def test_a_hunk_elsewhere_is_applied_if_it_fits_in_one_place() -> None:
    assert applied(f"{HEAD}@@ -9 +9 @@\n-a\n+b\n", "x\na\n") == Applied("x\nb\n")
    found = applied(f"{HEAD}@@ -9 +9 @@\n-a\n+b\n", "a\na\n")
    assert found == Refused("the lines sought stand in line 1 and again", 2, 1)


def test_later_hunks_move_with_earlier_ones() -> None:
    text = f"{HEAD}@@ -1,2 +1,2 @@\n-p\n+q\n k\n@@ -4,1 +4,1 @@\n-a\n+b\n"
    assert applied(text, "new\np\nk\na\na\na\n") == Applied("new\nq\nk\na\nb\na\n")


def test_hunks_never_go_back() -> None:
    text = f"{HEAD}@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+c\n"
    assert applied(text, "a\na\n") == Applied("b\nc\n")


def test_other_context_is_refused() -> None:
    found = applied(f"{HEAD}@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", "a\nb\nX\n")
    assert found == Refused("after 2 of 3 lines 'd' is sought, and 'X' stands there", 3, 1)


def test_added_lines_need_a_line_to_hold_on_to() -> None:
    assert isinstance(applied(f"{HEAD}@@ -1,0 +2 @@\n+x\n", "a\n"), Refused)
    assert applied(f"{HEAD}@@ -0,0 +1 @@\n+x\n", "") == Applied("x\n")


def test_hunks_without_numbers_must_fit_in_one_place() -> None:
    assert applied(f"{HEAD}@@ ... @@\n a\n-b\n+c\n", "a\nb\n") == Applied("a\nc\n")
    assert isinstance(applied(f"{HEAD}@@ @@\n-b\n+c\n", "b\nb\n"), Refused)
    assert applied(f"{HEAD}@@ @@\n-b\n+c\n\nwords\n", "b\n") == Applied("c\n")


@pytest.mark.parametrize(
    ("hunk", "base", "after"),
    [
        ("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "a", "b\n"),
        ("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "a\n", "b"),
        ("@@ -1,2 +1,2 @@\n k\n-a\n\\ No newline at end of file\n+b\n", "k\na", "k\nb\n"),
        ("@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n", "a\nc", "b\nc"),
        ("@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n",
         "a", "a\nb"),
    ],
)  # fmt: skip
def test_a_missing_newline_is_said_and_must_be_true(hunk: str, base: str, after: str) -> None:
    assert applied(HEAD + hunk, base) == Applied(after)
    other = base.removesuffix("\n") if base.endswith("\n") else base + "\n"
    assert isinstance(applied(HEAD + hunk, other), Refused)


def test_a_missing_newline_inside_the_file_is_refused() -> None:
    hunk = "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"
    assert isinstance(applied(HEAD + hunk, "a\nc\n"), Refused)


def test_gits_headers_are_read() -> None:
    text = (
        "diff --git a/old.py b/new.py\nsimilarity index 80%\nrename from old.py\nrename to new.py\n"
        "index 1..2 100644\n--- a/old.py\n+++ b/new.py\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/n.py b/n.py\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n.py\n"
        "@@ -0,0 +1 @@\n+x\n"
        "diff --git a/d.py b/d.py\ndeleted file mode 100644\n--- a/d.py\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-x\n"
        "diff --git a/e b/e\nnew file mode 100644\nindex 0..0\n"
        "diff --git a/m b/m2\nsimilarity index 100%\nrename from m\nrename to m2\n"
        "diff --git a/b.png b/b.png\nindex 1..2\nBinary files a/b.png and b/b.png differ\n"
    )
    renamed, new, gone, empty, moved, binary = find_edits(text)
    assert (renamed.path, apply(renamed, "a\n")) == ("old.py", Applied("b\n", "new.py"))
    assert (new.path, apply(new, None)) == ("n.py", Applied("x\n"))
    assert isinstance(apply(new, "there\n"), Refused)
    assert (gone.path, apply(gone, "x\n")) == ("d.py", Applied(None))
    assert isinstance(apply(gone, "x\ny\n"), Refused)
    assert (empty.path, apply(empty, None)) == ("e", Applied(""))
    assert (moved.path, apply(moved, "k\n")) == ("m", Applied("k\n", "m2"))
    assert isinstance(binary, Unreadable)


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ("--- a/x.py\t2026-01-01\n+++ b/x.py\t2026-01-02\n", "x.py"),
        ("--- x.py\n+++ x.py\n", "x.py"),
        ("--- x.py.orig\n+++ x.py\n", "x.py"),
        ('--- "a/\\303\\244 \\"q\\".py"\n+++ "b/\\303\\244 \\"q\\".py"\n', 'ä "q".py'),
        ("--- a/../x\n+++ b/../x\n", "../x"),
    ],
)
def test_names_are_read_as_they_are_written(names: str, path: str) -> None:
    assert only(f"{names}@@ -1 +1 @@\n-a\n+b\n").path == path


@pytest.mark.parametrize(
    ("hunk", "reason"),
    [
        ("@@ -1,3 +1,3 @@\n a\n-b\n+c\n", "the text ended inside a hunk"),
        ("@@ -1,3 +1,3 @@\n a\n-b\n+c\nwords\n", "fewer lines than its header says"),
        ("@@ -1 +1 @@\n-a\n+b\n+c\n", "more lines than its header says"),
        ("@@ -1,2 +1 @@\n-a\n+b\n+c\n-d\n", "more lines than its header says"),
    ],
)
def test_a_hunk_with_wrong_counts_cannot_be_read(hunk: str, reason: str) -> None:
    edit = only(HEAD + hunk)
    assert isinstance(edit, Unreadable)
    assert reason in edit.reason
    assert edit.complete == ("ended" not in reason)


def test_removed_lines_that_look_like_headers_are_lines() -> None:
    text = f"{HEAD}@@ -1,2 +1,2 @@\n--- a/q\n-+++ b/q\n+-- p\n+z\n"
    edit = only(text)
    assert isinstance(edit, Diff)
    assert apply(edit, "-- a/q\n+++ b/q\n") == Applied("-- p\nz\n")


def test_an_empty_line_stands_for_empty_context() -> None:
    assert applied(f"{HEAD}@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nb\n") == Applied("a\n\nc\n")


def test_crlf_is_exact_unless_only_the_base_has_it() -> None:
    hunk = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert applied(HEAD + hunk, "a\r\nb\r\n") == Applied("a\r\nc\r\n")
    assert isinstance(applied(HEAD + hunk, "a\r\nb\n"), Refused)
    exact = "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\n"
    assert applied(HEAD + exact, "a\r\nb\r\n") == Applied("a\r\nc\n")
    assert isinstance(applied(HEAD + exact, "a\nb\n"), Refused)


def test_a_diff_sent_with_crlf_throughout_is_one_with_line_feeds() -> None:
    text = (HEAD + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n").replace("\n", "\r\n")
    assert applied(text, "a\nb\n") == Applied("a\nc\n")
    assert only(text).path == "x.py"


def test_words_behind_a_fenced_diff_make_it_unreadable() -> None:
    edit = only(f"```diff\n{HEAD}@@ -1 +1 @@\n-a\n+b\nsome words\n```\n")
    assert isinstance(edit, Unreadable)


def test_a_format_patch_may_end_with_a_signature() -> None:
    assert applied(f"{HEAD}@@ -1 +1 @@\n-a\n+b\n-- \n2.50.1\n", "a\n") == Applied("b\n")


def test_a_byte_order_mark_is_part_of_the_first_line() -> None:
    hunk = "@@ -2 +2 @@\n-a\n+b\n"
    assert applied(HEAD + hunk, "\ufeffx\na\n") == Applied("\ufeffx\nb\n")
    assert isinstance(applied(f"{HEAD}@@ -1 +1 @@\n-x\n+y\n", "\ufeffx\n"), Refused)
