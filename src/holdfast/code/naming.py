"""What a definition is called, and what its members have before their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.code.languages import Language

if TYPE_CHECKING:
    from tree_sitter import Node

_QUOTES: Final = "\"'`"
_ANGLES: Final = re.compile(r"<[^<>]*>")
_ARGUMENTS: Final = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")


class Names(NamedTuple):
    """What a definition is called, and what stands before the names of its members."""

    name: str
    path: str
    """The name with the types it belongs to, as far as it says itself."""
    scope: str | None = None
    """What its members are named after, if that is not what it is called."""


def of(
    kind: str, captures: Mapping[str, Sequence[Node]], source: bytes, language: Language
) -> Names:
    """Return the names of a definition that a query found."""
    if kind == "at_rule":
        text = _upto(captures["name"][0], captures["body"][0], source)
        return Names(text, text)
    name = _text(captures["name"][0], source)
    owners = captures.get("owner")
    if owners is not None:
        owner = _text(owners[0], source)
        if kind == "impl":
            return Names(name, f"impl {owner} for {name}", f"<{name} as {owner}>")
        return Names(name, f"{_bare(owner)}.{name}")
    if kind in ("impl", "extension"):
        return Names(name, f"{kind} {name}", _bare(name))
    if kind == "destructor" and name != "deinit":
        name = f"~{name}"
    if language.joins and not name.isidentifier():
        return _parted(name, language.joins)
    return Names(name, name)


def unique(qualified: str, taken: dict[str, int]) -> str:
    """Return the name, with a number behind it if it is taken, and take it."""
    count = taken.get(qualified, 0) + 1
    taken[qualified] = count
    return qualified if count == 1 else unique(f"{qualified}#{count}", taken)


def _parted(name: str, joins: Sequence[str]) -> Names:
    """Return the names of what says itself where it belongs: `Type::method`."""
    parts, operator, sign = name.partition("operator")
    parts = _ANGLES.sub("", parts)
    for join in joins:
        parts = parts.replace(join, ".")
    if operator and not sign.startswith("()"):
        sign = sign.partition("(")[0]
    name = parts.rpartition(".")[2] + operator + sign
    return Names(name, parts.rpartition(".")[0] + "." + name if "." in parts else name)


def _upto(node: Node, body: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : body.start_byte].decode("utf-8").split())


def _text(node: Node, source: bytes) -> str:
    text = source[node.start_byte : node.end_byte].decode("utf-8")
    if text.isidentifier():
        return text
    if text[:1] in _QUOTES and len(text) > 1 and text[0] == text[-1]:
        text = text[1:-1]
    return " ".join(text.split())


def _bare(name: str) -> str:
    """Return a type's name without pointers and type arguments."""
    return _ARGUMENTS.sub("", name.strip("*& "))
