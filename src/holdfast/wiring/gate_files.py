"""What the gate looks at outside the ledger: the notes, and the files installed for agents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.kernel.errors import StorageFailed
from holdfast.kernel.types import Block

if TYPE_CHECKING:
    from holdfast.evidence.integrity import Finding
    from holdfast.wiring.project import Project


def notes(project: Project) -> Iterator[Block]:
    """Step 3: the decision log can be written. What cannot be read or replaced is refused."""
    from holdfast.evidence.notes_file import NotesFile
    from holdfast.evidence.project_files import ProjectFiles

    root, settings = project.place.project, project.settings.notes
    if root is None or not settings.write:
        return
    file = NotesFile(ProjectFiles(root, root), settings.path)
    file.refuse_read_only(file.read())
    folder = file.place.parent
    while not os.path.lexists(folder):
        folder = folder.parent
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise _not_writable(settings.path, folder)
    yield from ()


def integrity(project: Project) -> tuple[list[Block], list[str]]:
    """Return what drifted: in the way where the settings are strict, else only to be told."""
    from holdfast.wiring.integrity import check_integrity

    report = check_integrity(project)
    if report.halts:
        return [_drifted(one) for one in report.faults], []
    return [], [f"{one.subject}: {one.detail} {one.remedy}".rstrip() for one in report.faults]


def _drifted(found: Finding) -> Block:
    return Block(
        step=5,
        reason=f"{found.subject}: {found.detail}",
        remedy=found.remedy or "`holdfast integrity` lists everything.",
        ref=found.subject,
    )


def _not_writable(path: str, folder: Path) -> StorageFailed:
    return StorageFailed(
        f"{path} cannot be written: {folder} takes no files.",
        meaning="Nothing was written.",
        remedy="Check its permissions, or name another file by notes.path.",
    )
