"""Tasks beside Beads: changes here are mirrored there, where a project uses it; and the exchange of
whole lists. The ledger is the authority: what Beads does, or fails to do, changes no entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.evidence.beads import exported
from holdfast.evidence.beads.exported import Exported
from holdfast.evidence.beads.mapping import row_of, wanted_of
from holdfast.evidence.beads.program import FOLDER, Program, find_program
from holdfast.kernel.errors import CouldNotLook, HoldfastError, InvalidInput
from holdfast.wiring.task_intake import Imported, take_in

if TYPE_CHECKING:
    from holdfast.evidence.beads.port import Beads, Found
    from holdfast.wiring.project import Project

_LINES: Final = re.compile(r"\s*\n\s*")


def beads_of(project: Project) -> Program | None:
    """Return the `bd` of a project; None where it has none, or is not to be used."""
    root = project.place.project
    if project.settings.tasks.beads == "never" or root is None or not (root / FOLDER).is_dir():
        return None
    program = find_program(root)
    return None if program is None else Program(root, program)


def mirror(project: Project, *tasks: str, beads: Beads | None = None) -> list[str]:
    """Write tasks to Beads, and return what has to be told.

    Never raises: the entries are durable by then, and a mirror that failed is told.
    """
    try:
        place = beads or beads_of(project)
        if place is not None:
            written: set[str] = set()
            for name in tasks:
                _put(project, place, name, written)
    except (HoldfastError, OSError) as problem:
        said = _LINES.sub(" ", str(problem))
        return [f"Beads was not brought up to date; the ledger is. {said}"]
    return []


def _put(project: Project, beads: Beads, task: str, written: set[str]) -> None:
    """Write one task, after those it depends on that Beads does not have yet."""
    written.add(task)
    whole = project.tasks.show(task)
    for other in whole.depends_on:
        if other not in written and beads.issue(other) is None:
            _put(project, beads, other, written)
    beads.put(wanted_of(whole))


def import_tasks(project: Project, path: Path | None = None) -> Imported:
    """Take in the issues of a file; else those of `bd`, else of the file that it exported."""
    found, source = _found(project, path)
    return take_in(project.ledger, project.tasks, found, source)


def import_content(project: Project, content: bytes) -> Imported:
    """Take in issues that somebody hands over, one a line."""
    return take_in(project.ledger, project.tasks, exported.read(content), "beads")


def _found(project: Project, path: Path | None) -> tuple[Found, str]:
    root = project.place.project or Path.cwd()
    if path is not None:
        return Exported(root, path).issues(), "beads"
    if (beads := beads_of(project)) is not None:
        return beads.issues(), "beads"
    if not (root / FOLDER).is_dir():
        raise CouldNotLook(
            f"There is no {FOLDER}/ in {root}.",
            meaning="Nothing was taken in.",
            remedy="Name a file with one issue a line.",
        )
    return Exported(root).issues(), "beads"


def export_lines(project: Project) -> Iterator[bytes]:
    """Yield every task as a line that Beads can import."""
    for whole in project.tasks.every():
        yield msgspec.json.encode(row_of(wanted_of(whole)))


def export_tasks(project: Project, path: Path) -> int:
    """Write every task into a file; lines of other issues stay. Return how many were written."""
    if path.is_dir():
        raise InvalidInput(
            f"{path} is a folder.",
            meaning="Nothing was written.",
            remedy=f"Name a file, such as {FOLDER}/issues.jsonl.",
        )
    wanted = [wanted_of(whole) for whole in project.tasks.every()]
    Exported(path.parent, path).put_all(wanted)
    return len(wanted)
