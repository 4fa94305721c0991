"""The notes of a project, brought up to date from its ledger."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.evidence.notes_file import Found, NotesFile
from holdfast.evidence.project_files import ProjectFiles
from holdfast.kernel.errors import Busy
from holdfast.kernel.limits import NOTES_MERGES_MAX
from holdfast.ledger.notes import gather
from holdfast.storage.locks import file_lock
from holdfast.views import notes
from holdfast.views.notes.reading import Dropped
from holdfast.views.notes.state import State
from holdfast.views.notes.writing import ASSUMPTIONS, key_of
from holdfast.wiring import own_writes
from holdfast.wiring.scan_turns import turn

if TYPE_CHECKING:
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project

WAIT_S: Final = 5.0
ACTIVE: Final = "active"


class NotesWritten(msgspec.Struct, frozen=True):
    """What became of the notes."""

    path: str | None
    """From the project's root; None when there is no project to keep notes for."""
    refs: Mapping[str, str]
    """Where the active context and each decision that is shown stand, as `NOTES.md:45-67`."""
    said: notes.Read | None = None
    """What the file says, and the lines that were not understood; None where there is no file."""
    kept: int = 0
    """Lines of a person within what is written here."""
    changed: bool = False
    """The file was written."""
    current: bool = False
    """The file says what the ledger says."""
    why: str | None = None
    """Why it was not written."""

    @property
    def dropped(self) -> list[Dropped]:
        """Lines that were not understood, of very many the first; they stay in the file."""
        return [] if self.said is None else self.said.dropped


def refresh(project: Project) -> NotesWritten:
    """Bring the notes up to date, if the settings say so. What a person wrote in them stays."""
    file = _file(project)
    if file is None:
        return _none("A ledger without a project has no notes.")
    if not project.settings.notes.write:
        looked = look(project)
        return msgspec.structs.replace(looked, why="notes.write is off.")
    with file_lock(str(project.place.folder / "notes.lock"), wait_s=WAIT_S) as handle:
        if handle is None:
            raise _busy(file.path)
        state = _state(project)
        with turn(project.place):  # who looks for changed files meanwhile would take it for theirs
            return _write(file, state, project.place)


def look(project: Project) -> NotesWritten:
    """Say what the notes hold and whether they are up to date; write nothing."""
    file = _file(project)
    if file is None:
        return _none("A ledger without a project has no notes.")
    found = file.read()
    if found is None:
        return NotesWritten(file.path, {}, why="There is no such file yet.")
    state = _state(project)
    updated = notes.update(found.document, state)
    current = updated.text == found.text
    return NotesWritten(
        file.path,
        _refs(file.path, state, updated) if current else {},
        notes.read(found.document),
        updated.kept,
        current=current,
    )


def _write(file: NotesFile, state: State, place: Place) -> NotesWritten:
    """Merge and replace until nobody else wrote in between; give up after some times."""
    found = file.read()
    document = notes.parse(notes.TEMPLATE) if found is None else found.document
    first, alone = found, True
    for _ in range(NOTES_MERGES_MAX):
        updated = notes.update(document, state)
        if found is not None and updated.text == found.text:
            return _written(file, state, updated, found, changed=False)
        late = file.replace(found, updated.text)
        found = file.read()  # what is there is what counts
        if late is None and found is not None and found.text == updated.text:
            _note(file, place, (first, found), alone=alone)
            return _written(file, state, updated, found, changed=True)
        alone = False
        if late is not None:
            document = notes.parse(late)
        elif found is not None:
            document = found.document
    raise _busy(file.path)


def _note(file: NotesFile, place: Place, texts: tuple[Found | None, Found], *, alone: bool) -> None:
    """Remember that this is ours, unless somebody wrote into it at the same time."""
    assert place.project is not None
    before, after = (None if one is None else one.text.encode() for one in texts)
    # links on the way were followed, in the project's root and below it
    root = os.path.realpath(place.project)
    path = os.path.relpath(os.path.realpath(file.place), root)
    own_writes.note(place, path, before, after, whole=alone)


def _written(
    file: NotesFile, state: State, updated: notes.Updated, found: Found, *, changed: bool
) -> NotesWritten:
    return NotesWritten(
        file.path,
        _refs(file.path, state, updated),
        notes.read(found.document),
        updated.kept,
        changed,
        current=True,
    )


def _refs(path: str, state: State, updated: notes.Updated) -> dict[str, str]:
    keys = {ACTIVE: ACTIVE} | {one.id: key_of(one) for one in state.decisions}
    places = {name: updated.refs[key] for name, key in keys.items()}
    for number, one in enumerate(state.assumptions, 1):  # each has a line below the heading
        at = updated.refs[ASSUMPTIONS][0] + number
        places[one.id] = (at, at)
    return {name: f"{path}:{first}-{last}" for name, (first, last) in places.items()}


def _state(project: Project) -> State:
    project.views.fold_up(project.ledger.reader)
    return gather(project.ledger.reader, project.views, project.ledger.session_id)


def _file(project: Project) -> NotesFile | None:
    root = project.place.project
    if root is None:
        return None
    return NotesFile(ProjectFiles(root, root), project.settings.notes.path)


def _none(why: str) -> NotesWritten:
    return NotesWritten(None, {}, why=why)


def _busy(path: str) -> Busy:
    return Busy(
        f"{path} was never as it had just been written: others kept changing it.",
        meaning="It holds what they wrote. The ledger has everything.",
        remedy="The next command that writes notes tries again.",
    )
