"""Edits in tool calls, by the names and arguments that agents give their tools.

Names and keys are compared without case and underscores, and without an `mcp__server__` before
them: `filePath`, `file_path` and `filepath` are one. A tool that edits nothing gives nothing; one
that edits, but whose arguments are not what it takes, gives an `Unreadable` that says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.code.edits import patches, search_replace, unified
from holdfast.code.edits.model import (
    Cell,
    Delete,
    Edit,
    Insert,
    Replace,
    Replacement,
    Search,
    Unreadable,
    Whole,
)

Arguments: TypeAlias = Mapping[str, Any]
"""Arguments by their keys in lower case without underscores."""


class _MissingError(ValueError):
    """An argument that the tool needs is not there, or of another kind."""


_PATH: Final = (
    "filepath", "path", "targetfile", "notebookpath", "absolutepath", "relativeworkspacepath",
    "file", "filename", "relativepath",
)  # fmt: skip
_CONTENT: Final = ("content", "contents", "filetext", "text", "newcontent", "filecontent", "code")
_OLD: Final = ("oldstring", "oldstr", "oldtext", "search", "oldcontent", "find", "target")
_NEW: Final = ("newstring", "newstr", "newtext", "replace", "newcontent", "replacement")
_PATCH: Final = ("input", "patch", "patchtext", "command", "cmd", "diff", "arguments")
_SHELL_WORDS: Final = re.compile(r"\bapply_?patch\b")


def from_tool_call(name: str, arguments: Mapping[str, Any]) -> tuple[Edit, ...]:
    """Return what a tool call edits; nothing when the tool edits nothing."""
    own_name = name.rpartition("__")[2] if name.startswith("mcp__") else name
    reader = _READERS.get(_plain(own_name))
    if reader is None:
        return ()
    plain = {_plain(str(key)): value for key, value in arguments.items()}
    try:
        return reader(own_name, plain)
    except _MissingError as missing:
        return (Unreadable(path=_optional(plain, _PATH), via=own_name, reason=str(missing)),)


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _optional(arguments: Arguments, keys: Sequence[str]) -> str | None:
    for key in keys:
        if isinstance(arguments.get(key), str):
            return str(arguments[key])
    return None


def _text(arguments: Arguments, keys: Sequence[str], what: str) -> str:
    found = _optional(arguments, keys)
    if found is None:
        raise _MissingError(f"the call has no {what}")
    return found


def _path(arguments: Arguments) -> str:
    return _text(arguments, _PATH, "path")


def _number(arguments: Arguments, key: str) -> int:
    value = arguments.get(key)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _MissingError(f"the call has no number {key}")
    return value


def _flag(arguments: Arguments, key: str) -> bool:
    return str(arguments.get(key, False)).lower() == "true"


def _write(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    path, content = _path(arguments), _text(arguments, _CONTENT, "content")
    return (Whole(path=path, via=name, content=content),)


def _write_to_file(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    path, content = _path(arguments), _text(arguments, _CONTENT, "content")
    return (Whole(path=path, via=name, content=content, final_newline="as base"),)


def _edit(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    if "edits" in arguments:
        return _multi_edit(name, arguments)
    if "codeedit" in arguments:
        return _lazy(name, arguments)
    return (Replace(path=_path(arguments), via=name, replacements=(_replacement(arguments),)),)


def _replacement(arguments: Arguments) -> Replacement:
    old, new = _text(arguments, _OLD, "text to replace"), _text(arguments, _NEW, "new text")
    count = arguments.get("expectedreplacements")
    every = any(
        _flag(arguments, key) for key in ("replaceall", "allowmultiple", "allowmultiplematches")
    )
    return Replacement(old, new, every, count if isinstance(count, int) and count > 1 else None)


def _multi_edit(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    edits = arguments.get("edits")
    if isinstance(edits, str):
        edits = _decoded(edits)
    if not isinstance(edits, list) or not edits or not all(isinstance(one, dict) for one in edits):
        raise _MissingError("the call has no list of edits")
    parts = [{_plain(str(key)): value for key, value in one.items()} for one in edits]
    return (Replace(path=_path(arguments), via=name, replacements=tuple(map(_replacement, parts))),)


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _multi_replace(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    """Read replacements that each name their own file."""
    replacements = arguments.get("replacements")
    if not isinstance(replacements, list) or not replacements:
        raise _MissingError("the call has no list of replacements")
    found: list[Edit] = []
    for one in replacements:
        if not isinstance(one, dict):
            raise _MissingError("a replacement of the call has no fields")
        found += _edit(name, {_plain(str(key)): value for key, value in one.items()})
    return tuple(found)


def _lazy(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    reason = "the call sketches the change for another model to apply"
    return (Unreadable(path=_optional(arguments, _PATH), via=name, reason=reason),)


def _notebook(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    mode: Any = arguments.get("editmode") or "replace"
    if mode not in ("replace", "insert", "delete"):
        raise _MissingError(f"the edit mode {str(mode)[:40]!r} is none of replace, insert, delete")
    source = _optional(arguments, ("newsource",))
    if source is None and mode != "delete":
        raise _MissingError("the call has no new source")
    cell = arguments.get("cellid")
    if cell is None and isinstance(arguments.get("cellnumber"), int):
        cell = f"cell-{arguments['cellnumber']}"
    kind = _optional(arguments, ("celltype",))
    cell = None if cell is None else str(cell)
    edit = Cell(
        path=_path(arguments), via=name, cell=cell, source=source or "", cell_type=kind, mode=mode
    )
    return (edit,)


def _editor(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    """Read Anthropic's text editor, and Cline's `editor`, which has no commands."""
    command = arguments.get("command")
    if command is None:
        command = "insert" if arguments.get("insertline") is not None else "str_replace"
        if _optional(arguments, _OLD) is None and command == "str_replace":
            command = "create"
    match command:
        case "create":
            content = _text(arguments, (*_CONTENT, *_NEW), "content")
            return (Whole(path=_path(arguments), via=name, content=content),)
        case "str_replace":
            old, new = _text(arguments, _OLD, "text to replace"), _optional(arguments, _NEW) or ""
            parts = (Replacement(old, new, _flag(arguments, "replaceall")),)
            return (Replace(path=_path(arguments), via=name, replacements=parts),)
        case "insert":
            text = _text(arguments, ("inserttext", *_NEW), "text to insert")
            line = _number(arguments, "insertline")
            return (Insert(path=_path(arguments), via=name, after_line=line, text=text),)
        case "undo_edit":
            reason = "the call takes back an edit that it does not name"
            return (Unreadable(path=_optional(arguments, _PATH), via=name, reason=reason),)
        case _:
            return ()


def _insert_content(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    """Read Roo's insertion: before a line, 0 at the end."""
    line = _number(arguments, "line")
    text = _text(arguments, _CONTENT, "content")
    return (Insert(path=_path(arguments), via=name, after_line=line - 1, text=text),)


def _search_and_replace(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    if any(_flag(arguments, key) for key in ("useregex", "ignorecase")):
        raise _MissingError("the call seeks by a pattern, not by a text")
    if arguments.get("startline") or arguments.get("endline"):
        raise _MissingError("the call seeks in some lines only")
    one = _replacement(arguments)
    parts = (Replacement(one.old, one.new, every=True),)
    return (Replace(path=_path(arguments), via=name, replacements=parts),)


def _blocks(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    """Read the SEARCH/REPLACE blocks of `replace_in_file` and `apply_diff`."""
    path, diff = _path(arguments), _text(arguments, ("diff", "content", "input"), "diff")
    roo = _plain(name) == "applydiff"
    pieces, reason, complete = search_replace.read_all(diff, roo=roo)
    if not reason:
        return (Search(path=path, via="apply_diff" if roo else "replace_in_file", pieces=pieces),)
    lines = diff.split("\n")
    if any(unified.begins(lines, index) for index in range(len(lines))) or lines[0][:2] == "@@":
        return _diff(name, arguments)
    return (Unreadable(path=path, via=name, complete=complete, reason=reason),)


def _diff(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    diff = _text(arguments, ("diff", "patch", "content", "input"), "diff")
    lines = diff.removesuffix("\n").split("\n")
    at = next((i for i in range(len(lines)) if unified.begins(lines, i)), None)
    if at is None:
        return (unified.read_hunks_only(lines, _optional(arguments, _PATH)),)
    found = unified.read(lines, at, len(lines))
    rest = [line for line in lines[found.after :] if line.strip()]
    if rest:
        return (Unreadable(via=name, reason=f"{rest[0][:80]!r} is no part of a diff"),)
    return found.edits


def _apply_patch(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    if "operation" in arguments:
        return (patches.read_operation(arguments["operation"]),)
    if arguments.get("type") in ("create_file", "update_file", "delete_file"):
        return (patches.read_operation(arguments),)
    text = _text(arguments, _PATCH, "patch") if not _argv(arguments) else _argv(arguments)[-1]
    if patches.BEGIN not in text and unified.begins([*text.lstrip().split("\n", 2), ""], 0):
        return _diff(name, {"diff": text.lstrip()})
    return patches.read_patch(text)


def _argv(arguments: Arguments) -> list[str]:
    for key in ("command", "cmd", "argv"):
        value = arguments.get(key)
        if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
            return value
    return []


def _shell(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    """Find an `apply_patch` with its heredoc; a shell's other doings cannot be read off."""
    action = arguments.get("action")
    if isinstance(action, dict):
        arguments = {_plain(str(key)): value for key, value in action.items()}
    words = _argv(arguments)
    text = "\n".join(words) if words else _optional(arguments, ("command", "cmd", "script")) or ""
    before, begin, _ = text.partition(patches.BEGIN)
    if not begin or not _SHELL_WORDS.search(before):
        return ()
    return tuple(
        msgspec.structs.replace(edit, via=name) if isinstance(edit, Unreadable) else edit
        for edit in patches.read_patch(text)
    )


def _delete(name: str, arguments: Arguments) -> tuple[Edit, ...]:
    return (Delete(path=_path(arguments), via=name),)


_Reader: TypeAlias = Callable[[str, Arguments], tuple[Edit, ...]]

_READERS: Final[Mapping[str, _Reader]] = {
    plain: reader
    for reader, names in (
        (_write, "write writefile createfile createnewfile savefile"),
        (_write_to_file, "writetofile"),
        (_edit, "edit editfile strreplace searchreplace replace replacestringinfile stringreplace"),
        (_multi_edit, "multiedit"),
        (_multi_replace, "multireplacestringinfile"),
        (_lazy, "inserteditintofile"),
        (_notebook, "notebookedit editnotebook"),
        (_editor, "strreplacebasededittool strreplaceeditor editor texteditor"),
        (_insert_content, "insertcontent"),
        (_search_and_replace, "searchandreplace"),
        (_blocks, "replaceinfile applydiff"),
        (_apply_patch, "applypatch applypatchcall"),
        (_shell, "bash shell execcommand shellcall localshell localshellcall runterminalcmd "
                 "executecommand runcommand runshellcommand"),
        (_delete, "deletefile removefile"),
    )
    for plain in names.split()
}  # fmt: skip
