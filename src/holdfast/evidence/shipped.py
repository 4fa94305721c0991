"""What holdfast brings for agents: protocols, a command, scripts and a skill, as package data.

They are installed below `.claude/` of a project. A file of the same name in the project's
`overrides/` stands in for ours: that is where a user's own version lives, and no update touches it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import INSTALLED_FILE_BYTES_MAX, OVERRIDES_MAX

TARGET: Final = ".claude"
_DATA: Final = Path(__file__).parent / "installed"
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Source: TypeAlias = Literal["package", "override"]


class Shipped(msgspec.Struct, frozen=True):
    """A file as it is to stand in a project, by its path below the root."""

    path: str
    content: bytes
    source: Source = "package"

    @property
    def mode(self) -> int:
        """Scripts can be run, by everybody who may read them."""
        return 0o755 if self.path.endswith(".sh") else 0o644

    @property
    def sha256(self) -> str:
        """The digest of its bytes, as `sha256sum` prints it."""
        return sha256(self.content).hexdigest()


@cache
def shipped() -> tuple[Shipped, ...]:
    """Return what this version brings, in the order of the paths."""
    return tuple(
        Shipped(f"{TARGET}/{path.relative_to(_DATA).as_posix()}", path.read_bytes())
        for path in sorted(_DATA.rglob("*"))
        if path.is_file()
    )


def wanted(overrides: Path) -> tuple[Shipped, ...]:
    """Return what is to stand in a project: ours, or what stands in for it."""
    return tuple(
        one if own is None else Shipped(one.path, own, "override")
        for one in shipped()
        for own in (read_bytes(overrides / one.path.removeprefix(f"{TARGET}/")),)
    )


def strays(overrides: Path) -> list[str]:
    """Name the overrides that stand in for nothing; a misspelt one would be ignored otherwise."""
    known = {one.path.removeprefix(f"{TARGET}/") for one in shipped()}
    return [name for name in _files_below(overrides) if name not in known]


def read_bytes(path: Path) -> bytes | None:
    """Return a file's bytes, None where there is none; a link, or anything else, is an error."""
    try:
        handle = os.open(path, _READ)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _could_not(path, error.strerror or "it cannot be opened") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise _could_not(path, "it is a folder, a pipe or a device")
        with open(handle, "rb", closefd=False) as file:
            content = file.read(INSTALLED_FILE_BYTES_MAX + 1)
    except OSError as error:
        raise _could_not(path, error.strerror or "it cannot be read") from error
    finally:
        os.close(handle)
    if len(content) > INSTALLED_FILE_BYTES_MAX:
        raise _could_not(path, f"it is larger than {INSTALLED_FILE_BYTES_MAX:,} bytes")
    return content


def _files_below(folder: Path) -> Iterator[str]:
    seen = 0
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        if path.is_dir():
            continue
        seen += 1
        if seen > OVERRIDES_MAX:
            raise _could_not(folder, f"it holds more than {OVERRIDES_MAX:,} files")
        yield path.relative_to(folder).as_posix()


def _could_not(path: Path, why: str) -> CouldNotLook:
    return CouldNotLook(
        f"{path} cannot be read: {why}.",
        meaning="It was not looked at, and nothing was written.",
        remedy="A plain file is expected there; links are not followed.",
    )
