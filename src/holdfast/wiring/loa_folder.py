"""The files of a Loa folder: which there are, and which are left alone. Nothing outside is seen.

    NOTES.md              where the work stands, decisions, blockers
    ledger.json           sprints
    **/*.jsonl            trajectories and other logs, a JSON object a line
    **/*.md               handoffs, feedback, reports, plans: each one text

No link is followed, neither to a file nor to a folder. What has other names is counted.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import LOA_DEPTH_MAX, LOA_FILES_MAX
from holdfast.ledger.importing.lines import Unread

NOTES: Final = "NOTES.md"
LEDGER: Final = "ledger.json"
TRAJECTORY: Final = "a2a/trajectory"
PLACES: Final = ("grimoires/loa", "loa-grimoire")
"""Where the folder is in a project; the second in older ones."""

KINDS_NAMED: Final = 6
_MARKS: Final = (NOTES, LEDGER, TRAJECTORY)
_DATE: Final = re.compile(r"\d{4}-?\d{2}-?\d{2}")


class LoaFiles(msgspec.Struct, frozen=True):
    """What a folder holds, by what it becomes; names are below the folder."""

    folder: Path
    papers: list[str]
    logs: list[str]
    has_ledger: bool
    has_notes: bool
    bytes: int
    unread: list[Unread]


def loa_in(project: Path) -> Path | None:
    """Return the Loa folder of a project, None where it has none."""
    places = (project / name for name in PLACES if not (project / name).parent.is_symlink())
    return next((one for one in places if _has_any(one, _MARKS)), None)


def find_loa(path: Path) -> Path | None:
    """Return the Loa folder that a path is, or that a project has; None where there is none."""
    if not path.is_symlink() and (found := loa_in(path)) is not None:
        return found
    # notes alone make no Loa folder: many projects have some
    marks = _MARKS if path.name in {Path(name).name for name in PLACES} else _MARKS[1:]
    return path if _has_any(path, marks) else None


def list_loa(path: Path) -> LoaFiles:
    """Say what is in the Loa folder of a path, in the order in which it was written."""
    folder = find_loa(path)
    if folder is None:
        raise InvalidInput(
            f"{path} is not a Loa folder: it has none of {NOTES}, {LEDGER} and {TRAJECTORY}/.",
            meaning="Nothing was recorded.",
            remedy=f"Name the folder that holds {NOTES}, or the project that has {PLACES[0]}/.",
        )
    found: dict[str, list[str]] = {".md": [], ".jsonl": [], NOTES: [], LEDGER: []}
    unread: list[Unread] = []
    others: Counter[str] = Counter()
    size = 0
    for one in _below(folder, unread):
        kind = one.name if one.name in (NOTES, LEDGER) else Path(one.name).suffix
        if kind not in found:
            others[kind or one.name] += 1
            continue
        found[kind].append(one.name)
        size += one.bytes
    if others:
        unread.append(_others(folder, others))
    return LoaFiles(
        folder,
        sorted(found[".md"]),
        sorted(found[".jsonl"], key=_age),
        bool(found[LEDGER]),
        bool(found[NOTES]),
        size,
        unread,
    )


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    marks = (folder / name for name in names)
    return not folder.is_symlink() and any(one.exists() and not one.is_symlink() for one in marks)


class _File(msgspec.Struct, frozen=True):
    name: str
    bytes: int


def _below(folder: Path, unread: list[Unread]) -> Iterator[_File]:
    """Yield the plain files below a folder, up to a bound; say what is beyond it."""
    waiting, count, beyond = [""], 0, 0
    while waiting:
        inner = waiting.pop()
        for name, entry in _entries(folder, inner, unread):
            if entry.is_symlink():
                unread.append(Unread(name, "it is a link"))
            elif entry.is_dir(follow_symlinks=False):
                if name.count("/") >= LOA_DEPTH_MAX:
                    unread.append(Unread(name, f"it is more than {LOA_DEPTH_MAX} folders down"))
                else:
                    waiting.append(name)
            elif not entry.is_file(follow_symlinks=False):
                unread.append(Unread(name, "it is not a file"))
            elif count == LOA_FILES_MAX:
                beyond += 1
            else:
                count += 1
                yield _File(name, entry.stat(follow_symlinks=False).st_size)
    if beyond:
        unread.append(Unread(".", f"{beyond:,} files beyond the first {LOA_FILES_MAX:,} of it"))


def _entries(folder: Path, inner: str, unread: list[Unread]) -> list[tuple[str, os.DirEntry[str]]]:
    try:
        with os.scandir(folder / inner) as found:
            listed = sorted(found, key=lambda one: one.name)
    except OSError as error:
        unread.append(Unread(inner or ".", f"it cannot be listed: {error.strerror}"))
        return []
    return [(f"{inner}/{one.name}" if inner else one.name, one) for one in listed]


def _others(folder: Path, others: Counter[str]) -> Unread:
    named = ", ".join(f"{count:,} {kind[:40]}" for kind, count in others.most_common(KINDS_NAMED))
    rest = len(others) - KINDS_NAMED
    more = f" and {rest} kinds more" if rest > 0 else ""
    total = sum(others.values())
    return Unread(
        str(folder), f"{total:,} files of other kinds stay where they are ({named}{more})"
    )


def _age(name: str) -> tuple[str, str]:
    """Order logs by the day in their name, then by the name: those without a day come first."""
    day = _DATE.search(name.rpartition("/")[2])
    return (day[0].replace("-", "") if day else "", name)
