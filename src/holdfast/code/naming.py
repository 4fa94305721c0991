"""What a definition is called, and what its members have before their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.code.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_QUOTES: Final = "\"'`"
_SPELLED_OUT: Final = frozenset({"at_rule", "impl", "extension", "destructor"})
"""Kinds that are called something else than their name alone."""
_ANGLES: Final = re.compile(r"<[^<>]*>")
_ARGUMENTS: Final = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


Names: TypeAlias = tuple[str, str, str | None]
"""What a definition is called; the same with the types it belongs to, as far as it says itself; and
what its members are named after, if that is something else."""


def of(
    kind: str,
    node: Node,
    captures: Mapping[str, Sequence[Node]],
    source: bytes,
    language: Language,
) -> Names:
    """Return the names of a definition that a query found."""
    name = str(source[node.start_byte : node.end_byte], "utf-8")
    if name.isidentifier() and "owner" not in captures and kind not in _SPELLED_OUT:
        return name, name, None
    if kind == "at_rule":
        name = _upto(node, captures["body"][0], source)
        return name, name, None
    name, owners = _plain(name), captures.get("owner")
    if owners is not None:
        owner = _plain(str(source[owners[0].start_byte : owners[0].end_byte], "utf-8"))
        if kind == "impl":
            return name, f"impl {owner} for {name}", f"<{name} as {owner}>"
        return name, f"{_bare(owner)}.{name}", None
    if kind in ("impl", "extension"):
        return name, f"{kind} {name}", _bare(name)
    if kind == "destructor" and name != "deinit":
        name = f"~{name}"
    if language.joins and not name.isidentifier():
        return _parted(name, language.joins)
    return name, name, None


def unique(qualified: str, taken: dict[str, int]) -> str:
    """Return the name, with a number behind it if it is taken, and take it."""
    while (count := taken.get(qualified, 0) + 1) > 1:
        taken[qualified] = count
        qualified = f"{qualified}#{count}"
    taken[qualified] = 1
    return qualified


def _parted(name: str, joins: Sequence[str]) -> Names:
    """Return the names of what says itself where it belongs: `Type::method`."""
    parts, operator, sign = name.partition("operator")
    parts = _ANGLES.sub("", parts)
    for join in joins:
        parts = parts.replace(join, ".")
    if operator and not sign.startswith("()"):
        sign = sign.partition("(")[0]
    name = parts.rpartition(".")[2] + operator + sign
    return name, parts.rpartition(".")[0] + "." + name if "." in parts else name, None


def _upto(node: Node, body: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : body.start_byte].decode("utf-8").split())


def _plain(text: str) -> str:
    """Return a name without quotes, in one line."""
    if text.isidentifier():
        return text
    if text[:1] in _QUOTES and len(text) > 1 and text[0] == text[-1]:
        text = text[1:-1]
    return " ".join(text.split())


def _bare(name: str) -> str:
    """Return a type's name without pointers and type arguments."""
    return _ARGUMENTS.sub("", name.strip("*& "))
