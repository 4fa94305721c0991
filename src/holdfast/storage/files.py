"""Files beside the database: written so that a power cut leaves the old one or the new one.

Every operation goes through a `Files` object, so that the crash recorder can stand in its place.
Nothing here ever opens a database file: closing such a handle would drop SQLite's locks.
"""

from __future__ import annotations

import fcntl
import os
import re
import sys
from contextlib import suppress
from typing import Final, Protocol

_OCTAL: Final = re.compile(r"\\([0-7]{3})")
"""How mountinfo writes blanks and backslashes in a path."""

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600

NETWORK_FILE_SYSTEMS: Final = frozenset(
    {
        "9p",
        "afs",
        "afpfs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "orangefs",
        "smb3",
        "smbfs",
        "webdav",
    }
)
"""Locks and shared memory do not hold there, and a ledger would be corrupted."""


class Files(Protocol):
    """The operations that matter to durability, one system call each."""

    def create(self, path: str, content: bytes) -> None:
        """Write a new file and sync it; the file MUST NOT exist."""

    def rename(self, old: str, new: str) -> None:
        """Put one file in the place of another, at once."""

    def sync_folder(self, path: str) -> None:
        """Make the names in a folder durable."""


class RealFiles:
    """The operating system."""

    def create(self, path: str, content: bytes) -> None:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        try:
            view = memoryview(content)
            while view:
                view = view[os.write(handle, view) :]
            sync(handle)
        finally:
            os.close(handle)

    def rename(self, old: str, new: str) -> None:
        os.replace(old, new)  # noqa: PTH105

    def sync_folder(self, path: str) -> None:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            sync(handle)
        finally:
            os.close(handle)


def sync(handle: int) -> None:
    """Force a file's bytes to the disk itself; on macOS plain fsync stops at the drive's cache."""
    if sys.platform == "darwin":
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
    else:
        os.fsync(handle)


def replace(path: str, content: bytes, files: Files | None = None) -> None:
    """Write a whole file so that a reader, or a power cut, sees the old one or the new one."""
    files = files or RealFiles()
    draft = f"{path}.{os.urandom(4).hex()}.new"  # a process id comes again, after a crash too
    files.create(draft, content)
    files.rename(draft, path)
    files.sync_folder(os.path.dirname(path))  # noqa: PTH120


def make_folder(path: str) -> None:
    """Make a folder that only its owner may enter, so that its name outlives a power cut."""
    if os.path.isdir(path):  # noqa: PTH112
        return
    parent = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    make_folder(parent)
    with suppress(FileExistsError):  # another process may be as far as this one
        os.mkdir(path, FOLDER_MODE)  # noqa: PTH102
    RealFiles().sync_folder(parent)


def file_system(path: str, mounts: str | None = None) -> str | None:
    """Return the type of the file system that holds `path`, None when it cannot be told.

    `mounts` is the text of Linux's mountinfo; elsewhere the kind is not known this way.
    """
    if mounts is None:
        try:
            with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                mounts = file.read()
        except OSError:
            return None
    target = os.path.realpath(path)
    best, kind = "", None
    for line in mounts.splitlines():
        fields, _, tail = line.partition(" - ")
        place = _OCTAL.sub(lambda found: chr(int(found[1], 8)), fields.split(" ")[4])
        inside = target == place or target.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):
            best, kind = place, tail.split(" ")[0]
    return kind
