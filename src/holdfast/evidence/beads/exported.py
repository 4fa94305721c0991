"""Beads by the file that it exports: one JSON object a line, each of them by itself.

`bd` takes lines over by `bd import`, where they are newer. Only the lines of issues that change are
written anew; all others, whatever they hold, stay byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.evidence.beads.mapping import row_of
from holdfast.evidence.beads.port import Found, Issue, Wanted, compare, gone
from holdfast.evidence.beads.shapes import issue_of
from holdfast.kernel.errors import CouldNotLook, StorageFailed
from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.storage import files

NAMES: Final = (".beads/issues.jsonl", ".beads/beads.jsonl")
"""Where the file is; the second in older projects."""

_TRIES: Final = 3
DELETED: Final = "tombstone"


class Exported:
    """A driver that reads and writes the exported file."""

    def __init__(self, root: Path, path: Path | None = None) -> None:
        found = [root / name for name in NAMES if (root / name).exists()]
        self._path = (path or (found[0] if found else root / NAMES[0])).absolute()

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return str(self._path)

    def issues(self) -> Found:
        """Return the issues in the file; a line that cannot be read is named."""
        return read(self._content())

    def issue(self, id: str) -> Issue | None:
        """Return one issue."""
        return next((one for one in self.issues().issues if one.id == id), None)

    def put(self, wanted: Wanted) -> Issue:
        """Let an issue be as it should be."""
        return self.put_all([wanted])[0]

    def put_all(self, wanted: Iterable[Wanted]) -> list[Issue]:
        """Let several issues be as they should be, in one step; the file is made if need be."""
        changes = list(wanted)
        for _ in range(_TRIES):
            before = self._content() if self._path.exists() else b""
            after = merged(before, changes)
            if self._content_or_nothing() == before:  # else somebody wrote: then once more
                self._replace(after)
                return self._read_back(changes, before)
        raise StorageFailed(
            f"{self._path} keeps changing while it is written.",
            meaning="It was left as others wrote it; the ledger has every task.",
            remedy="Try again when they are done.",
        )

    def _read_back(self, changes: Iterable[Wanted], before: bytes) -> list[Issue]:
        known = {one.id: one for one in read(before).issues}
        found = {one.id: one for one in self.issues().issues}
        return [
            compare(
                self.name,
                found.get(one.id),
                one,
                gone(known[one.id], one) if one.id in known else (),
            )
            for one in changes
        ]

    def _replace(self, content: bytes) -> None:
        try:
            mode = self._path.stat().st_mode & 0o777 if self._path.exists() else 0o644
            files.replace(str(self._path), content)
            self._path.chmod(mode)
        except OSError as error:
            raise StorageFailed(
                f"{self._path} cannot be written: {error.strerror}.",
                meaning="It is as it was; the ledger has every task.",
                remedy="Name a file in a folder that can be written to.",
            ) from error

    def _content_or_nothing(self) -> bytes:
        return self._content() if self._path.exists() else b""

    def _content(self) -> bytes:
        try:
            if self._path.is_symlink() or not self._path.is_file():
                raise FileNotFoundError(2, "there is no such file (links are not followed)")
            with self._path.open("rb") as file:
                content = file.read(INPUT_BYTES_MAX + 1)
        except OSError as error:
            raise CouldNotLook(
                f"{self._path} cannot be read: {error.strerror}.",
                meaning="That is not the same as no tasks. Nothing was changed.",
                remedy="`bd export -o .beads/issues.jsonl` writes it; or name another file.",
            ) from error
        if len(content) > INPUT_BYTES_MAX:
            raise CouldNotLook(
                f"{self._path} has more than {INPUT_BYTES_MAX:,} bytes.",
                meaning="It was not read.",
                remedy="Split it; each line stands by itself.",
            )
        return content


def read(content: bytes) -> Found:
    """Read the lines of an export. Records that are no issues, and deleted ones, are left out."""
    issues: dict[str, Issue] = {}
    unread = []
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        row = _decoded(line)
        issue = issue_of(row) if isinstance(row, dict) else None
        if isinstance(row, dict) and "_type" in row and row["_type"] != "issue":
            continue
        if issue is None:
            unread.append(f"line {number}: {_why(row)}")
        elif issue.status != DELETED:
            issues[issue.id] = issue  # the last line about an issue counts
    return Found(list(issues.values()), unread)


def merged(content: bytes, wanted: Iterable[Wanted]) -> bytes:
    """Return an export in which issues are as they should be; other lines stay byte for byte."""
    changes = {one.id: one for one in wanted}
    lines = content.split(b"\n")
    for at in range(len(lines) - 1, -1, -1):
        row = _decoded(lines[at]) if lines[at].strip() else None
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(row, dict) and isinstance(name, str) and name in changes:
            lines[at] = msgspec.json.encode(row_of(changes.pop(name), row))
    new = [msgspec.json.encode(row_of(one)) for one in changes.values()]
    body = b"\n".join(lines)
    if body and not body.endswith(b"\n"):
        body += b"\n"
    return body + b"".join(line + b"\n" for line in new)


def _decoded(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return line


def _why(row: Any) -> str:
    if isinstance(row, bytes):
        return "it is not JSON"
    return "it has no id and title" if isinstance(row, dict) else "it is no object"
