"""What `...` means as a statement of Python: an empty body, or something that was left out.

It is how Python spells an empty body when the function is an overload, abstract or in a protocol,
when the class has one line and bases (`class Failed(Exception): ...`) or is a protocol, under
`if TYPE_CHECKING`, and in the handlers and loops where others write `pass`. Everywhere else it says
that something was left out: a function whose body is `...` and nothing else could be either, and
when in doubt a part is not taken for the whole. In stub files nobody asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_EMPTY_BLOCKS: Final = frozenset(
    {
        "except_clause",
        "except_group_clause",
        "finally_clause",
        "with_statement",
        "while_statement",
        "for_statement",
        "case_clause",
        "match_statement",
    }
)

_EMPTY_BODY_NODES_MAX: Final = 50
"""A docstring, the ellipsis, and more comments than anybody writes there."""


def is_left_out(ellipsis: Node, source: bytes) -> bool:
    """Tell whether an ellipsis stands for something that is not there."""
    statement = ellipsis.parent
    if statement is None or statement.type != "expression_statement":
        return False  # a default, an index, an argument
    if statement.named_child_count != 1:
        return False  # `..., 1`
    block = statement.parent
    if block is None or block.type != "block":
        return True  # between the definitions of a module
    owner = block.parent
    assert owner is not None
    if not _is_alone(statement, block):
        return True  # among other statements nobody writes it for `pass`
    match owner.type:
        case "function_definition":
            return not _is_declared(owner, source)
        case "class_definition":
            return not _is_short_class(owner, source)
        case _:
            return owner.type not in _EMPTY_BLOCKS and not _is_for_types(owner, source)


def _is_alone(statement: Node, block: Node) -> bool:
    """Tell whether a block holds the ellipsis and at most a docstring and comments."""
    if block.named_child_count > _EMPTY_BODY_NODES_MAX:
        return False
    others = [
        child
        for child in block.named_children
        if child != statement and "comment" not in child.type
    ]
    return len(others) == 0 or (
        len(others) == 1
        and others[0].type == "expression_statement"
        and others[0].named_child_count == 1
        and others[0].named_children[0].type in ("string", "concatenated_string")
    )


def _is_declared(function: Node, source: bytes) -> bool:
    """Tell whether an empty body is all that this function is meant to have."""
    parent = function.parent
    if parent is not None and parent.type == "decorated_definition":
        header = source[parent.start_byte : function.start_byte]
        if b"overload" in header or b"abstract" in header:
            return True
    around = parent
    while around is not None:
        if around.type == "class_definition" and b"Protocol" in _bases(around, source):
            return True
        if around.type == "if_statement" and _is_for_types(around, source):
            return True
        around = around.parent
    return False


def _is_short_class(node: Node, source: bytes) -> bool:
    bases = _bases(node, source)
    in_one_line = b"\n" not in source[node.start_byte : node.end_byte]
    return bool(bases.strip(b"() ")) and (in_one_line or b"Protocol" in bases)


def _bases(node: Node, source: bytes) -> bytes:
    bases = node.child_by_field_name("superclasses")
    return b"" if bases is None else source[bases.start_byte : bases.end_byte]


def _is_for_types(node: Node, source: bytes) -> bool:
    condition = node.child_by_field_name("condition")
    return condition is not None and (
        b"TYPE_CHECKING" in source[condition.start_byte : condition.end_byte]
    )
