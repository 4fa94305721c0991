"""Which citations of the notes are a person's and meant, and which only show the form."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.evidence.notes_citations import cited_in
from holdfast.views.notes import State, parse, update
from holdfast.views.notes.state import Active

WRONG = "`pop(0)` [src/queue.py:14]"
RIGHT = "`pop(0)` [${PROJECT_ROOT}/src/queue.py:14]"


def found(text: str) -> list[tuple[int, str, str | None]]:
    return [(one.line, one.cited.path, one.cited.fault) for one in cited_in(parse(text))]


def lines(text: str) -> list[int]:
    return [line for line, _, _ in found(text)]


@pytest.mark.req("L15")
def test_what_a_person_cites_is_found_with_its_line() -> None:
    text = f"# Notes\n\n- first {RIGHT}\n- then\n  {WRONG}, and [${{PROJECT_ROOT}}/a.py:2]\n"
    assert found(text) == [
        (3, "src/queue.py", None),
        (5, "src/queue.py", "relative-path"),
        (5, "a.py", "no-quote"),
    ]


def test_lines_count_with_any_line_end_and_behind_front_matter() -> None:
    assert lines(f"---\r\ntitle: a\r\n---\r\n\r\n{WRONG}\r\n") == [5]


@pytest.mark.parametrize(
    "shown",
    [
        f"```\n{WRONG}\n```",
        f"```markdown\n**Evidence**: {WRONG}\n```",
        f"~~~\n{WRONG}\n~~~",
        f"````\n```\n{WRONG}\n```\n````",
        f"- a list\n\n      ```\n      {WRONG}\n      ```",
        f"1. ```\n   {WRONG}\n   ```",
        f"> ```\n> {WRONG}\n> ```",
        f"<!-- {WRONG} -->",
        f"<!--\n{WRONG}\n\n{WRONG}\n-->",
        f"text <!-- as in {WRONG} --> text",
        f"Write `` {WRONG} `` and no other.",
        "Not `[src/queue.py:14]`.",
        "**Evidence**: `code quote` [${PROJECT_ROOT}/file.ts:line]",
        "| `quote` [${PROJECT_ROOT}/path:line] | the form |",
    ],
)
def test_what_shows_the_form_is_no_citation(shown: str) -> None:
    assert lines(f"before\n\n{shown}\n\nafter\n") == []
    # and hides nothing behind it
    assert len(lines(f"{shown}\n\n{WRONG}\n")) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"```\nnobody closed this\n\n{WRONG}\n",
        f"<!-- nor this\n\n{WRONG}\n",
        f"`` nor this\n\n{WRONG}\n",
        f"a `` stray, {WRONG}\n",
        f"`<!--` begins a comment.\n{WRONG}\n--> ends one\n",
        f"~~~\n```\n{WRONG}\n",
        f"    {WRONG}\n",
        f"| cell | {WRONG} |\n",
        f"> {WRONG}\n",
        f"``a`` [${{PROJECT_ROOT}}/a.py:1] ``b`` {WRONG}\n",
    ],
)
def test_what_only_looks_like_an_example_hides_nothing(text: str) -> None:
    assert ("src/queue.py", "relative-path") in [(path, fault) for _, path, fault in found(text)]


@pytest.mark.parametrize("gap", [" ", "\n", "\n  "])
def test_a_fence_with_a_place_behind_it_is_a_quote(gap: str) -> None:
    text = f"see\n\n```python\ndef take():\n    return 1\n```{gap}[${{PROJECT_ROOT}}/a.py:1-2]\n"
    [one] = cited_in(parse(text))
    assert (one.line, one.cited.quote) == (3, "def take():\n    return 1")
    assert lines(f"{text}\n```\n{WRONG}\n```\n\n{WRONG}\n") == [3, len(text.split("\n")) + 5]


def test_what_holdfast_wrote_is_not_a_persons() -> None:
    state = State(as_of_seq=0, active=Active(task="hf-1", title=f"Ground {WRONG}"))
    text = update(parse(f"# Notes\n\nmine: {WRONG}\n"), state).text
    assert text.count(WRONG) == 2
    assert [line for line, _, _ in found(text)] == [3]
    # a person's line within the block is a person's
    inside = text.replace("- **Current Bead**", f"- also {WRONG}\n- **Current Bead**")
    assert len(found(inside)) == 2


MARKS = (WRONG, RIGHT, "`", "``", "```", "~~~", "\n", "\r\n", "\n\n", "<!--", "-->", "> ", "- ")
ODD = ("[a/b.py:3]", "[${PROJECT_ROOT}/a:line]", "```python\n", "    ", "é", "\x00", "---\n")
MORE = ("<!-- holdfast:begin x -->\n", "<!-- holdfast:end  -->\n", "text", "1. ")
PIECES = st.sampled_from([*MARKS, *ODD, *MORE])


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=200))
@example("```\n``` [a.py:1]")
@example("`[a.py:1]`")
def test_no_text_makes_it_fail_and_lines_are_those_of_the_text(text: str) -> None:
    count = text.count("\n") + 1
    for one in cited_in(parse(text)):
        assert 1 <= one.line <= count
        assert text.count("\n", 0, one.cited.start) + 1 == one.line


@given(st.lists(PIECES, max_size=20).map("".join))
def test_a_citation_in_a_paragraph_of_its_own_is_never_lost_behind_what_is_closed(
    before: str,
) -> None:
    closed = f"{before}\n\n`x`\n\n-->\n```````````````\n\n"
    closed += "~~~~~~~~~~~~~~~~~~\n\n"
    last = cited_in(parse(f"{closed}# End\n\n`{WRONG[1:]}\n"))
    assert [one.cited.path for one in last][-1:] == ["src/queue.py"]


def test_long_notes_are_looked_through_quickly() -> None:
    """Nothing is gone through again for each mark: as many marks as fit would take minutes."""
    for mark in ("<!-- ", "`` ", "```\n", "~~~\n", "` ``` ", f"{WRONG} ", "``a`` [b/c.py:1] "):
        cited_in(parse(mark * (200_000 // len(mark))))
