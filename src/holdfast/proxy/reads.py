"""Files as tools show them: which calls read a whole file, and what is the file's in the result.

Clients put line numbers before the lines and remarks around them. A result counts only when all of
the file is in it and nothing else: then it is what the disk held. Whatever is cut, begins further
down or cannot be told from remarks is not a whole file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from holdfast.proxy.failures import is_refusal

_NUMBERED_TOOLS: Final = frozenset({"read", "view", "viewfile", "openfile"})
_PLAIN_TOOLS: Final = frozenset({"readfile", "readtextfile", "getfilecontents"})
_EDITORS: Final = frozenset({"strreplacebasededittool", "strreplaceeditor", "texteditor"})
_PATHS: Final = ("filepath", "path", "targetfile", "absolutepath", "file", "filename")
_HARMLESS: Final = frozenset(
    ("limit", "encoding", "explanation", "reason", "description", "intent", "taskprogress",
     "requiresapproval", "instructions")
)  # fmt: skip
"""What else a call may say and still read all of a file of this disk. Whatever is not known may
choose lines, a revision or another machine."""

_LINES_MAX: Final = 2_000
_LINE_CHARS_MAX: Final = 2_000
"""Claude Code and opencode show no more lines, and no more of a line, unless they are asked to."""

_NUMBERS: Final = tuple(
    re.compile(pattern)
    for pattern in (r" *(\d+)→(.*)", r" *(\d+)\t(.*)", r"(\d{5,})\| ?(.*)", r"(\d+): ?(.*)")
)
_HEADS: Final = "Here's the "
_HEADER: Final = re.compile(rf"{_HEADS}(?:content|result)[^\n]*:\n")
_REMINDS: Final = "<system-reminder>"
_REMINDER: Final = re.compile(rf"\s*{_REMINDS}.*?</system-reminder>\s*\Z", re.DOTALL)
_TAGGED: Final = re.compile(
    r"\s*(?:<path>[^<\n]*</path>\s*<type>file</type>\s*)?<(file|content)>\n(.*)\n</\1>\s*\Z",
    re.DOTALL,
)
_ENDS: Final = "(End of file"
_END: Final = re.compile(r"\n*\(End of file - total (\d+) lines\)\s*\Z")
_CUT: Final = re.compile(
    r"truncated|\bmore lines\b|lines omitted|characters omitted|Showing lines|Output capped|"
    r"\blines? \d+ ?(?:-|–|to) ?\d+\b",
    re.IGNORECASE,
)
_CUT_WITHIN: Final = re.compile(
    r"[\[(<][^\])>\n]{0,80}\b(?:truncated|omitted)\b|\.\.\. ?(?:output )?truncated", re.IGNORECASE
)
_FENCES: Final = ("```", "~~~")
_EDGE_CHARS: Final = 400
_DIGITS_MAX: Final = 10


def path_read(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """Return the file that a call reads whole; None when it does not."""
    name, plain = _plain(tool), {_plain(str(key)): value for key, value in arguments.items()}
    if name in _EDITORS:
        if plain.get("command") != "view":
            return None
    elif name not in _NUMBERED_TOOLS | _PLAIN_TOOLS:
        return None
    if not all(_is_harmless(key, value) for key, value in plain.items()):
        return None
    found = (plain[key] for key in _PATHS if isinstance(plain.get(key), str))
    return next(found, None)


def _is_harmless(name: str, value: Any) -> bool:
    """Tell whether an argument leaves a call one that reads a whole file of this disk."""
    if value is None or value == [] or name in _PATHS or name in _HARMLESS:
        return True
    if name == "shouldreadentirefile":
        return value is True
    return (name == "command" and value == "view") or (name == "offset" and value == 0)


def text_read(tool: str, arguments: Mapping[str, Any], result: str) -> str | None:
    """Return the file's text; None unless all of it is there."""
    if is_refusal(result):
        return None
    if _REMINDS in result:  # a plain look is many times faster than a pattern
        result = _REMINDER.sub("", result)
    if _HEADS in result:
        result = _HEADER.sub("", result, count=1)
    tagged = _TAGGED.match(result)
    body = result if tagged is None else tagged[2]
    ended = _END.search(body) if _ENDS in body else None
    lines = _numbered((body if ended is None else body[: ended.start()]).split("\n"))
    if lines is None:
        return _unnumbered(tool, arguments, body) if tagged is None else None
    if ended is not None:
        return "".join(f"{line}\n" for line in lines) if len(lines) == int(ended[1]) else None
    most = _limit(arguments)
    if tagged is not None or len(lines) >= min(most, _LINES_MAX):
        return None  # opencode says where a file ends; a full page may not be the last
    if any(len(line) >= _LINE_CHARS_MAX for line in lines):
        return None
    if lines[-1] == "":
        lines.pop()  # what stands behind the last line end is shown as a line
    return "".join(f"{line}\n" for line in lines)


def _plain(name: str) -> str:
    own = name.rpartition("__")[2] if name.startswith("mcp__") else name
    return own.replace("_", "").replace("-", "").lower()


def _limit(arguments: Mapping[str, Any]) -> int:
    """Return how many lines were asked for at most; 0 when that cannot be told."""
    limit = next((v for key, v in arguments.items() if _plain(str(key)) == "limit"), None)
    if limit is None:
        return _LINES_MAX
    if isinstance(limit, str) and limit.isdecimal() and len(limit) < _DIGITS_MAX:
        return int(limit)
    return limit if isinstance(limit, int) and not isinstance(limit, bool) else 0


def _numbered(lines: Sequence[str]) -> list[str] | None:
    """Return lines without their numbers, when they all have them, from 1 on, without a gap."""
    if len(lines) > 1 and lines[-1] == "":
        lines = lines[:-1]  # the result's own line end
    for pattern in _NUMBERS:
        bare: list[str] = []
        for number, line in enumerate(lines, 1):
            match = pattern.fullmatch(line)
            if match is None or int(match[1][:9]) != number:
                break
            bare.append(match[2])
        else:
            return bare
    return None


def _unnumbered(tool: str, arguments: Mapping[str, Any], body: str) -> str | None:
    """Return a result as it is, for tools that show files bare."""
    if _plain(tool) not in _PLAIN_TOOLS or _limit(arguments) != _LINES_MAX:
        return None
    if _CUT.search(body[:_EDGE_CHARS]) or _CUT.search(body[-_EDGE_CHARS:]):
        return None
    if _CUT_WITHIN.search(body) or body.lstrip().startswith(_FENCES):
        return None
    return body
