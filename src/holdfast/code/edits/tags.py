"""Tool calls written as XML tags in an answer, by models without tool calls of their own.

- Cline and Roo: `<write_to_file><path>…</path><content>…</content></write_to_file>`
- `<invoke name="Write"><parameter name="file_path">…</parameter></invoke>`
- `<tool_call>{"name": …, "arguments": …}</tool_call>`

A tool's tag stands at the beginning of a line. It is not XML: nothing is escaped, so a value ends
with the last closing tag that can be its own.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from holdfast.code.edits.model import Edit, Unreadable
from holdfast.code.edits.tools import from_tool_call

_OPEN: Final = re.compile(
    r"[ \t]*<(?:antml:)?(write_to_file|replace_in_file|apply_diff|insert_content|"
    r"search_and_replace|apply_patch|edit_file|write_file|create_file|delete_file|invoke|tool_call)"
    r"(?:[ \t]+name=\"([^\"<>\n]{1,200})\")?[ \t]*>"
)
_PARAMETER: Final = re.compile(r"<(?:antml:)?parameter name=\"([^\"<>\n]{1,200})\">")
_PARAMETER_END: Final = re.compile(r"</(?:antml:)?parameter>")
_CHILD: Final = re.compile(r"[ \t]*<([a-z_]{1,40})>")
_LONG: Final = frozenset({"content", "diff", "input", "patch", "search", "replace", "code_edit"})
"""Values that keep their spaces; others are trimmed."""


class Found(msgspec.Struct, frozen=True):
    """The edits of one tag, and where the tag ends."""

    edits: tuple[Edit, ...]
    end: int


class Tags:
    """The tools' tags of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed: set[str] = set()
        """Tags that are not closed any more, so that this is looked for only once."""

    def find(self, start: int) -> Found | None:
        """Read the tool whose tag opens in the line that begins here; None when there is none."""
        opened = _OPEN.match(self._text, start)
        if opened is None or (opened[1] == "invoke") != (opened[2] is not None):
            return None
        tag, name = opened[1], opened[2] or opened[1]
        close = self._closing(tag, opened.end())
        if close is None:
            reason = f"the text ended before </{tag}>"
            cut = tuple(
                Unreadable(via=name, complete=False, reason=reason)
                for _ in from_tool_call(name, {})[:1]
            )
            return Found(cut, len(self._text)) if cut else None
        edits = _read(tag, name, self._text[opened.end() : close.start()])
        if edits and self._closed_again(tag, close.end()):
            reason = f"</{tag}> stands twice: the first may be part of the code"
            edits = (Unreadable(via=name, reason=reason),)
        return Found(edits, close.end())

    def _closed_again(self, tag: str, start: int) -> bool:
        """Tell whether the tag is closed once more before it is opened again."""
        found = re.compile(rf"<(/?)(?:antml:)?{tag}\b").search(self._text, start)
        return found is not None and found[1] == "/"

    def _closing(self, tag: str, start: int) -> re.Match[str] | None:
        if tag in self._unclosed:
            return None
        found = re.compile(rf"</(?:antml:)?{tag}>").search(self._text, start)
        if found is None:
            self._unclosed.add(tag)
        return found


def _read(tag: str, name: str, inner: str) -> tuple[Edit, ...]:
    match tag:
        case "tool_call":
            return _from_json(inner)
        case "invoke":
            return _from_parameters(name, inner)
        case _:
            return _from_children(name, inner)


def _from_json(inner: str) -> tuple[Edit, ...]:
    try:
        call = msgspec.json.decode(inner)
    except (msgspec.DecodeError, RecursionError):
        return (Unreadable(via="tool_call", reason="the tool call is not JSON"),)
    match call:
        case {"name": str(name), "arguments": dict(arguments)}:
            return from_tool_call(name, arguments)
        case {"name": str(name), "arguments": str(arguments)}:
            return _from_json_text(name, arguments)
        case _:
            return ()


def _from_json_text(name: str, arguments: str) -> tuple[Edit, ...]:
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        decoded = None
    return from_tool_call(name, decoded if isinstance(decoded, dict) else {})


def _from_parameters(name: str, inner: str) -> tuple[Edit, ...]:
    arguments: dict[str, Any] = {}
    opened = list(_PARAMETER.finditer(inner))
    for index, one in enumerate(opened):
        stop = opened[index + 1].start() if index + 1 < len(opened) else len(inner)
        ends = list(_PARAMETER_END.finditer(inner, one.end(), stop))
        if len(ends) != 1:
            reason = f"it is not clear where the parameter {one[1]} ends"
            found = from_tool_call(name, {})
            return tuple(Unreadable(via=name, reason=reason) for _ in found)
        arguments[one[1]] = inner[one.end() : ends[0].start()]
    return from_tool_call(name, arguments)


def _from_children(name: str, inner: str) -> tuple[Edit, ...]:
    arguments: dict[str, Any] = {}
    at = 0
    while at < len(inner):
        opened = _CHILD.match(inner, at)
        if opened is None:
            line_end = inner.find("\n", at)
            at = len(inner) if line_end < 0 else line_end + 1
            continue
        key, closing = opened[1], f"</{opened[1]}>"
        # A long value may hold its own closing tag; the last one ends it, as Cline reads it.
        close = (inner.rfind if key in _LONG else inner.find)(closing, opened.end())
        if close < 0:
            return (Unreadable(via=name, reason=f"the tag <{key}> is not closed"),)
        arguments[key] = _value(key, inner[opened.end() : close])
        at = close + len(closing)
    return from_tool_call(name, arguments)


def _value(key: str, value: str) -> str:
    if key not in _LONG:
        return value.strip()
    value = value.removeprefix("\r").removeprefix("\n")
    return value.removesuffix("\n")
