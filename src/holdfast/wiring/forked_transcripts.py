"""Claude Code's forks: a file that begins with lines copied from another session's.

The client does not say so, but a copied line keeps its id and its time, which is before the first
time in its own file. That is only a hint; what counts is that a file beside it has the same id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from holdfast.ledger.importing.lines import Unread, read_lines
from holdfast.wiring.transcript_files import LINES_LOOKED_AT, Source

_UUID: Final = re.compile(rb'"uuid":"([^"\\]{1,100})"')


class Copied(msgspec.Struct, frozen=True):
    """The session that a file was forked from, and the ids of its lines."""

    parent: str
    lines: frozenset[str]


def copied_into(source: Source) -> Copied | None:
    """Return what a file was forked from, as far as that is still there."""
    first = _older_line(source)
    if first is None:
        return None
    for path in sorted(source.path.parent.glob("*.jsonl")):
        if path == source.path or path.is_symlink():
            continue
        lines = frozenset(_ids(source, path.name))
        if first in lines:
            return Copied(path.stem, lines)
    return None


def _older_line(source: Source) -> str | None:
    """Return the id of the first line, when it is older than the file."""
    begun: str | None = None
    for line in read_lines(source.folder, source.name):
        if isinstance(line, Unread) or line.number > LINES_LOOKED_AT:
            return None
        try:
            record: Any = msgspec.json.decode(line.content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if not isinstance(record, dict) or not isinstance(record.get("timestamp"), str):
            continue
        begun = record["timestamp"] if begun is None else begun
        if isinstance(record.get("uuid"), str):
            return record["uuid"] if record["timestamp"] < begun else None
    return None


def _ids(source: Source, name: str) -> Iterator[str]:
    for line in read_lines(source.path.parent, name):
        if not isinstance(line, Unread) and (found := _UUID.search(line.content)):
            yield found[1].decode("utf-8", "replace")
