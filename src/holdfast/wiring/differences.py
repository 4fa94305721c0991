"""What changed between two states of a file, in one line. Text in, values out.

Lines are told apart by the shortest edit script (Myers 1986), up to a bound; beyond it they are
counted. Names are those of the functions and classes in which lines changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

import msgspec

from holdfast.kernel.limits import DIFF_EDITS_MAX, DIFF_NAMES_MAX

_CODE: Final = (
    *(".c", ".cc", ".cpp", ".cs", ".go", ".h", ".hpp", ".java", ".js", ".jsx", ".kt", ".mjs"),
    *(".php", ".py", ".pyi", ".rb", ".rs", ".scala", ".sh", ".swift", ".ts", ".tsx"),
)
_NAMED: Final = re.compile(
    r"(?:(?:export|default|pub|public|private|protected|static|abstract|final|async)\s+){0,4}"
    r"(class|def|enum|fn|func|function|impl|interface|struct|trait)\s+([^\W\d][\w$]{0,79})"
)
_LINE_CHARS_READ: Final = 200


class Difference(msgspec.Struct, frozen=True):
    """How many lines came and went, and where."""

    added: int
    removed: int
    summary: str


def compare(old: str, new: str, path: str) -> Difference:
    """Say what changed between two texts. An absent file is an empty text."""
    before, after = old.splitlines(), new.splitlines()
    edits = _edits(before, after)
    if edits is None:
        came, went = Counter(after) - Counter(before), Counter(before) - Counter(after)
        added, removed = came.total(), went.total()
        return Difference(added, removed, f"+{added} -{removed}: moved lines not counted")
    gone, fresh = edits
    names = _names(after, fresh, path) | _names(before, gone, path)
    counts = " ".join(f"{sign}{len(lines)}" for sign, lines in (("+", fresh), ("-", gone)) if lines)
    return Difference(len(fresh), len(gone), (counts or "+0 -0") + _listed(list(names)))


def _listed(names: list[str]) -> str:
    more = len(names) - DIFF_NAMES_MAX
    shown = ", ".join(names[:DIFF_NAMES_MAX]) + (f" and {more} more" if more > 0 else "")
    return f": {shown}" if shown else ""


def _names(lines: Sequence[str], changed: Sequence[int], path: str) -> dict[str, None]:
    """Return, in order, the definitions that the changed lines are or stand in."""
    if PurePosixPath(path).suffix.lower() not in _CODE:
        return {}
    wanted = set(changed)
    inside = enumerate(_definitions(lines))
    return {name: None for index, name in inside if index in wanted and name}


def _definitions(lines: Sequence[str]) -> Iterator[str]:
    """Yield for each line the definition that it is, or that it stands in by its indentation."""
    around: list[tuple[int, str]] = []
    for line in lines:
        text = line[:_LINE_CHARS_READ].lstrip()
        indent = len(line[:_LINE_CHARS_READ]) - len(text)
        if text:
            while around and around[-1][0] >= indent and not text.startswith(("}", ")", "]")):
                around.pop()
            if found := _NAMED.match(text):
                around.append((indent, f"{found[1]} {found[2]}"))
        yield around[-1][1] if around and text else ""


def _edits(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]] | None:
    """Return which lines of the old text went and which of the new came, None when too many."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    script = _shortest(old[head : len(old) - tail], new[head : len(new) - tail])
    if script is None:
        return None
    return [head + x for x in script[0]], [head + y for y in script[1]]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _shortest(old: Sequence[str], new: Sequence[str]) -> tuple[list[int], list[int]] | None:
    """Find the shortest edit script, unless it is longer than the bound."""
    if not old or not new:
        return list(range(len(old))), list(range(len(new)))
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), DIFF_EDITS_MAX) + 1):
        trace.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(furthest, diagonal, edits)[1]
            while x < len(old) and x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            furthest[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return _walk_back(trace, len(old), len(new))
    return None


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> tuple[int, int]:
    """Return which diagonal is left for this one, and how far along the old text that leads."""
    if diagonal == -edits or (
        diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
    ):
        return diagonal + 1, furthest[diagonal + 1]
    return diagonal - 1, furthest[diagonal - 1] + 1


def _walk_back(trace: list[dict[int, int]], x: int, y: int) -> tuple[list[int], list[int]]:
    gone: list[int] = []
    fresh: list[int] = []
    for edits in range(len(trace) - 1, 0, -1):
        before, _ = _step(trace[edits], x - y, edits)
        came_down = before > x - y
        x = trace[edits][before]
        y = x - before
        (fresh if came_down else gone).append(y if came_down else x)
    return gone[::-1], fresh[::-1]
