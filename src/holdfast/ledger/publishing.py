"""The views on disk: the seed's five files, brought up to date after every command.

All of it is derived: whatever is lost, stale, torn or edited by hand is written anew. Every file is
replaced at once, and by one process at a time, under a lock with a bounded wait.

What is forced to the disk: STATE_LOG.jsonl after a checkpoint, the end of a session and a seal, and
whenever it is made anew, for with the archives it is the second copy of all entries. Between these
the ledger, which is durable at once, has to be lost in the same power cut for a line to be missed.
The JSON files are never forced: a reader compares `head` and `digest` before it believes one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.kernel.errors import Busy, StorageFailed
from holdfast.ledger import published, state_log, trajectory
from holdfast.ledger.documents import Document, Gathering
from holdfast.storage.files import (
    FILE_MODE,
    FOLDER_MODE,
    Files,
    RealFiles,
    make_folder,
    replace,
)
from holdfast.storage.locks import file_lock
from holdfast.views.files import Marks

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger

LOCK: Final = ".publishing"
"""The lock, which holds the notes about the long files as well."""

WAIT_S: Final = 5.0
NOTES_BYTES_MAX: Final = 4096


class Notes(msgspec.Struct, frozen=True):
    """What is remembered of the files that are too long to be read every time."""

    log: state_log.Note
    index: state_log.Marks | None = None
    trajectory: trajectory.Note | None = None


class Published(msgspec.Struct, frozen=True):
    """What was written."""

    as_of_seq: int
    files: tuple[str, ...]
    """Those that were written anew."""


class Publisher:
    """Writes the views on disk into a folder."""

    def __init__(
        self,
        folder: Path,
        files: Files | None = None,
        *,
        trajectory: Path | None = None,
        wait_s: float = WAIT_S,
    ) -> None:
        self._folder = folder
        self._trajectory = trajectory
        """The folder of the trajectory; None where none is kept."""
        self._files = files or RealFiles()
        self._unsynced = _Unsynced(self._files)
        self._wait_s = wait_s
        self.set_aside: str | None = None
        """A state log that holds what the ledger does not; it was kept under this name."""

    def publish(self, ledger: Ledger, views: Views) -> Published:
        """Bring every file up to the ledger's head. Costs what is new, not what there is."""
        try:
            for folder in (self._folder, self._folder / "archives", self._folder / "indexes"):
                _make_private(folder)
            with _lock(self._folder / LOCK, self._wait_s) as handle:
                return self._publish(ledger, views, handle)
        except OSError as error:
            raise StorageFailed(
                f"The views in {self._folder} cannot be written: {error.strerror}.",
                meaning="The ledger has everything; the files beside it are not up to date.",
                remedy="Check their permissions and the room on the disk.",
            ) from error

    def _publish(self, ledger: Ledger, views: Views, handle: int) -> Published:
        _sweep(self._folder)
        reader = ledger.reader
        notes = _read_notes(handle)
        log = self._folder / state_log.NAME
        note = None if notes is None else notes.log
        followed = state_log.follow(log, reader, note, self._files)
        told = None if notes is None else notes.trajectory
        _write_notes(handle, Notes(followed.note, None if notes is None else notes.index, told))
        self.set_aside = followed.set_aside or self.set_aside
        # Whoever had the lock before may have known more than these views did.
        views.fold_up(reader)
        gathering = Gathering(reader, views)
        written = [published.RESTORE_INDEX] if self._index(gathering, followed, notes) else []
        marks = state_log.marks_of(self._folder / published.RESTORE_INDEX)
        _write_notes(handle, Notes(followed.note, marks, told))
        for name, document in self._documents(gathering, followed.note):
            if self._put(name, published.spell(document)):
                written.append(name)
        if self._trajectory is not None:
            told = trajectory.follow(self._trajectory, reader, views, told)
            _write_notes(handle, Notes(followed.note, marks, told))
        return Published(gathering.marks.as_of_seq, tuple(written))

    def _index(
        self, gathering: Gathering, followed: state_log.Followed, notes: Notes | None
    ) -> bool:
        """Write the restore index if something was sealed, or if it is not the one left last."""
        path = self._folder / published.RESTORE_INDEX
        untouched = notes is not None and notes.index == state_log.marks_of(path) is not None
        if untouched and not followed.sealed:
            return False
        before = published.earlier(path, gathering.reader)
        fresh = gathering.restore_index(before)
        if before is not None and len(fresh["archives"]) == len(before["archives"]):
            return False
        return self._put(published.RESTORE_INDEX, published.spell_index(fresh))

    def _documents(
        self, gathering: Gathering, note: state_log.Note
    ) -> Iterator[tuple[str, Document]]:
        """Yield what has to be written; the file that is looked at first comes last."""
        reader, marks = gathering.reader, gathering.marks
        before = published.earlier(self._folder / published.CURRENT_STATE, reader)
        if before is not None and before["as_of_seq"] > marks.as_of_seq:
            return  # these views cannot follow; what is there is newer
        memory = published.earlier(self._folder / published.SESSION_MEMORY, reader)
        if all(_is_as_of(one, marks) for one in (before, memory)):
            return
        state = gathering.current_state(archived=note.held, archives=note.archives)
        yield published.SESSION_MEMORY, gathering.session_memory(state["latest_session"])
        yield published.CURRENT_STATE, state

    def _put(self, name: str, content: bytes) -> bool:
        """Write a file unless it is there, byte for byte. What was edited is written anew."""
        path = self._folder / name
        try:
            if path.read_bytes() == content:
                return False
        except OSError:
            pass  # it is not there, or is something else; replacing it says what
        replace(str(path), content, self._unsynced)
        return True


def _sweep(folder: Path) -> None:
    """Remove what a publisher that was killed left unfinished. The lock is held."""
    for name in (state_log.NAME, *published.DOCUMENTS):
        for draft in (folder / name).parent.glob(f"{Path(name).name}.*.new"):
            draft.unlink(missing_ok=True)


def _make_private(folder: Path) -> None:
    """Make a folder that only its owner may enter, and keep it so."""
    make_folder(str(folder))
    if stat.S_IMODE(folder.stat().st_mode) & ~FOLDER_MODE:
        folder.chmod(FOLDER_MODE)


def _is_as_of(document: Document | None, marks: Marks) -> bool:
    return document is not None and document["as_of_seq"] == marks.as_of_seq


class _Unsynced:
    """Files that are put in their place at once, but not forced to the disk."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def create(self, path: str, content: bytes) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(handle, view) :]
        except OSError:
            Path(path).unlink()
            raise
        finally:
            os.close(handle)

    def rename(self, old: str, new: str) -> None:
        self._files.rename(old, new)

    def sync_folder(self, path: str) -> None:
        """Leave the names to the operating system."""


@contextmanager
def _lock(path: Path, wait_s: float) -> Iterator[int]:
    """Keep other processes from publishing; wait for one that is at it, but not for ever."""
    with file_lock(str(path), wait_s=wait_s) as handle:
        if handle is None:
            raise Busy(
                f"Another process kept the views on disk for more than {wait_s:g} s.",
                meaning="The ledger has everything; the files beside it may be behind.",
                remedy="The next command writes them.",
            )
        yield handle


def _read_notes(handle: int) -> Notes | None:
    """Return what was remembered; None when there is nothing, or a torn note."""
    try:
        return msgspec.json.decode(os.pread(handle, NOTES_BYTES_MAX, 0), type=Notes)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _write_notes(handle: int, notes: Notes) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, msgspec.json.encode(notes), 0)
