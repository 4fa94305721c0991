"""The patches of Codex's `apply_patch`, by its own grammar.

    *** Begin Patch
    *** Update File: src/a.py
    *** Move to: src/b.py
    @@ def f():
     kept
    -old
    +new
    *** End Patch

Markers stand at the beginning of a line: one that is indented is a line of the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from holdfast.code.edits.model import Chunk, Delete, Edit, Patch, Unreadable, Whole

BEGIN: Final = "*** Begin Patch"
END: Final = "*** End Patch"
ADD: Final = "*** Add File: "
DELETE: Final = "*** Delete File: "
UPDATE: Final = "*** Update File: "
MOVE: Final = "*** Move to: "
END_OF_FILE: Final = "*** End of File"
VIA: Final = "apply_patch"


class _BadPatchError(ValueError):
    """The patch does not follow the grammar."""


def read_patch(text: str) -> tuple[Edit, ...]:
    """Read the first patch of a text, which may stand in a heredoc or among other words."""
    lines = text.strip().replace("\r\n", "\n").split("\n")
    begin = next((i for i, line in enumerate(lines) if line.rstrip() == BEGIN), None)
    if begin is None:
        return (Unreadable(via=VIA, reason=f"there is no line `{BEGIN}`"),)
    end = next((i for i in range(begin + 1, len(lines)) if lines[i].rstrip() == END), None)
    return read_lines(lines[begin + 1 : end], complete=end is not None)


def read_lines(lines: Sequence[str], *, complete: bool = True) -> tuple[Edit, ...]:
    """Read the lines between the first and the last marker: one edit for each file, or none."""
    edits: list[Edit] = []
    index = 0
    try:
        while index < len(lines):
            if lines[index].strip():
                edit, index = _read_file(lines, index, complete=complete)
                edits.append(edit)
            else:
                index += 1
    except _BadPatchError as bad:
        # One file that cannot be read makes the tool refuse all of them.
        return (Unreadable(via=VIA, complete=complete, reason=str(bad)),)
    if not edits:
        return (Unreadable(via=VIA, complete=complete, reason="the patch is empty"),)
    return tuple(edits)


def _read_file(lines: Sequence[str], index: int, *, complete: bool) -> tuple[Edit, int]:
    head = lines[index].strip()
    for marker in (ADD, DELETE, UPDATE):
        if head.startswith(marker):
            path = head[len(marker) :].strip()
            break
    else:
        raise _BadPatchError(f"line {index + 2} of the patch names no file: {head[:80]!r}")
    if marker == DELETE:
        return Delete(path=path, via=VIA, complete=complete), index + 1
    if marker == ADD:
        added, index = added_lines(lines, index + 1)
        return Whole(path=path, via=VIA, complete=complete, content=added), index
    index, moved = index + 1, None
    if index < len(lines) and lines[index].startswith(MOVE):
        moved, index = lines[index][len(MOVE) :].strip(), index + 1
    chunks, index = read_chunks(lines, index)
    if not chunks:
        raise _BadPatchError(f"the update of {path} is empty")
    edit = Patch(path=path, via=VIA, complete=complete, chunks=chunks, renamed_to=moved)
    return edit, index


def added_lines(lines: Sequence[str], index: int) -> tuple[str, int]:
    """Read the lines of a new file."""
    first = index
    while index < len(lines) and lines[index].startswith("+"):
        index += 1
    return "".join(line[1:] + "\n" for line in lines[first:index]), index


def read_chunks(lines: Sequence[str], index: int) -> tuple[tuple[Chunk, ...], int]:
    """Read chunks up to the next file's marker."""
    chunks: list[Chunk] = []
    while index < len(lines):
        if not lines[index].strip():
            index += 1
        elif lines[index].startswith("***"):
            break
        else:
            chunk, index = _read_chunk(lines, index, first=not chunks)
            chunks.append(chunk)
    return tuple(chunks), index


def _read_chunk(lines: Sequence[str], index: int, *, first: bool) -> tuple[Chunk, int]:
    contexts, start = [], index
    while index < len(lines) and (lines[index] == "@@" or lines[index].startswith("@@ ")):
        contexts.append(lines[index][3:])
        index += 1
    if not contexts and not first:
        raise _BadPatchError(f"line {index + 2} of the patch is no part of a chunk")
    old: list[str] = []
    new: list[str] = []
    begin = index
    while index < len(lines) and (not lines[index] or lines[index][0] in " +-"):
        kind, text = lines[index][:1], lines[index][1:]
        if kind != "+":
            old.append(text)
        if kind != "-":
            new.append(text)
        index += 1
    if index == begin:
        raise _BadPatchError(f"the chunk in line {start + 2} of the patch has no lines")
    at_end = index < len(lines) and lines[index].rstrip() == END_OF_FILE
    named = tuple(context for context in contexts if context.strip())
    return Chunk(tuple(old), tuple(new), named, at_end), index + at_end


def read_operation(operation: object) -> Edit:
    """Read an operation of the Responses API: `create_file`, `update_file` or `delete_file`."""
    match operation:
        case {"type": "delete_file", "path": str(path)}:
            return Delete(path=path, via=VIA)
        case {"type": "create_file", "path": str(path), "diff": str(diff)}:
            lines = _body(diff)
            added, end = added_lines(lines, 0)
            if end == len(lines):
                return Whole(path=path, via=VIA, content=added)
            return Unreadable(path=path, via=VIA, reason=f"line {end + 1} does not begin with +")
        case {"type": "update_file", "path": str(path), "diff": str(diff)}:
            try:
                lines = _body(diff)
                chunks, end = read_chunks(lines, 0)
            except _BadPatchError as bad:
                return Unreadable(path=path, via=VIA, reason=str(bad))
            if chunks and end == len(lines):
                return Patch(path=path, via=VIA, chunks=chunks)
            return Unreadable(path=path, via=VIA, reason="the diff is not only chunks")
        case _:
            return Unreadable(via=VIA, reason="the operation is none of create, update, delete")


def _body(diff: str) -> list[str]:
    lines = diff.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
