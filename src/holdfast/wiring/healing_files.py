"""Healing files that people write: the notes, and the file that Beads exports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from holdfast.evidence import healing
from holdfast.evidence.beads.exported import NAMES as BEADS
from holdfast.evidence.healing import Candidate, Kind, damage_of
from holdfast.evidence.notes_file import MODE, NotesFile
from holdfast.evidence.project_files import ProjectFiles
from holdfast.views.notes import TEMPLATE
from holdfast.wiring.git_copy import NOTES
from holdfast.wiring.healing_steps import Step, Ward

_TEMPLATE: Final = Candidate("template", TEMPLATE.encode(), "the template; git has no whole one")


def notes_steps(ward: Ward) -> Iterator[Step]:
    """Heal the notes, then let what holdfast writes in them come from the ledger."""
    root, notes = ward.place.project, ward.settings.notes
    if root is None or not notes.write:
        return  # then they are a person's own matter
    place = NotesFile(ProjectFiles(root, root), notes.path).place
    damage = damage_of(healing.read(place), "notes")
    if damage is None or (damage == healing.MISSING and not _is_expected(ward)):
        return
    found = _whole(ward, place.relative_to(os.path.realpath(root)), NOTES, "notes") or _TEMPLATE
    step = _heal(ward, place, damage, found, mode=MODE)
    yield step if not step.healed or ward.check else _refreshed(ward, step)


def beads_steps(ward: Ward) -> Iterator[Step]:
    """Heal the file that Beads exports, where a project has one or git knows of one."""
    root = ward.place.project
    if root is None:
        return
    for name in BEADS:
        path = root / name
        content = healing.read(path)
        if content == b"":
            damage: str | None = "empty"
        else:
            damage = damage_of(content, "lines")
        if damage is None:
            continue
        found = _whole(ward, Path(name), None, "lines")
        if found is None and damage in (healing.MISSING, "empty"):
            continue  # a project without tasks in Beads, as far as anybody can tell
        if found is None:
            detail = "git has no whole version; `bd` or a backup may"
            yield Step(name, damage, False, detail=detail)
            continue
        yield _heal(ward, path, damage, found, mode=MODE)


def _is_expected(ward: Ward) -> bool:
    """Tell whether there should be notes: once anything was recorded."""
    return ward.reader is None or ward.reader.head().size > 0


def _whole(ward: Ward, path: Path, copied: str | None, kind: Kind) -> Candidate | None:
    return healing.whole(
        ward.git,
        path.as_posix(),
        ledger=ward.ledger,
        copied=copied,
        damaged=lambda content: damage_of(content, kind),
    )


def _heal(ward: Ward, path: Path, damage: str, found: Candidate, *, mode: int) -> Step:
    """Keep what is damaged aside, and put a whole version in its place."""
    what = path.relative_to(os.path.realpath(ward.place.project or path.parent)).as_posix()
    if ward.check:
        return Step(what, damage, False, found.source, detail=found.detail)
    kept = ward.set_aside(path)
    healing.put(path, found.content, mode=mode)
    return Step(what, damage, True, found.source, kept, found.detail)


def _refreshed(ward: Ward, step: Step) -> Step:
    """Bring the healed notes up to date; should that fail, they are whole all the same."""
    from holdfast.kernel.errors import HoldfastError
    from holdfast.wiring.notes import refresh

    try:
        refresh(ward.writable())
    except (HoldfastError, OSError) as problem:
        ward.told.append(f"The notes are whole, but not up to date: {problem}")
    return step
