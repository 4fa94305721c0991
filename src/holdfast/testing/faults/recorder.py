"""Recording what happens to files: an SQLite VFS and a `Files`, into one list in one order.

The VFS stands on SQLite's own unix VFS, which keeps doing the work; locks and shared memory pass
by. Shared memory is not recorded: no power cut leaves it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

import apsw

from holdfast.storage.files import RealFiles
from holdfast.testing.faults.ops import (
    Acknowledge,
    Create,
    Delete,
    Op,
    Recording,
    Rename,
    Step,
    Sync,
    SyncFailed,
    SyncFolder,
    Truncate,
    Write,
)

_NOT_ON_DISK: Final = (".lock", "-shm")


class Recorder:
    """The list. `phase` names the part of the work that operations belong to."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.realpath(folder)
        self.phase = "start"
        self._baseline: dict[str, bytes] = {}
        self._steps: list[Step] = []

    def start(self) -> None:
        """Take the files as they are now as safe on disk. No connection may be open."""
        self._steps.clear()
        self._baseline = read_files(self.folder)

    def note(self, op: Op) -> None:
        """Add an operation."""
        self._steps.append(Step(op, self.phase))

    def note_failed_sync(self, path: str) -> None:
        """Note that a sync was refused."""
        self.note(SyncFailed(self.name_of(path)))

    def acknowledge(self, steps: int) -> None:
        """Note that somebody was told: the first `steps` steps are done for good."""
        self.note(Acknowledge(steps))

    def name_of(self, path: str) -> str:
        """Return a file's name in the recording."""
        return os.path.relpath(os.path.realpath(path), self.folder)

    def recording(self) -> Recording:
        """Return what was recorded since the start."""
        return Recording(self._baseline, list(self._steps))

    @contextmanager
    def phase_named(self, phase: str) -> Iterator[None]:
        """Let operations belong to another part of the work for a while."""
        before, self.phase = self.phase, phase
        try:
            yield
        finally:
            self.phase = before


class RecordingVfs(apsw.VFS):
    """Notes what SQLite does."""

    def __init__(self, name: str, recorder: Recorder) -> None:
        self._recorder = recorder
        super().__init__(name, "unix")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:
            return apsw.VFSFile("unix", name, flags)
        is_new = not os.path.exists(path)  # noqa: PTH110
        file = RecordingFile(self._recorder, path, (name, flags))
        if is_new:
            self._recorder.note(Create(self._recorder.name_of(path)))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        name = self._recorder.name_of(filename)
        self._recorder.note(Delete(name))
        if syncdir:
            self._recorder.note(SyncFolder(name.rpartition("/")[0]))


class RecordingFile(apsw.VFSFile):
    """An open file of SQLite."""

    def __init__(
        self,
        recorder: Recorder,
        path: str,
        opening: tuple[str | apsw.URIFilename | None, list[int]],
    ) -> None:
        self._recorder = recorder
        self._name = recorder.name_of(path)
        # The unix VFS syncs the folder along with the first sync of a journal it may have made.
        journals = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL
        flags = opening[1][0]
        self._syncs_folder = bool(flags & journals and flags & apsw.SQLITE_OPEN_CREATE)
        super().__init__("unix", *opening)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._note(Write(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._note(Truncate(self._name, newsize))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._note(Sync(self._name))
        if self._syncs_folder:
            self._note(SyncFolder(self._name.rpartition("/")[0]))
            self._syncs_folder = False

    def _note(self, op: Op) -> None:
        is_database = not self._name.endswith(("-wal", "-journal"))
        if is_database and self._recorder.phase not in ("creation", "migration"):
            with self._recorder.phase_named("checkpoint"):
                self._recorder.note(op)
        else:
            self._recorder.note(op)


class RecordingFiles:
    """A `Files` that notes what it does. SQLite's own files do not go through here."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._real = RealFiles()

    def create(self, path: str, content: bytes) -> None:
        self._real.create(path, content)
        name = self._recorder.name_of(path)
        self._recorder.note(Create(name))
        if content:
            self._recorder.note(Write(name, 0, content))
        self._recorder.note(Sync(name))

    def rename(self, old: str, new: str) -> None:
        self._real.rename(old, new)
        self._recorder.note(Rename(self._recorder.name_of(old), self._recorder.name_of(new)))

    def sync_folder(self, path: str) -> None:
        self._real.sync_folder(path)
        name = self._recorder.name_of(path)
        self._recorder.note(SyncFolder("" if name == "." else name))


class UnsyncedFiles(RecordingFiles):
    """A defect: files whose bytes and names are never forced to the disk."""

    def create(self, path: str, content: bytes) -> None:
        self._real.create(path, content)
        name = self._recorder.name_of(path)
        self._recorder.note(Create(name))
        self._recorder.note(Write(name, 0, content))

    def sync_folder(self, path: str) -> None:
        self._real.sync_folder(path)


class _SeedVfs(apsw.VFS):
    """Gives SQLite the chance it starts from."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        super().__init__("holdfast-seed", "unix", makedefault=True)

    def xRandomness(self, numbytes: int) -> bytes:
        return self._random.randbytes(numbytes)


def seed_sqlite(seed: int) -> None:
    """Let SQLite's chance in this process follow from a seed: recordings can be repeated."""
    vfs = _SeedVfs(seed)
    apsw.randomness(0)
    apsw.randomness(1)
    apsw.set_default_vfs("unix")
    vfs.unregister()


@contextmanager
def default_vfs(name: str) -> Iterator[None]:
    """Let everything in this process that names no VFS go through this one."""
    apsw.set_default_vfs(name)
    try:
        yield
    finally:
        apsw.set_default_vfs("unix")


def read_files(folder: str) -> dict[str, bytes]:
    """Read every file of a folder that no program has open."""
    root = Path(folder)
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith(_NOT_ON_DISK)
    }


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Make a folder hold exactly these files. Called for every state, so it avoids pathlib."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118
            if os.path.relpath(path, folder) not in files:
                os.unlink(path)  # noqa: PTH108
    for name, content in files.items():
        path = os.path.join(folder, name)  # noqa: PTH118
        if "/" in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        with open(path, "wb") as file:  # noqa: PTH123
            file.write(content)
