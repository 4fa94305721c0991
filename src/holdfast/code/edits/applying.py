"""Apply an edit to a base text: all of it, or none of it and the reason.

Line ends and byte order marks follow the tool that the form belongs to:

- whole files are taken as they are given; a base's CRLF or mark is not carried over. Cline's and
  Roo's `write_to_file` end with a newline where the base did;
- Claude Code drops the spaces that end lines of a new text, but not in Markdown; Cline and Roo
  take fences around a file away and, depending on the model, `&lt;` and the like for what they
  stand for: such a text is refused;
- replaced texts (`Edit` and its cousins) are compared with line feeds and written with CRLF when
  the whole base has CRLF, as Claude Code and opencode do; a base that mixes both is refused,
  because those tools would rewrite lines that the edit does not name;
- SEARCH/REPLACE and inserted lines keep the base's line ends; aider ends every file with a newline;
- `apply_patch` keeps the base's line ends and ends every file with a newline;
- unified diffs are exact. Only where every line of the base ends in CRLF and no line of the diff
  does are the diff's lines given CRLF;
- a byte order mark is a character of the first line: an edit that does not touch it keeps it.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.code.edits import notebooks
from holdfast.code.edits.applying_lines import (
    apply_diff,
    apply_insert,
    apply_patch,
    apply_search,
)
from holdfast.code.edits.elision import left_out
from holdfast.code.edits.lines import ending, to_crlf, to_lf
from holdfast.code.edits.model import (
    Applied,
    Block,
    Cell,
    Delete,
    Diff,
    Edit,
    Insert,
    Patch,
    Refused,
    Replace,
    Replacement,
    Search,
    Unreadable,
    Whole,
)
from holdfast.kernel.limits import EDIT_WORK_CHARS_MAX

NOT_THERE: Final = Refused("the file is not there")
_ENTITIES: Final = Refused("whether the tool reads `&lt;` and the like as signs is not known")

CLAUDE_CODE: Final = ("Edit", "MultiEdit", "Write")
CLINE: Final = ("replace_in_file", "apply_diff")
"""Tools whose ways stand above."""

_ENTITY: Final = re.compile(r"&(?:lt|gt|amp|quot|apos|#39|#91|#93|lsqb|rsqb);")


_SPACE_AT_LINE_END: Final = re.compile(r"[^\S\r\n]+(?=[\r\n]|\Z)")


def apply(edit: Edit, base: str | None) -> Applied | Refused:
    """Return the file after the edit, or why it cannot be applied; `base` None is no file."""
    if not edit.complete and not isinstance(edit, Unreadable):
        return Refused("the edit is not complete: the text ended before it was closed")
    return _apply(edit, base)


def _apply(edit: Edit, base: str | None) -> Applied | Refused:
    match edit:
        case Whole():
            return _apply_whole(edit, base)
        case Block():
            return _apply_block(edit)
        case Diff():
            return apply_diff(edit, base)
        case Replace():
            return _apply_replace(edit, base)
        case Search():
            return _ENTITIES if _holds_entities(edit) else apply_search(edit, base)
        case Unreadable():
            return Refused(edit.reason)
        case Insert():
            return NOT_THERE if base is None else apply_insert(edit, base)
        case Patch():
            return NOT_THERE if base is None else apply_patch(edit, base)
        case Cell():
            return NOT_THERE if base is None else notebooks.apply(edit, base)
        case Delete():
            return NOT_THERE if base is None else Applied(None)


def _apply_whole(edit: Whole, base: str | None) -> Applied | Refused:
    if edit.final_newline == "as given":
        return Applied(_as_claude_writes(edit, edit.content))
    if edit.content.endswith("\n\n"):
        return Refused("the tools differ in what they make of blank lines at the end")
    if edit.content.startswith("```") or edit.content.rstrip().endswith("```"):
        return Refused("the tool takes a fence at the beginning or the end away")
    if _ENTITY.search(edit.content):
        return _ENTITIES
    missing = base is not None and base.endswith("\n") and not edit.content.endswith("\n")
    return Applied(edit.content + "\n" * missing)


def _as_claude_writes(edit: Whole | Replace, new: str) -> str:
    if edit.via not in CLAUDE_CODE or (edit.path or "").lower().endswith((".md", ".mdx")):
        return new
    return _SPACE_AT_LINE_END.sub("", new)


def _holds_entities(edit: Search) -> bool:
    return edit.via in CLINE and any(
        _ENTITY.search(side) for piece in edit.pieces for side in (piece.search, piece.replace)
    )


def _apply_block(edit: Block) -> Applied | Refused:
    if edit.path is None:
        return Refused("the block names no file")
    if edit.quoted:
        return Refused("the block quotes lines of the file and changes nothing")
    if edit.nested:
        return Refused("a fence seems to open inside the block, which may have ended too early")
    found = left_out(edit.content)
    if found is not None:
        number, line = found
        return Refused(f"the block leaves code out in its line {number}: {line}")
    return Applied(edit.content)


def _apply_replace(edit: Replace, base: str | None) -> Applied | Refused:
    first = edit.replacements[0]
    if first.old == "" and not (base or "").strip():
        base = first.new
        if len(edit.replacements) == 1:
            return Applied(base)
        edit = Replace(path=edit.path, via=edit.via, replacements=edit.replacements[1:])
    if base is None:
        return NOT_THERE
    ends = ending(base)
    if ends == "mixed":
        return Refused("the base mixes line ends, and the tool would rewrite all of them")
    text = to_lf(base) if ends == "\r\n" else base
    sought_in = len(text) + sum(len(one.new) for one in edit.replacements)
    if sought_in * len(edit.replacements) > EDIT_WORK_CHARS_MAX:
        return Refused(f"{len(edit.replacements)} replacements in a text this long are too many")
    done = _replace_all(edit, text, crlf=ends == "\r\n")
    if isinstance(done, Refused):
        return done
    if done == text:
        return Refused("the edit changes nothing")
    return Applied(to_crlf(done) if ends == "\r\n" else done)


def _replace_all(edit: Replace, text: str, *, crlf: bool) -> str | Refused:
    written: list[str] = []
    for part, asked in enumerate(edit.replacements, 1):
        one = _as_the_tool_reads(edit, asked, crlf=crlf)
        if one.old == "":
            return Refused("the text to replace is empty", part=part)
        bare = one.old.rstrip("\n")
        if edit.via in CLAUDE_CODE and bare and any(bare in earlier for earlier in written):
            return Refused("the text to replace stands in what an earlier part put in", part=part)
        done = _replace(text, one)
        if isinstance(done, Refused):
            return Refused(done.reason, done.line, part)
        written.append(one.new)
        text = done
    return text


def _as_the_tool_reads(edit: Replace, asked: Replacement, *, crlf: bool) -> Replacement:
    old, new = (to_lf(asked.old), to_lf(asked.new)) if crlf else (asked.old, asked.new)
    return Replacement(old, _as_claude_writes(edit, new), asked.every, asked.count)


def _replace(text: str, one: Replacement) -> str | Refused:
    first = text.find(one.old)
    if first < 0:
        return Refused("the text to replace does not stand in the base")
    old = one.old
    if one.new == "" and not old.endswith("\n") and old + "\n" in text:
        old += "\n"  # the line goes with its end, as Claude Code does
        first = text.find(old)
    if one.count is not None and (there := text.count(old)) != one.count:
        return Refused(f"{one.count} places are expected, {there} are there")
    if one.every or one.count is not None:
        return text.replace(old, one.new)
    second = text.find(one.old, text.find(one.old) + 1)
    if second >= 0:
        line = text.count("\n", 0, second) + 1
        return Refused("the text to replace stands in more than one place", line)
    return text[:first] + one.new + text[first + len(old) :]
