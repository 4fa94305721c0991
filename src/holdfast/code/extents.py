"""Where a definition begins and ends: what above and behind it is part of it.

Decorators, `export`, `template` and attributes are. So are comments that end on the line directly
above and have their lines to themselves, but not a `#!` line, not a comment for what is around
(`//!`), and not one that says that something was left out.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Final

from holdfast.code.languages import Language
from holdfast.kernel.limits import CODE_LEADING_MAX

if TYPE_CHECKING:
    from tree_sitter import Node

_SPACE: Final = b" \t\r\n"
_ELSEWHERE: Final = (b"#!", b"//!", b"/*!")


def whole(node: Node, language: Language) -> Node:
    """Return the node together with what is wrapped around it alone."""
    if not (language.wrappers or language.lists):
        return node
    parent = node.parent
    while parent is not None and (
        parent.type in language.wrappers or (parent.type in language.lists and _is_alone(node))
    ):
        node, parent = parent, parent.parent
    return node


def _is_alone(node: Node) -> bool:
    before, after = node.prev_named_sibling, node.next_named_sibling
    while before is not None and "comment" in before.type:
        before = before.prev_named_sibling
    while after is not None and "comment" in after.type:
        after = after.next_named_sibling
    return before is None and after is None


def start(node: Node, source: bytes, language: Language, marks: Container[int]) -> int:
    """Return where the definition begins, comments and decorators above included.

    `marks` are the places of what says that something was left out.
    """
    first, before = node, _before(node)
    for _ in range(CODE_LEADING_MAX):
        if before is None:
            break
        kind = before.type
        if kind not in language.leading and not (
            "comment" in kind and before.start_byte not in marks and _belongs(before, first, source)
        ):
            break
        first, before = before, before.prev_sibling
    return first.start_byte


def end(node: Node, source: bytes, language: Language) -> int:
    """Return where the definition ends, a closing semicolon included, space excluded."""
    last = node.end_byte
    if language.closes and source[last : last + 1] == language.closes:
        return last + 1
    if source[last - 1] in _SPACE:
        last = node.start_byte + len(source[node.start_byte : last].rstrip(_SPACE))
    return last


def _before(node: Node) -> Node | None:
    before = node.prev_sibling
    if before is not None:
        return before
    # Some grammars put what stands above the first of a block before the block.
    at, around = node.start_byte, node.parent
    while around is not None and around.start_byte == at:
        before = around.prev_sibling
        if before is not None:
            return before if "comment" in before.type else None
        around = around.parent
    return None


def _belongs(comment: Node, first: Node, source: bytes) -> bool:
    at, last = comment.start_byte, comment.end_byte
    gap = source[last : first.start_byte]
    lines = gap.count(b"\n") + source[at:last].endswith(b"\n")
    if lines > 1 or gap.strip():
        return False
    line_start = source.rfind(b"\n", 0, at) + 1
    return not (source[line_start:at].strip() or source.startswith(_ELSEWHERE, at))
