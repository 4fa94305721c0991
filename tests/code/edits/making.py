"""Make an edit of each form from a text before and a text after, sharing no code with the readers.

A maker gives what a model would send, or None where the form has no words for this change. It sees
to it that what is sought stands once, as the forms ask; where it cannot, the edit must be refused.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

CONTEXTS = (3, 8, 20, 60, 200)
PATH = "src/some_file.py"


class Call(NamedTuple):
    """A tool call."""

    name: str
    arguments: dict[str, Any]


Sent = str | Call
"""An answer, or a tool call."""


class Change(NamedTuple):
    """Lines that change, with lines around them; the first is counted from 0."""

    first: int
    old: str
    new: str


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def changes(before: str, after: str) -> list[Change]:
    """Cut the difference into changes whose old lines stand once, if that can be had."""
    old, new = lines_of(before), lines_of(after)
    matcher = difflib.SequenceMatcher(None, old, new)
    found: list[Change] = []
    for context in CONTEXTS:
        found = [
            Change(
                group[0][1],
                "".join(old[group[0][1] : group[-1][2]]),
                "".join(new[group[0][3] : group[-1][4]]),
            )
            for group in matcher.get_grouped_opcodes(context)
        ]
        if all(before.count(change.old) == 1 for change in found):
            return found
    return found


def _as_shown(before: str, after: str) -> tuple[str, str] | None:
    """Give the texts as a model sees them, with line feeds; None when line ends change."""
    if "\r" not in before + after:
        return before, after
    shown = before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    whole = tuple(text.replace("\n", "\r\n") for text in shown) == (before, after)
    return shown if whole and "\r\n" in before else None


def _dropped(text: str) -> bool:
    """Tell whether Claude Code would drop something of a new text."""
    return re.search(r"[^\S\r\n]+(\r|\n|\Z)", text) is not None


def make_write(before: str | None, after: str) -> Sent | None:
    if _dropped(after):
        return None
    return Call("Write", {"file_path": PATH, "content": after})


def make_opencode_write(before: str | None, after: str) -> Sent | None:
    return Call("write", {"filePath": PATH, "content": after})


def make_write_to_file(before: str | None, after: str) -> Sent | None:
    if "</content>" in after or "</write_to_file>" in after or "\r" in after:
        return None
    if not after.endswith("\n") or not (before or "").endswith("\n") or after.endswith("\n\n"):
        return None  # how the file ends is the editor's doing
    tag = f"<write_to_file>\n<path>{PATH}</path>\n<content>\n{after}</content>\n</write_to_file>"
    return f"I write the file.\n\n{tag}\n"


def make_block(before: str | None, after: str) -> Sent | None:
    if not after.endswith("\n") or "\r" in after:
        return None
    longest = max((len(run) for run in re.findall(r"`+", after)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"Here it is:\n\n{PATH}\n{fence}python\n{after}{fence}\nDone.\n"


def make_edit(before: str | None, after: str) -> Sent | None:
    """Replace everything between the first and the last line that differ."""
    shown = _as_shown(before or "", after)
    if shown is None or not shown[0] or shown[0] == shown[1]:
        return None
    found = changes(*shown)
    old, new = lines_of(shown[0]), lines_of(shown[1])
    first, last = found[0].first, found[-1].first + len(lines_of(found[-1].old))
    rest = len(old) - last
    replaced = "".join(new[first : len(new) - rest])
    if _dropped(replaced) or not replaced:
        return None
    arguments = {"old_string": "".join(old[first:last]), "new_string": replaced}
    return Call("Edit", {"file_path": PATH, **arguments})


def make_multi_edit(before: str | None, after: str) -> Sent | None:
    found = _found(before, after)
    if found is None or any(_dropped(one.new) or not one.new for one in found):
        return None
    edits = [{"old_string": one.old, "new_string": one.new} for one in found]
    return Call("MultiEdit", {"file_path": PATH, "edits": edits})


def make_mcp_edits(before: str | None, after: str) -> Sent | None:
    found = _found(before, after)
    if found is None or any(not one.new and not one.old.endswith("\n") for one in found):
        return None
    edits = [{"oldText": one.old, "newText": one.new} for one in found]
    return Call("mcp__filesystem__edit_file", {"path": PATH, "edits": edits})


def _found(before: str | None, after: str) -> list[Change] | None:
    shown = _as_shown(before or "", after)
    if shown is None or not shown[0] or shown[0] == shown[1]:
        return None
    return changes(*shown)


def make_search_replace(before: str | None, after: str) -> Sent | None:
    found = _found(before, after)
    if found is None or not after.endswith("\n") or "\r" in after.replace("\r\n", ""):
        return None
    blocks = [
        f"{PATH}\n```python\n<<<<<<< SEARCH\n{_closed(one.old)}=======\n{one.new}"
        ">>>>>>> REPLACE\n```\n"
        for one in found
    ]
    return "I change this:\n\n" + "\n".join(blocks)


def make_replace_in_file(before: str | None, after: str) -> Sent | None:
    found = _found(before, after)
    if found is None or not after.endswith("\n") or not (before or "").endswith("\n"):
        return None
    if "</diff>" in after or "\r" in after.replace("\r\n", ""):
        return None
    blocks = [f"------- SEARCH\n{one.old}=======\n{one.new}+++++++ REPLACE\n" for one in found]
    inner = f"<path>{PATH}</path>\n<diff>\n{''.join(blocks)}</diff>"
    return f"<replace_in_file>\n{inner}\n</replace_in_file>\n"


def make_apply_diff(before: str | None, after: str) -> Sent | None:
    found = _found(before, after)
    if found is None or not after.endswith("\n") or not (before or "").endswith("\n"):
        return None
    blocks = [
        f"<<<<<<< SEARCH\n:start_line:{one.first + 1}\n-------\n{_escaped(one.old)}=======\n"
        f"{_escaped(one.new)}>>>>>>> REPLACE\n"
        for one in found
    ]
    return Call("apply_diff", {"path": PATH, "diff": "".join(blocks)})


def _escaped(text: str) -> str:
    return re.sub(r"(?m)^(?=<{7}|={7}|>{7}|-{7}|:start_line:|:end_line:)", r"\\", text)


def _closed(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def make_patch(before: str | None, after: str) -> Sent | None:
    if after and not after.endswith("\n"):
        return None
    if before is None and "\r" in after:
        return None
    if before is None:
        added = "".join("+" + line for line in lines_of(after))
        head = f"*** Add File: {PATH}\n"
        return Call("apply_patch", {"input": f"*** Begin Patch\n{head}{added}*** End Patch"})
    found = _found(before, after)
    if found is None:
        return None
    body = "".join("@@\n" + _marked(one) for one in found)
    head = f"*** Update File: {PATH}\n"
    return Call("apply_patch", {"input": f"*** Begin Patch\n{head}{body}*** End Patch\n"})


def _marked(change: Change) -> str:
    """Spell a change with signs, a diff within the diff."""
    old, new = lines_of(_closed(change.old)), lines_of(change.new)
    spelled = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if tag == "equal":
            spelled += [" " + line for line in old[i1:i2]]
        else:
            spelled += ["-" + line for line in old[i1:i2]] + ["+" + line for line in new[j1:j2]]
    return "".join(spelled)


def make_heredoc(before: str | None, after: str) -> Sent | None:
    made = make_patch(before, after)
    if not isinstance(made, Call):
        return None
    text = made.arguments["input"].rstrip("\n")
    return Call("exec_command", {"cmd": f"cd /w && apply_patch <<'EOF'\n{text}\nEOF\n"})


def make_diff(before: str | None, after: str) -> Sent | None:
    return "The change:\n\n" + spelled_diff(before, after) if (before or "") != after else None


def make_fenced_diff(before: str | None, after: str) -> Sent | None:
    if (before or "") == after:
        return None
    return f"The change:\n\n```diff\n{spelled_diff(before, after)}```\n\nThat is all.\n"


def spelled_diff(before: str | None, after: str, context: int = 3) -> str:
    names = ("/dev/null" if before is None else f"a/{PATH}", f"b/{PATH}")
    lines = difflib.unified_diff(lines_of(before or ""), lines_of(after), *names, n=context)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def make_tool_call_tag(before: str | None, after: str) -> Sent | None:
    call = {"name": "write_file", "arguments": {"file_path": PATH, "content": after}}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>\n"


def make_invoke(before: str | None, after: str) -> Sent | None:
    if _dropped(after) or "parameter>" in after or "<parameter" in after or "</invoke>" in after:
        return None
    parameters = (("file_path", PATH), ("content", after))
    inner = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in parameters)
    return f'<invoke name="Write">\n{inner}</invoke>\n'


MAKERS: Mapping[str, Callable[[str | None, str], Sent | None]] = {
    "Write": make_write,
    "write (opencode)": make_opencode_write,
    "write_to_file (XML)": make_write_to_file,
    "invoke (XML)": make_invoke,
    "tool_call (XML)": make_tool_call_tag,
    "fenced block": make_block,
    "Edit": make_edit,
    "MultiEdit": make_multi_edit,
    "edit_file (MCP)": make_mcp_edits,
    "SEARCH/REPLACE (aider)": make_search_replace,
    "replace_in_file (XML)": make_replace_in_file,
    "apply_diff (Roo)": make_apply_diff,
    "apply_patch": make_patch,
    "apply_patch in a shell": make_heredoc,
    "unified diff": make_diff,
    "unified diff, fenced": make_fenced_diff,
}
