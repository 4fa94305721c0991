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
    wrappers, lists, parent = language.wrappers, language.lists, node.parent
    while parent is not None:
        kind = parent.type
        if kind not in wrappers and not (kind in lists and _is_alone(node, parent)):
            break
        node, parent = parent, parent.parent
    return node


def _is_alone(node: Node, parent: Node) -> bool:
    if parent.named_child_count == 1:
        return True
    before = node.prev_named_sibling
    while before is not None and "comment" in before.type:
        before = before.prev_named_sibling
    if before is not None:
        return False
    after = node.next_named_sibling
    while after is not None and "comment" in after.type:
        after = after.next_named_sibling
    return after is None


def start(node: Node, source: bytes, language: Language, marks: Container[int]) -> int:
    """Return where the definition begins, comments and decorators above included.

    `marks` are the places of what says that something was left out.
    """
    before = node.prev_sibling
    if before is None:
        before = _above_block(node)
    if before is None:
        return node.start_byte
    kind = before.type
    if "comment" not in kind and kind not in language.leading:
        return node.start_byte  # most definitions have nothing above them
    return _first_of(node, before, source, language, marks).start_byte


def _first_of(
    node: Node, above: Node | None, source: bytes, language: Language, marks: Container[int]
) -> Node:
    """Return the first of what stands directly above a node and is part of it."""
    first = node
    for _ in range(CODE_LEADING_MAX):
        if above is None:
            break
        kind = above.type
        if kind not in language.leading and not (
            "comment" in kind and above.start_byte not in marks and _belongs(above, first, source)
        ):
            break
        first, above = above, above.prev_sibling
    return first


def end(node: Node, source: bytes, language: Language) -> int:
    """Return where the definition ends, a closing semicolon included, space excluded."""
    last = node.end_byte
    if language.closes and source[last : last + 1] == language.closes:
        return last + 1
    if source[last - 1] in _SPACE:
        last = node.start_byte + len(source[node.start_byte : last].rstrip(_SPACE))
    return last


def _above_block(node: Node) -> Node | None:
    """Return the comment above a block, which some grammars do not put in it, for its first."""
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
    if gap.strip() or gap.count(b"\n") + source.endswith(b"\n", at, last) > 1:
        return False
    line_start = source.rfind(b"\n", 0, at) + 1
    return not (source[line_start:at].strip() or source.startswith(_ELSEWHERE, at))
