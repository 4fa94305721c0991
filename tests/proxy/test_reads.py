"""A file that a tool shows counts when all of it is there and nothing else; else it does not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.proxy import reads
from holdfast.proxy.failures import is_refusal
from holdfast.proxy.reads import path_read, text_read
from tests.proxy.exchanges import numbered

CODE = "def f():\n    return 1\n\n\nx = 2\n"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "a.py"}),
        ("Read", {"file_path": "a.py", "offset": None, "limit": 2000}),
        ("read", {"filePath": "a.py", "offset": 0}),
        ("read_file", {"path": "a.py"}),
        ("read_file", {"target_file": "a.py", "should_read_entire_file": True, "explanation": "x"}),
        ("read_file", {"path": "a.py", "start_line": None, "ranges": []}),
        ("mcp__files__read_text_file", {"path": "a.py"}),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a.py"}),
    ],
)
def test_calls_that_read_a_whole_file(tool: str, arguments: dict[str, Any]) -> None:
    assert path_read(tool, arguments) == "a.py"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Read", {"file_path": "a.py", "offset": 10}),
        ("Read", {"file_path": "a.pdf", "pages": "1-3"}),
        ("view", {"path": "a.py", "view_range": [1, 20]}),
        ("read_file", {"path": "a.py", "start_line": 1, "end_line": 5}),
        ("read_text_file", {"path": "a.py", "head": 10}),
        ("str_replace_based_edit_tool", {"command": "create", "path": "a.py"}),
        ("read_file", {"path": "a.py", "max_lines": 2}),
        ("read_file", {"path": "a.py", "num_lines": 2}),
        ("read_file", {"path": "a.py", "start": 1, "end": 2}),
        ("read_file", {"path": "a.py", "from_line": 1, "to_line": 2}),
        ("read_file", {"path": "a.py", "line_start": 1, "line_end": 2}),
        ("read_file", {"target_file": "a.py", "should_read_entire_file": False}),
        ("read_file", {"path": "a.py", "symbol": "total"}),
        ("read_file", {"path": "a.py", "revision": "HEAD~3"}),
        ("read_file", {"path": "a.py", "host": "elsewhere"}),
        ("mcp__github__get_file_contents", {"owner": "o", "repo": "r", "path": "a.py"}),
        ("Bash", {"command": "cat a.py"}),
        ("Grep", {"path": "a.py", "pattern": "x"}),
        ("Read", {}),
        ("Read", {"file_path": 3}),
    ],
)
def test_calls_that_do_not(tool: str, arguments: dict[str, Any]) -> None:
    assert path_read(tool, arguments) is None


OPENCODE = "<file>\n{}\n\n(End of file - total 5 lines)\n</file>"
NEWER = OPENCODE.replace("<file>", "<path>a.py</path>\n<type>file</type>\n<content>").replace(
    "/file>", "/content>"
)


@pytest.mark.parametrize(
    "result",
    [
        numbered(CODE),
        numbered(CODE.removesuffix("\n")),
        numbered(CODE, "{:6}\t{}"),
        numbered(CODE) + "\n<system-reminder>\nbe careful\n</system-reminder>\n",
        "Here's the result of running `cat -n` on a.py:\n" + numbered(CODE, "{:6}\t{}"),
        OPENCODE.format(numbered(CODE.removesuffix("\n"), "{:05}| {}")),
        NEWER.format(numbered(CODE.removesuffix("\n"), "{}: {}")),
    ],
)
def test_numbers_and_remarks_are_not_the_files(result: str) -> None:
    assert text_read("Read", {}, result) == CODE


@pytest.mark.lesson("T4")
@pytest.mark.parametrize(
    "result",
    [
        numbered(CODE).partition("\n")[2],
        numbered(CODE).replace("     3→\n", ""),
        "\n".join(f"{number:6}→x = 1" for number in range(1, 2001)),
        "     1→" + "x" * 2000 + "\n     2→y",
        "<file>\n00001| x\n\n(File has more lines. Use 'offset' to read beyond line 1)\n</file>",
        "<file>\n00001| x\n\n(End of file - total 2 lines)\n</file>",
        "<content>\n1: x\n\n(Showing lines 1-1 of 9. Use offset=2 to continue.)\n</content>",
        "File unchanged since last read. The content from the earlier Read is still current.",
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        CODE,
        "",
    ],
)
def test_what_is_not_all_of_a_file_is_none(result: str) -> None:
    assert text_read("Read", {}, result) is None


def test_as_many_lines_as_were_asked_for_may_not_be_all() -> None:
    shown = numbered("a\nb\nc")
    assert text_read("Read", {"limit": 3}, shown) is None
    assert text_read("Read", {"limit": 4}, shown) == "a\nb\nc\n"


def test_tools_that_show_files_bare_are_taken_at_their_word_unless_they_cut() -> None:
    assert text_read("read_file", {}, CODE) == CODE
    assert text_read("read_file", {}, "[content truncated]\n" + CODE) is None
    assert text_read("read_file", {}, CODE + "... 300 lines omitted") is None
    assert text_read("read_file", {"limit": 10}, CODE) is None


@pytest.mark.lesson("T4")
@pytest.mark.parametrize(
    "result",
    [
        "# a.py (lines 1-2 of 6)\n" + CODE,
        CODE + "# " + "x" * 500 + "\n# ... [truncated] ...\n# " + "x" * 500,
        CODE + "\n[Truncated: 4 of 6 lines]",
        f"```python\n{CODE}```",
        f"~~~\n{CODE}~~~",
        "Error: timeout",
        "Cancelled",
        "File not found: a.py",
        "EACCES: permission denied, open 'a.py'",
        '{"error": "no such file"}',
        "The user denied this operation.",
        "[Request interrupted by user for tool use]",
    ],
)
def test_a_bare_result_that_is_cut_wrapped_or_a_refusal_is_no_file(result: str) -> None:
    assert text_read("read_file", {}, result) is None


@pytest.mark.parametrize(
    "code",
    [
        "error = 1\nx = 2\n",
        "class Error(Exception):\n    pass\n",
        "# not found: this page\n\n\ndef f():\n    return 1\n",
        "x = 1\n" * 100 + "def f():\n    # the text is truncated here\n    return 1\n",
        '"""Failed."""\n\nx = 1\n',
    ],
)
def test_code_that_speaks_of_failures_is_a_file(code: str) -> None:
    assert text_read("read_file", {}, code + "y = 1\n" * 100) == code + "y = 1\n" * 100


def test_a_limit_that_cannot_be_told_may_have_cut() -> None:
    shown = numbered("a\nb")
    assert text_read("Read", {"limit": "2"}, shown) is None
    assert text_read("Read", {"limit": "many"}, shown) is None
    assert text_read("Read", {"limit": "3"}, shown) == "a\nb\n"


# With and without a plain look before the patterns

_PATTERNS = (
    (re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*\Z", re.DOTALL), 0),
    (re.compile(r"Here's the (?:content|result)[^\n]*:\n"), 1),
)
_END = re.compile(r"\n*\(End of file - total (\d+) lines\)\s*\Z")
_TAGGED = re.compile(
    r"\s*(?:<path>[^<\n]*</path>\s*<type>file</type>\s*)?<(file|content)>\n(.*)\n</\1>\s*\Z",
    re.DOTALL,
)

_PIECES = st.sampled_from(
    [
        "<system-reminder>",
        "</system-reminder>",
        "<system-reminder>be careful</system-reminder>",
        "Here's the ",
        "Here's the result of running `cat -n` on a.py:\n",
        "here's the content:\n",
        "(End of file",
        "(End of file - total 2 lines)",
        "\n\n(End of file - total 2 lines)\n",
        "(End of file - total x lines)",
        "<file>\n",
        "\n</file>",
        "<content>\n",
        "\n</content>",
        "<path>a.py</path>\n<type>file</type>\n",
        "     1→x = 1\n     2→y = 2",
        "00001| x\n00002| y",
        "1: x\n2: y",
        "     1\tx\n",
        "     2\ty",
        "\n",
        " ",
        "x",
    ]
)


def read_with_patterns(tool: str, result: str) -> str | None:
    """Read a result as `text_read` does, with nothing but patterns, however long they take."""
    if is_refusal(result):
        return None
    for pattern, count in _PATTERNS:
        result = pattern.sub("", result, count=count)
    tagged = _TAGGED.match(result)
    body = result if tagged is None else tagged[2]
    ended = _END.search(body)
    lines = reads._numbered((body if ended is None else body[: ended.start()]).split("\n"))
    if lines is None:
        return reads._unnumbered(tool, {}, body) if tagged is None else None
    if ended is not None:
        return "".join(f"{line}\n" for line in lines) if len(lines) == int(ended[1]) else None
    if tagged is not None:
        return None
    lines = lines[:-1] if lines[-1] == "" else lines
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("tool", ["Read", "read_file"])
@given(st.lists(_PIECES, max_size=8).map("".join))
@example("<system-reminder>a</system-reminder>\n     1→x\n<system-reminder>b</system-reminder>\n")
@example("Here's the result:\nHere's the content:\n     1→x\n")
@example("     1→x\n<system-reminder>\nHere's the result:\n</system-reminder>")
@example("1: x\n2: y\n(End of file - total 2 lines)\n\n")
def test_a_plain_look_before_the_patterns_changes_nothing(tool: str, result: str) -> None:
    assert text_read(tool, {}, result) == read_with_patterns(tool, result)
