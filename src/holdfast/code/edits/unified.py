"""Unified diffs, as `diff -u` and git write them; also hunks without numbers, as models do.

Lines are counted as the headers say, so that a removed line that reads `-- x` is not taken for a
header. A hunk whose counts are wrong cannot be read, as for `git apply`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from holdfast.code.edits.model import Diff, Edit, Hunk, Unreadable

VIA: Final = "diff"
_HUNK: Final = re.compile(r"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@")
_GIT_NAMES: Final = re.compile(r"diff --git (?:\"?a/)(.*?)\"? \"?b/(.*?)\"?$")
_ESCAPE: Final = re.compile(r"\\([0-7]{3}|.)")
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "v": 11, "f": 12}
_GIT_HEADERS: Final = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "copy from ", "copy to ",
    "rename from ", "rename to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip
NO_NEWLINE: Final = "\\ No newline at end of file"


class _BadDiffError(ValueError):
    """The diff does not follow the form, from this line on."""

    def __init__(self, reason: str, at: int = 0) -> None:
        super().__init__(reason)
        self.at = at


class _Headers(msgspec.Struct):
    """What stands above the hunks of one file."""

    old: str | None = None
    new: str | None = None
    creates: bool = False
    deletes: bool = False
    renamed_from: str | None = None
    renamed_to: str | None = None
    copied: bool = False
    binary: bool = False


class Read(msgspec.Struct, frozen=True):
    """The diffs read, and the index of the line behind them."""

    edits: tuple[Edit, ...]
    after: int


def begins(lines: Sequence[str], index: int) -> bool:
    """Tell whether the diff of a file begins in this line; lines are without their line feeds."""
    line = lines[index]
    if line.startswith("diff --git "):
        return True
    if not line.startswith("--- ") or index + 1 >= len(lines):
        return False
    return lines[index + 1].startswith("+++ ")


def read(lines: Sequence[str], index: int, stop: int) -> Read:
    """Read the diffs that stand one behind the other from this line on."""
    edits: list[Edit] = []
    while index < stop and begins(lines, index):
        edit, index = _read_file(lines, index, stop)
        edits.append(edit)
        after = index
        while after < stop and not lines[after].strip():
            after += 1
        if after < stop and begins(lines, after):
            index = after
    return Read(tuple(edits), index)


def read_hunks_only(lines: Sequence[str], path: str | None) -> Edit:
    """Read hunks, or lines with + and -, that stand without the names of files."""
    try:
        hunks, after = _read_hunks(lines, 0, len(lines), bare=True)
        _nothing_else(lines, after)
    except _BadDiffError as bad:
        return Unreadable(path=path, via=VIA, reason=str(bad))
    return Diff(path=path, via=VIA, hunks=hunks)


def _nothing_else(lines: Sequence[str], index: int) -> None:
    if any(line.strip() for line in lines[index:]):
        raise _BadDiffError(f"line {index + 1} of the diff is no part of a hunk")


def _read_file(lines: Sequence[str], index: int, stop: int) -> tuple[Edit, int]:
    first = index
    headers, index = _read_headers(lines, index, stop)
    path = headers.renamed_from or (headers.old if headers.deletes else headers.new)
    try:
        if headers.binary or headers.copied:
            what = "is of a binary file" if headers.binary else "copies another file"
            raise _BadDiffError(f"the diff {what}")
        hunks, index = _read_hunks(lines, index, stop)
        if not hunks and not (headers.renamed_to or headers.creates or headers.deletes):
            raise _BadDiffError("the diff has no hunks")
    except _BadDiffError as bad:
        # From where it went wrong: to begin again behind its header would take quadratic time.
        index = _skip(lines, max(index, first + 1, bad.at), stop)
        cut = index >= stop and "ended" in str(bad)
        return Unreadable(path=path, via=VIA, reason=str(bad), complete=not cut), index
    edit = Diff(
        path=path, via=VIA, hunks=hunks, renamed_to=headers.renamed_to,
        creates=headers.creates, deletes=headers.deletes,
    )  # fmt: skip
    return edit, index


def _skip(lines: Sequence[str], index: int, stop: int) -> int:
    """Pass over a diff that cannot be read, up to the next one or the end of its lines."""
    while index < stop and not begins(lines, index):
        if not lines[index] or lines[index][0] not in " +-@\\":
            break
        index += 1
    return index


def _read_headers(lines: Sequence[str], index: int, stop: int) -> tuple[_Headers, int]:
    headers = _Headers()
    if lines[index].startswith("diff --git "):
        named = _GIT_NAMES.match(lines[index].rstrip("\r"))
        if named:
            headers.old, headers.new = named[1], named[2]
        index += 1
        while index < stop and lines[index].startswith(_GIT_HEADERS):
            _take_git_header(headers, lines[index].rstrip("\r"))
            index += 1
        if index < stop and lines[index].startswith(("Binary files ", "GIT binary patch")):
            headers.binary = True
    if index + 1 < stop and lines[index].startswith("--- ") and begins(lines, index):
        _take_names(headers, lines[index][4:], lines[index + 1][4:])
        index += 2
    return headers, index


def _take_git_header(headers: _Headers, line: str) -> None:
    headers.deletes |= line.startswith("deleted file mode ")
    headers.creates |= line.startswith("new file mode ")
    headers.copied |= line.startswith("copy ")
    if line.startswith("rename from "):
        headers.renamed_from = _unquoted(line[len("rename from ") :])
    if line.startswith("rename to "):
        headers.renamed_to = _unquoted(line[len("rename to ") :])


def _take_names(headers: _Headers, old: str, new: str) -> None:
    old, new = (_unquoted(name.rstrip("\r").split("\t")[0].rstrip()) for name in (old, new))
    nowhere = "/dev/null"
    headers.creates |= old == nowhere
    headers.deletes |= new == nowhere
    if (old.startswith("a/") or old == nowhere) and (new.startswith("b/") or new == nowhere):
        old, new = (name if name == nowhere else name[2:] for name in (old, new))
    headers.old = None if old == nowhere else old
    headers.new = None if new == nowhere else new


def _unquoted(name: str) -> str:
    """Read a name as git quotes it: C escapes, bytes of UTF-8 in octal."""
    if len(name) < 2 or name[0] != '"' or name[-1] != '"':
        return name
    raw = bytearray()
    inner, at = name[1:-1], 0
    for found in _ESCAPE.finditer(inner):
        raw += inner[at : found.start()].encode("utf-8", "surrogatepass")
        code = found[1]
        octal = int(code, 8) & 0xFF if len(code) == 3 else None
        raw.append(octal) if octal is not None else raw.extend(
            bytes([_ESCAPES[code]]) if code in _ESCAPES else code.encode("utf-8", "surrogatepass")
        )
        at = found.end()
    raw += inner[at:].encode("utf-8", "surrogatepass")
    return raw.decode("utf-8", "replace")


def _read_hunks(
    lines: Sequence[str], index: int, stop: int, *, bare: bool = False
) -> tuple[tuple[Hunk, ...], int]:
    hunks: list[Hunk] = []
    sent_as_crlf = index < stop and lines[index].startswith("@@") and lines[index].endswith("\r")
    while index < stop and (lines[index].startswith("@@") or (bare and not hunks)):
        numbers = _HUNK.match(lines[index])
        headed = lines[index].startswith("@@")
        if numbers:
            counts = (int(numbers[2] or 1), int(numbers[4] or 1))
            line = int(numbers[1])
            hunk, index = _read_counted(lines, index + 1, stop, line=line, counts=counts)
        else:
            hunk, index = _read_marked(lines, index + headed, stop)
        hunks.append(_without_cr(hunk) if sent_as_crlf else hunk)
    return tuple(hunks), index


def _read_counted(
    lines: Sequence[str], index: int, stop: int, *, line: int, counts: tuple[int, int]
) -> tuple[Hunk, int]:
    """Read as many lines as the header counts, no more and no less."""
    old: list[str] = []
    new: list[str] = []
    first = index
    while len(old) < counts[0] or len(new) < counts[1]:
        if index >= stop:
            raise _BadDiffError("the text ended inside a hunk", index)
        if not _take(lines[index], old, new, lines[index - 1][:1]):
            reason = f"the hunk has fewer lines than its header says ({index - first})"
            raise _BadDiffError(reason, index)
        index += 1
    if index < stop and _is_no_newline(lines[index]):
        _take(lines[index], old, new, lines[index - 1][:1])
        index += 1
    too_many = index < stop and lines[index][:1] in ("+", "-", " ") and not begins(lines, index)
    if (len(old), len(new)) != counts or (too_many and lines[index].strip() not in ("", "--")):
        raise _BadDiffError("the hunk has more lines than its header says", index)
    return Hunk(line, tuple(old), tuple(new)), index


def _read_marked(lines: Sequence[str], index: int, stop: int) -> tuple[Hunk, int]:
    """Read the lines of a hunk without numbers, up to one that is none."""
    old: list[str] = []
    new: list[str] = []
    while index < stop and not begins(lines, index):
        if not _take(lines[index], old, new, lines[index - 1][:1] if index else ""):
            break
        index += 1
    while old and new and not lines[index - 1]:  # blank lines behind the hunk are no context
        old.pop()
        new.pop()
        index -= 1
    if not old and not new:
        raise _BadDiffError("the diff has no hunks", index)
    return Hunk(None, tuple(old), tuple(new)), index


def _take(line: str, old: list[str], new: list[str], before: str = "") -> bool:
    """Put one line of a hunk on its sides; tell whether it was one."""
    kind, text = line[:1], line[1:] + "\n"
    if _is_no_newline(line):
        for side, kinds in ((old, " -"), (new, " +")):
            if side and (before or " ") in kinds:
                side[-1] = side[-1].removesuffix("\n")
        return True
    if line in ("", "\r"):
        kind, text = " ", line + "\n"  # mailers and models drop the space of an empty line
    if kind not in (" ", "+", "-"):
        return False
    if kind != "+":
        old.append(text)
    if kind != "-":
        new.append(text)
    return True


def _is_no_newline(line: str) -> bool:
    return line.startswith("\\ ")


def _without_cr(hunk: Hunk) -> Hunk:
    """Take away the CR of a diff that was sent with CRLF throughout."""
    old, new = (
        tuple(
            line[:-2] + "\n" if line.endswith("\r\n") else line.removesuffix("\r") for line in side
        )
        for side in (hunk.old, hunk.new)
    )
    return Hunk(hunk.line, old, new)
