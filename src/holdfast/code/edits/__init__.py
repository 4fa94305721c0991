"""Every form in which code crosses a wire: found in an answer or a tool call, applied to a text.

    for edit in find_edits(answer):
        match apply(edit, base):
            case Applied(text): ...
            case Refused(reason, line): ...

Text in, values out: no file is read, no path resolved, nothing run. An edit is applied whole or
refused with a reason; where a form leaves open which place is meant, it is refused.
"""

from holdfast.code.edits.applying import apply
from holdfast.code.edits.finding import find_edits
from holdfast.code.edits.model import (
    Applied,
    Block,
    Cell,
    Chunk,
    Delete,
    Diff,
    Edit,
    Hunk,
    Insert,
    Patch,
    Piece,
    Refused,
    Replace,
    Replacement,
    Search,
    Unreadable,
    Whole,
)
from holdfast.code.edits.tools import from_tool_call

__all__ = [
    "Applied",
    "Block",
    "Cell",
    "Chunk",
    "Delete",
    "Diff",
    "Edit",
    "Hunk",
    "Insert",
    "Patch",
    "Piece",
    "Refused",
    "Replace",
    "Replacement",
    "Search",
    "Unreadable",
    "Whole",
    "apply",
    "find_edits",
    "from_tool_call",
]
