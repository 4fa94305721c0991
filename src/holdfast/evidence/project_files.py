"""Files of a project, read by what somebody called them; no name leads out of the project.

A path is given from the current folder, from the project's root as `${PROJECT_ROOT}/src/a.py`, or
absolute. What counts is where it leads, links followed: elsewhere is refused. So is `..`, because
behind a link it means something else than it says.
"""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel.errors import CouldNotLook, InvalidInput, NotFound
from holdfast.kernel.limits import INPUT_BYTES_MAX, NEAR_NAMES_MAX
from holdfast.recall.identifiers import PROJECT_ROOT
from holdfast.recall.retrieval import near_names

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe that nobody writes to must not keep us waiting before it is refused.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ProjectFile(msgspec.Struct, frozen=True):
    """A file's text, and where it lies below the project's root."""

    path: str
    text: str


class ProjectFiles:
    """Read the files of one project, and no others."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._folder = folder

    def has(self, given: str) -> bool:
        """Tell whether a name leads to a file of the project."""
        try:
            return (self.root / self.locate(given)).is_file()
        except InvalidInput:
            return False

    def missing(self, given: str) -> NotFound | None:
        """Return the refusal of a name behind which there is nothing, with near ones."""
        path = self.locate(given)
        return None if os.path.lexists(self.root / path) else self._missing(given, path)

    def locate(self, given: str) -> str:
        """Return where a file lies below the root, links followed; refuse what leads elsewhere."""
        if not given or "\0" in given:
            raise self._refused(given, "names no file")
        below = given.removeprefix(PROJECT_ROOT)
        start = self.root if below != given else self._folder
        # joined as text: to pathlib the second half of ROOT//etc would be all there is
        joined = below if below == given and given.startswith("/") else f"{start}/{below}"
        real = Path(os.path.realpath(joined))
        if not real.is_relative_to(self.root):
            raise self._refused(given, "leads out of the project")
        path = real.relative_to(self.root).as_posix()
        if ".." in below.split("/"):
            raise self._refused(given, "goes by way of `..`", path)
        return path

    def read(self, given: str, *, bytes_max: int = INPUT_BYTES_MAX) -> ProjectFile:
        """Return the text of a file of the project."""
        path = self.locate(given)
        try:
            content = self._read(path, bytes_max)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise self._missing(given, path) from error
        except OSError as error:
            raise _could_not(given, *_why(error)) from error
        if len(content) > bytes_max:
            remedy = f"Name a file of at most {bytes_max:,} bytes."
            raise _could_not(given, f"has more than {bytes_max:,} bytes", remedy)
        return ProjectFile(_spelled(path), decoded(content, given))

    def _read(self, path: str, bytes_max: int) -> bytes:
        """Read a file by its real path, following no link that was put there since."""
        *folders, name = path.split("/")
        at = os.open(self.root, _FOLDER)
        try:
            for folder in folders:
                inner = os.open(folder, _FOLDER, dir_fd=at)
                os.close(at)
                at = inner
            file = os.open(name, _FILE, dir_fd=at)
        finally:
            os.close(at)
        mode = os.fstat(file).st_mode
        if not stat.S_ISREG(mode):
            os.close(file)
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            raise OSError(errno.EINVAL, "it is a pipe or a device")
        with open(file, "rb") as stream:  # noqa: PTH123 - a descriptor
            return stream.read(bytes_max + 1)

    def _missing(self, given: str, path: str) -> NotFound:
        near = [f"{PROJECT_ROOT}{_spelled(name)}" for name in self._near(given, path)]
        return NotFound(
            f"There is no file {given} in the project.",
            meaning=f"The project's root is {self.root}.",
            remedy=f"Near ones: {', '.join(near)}" if near else "",
        )

    def _near(self, given: str, path: str) -> list[str]:
        """Name files that may have been meant: from the root, or alike in the same folder."""
        found = []
        if not given.startswith((PROJECT_ROOT, "/")) and self.has(PROJECT_ROOT + given):
            found.append(self.locate(PROJECT_ROOT + given))
        folder, _, name = path.rpartition("/")
        try:
            with os.scandir(self.root / folder) as listed:
                names = [one.name for one in islice(listed, NEAR_NAMES_MAX) if one.is_file()]
        except OSError:
            return found
        alike = near_names(name, sorted(names))
        return found + [f"{folder}/{one}" if folder else one for one in alike]

    def _refused(self, given: str, why: str, path: str = "src/a.py") -> InvalidInput:
        return InvalidInput(
            f"The path {given!r} {why}.",
            meaning=f"Only files below {self.root} are read. Nothing was looked at.",
            remedy=f"Name the file from the root: {PROJECT_ROOT}{_spelled(path)}",
        )


def decoded(content: bytes, name: str) -> str:
    """Return bytes as text, or say why they are none."""
    if b"\0" in content:
        raise _could_not(name, "holds NUL bytes: it is binary", _NO_TEXT)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _could_not(name, f"is not UTF-8 (byte {error.start:,})", _NO_TEXT) from error


_NO_TEXT: Final = "Name a text file, in UTF-8."


def _why(error: OSError) -> tuple[str, str]:
    """Say why a file could not be read, and what to do about that."""
    said = f"cannot be read: {error.strerror}"
    match error.errno:
        case errno.EISDIR:
            return "is a folder", "It takes one file: name one of those in it."
        case errno.EACCES | errno.EPERM:
            return said, "You may not read it: change its permissions, or name another."
        case errno.ELOOP:
            return said, "It is a link that leads nowhere: name the file itself."
        case errno.EINVAL | errno.ENXIO:
            return said, "Name a plain file."
        case _:
            return said, "Try again once the disk answers, or name another file."


def _could_not(name: str, why: str, remedy: str) -> CouldNotLook:
    return CouldNotLook(f"{name} {why}.", meaning="It was not looked at.", remedy=remedy)


def _spelled(path: str) -> str:
    """Spell a path so that it can stand in JSON, even when its name is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
