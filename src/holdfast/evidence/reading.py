"""Many files of a project read one after the other, quickly and with the same care.

Each folder on the way is opened from the one above it, and no link is followed: what is reached so
lies below the root by the way that it was called. Whatever is not that simple (a link, an odd name,
no such file) is left to `ProjectFiles`, which says what it is.
"""

from __future__ import annotations

import os
import stat
from types import TracebackType
from typing import TYPE_CHECKING, Final

from holdfast.evidence.project_files import ProjectFile, decoded
from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.recall.identifiers import PROJECT_ROOT

if TYPE_CHECKING:
    from holdfast.evidence.project_files import ProjectFiles

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe that nobody writes to must not keep us waiting before it is refused.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ODD: Final = frozenset({"", ".", ".."})


class ReadingFiles:
    """Reads files by their path below the root; keeps the folder of the last one open."""

    def __init__(self, files: ProjectFiles) -> None:
        self._files = files
        self._folder: str | None = None
        self._at = -1

    def __enter__(self) -> ReadingFiles:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()

    def read(self, path: str) -> ProjectFile:
        """Return the text of a file, or raise what `ProjectFiles.read` raises."""
        content = self._quickly(path)
        if content is None:
            return self._files.read(PROJECT_ROOT + path)
        return ProjectFile(path, decoded(content, PROJECT_ROOT + path))

    def _quickly(self, path: str) -> bytes | None:
        """Return the bytes of a plain file that is reached without a link."""
        folder, _, name = path.rpartition("/")
        if name in _ODD or "\0" in path or not path.isprintable():
            return None
        try:
            if folder != self._folder and not self._enter(folder):
                return None
            file = os.open(name, _FILE, dir_fd=self._at)
        except (OSError, ValueError):
            return None
        try:
            return _content(file)
        except OSError:
            return None
        finally:
            os.close(file)

    def _enter(self, folder: str) -> bool:
        """Open a folder, step by step from the root."""
        self._leave()
        parts = folder.split("/") if folder else []
        if not _ODD.isdisjoint(parts):
            return False
        at = os.open(self._files.root, _FOLDER)
        try:
            for part in parts:
                inner = os.open(part, _FOLDER, dir_fd=at)
                os.close(at)
                at = inner
        except BaseException:
            os.close(at)
            raise
        self._folder, self._at = folder, at
        return True

    def _leave(self) -> None:
        if self._folder is not None:
            os.close(self._at)
            self._folder = None


def _content(file: int) -> bytes | None:
    """Read a plain file of bearable size to its end."""
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or found.st_size > INPUT_BYTES_MAX:
        return None
    content = os.read(file, found.st_size + 1)
    return content if len(content) == found.st_size else None  # it grows, or has no size
