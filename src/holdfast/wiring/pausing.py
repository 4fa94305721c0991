"""Pause recording, and take it up again: both stand in the ledger, what came between does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.agents import pausing
from holdfast.kernel.errors import CouldNotLook, StorageFailed
from holdfast.storage.files import make_folder, replace
from holdfast.storage.port import Selection
from holdfast.wiring.scan_turns import turn

if TYPE_CHECKING:
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project


class Paused(msgspec.Struct, frozen=True):
    """A pause that holds."""

    session: str | None
    """Null for all of them."""
    unrecorded: int
    """Events that came since."""


def pause(project: Project, session: str | None, reason: str | None) -> bool:
    """Record nothing from here on; False when it is so already.

    The entry comes first: a crash in between leaves a pause that was told and did not begin.
    """
    place, mark = project.place, _mark(session)
    if mark in _lines(place):
        return False
    data = {"reason": reason, "session": session}
    told = {key: value for key, value in data.items() if value is not None}
    project.ledger.append("recording_paused", told, session_id=session)
    make_folder(str(place.folder / pausing.FOLDER))
    pausing.forget(str(place.folder), mark)
    with turn(place):  # another pause may begin or end meanwhile
        _write(place, [*(line for line in _lines(place) if line != mark), mark])
    return True


def is_known(project: Project, session: str) -> bool:
    """Tell whether a session was heard of, apart from its pauses."""
    ours = ("recording_paused", "recording_resumed")
    found = project.ledger.read(Selection(session_id=session))
    return any(entry.type not in ours for entry in found)


class Resumed(msgspec.Struct, frozen=True):
    """What came while recording was paused, and is not recorded."""

    unrecorded: int
    """Events."""
    files: int
    """Files that changed and that nobody had looked at since."""


def resume(project: Project, session: str | None) -> Resumed | None:
    """Record again; return what came meanwhile, None when nothing was paused.

    The project's files count from here as they are now. The mark goes last: a crash in between
    leaves a pause that is told to be over twice.
    """
    place, mark = project.place, _mark(session)
    if mark not in _lines(place):
        return None
    files = _take_files(project)
    unrecorded = pausing.counted(str(place.folder), mark)
    data: dict[str, Any] = {"unrecorded": unrecorded}
    data |= ({} if session is None else {"session": session}) | ({"files": files} if files else {})
    project.ledger.append("recording_resumed", data, session_id=session)
    with turn(place):
        _write(place, [line for line in _lines(place) if line != mark])
    pausing.forget(str(place.folder), mark)
    return Resumed(unrecorded, files)


def _take_files(project: Project) -> int:
    """Let no look find what changed in the pause; return how many files that were."""
    from holdfast.wiring.scanning import rebase

    try:
        return rebase(project)
    except OSError as error:
        raise StorageFailed(
            f"It cannot be written down what the project's files are now: {error.strerror}.",
            meaning="Recording stays paused; else what changed meanwhile would be recorded.",
            remedy="Check the room on the disk and the permissions of .holdfast/intake.",
        ) from error


def paused(place: Place) -> list[Paused]:
    """Return the pauses that hold."""
    folder = str(place.folder)
    return [Paused(_session(line), pausing.counted(folder, line)) for line in _lines(place)]


def _mark(session: str | None) -> str:
    return pausing.ALL if session is None else f"session {session}"


def _session(mark: str) -> str | None:
    return None if mark == pausing.ALL else mark.removeprefix("session ")


def _lines(place: Place) -> list[str]:
    try:
        return pausing.pauses(str(place.folder))
    except OSError as error:
        path = place.folder / pausing.PAUSED
        raise CouldNotLook(
            f"{path} cannot be read: {error.strerror}.",
            meaning="Hooks take that for a pause, and record nothing.",
            remedy="A plain file is expected there, or none; look at what it is.",
        ) from error


def _write(place: Place, lines: list[str]) -> None:
    path = place.folder / pausing.PAUSED
    if lines:
        replace(str(path), "".join(f"{line}\n" for line in lines).encode())
    else:
        path.unlink(missing_ok=True)
