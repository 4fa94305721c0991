"""Looking at the files of a project: sizes, hashes and, in memory only, their text.

Nothing outside the project's root is opened, no symbolic link is followed, and no database: closing
a handle on one would drop the locks of whoever uses it in this process. What is not looked at is
named, with the reason.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import (
    DIFF_BYTES_MAX,
    KIB,
    WATCHED_BYTES_MAX,
    WATCHED_FILE_BYTES_MAX,
    WATCHED_FILES_MAX,
)
from holdfast.wiring.places import FOLDER, Place

IGNORED_FOLDERS: Final = frozenset(
    {
        FOLDER,
        ".cache",
        ".git",
        ".hg",
        ".hypothesis",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "venv",
    }
)
_DATABASES: Final = (".db", ".sqlite", ".sqlite3", "-journal", "-shm", "-wal")
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_BLOCK_BYTES: Final = 256 * KIB


class Seen(msgspec.Struct, frozen=True):
    """What a file was when it was looked at. `text` is None for binary and for long files."""

    size: int
    sha256: str
    text: str | None = None

    @property
    def lines(self) -> int | None:
        """How many lines it has, None where that was not counted."""
        return None if self.text is None else len(self.text.splitlines())


class Sights(msgspec.Struct, frozen=True):
    """Files by their path from the root, and the paths that were not looked at, with the reason."""

    files: dict[str, Seen]
    unlooked: dict[str, str]


class Root:
    """The folder whose files may be looked at."""

    def __init__(self, place: Place) -> None:
        self.folder = place.project or place.folder
        self._real = Path(os.path.realpath(self.folder))
        self._own = frozenset(_own_names(place)) if place.project is None else frozenset()

    def relative(self, path: str | os.PathLike[str]) -> str:
        """Return a path as seen from the root; refuse one that leads elsewhere.

        A relative path starts at the current folder where that is inside the root, else at the
        root.
        """
        given = Path(path)
        here = Path.cwd()
        start = here if here == self._real or self._real in here.parents else self._real
        full = Path(os.path.normpath(start / given))
        for folder in (self._real, self.folder):
            if folder in full.parents or full == folder:
                return full.relative_to(folder).as_posix()
        raise InvalidInput(
            f"{given} is not inside {self.folder}.",
            meaning="It was not looked at, and nothing was recorded.",
            remedy="Name a file of the project, or give the fields of the change yourself.",
        )

    def look(self, relative: str) -> Seen | None:
        """Look at one file; None when there is none. Refuses what is no plain file."""
        try:
            with ExitStack() as opened:
                return _read(self.open(relative, opened))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            linked = error.errno in (errno.ELOOP, errno.EMLINK)
            why = "a symbolic link, which is not followed" if linked else error.strerror
            raise _refusal(relative, f"{why}") from error

    def look_all(self, paths: Iterable[str | os.PathLike[str]]) -> Sights:
        """Look at files and, below folders, at what they hold, within bounds."""
        sights = Sights({}, {})
        left_bytes = WATCHED_BYTES_MAX
        for relative, size in self._walk(paths, sights.unlooked):
            if relative in sights.files:
                continue
            if len(sights.files) >= WATCHED_FILES_MAX or size > left_bytes:
                sights.unlooked[relative] = "more than is looked at around one call"
                continue
            try:
                seen = self.look(relative)
            except InvalidInput as refusal:
                sights.unlooked[relative] = refusal.what
                continue
            if seen is not None:
                sights.files[relative] = seen
                left_bytes -= seen.size
        return sights

    def open(self, relative: str, opened: ExitStack) -> int:
        """Open a file name by name from the root, so that no link on the way is followed.

        Refuses files of a ledger, databases and what is no plain file.
        """
        self._refuse_own(relative)
        handle = os.open(self._real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, handle)
        *folders, name = relative.split("/")
        for folder in folders:
            handle = _open_below(folder, _FLAGS | os.O_DIRECTORY, handle)
            opened.callback(os.close, handle)
        handle = _open_below(name, _FLAGS, handle)
        opened.callback(os.close, handle)
        kind = os.fstat(handle).st_mode
        if not stat.S_ISREG(kind):
            raise _refusal(relative, "a folder" if stat.S_ISDIR(kind) else "no plain file")
        return handle

    def _walk(
        self, paths: Iterable[str | os.PathLike[str]], unlooked: dict[str, str]
    ) -> Iterator[tuple[str, int]]:
        """Yield files with their sizes, in order of their names."""
        for path in paths:
            relative = self.relative(path)
            try:
                status = (self._real / relative).lstat()
            except OSError:
                continue  # what is not there has not been there; it may come
            if stat.S_ISDIR(status.st_mode):
                yield from self._below(relative, unlooked)
            else:
                yield relative, status.st_size

    def _below(self, relative: str, unlooked: dict[str, str]) -> Iterator[tuple[str, int]]:
        try:
            with os.scandir(self._real / relative) as listing:
                found = sorted(listing, key=lambda one: one.name)
        except OSError as error:
            unlooked[relative] = str(error.strerror)
            return
        for one in found:
            path = one.name if relative == "." else f"{relative}/{one.name}"
            if one.is_dir(follow_symlinks=False):
                if one.name not in IGNORED_FOLDERS and path not in self._own:
                    yield from self._below(path, unlooked)
            elif (size := _size(one)) > WATCHED_FILE_BYTES_MAX:
                unlooked[path] = f"{size:,} bytes: more than is looked at in a folder"
            else:
                yield path, size

    def _refuse_own(self, relative: str) -> None:
        names = relative.split("/")
        if FOLDER in names or names[0] in self._own:
            raise _refusal(relative, "part of a ledger")
        if names[-1].endswith(_DATABASES):
            raise _refusal(relative, "a database, which somebody may have locked")


def _open_below(name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, dir_fd=folder)
    except NotADirectoryError:
        # Linux says so of a link, too, when only a folder will do.
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, "a symbolic link") from None
        raise


def _read(handle: int) -> Seen:
    digest, size, kept = sha256(), 0, []
    while block := os.read(handle, _BLOCK_BYTES):
        digest.update(block)
        size += len(block)
        if size <= DIFF_BYTES_MAX:
            kept.append(block)
    return Seen(size, digest.hexdigest(), _text(b"".join(kept)) if size <= DIFF_BYTES_MAX else None)


def _text(content: bytes) -> str | None:
    try:
        return None if b"\0" in content else content.decode()
    except UnicodeDecodeError:
        return None


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0


def _own_names(place: Place) -> Iterator[str]:
    """Yield the names of the files of a ledger that stands alone."""
    for path in (place.database, place.views, place.code):
        yield from (path.name + suffix for suffix in ("", "-wal", "-shm", "-journal"))
    for path in (place.lock, place.key, place.seal_lock, place.state):
        yield path.name


def _refusal(relative: str, why: str) -> InvalidInput:
    return InvalidInput(
        f"{relative} is {why}." if not why[0].isupper() else f"{relative}: {why}.",
        meaning="It was not looked at.",
        remedy="Give the fields of the change yourself if it should be recorded.",
    )
