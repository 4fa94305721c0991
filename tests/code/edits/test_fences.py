"""Fences by CommonMark, held against another implementation of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from holdfast.code.edits import Block, find_edits

PARTS = [
    "```", "````", "~~~", "```py", "~~~ x", "  ```", "   ```", "    ```", "- ", "- a", "-", "1. ",
    "1. b", "2. c", "> ", "> q", ">", "x", "  y", "    z", "", "", "", "- ```", "> ```",
    "> - ```js", "  - ```", "\t", "\t```", "# h", "---", "===", "* * *", "1) d", "   ", "- > ```",
    "```a`b", "10. e", "     - f", " > ~~~", "      ```",
]  # fmt: skip

markdown = MarkdownIt("commonmark").disable("html_block")


@given(st.lists(st.sampled_from(PARTS), max_size=10))
@settings(max_examples=1000, deadline=None)
def test_fences_are_those_of_commonmark(parts: list[str]) -> None:
    text = "".join(part + "\n" for part in parts)
    theirs = [
        (one.info.strip(), one.content) for one in markdown.parse(text) if one.type == "fence"
    ]
    assert [(one.info, one.content) for one in blocks(text)] == theirs


def blocks(text: str) -> list[Block]:
    return [edit for edit in find_edits(text) if isinstance(edit, Block)]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("````md\n```py\nx\n```\n````\n", ["```py\nx\n```\n"]),
        ("~~~\n```\nx\n```\n~~~\n", ["```\nx\n```\n"]),
        ("```\n````\n", [""]),
        ("```\nx\n``\n```\n", ["x\n``\n"]),
        ("   ```\n   x\n  y\n    z\n   ```\n", ["x\ny\n z\n"]),
        ("1. Do:\n\n   ```py\n   x\n     y\n   ```\n", ["x\n  y\n"]),
        ("> ```\n> x\n> ```\n", ["x\n"]),
        ("    ```\n    x\n", []),
        ("``` a`b\nx\n", []),
        ("~~~ a`b\nx\n~~~\n", ["x\n"]),
        ("words\n2. ```\nx\n", []),
        ("> " * 150 + "```\n", []),
    ],
    ids=["longer", "tildes", "closed by more", "not by fewer", "indented", "in a list",
         "in a quote", "code by indentation", "backtick in the info", "backtick behind tildes",
         "in words", "too deep"],
)  # fmt: skip
def test_a_fence_ends_where_commonmark_says(text: str, contents: list[str]) -> None:
    assert [block.content for block in blocks(text)] == contents
    assert all(block.complete for block in blocks(text))


@pytest.mark.parametrize("text", ["```py\nx = 1\n", "```py\nx = 1", "~~~\nx = 1\n``` \n"])
def test_a_fence_open_at_the_end_of_the_text_is_not_complete(text: str) -> None:
    (block,) = blocks(text)
    assert not block.complete
    assert block.content.startswith("x = 1\n")


def test_a_fence_whose_list_item_ends_first_is_not_complete() -> None:
    first, second = blocks("- ```py\n  x\ny\n```\n")
    assert (first.content, first.complete) == ("x\n", False)
    assert (second.content, second.complete) == ("", False)


def test_a_fence_under_a_tag_is_a_fence() -> None:
    """CommonMark calls this HTML; who writes it means the fence."""
    assert [block.content for block in blocks("<answer>\n```\nx\n```\n</answer>\n")] == ["x\n"]
