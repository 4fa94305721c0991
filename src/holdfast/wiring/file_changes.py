"""What is recorded about a file that changed: found out by looking, or as somebody tells it.

Contents are compared in memory and are not recorded: an entry holds sizes, hashes, line counts and
one line about the difference.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final, TypeAlias

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import FILE_CHANGES_LOOKED_AT, FILES_REMEMBERED_MAX
from holdfast.ledger.ledger import Ledger
from holdfast.storage.port import Selection
from holdfast.wiring.differences import compare
from holdfast.wiring.watching import Root, Seen

FIELDS: Final = (
    "path",
    "action",
    "size_before",
    "size_after",
    "lines_changed",
    "diff_summary",
    "hash_after",
)

Given: TypeAlias = str | os.PathLike[str] | Mapping[str, Any] | object
"""A path, or the fields of a change: in a mapping or as attributes."""


class Before(msgspec.Struct, frozen=True):
    """What a file was before, as far as that is known."""

    known: bool
    size: int = 0
    sha256: str | None = None
    """None when there was no file."""
    lines: int | None = None
    text: str | None = None


UNKNOWN: Final = Before(known=False)
ABSENT: Final = Before(known=True, lines=0, text="")


class Remembered:
    """The files that this process looked at last, with their text."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, Seen | None] = OrderedDict()

    def put(self, path: str, seen: Seen | None) -> None:
        """Keep one in mind, and forget the one that was not looked at for longest."""
        self._files[path] = seen
        self._files.move_to_end(path)
        while len(self._files) > FILES_REMEMBERED_MAX:
            self._files.popitem(last=False)

    def before(self, path: str) -> Before:
        """Return what is remembered of a file."""
        if path not in self._files:
            return UNKNOWN
        return state_of(self._files[path])


class FileChanges:
    """Works out what to record about changes of one project's files."""

    def __init__(self, root: Root, ledger: Ledger, remembered: Remembered) -> None:
        self.root = root
        self._ledger = ledger
        self._remembered = remembered

    def describe(self, given: Given) -> dict[str, Any]:
        """Return the fields of a change; those that are not told are found out."""
        if isinstance(given, (str, os.PathLike)):
            return self._look(self.root.relative(given))
        told = _fields(given)
        if all(name in told for name in FIELDS):
            return told
        if not isinstance(told.get("path"), (str, os.PathLike)):
            raise InvalidInput(
                f"A changed file was given as {type(given).__name__}, which has no path.",
                meaning="Nothing was recorded.",
                remedy=f"Give a path, or an object with {', '.join(FIELDS)}.",
            )
        return self._look(self.root.relative(told["path"])) | told | {"path": str(told["path"])}

    def between(self, path: str, before: Before, after: Seen | None) -> dict[str, Any]:
        """Return the fields of a change from one state of a file to another."""
        self._remembered.put(path, after)
        lines, summary = _difference(path, before, after)
        told = {
            "path": path,
            "action": _action(before, after),
            "size_before": before.size,
            "size_after": 0 if after is None else after.size,
            "lines_changed": lines,
            "diff_summary": summary,
            "hash_after": None if after is None else after.sha256,
            "hash_before": before.sha256,
        }
        if after is not None and after.lines is not None:
            told["lines_after"] = after.lines
        return told

    def _look(self, path: str) -> dict[str, Any]:
        after = self.root.look(path)
        return self.between(path, self._before(path), after)

    def _before(self, path: str) -> Before:
        """Return what was last recorded of a file, with its text where this process has it."""
        remembered = self._remembered.before(path)
        recorded = self._recorded(path)
        if not recorded.known:
            return remembered
        same = remembered.known and remembered.sha256 == recorded.sha256
        return remembered if same else recorded

    def _recorded(self, path: str) -> Before:
        newest = self._ledger.lines(Selection(type="file_change", newest_first=True))
        for stored in islice(newest, FILE_CHANGES_LOOKED_AT):
            try:
                change = _decoder.decode(stored.body).data
            except msgspec.DecodeError:
                continue  # damaged, or its fields are in the vault: then nothing is known from it
            if change.path == path:
                return _after(change)
        return UNKNOWN


def state_of(seen: Seen | None) -> Before:
    """Return what was seen of a file as what was there before."""
    if seen is None:
        return ABSENT
    return Before(True, seen.size, seen.sha256, seen.lines, seen.text)


class _Change(msgspec.Struct):
    path: str
    size_after: int
    hash_after: str | None
    lines_after: int | None = None


class _Line(msgspec.Struct):
    data: _Change


_decoder = msgspec.json.Decoder(_Line)


def _after(change: _Change) -> Before:
    if change.hash_after is None:
        return ABSENT
    return Before(True, change.size_after, change.hash_after, change.lines_after)


def _fields(given: object) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return dict(given)
    return {name: getattr(given, name) for name in FIELDS if hasattr(given, name)}


def _action(before: Before, after: Seen | None) -> str:
    if after is None:
        return "delete"
    return "modify" if before.sha256 is not None else "create"


def _difference(path: str, before: Before, after: Seen | None) -> tuple[int, str]:
    """Return how many lines changed, and one line that claims no more than is known."""
    text = "" if after is None else after.text
    if not before.known and after is None:
        return 0, "gone; what it held is not known"
    old = "" if not before.known else before.text
    if old is not None and text is not None:
        found = compare(old, text, path)
        first = "" if before.known else " (first seen)"
        return found.added + found.removed, found.summary + first
    if after is not None and before.sha256 == after.sha256:
        return 0, "+0 -0"
    sizes = f"{before.size:,} to {0 if after is None else after.size:,} bytes"
    lines = 0 if after is None else after.lines
    if lines is None:
        return 0, f"compared by hash only: {sizes}"
    if before.lines is None:
        return lines, f"{sizes}, {lines} lines now; how many changed is not known"
    changed = abs(lines - before.lines)
    return changed, f"{before.lines} to {lines} lines, {sizes}; how many changed is not known"
