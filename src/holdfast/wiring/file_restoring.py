"""Give a file back as it was at some entry: beside it, somewhere else in the project, or over it.

Nothing outside the project's root is written, no link is followed, and no file is lost: one that
stands in the way is kept in the ledger first, or stays.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.agents.cleaning import holds_secret
from holdfast.evidence.file_reading import FileReader, ReadFile
from holdfast.evidence.file_scan import FOLDER_FLAGS
from holdfast.kernel.errors import InvalidInput, NotFound, StorageFailed
from holdfast.ledger.file_states import FileState, FileStates
from holdfast.ledger.vault import Content
from holdfast.storage.port import Reader
from holdfast.wiring.file_changes import ABSENT, Before, FileChanges, Remembered
from holdfast.wiring.opening import redactor_of
from holdfast.wiring.own_writes import writing
from holdfast.wiring.places import FOLDER, Place
from holdfast.wiring.project import Project
from holdfast.wiring.scan_drafts import exact_name, spelled
from holdfast.wiring.watching import Root, Seen


class Wanted(msgspec.Struct, frozen=True):
    """A file of a project, and the state of it that is wanted."""

    root: Path
    path: str
    """From the root."""
    seq: int


def wanted(place: Place, given: str, seq: int) -> Wanted:
    """Return which file is meant; refuse one outside the project."""
    if place.project is None:
        raise InvalidInput(
            "This ledger stands alone: it is of no project.",
            meaning="No file was written.",
            remedy="Name the project's folder with --ledger.",
        )
    return Wanted(place.project, _below(place, given), seq)


def names_of(file: Wanted) -> set[str]:
    """Return what entries may call a file."""
    return {file.path, f"{os.fspath(file.root)}/{file.path}"}


def state_of(reader: Reader, file: Wanted) -> FileState:
    """Return what is known of the file at that entry; raise NotFound where it is not in hand."""
    state = FileStates(reader, names_of(file)).at(file.seq)
    if state.kind != "kept":
        raise _refused(file, state)
    return state


def write_beside(place: Place, file: Wanted, state: FileState, out: str | None) -> str:
    """Write the state to a new file; return its path from the root."""
    path = f"{file.path}.at-{file.seq}" if out is None else _below(place, out)
    assert state.content is not None
    _write_new(file.root, path, state.content, executable=state.executable)
    return path


def write_over(project: Project, file: Wanted, state: FileState) -> str:
    """Put the state in the file's place; what is there now is recorded first."""
    assert state.content is not None
    reader = FileReader(file.root)
    try:
        now = reader.read(file.path, project.settings.agents.file_bytes_max)
    except OSError as error:
        raise _failed(file.path, error) from error
    finally:
        reader.close()
    changes = FileChanges(Root(project.place), project.ledger, Remembered())
    before = ABSENT
    if now is not None:
        before = _keep_present(project, changes, file.path, now)
    draft = f"{file.path}.{os.urandom(4).hex()}.new"
    with writing(project.place, [file.root / file.path]):
        _write_new(file.root, draft, state.content, executable=state.executable)
        _rename(file.root, draft, file.path)
    sha256 = state.sha256 or ""
    told = changes.between(spelled(file.path), before, Seen(state.size, sha256, None))
    extra = {"content": Content(state.content), "restored_from": state.seq, "seen_by": "restore"}
    project.ledger.append("file_change", told | extra | exact_name(file.path))
    return file.path


def _keep_present(project: Project, changes: FileChanges, path: str, now: ReadFile) -> Before:
    """Make sure that what is there now can come back."""
    ledger = project.ledger
    sha256 = now.digest.hex()
    known = Before(True, now.status.st_size, sha256)
    if now.digest and ledger.artifact(sha256) is not None:
        return known
    redactor = redactor_of(project.place, project.settings)
    if now.content is not None and not holds_secret(redactor, path, now.content):
        told = changes.between(spelled(path), ABSENT, Seen(len(now.content), sha256, None))
        told |= {"action": "modify", "diff_summary": "as it was found", "lines_changed": 0}
        extra: dict[str, Any] = {"content": Content(now.content), "seen_by": "restore"}
        ledger.append("file_change", told | extra | exact_name(path))
        if ledger.artifact(sha256) is not None:
            return known
    why = {"": "a secret is in it", "size": "it is too large"}.get(now.why, f"it is a {now.why}")
    raise InvalidInput(
        f"What {spelled(path)} holds now cannot be kept: {why}.",
        meaning="It would be gone, so it was left as it is.",
        remedy="Restore into a new file: leave --over out, or name one with --out.",
    )


def _below(place: Place, given: str) -> str:
    """Return a path as seen from the root; refuse what leads out, or into a ledger."""
    if not given or "\0" in given:
        raise InvalidInput("No file was named.", meaning="No file was written.")
    path = Root(place).relative(given)
    if path == "." or FOLDER in path.split("/"):
        raise InvalidInput(
            f"{spelled(given)} is no file of the project.",
            meaning="No file was written.",
            remedy="Name a file below the project's root.",
        )
    return path


def _write_new(root: Path, path: str, content: bytes, *, executable: bool) -> None:
    """Write a file that is not there yet, making folders on the way."""
    *folders, name = path.split("/")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder = _open_folder(root, folders)
        try:
            handle = os.open(name, flags, 0o777 if executable else 0o666, dir_fd=folder)
            try:
                with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError:
                with suppress(OSError):
                    os.unlink(name, dir_fd=folder)
                raise
        finally:
            os.close(folder)
    except OSError as error:
        raise _failed(path, error) from error


def _rename(root: Path, old: str, new: str) -> None:
    *folders, name = new.split("/")
    try:
        folder = _open_folder(root, folders)
        try:
            os.rename(old.rpartition("/")[2], name, src_dir_fd=folder, dst_dir_fd=folder)
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise _failed(new, error) from error


def _open_folder(root: Path, folders: list[str]) -> int:
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folders:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=handle)
            inner = os.open(name, FOLDER_FLAGS, dir_fd=handle)
            os.close(handle)
            handle = inner
    except OSError:
        os.close(handle)
        raise
    return handle


def _failed(path: str, error: OSError) -> Exception:
    if error.errno == errno.EEXIST:
        return InvalidInput(
            f"{spelled(path)} is there already.",
            meaning="It was left as it is; nothing was written.",
            remedy="Name a new file with --out.",
        )
    if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
        return InvalidInput(
            f"{spelled(path)} leads over a link, or over a file, which is not followed.",
            meaning="Nothing was written.",
            remedy="Name a new file with --out.",
        )
    return StorageFailed(
        f"{spelled(path)} cannot be written: {error.strerror}.",
        meaning="The ledger still has it.",
        remedy="Name another file with --out; `--out -` prints it.",
    )


def _refused(file: Wanted, state: FileState) -> Exception:
    """Say what is known of a state that cannot be given back."""
    path = spelled(file.path)
    size = f"{state.size:,} bytes, SHA-256 {state.sha256}"
    match state.kind:
        case "gone":
            what = f"At entry {file.seq} there was no {path}."
            return NotFound(what, meaning=f"Entry {state.seq} says so.", remedy=_EARLIER)
        case "withheld":
            what = f"What {path} held at entry {file.seq} was not kept: {state.why}."
            return NotFound(what, meaning=f"Entry {state.seq} has its hash: {size}.")
        case "erased":
            what = f"What {path} held at entry {file.seq} was erased on request."
            return NotFound(what, meaning=f"Entry {state.seq} has its hash: {size}.")
        case "unknown" | "kept":
            known = "" if state.seq is None else f" Entry {state.seq} is the nearest."
            what = f"What {path} held at entry {file.seq} is not known: {state.why}."
            return NotFound(what, meaning=f"Nothing was written.{known}", remedy=_EARLIER)


_EARLIER: Final = "`holdfast log --file PATH` lists what was recorded of it."
