"""The files of a project whose text can be searched: which they are, and what they hold.

Git says which files belong to a project, where there is git; else every file does but those in
folders of caches and the like. Nothing outside the root is opened and no symbolic link is followed.
What is not read is named, with the reason.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

import msgspec

from holdfast.evidence import programs
from holdfast.kernel.errors import CouldNotLook, InvalidInput
from holdfast.kernel.limits import (
    SOURCE_BYTES_MAX,
    SOURCE_FILES_MAX,
    SOURCE_LINE_BYTES_MAX,
    SOURCE_LIST_BYTES_MAX,
    SOURCE_LIST_TIMEOUT_S,
)
from holdfast.wiring.places import FOLDER, Place
from holdfast.wiring.watching import IGNORED_FOLDERS, Root

BINARY: Final = "binary"
"""Files that hold no text: unless they are named as code, nothing is missed without them."""

NOT_CHECKED_OUT: Final = "not checked out"
"""Files of a sparse checkout: git has them, the folder does not."""

LINK: Final = "a symbolic link, which is not followed"

_OTHERS_OWN: Final = frozenset({FOLDER, ".ck"})
"""Folders of indexes: ours, and that of `ck`."""

_GIT: Final = (
    *("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
)
"""A project's own settings may name programs for git to run; it is not to run any."""

_LIST: Final = ("ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard")
_SKIPPED: Final = b"S"
"""The mark of a file that is not to be in the folder."""

_WARNED: Final = re.compile(r"warning: (?:could not open directory|unable to access) '(.+)': (.+)")
_UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BELOW: Final = ("rev-parse", "--show-prefix")
_IS_IGNORED: Final = ("check-ignore", "--quiet", ".")


class Listed(msgspec.Struct, frozen=True):
    """The files of a project with their stamps, those that cannot be searched, and who said so."""

    stamps: dict[str, str]
    unread: dict[str, str]
    by: Literal["git", "folders"]


class Source(msgspec.Struct, frozen=True):
    """What a file held. Without a text: why."""

    stamp: str
    newest_ns: int
    """When it, or its name, was last changed."""
    hash: bytes
    text: str | None
    problem: str | None = None


class CodeFiles:
    """The text files of one project."""

    def __init__(self, place: Place) -> None:
        self._root = Root(place)
        self.folder = self._root.folder

    def list(self) -> Listed:
        """Name the files, each with its size and times."""
        unread: dict[str, str] = {}
        names = _from_git(self.folder, unread)
        by: Literal["git", "folders"] = "git"
        if names is None:
            names, by = list(_from_folders(self.folder, unread)), "folders"
        stamps: dict[str, str] = {}
        for name in sorted(set(names)):
            if not _OTHERS_OWN.isdisjoint(name.split("/")):
                continue
            problem = self._stamp(name, stamps)
            if problem is not None:
                unread[_spelled(name)] = problem
        return Listed(stamps, unread, by)

    def read(self, path: str) -> Source | str | None:
        """Read a file; or say why it cannot be. None when it is gone."""
        try:
            with ExitStack() as opened:
                return _read(self._root.open(path, opened))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except InvalidInput as refusal:
            return refusal.what
        except OSError as error:
            return str(error.strerror)

    def _stamp(self, name: str, stamps: dict[str, str]) -> str | None:
        """Note the stamp of a file, or return why it cannot be searched."""
        try:
            status = os.lstat(f"{self.folder}/{name}")  # a Path for each would take half the time
        except (FileNotFoundError, NotADirectoryError):
            return None  # git knows it, the folder does not have it any more
        except (OSError, ValueError) as error:
            return f"cannot be looked at: {error}"
        if stat.S_ISLNK(status.st_mode):
            return LINK
        if stat.S_ISDIR(status.st_mode):
            return "a repository of its own"
        if not stat.S_ISREG(status.st_mode):
            return "no plain file"
        if not _is_utf8(name):
            return "its name is not UTF-8"
        if len(stamps) >= SOURCE_FILES_MAX:
            return f"beyond the first {SOURCE_FILES_MAX:,} files"
        stamps[name] = stamp_of(status)
        return None


def stamp_of(status: os.stat_result) -> str:
    """Return what changes whenever a file is written or replaced."""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _read(handle: int) -> Source | str:
    before = os.fstat(handle)
    if before.st_size > SOURCE_BYTES_MAX:
        return f"{before.st_size:,} bytes: more than is searched"
    with open(handle, "rb", closefd=False) as file:
        content = file.read(SOURCE_BYTES_MAX + 1)
    after = os.fstat(handle)
    if stamp_of(before) != stamp_of(after) or len(content) != after.st_size:
        return "changed while it was read"
    text, problem = _text(content)
    newest_ns = max(after.st_mtime_ns, after.st_ctime_ns)
    return Source(stamp_of(after), newest_ns, sha256(content).digest(), text, problem)


def _text(content: bytes) -> tuple[str | None, str | None]:
    if content.startswith(_UTF16_MARKS):
        return _from_utf16(content)
    if b"\0" in content:
        return None, BINARY
    if len(content) > SOURCE_LINE_BYTES_MAX:
        longest = max(map(len, content.split(b"\n")))
        if longest > SOURCE_LINE_BYTES_MAX:
            return None, f"a line of {longest:,} bytes: data or minified"
    try:
        return content.decode(), None
    except UnicodeDecodeError:
        # What is not UTF-8 and has no NUL is an older encoding; its ASCII words can be found.
        return content.decode("latin-1"), None


def _from_utf16(content: bytes) -> tuple[str | None, str | None]:
    try:
        text = content.decode("utf-16")
    except UnicodeDecodeError:
        return None, BINARY
    return (None, BINARY) if "\0" in text else _text(text.encode())


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _from_git(folder: Path, unread: dict[str, str]) -> list[str] | None:
    """Ask git for the files below a folder; None where there is no git or no work tree."""
    done = run_git(folder, _LIST)
    if done is None or done.returncode != 0 or len(done.stdout) > SOURCE_LIST_BYTES_MAX:
        return None
    if not done.stdout and is_ignored(folder):
        return None  # a repository around the project that ignores it does not speak for it
    unread.update(_warned(done.stderr))
    names = []
    for one in filter(None, done.stdout.split(b"\0")):
        mark, name = one[:1], os.fsdecode(one[2:])
        if mark == _SKIPPED and not os.path.lexists(folder / name):
            unread[_spelled(name)] = NOT_CHECKED_OUT
        else:
            names.append(name)
    return names


def _warned(said: bytes) -> Iterator[tuple[str, str]]:
    """Return what git says it could not look at; it ends well all the same."""
    for line in filter(None, os.fsdecode(said).splitlines()):
        found = _WARNED.fullmatch(line)
        if found is None:
            yield ".", f"git says: {_spelled(line)}"
        else:
            yield _spelled(found[1]), found[2]


def _spelled(name: str) -> str:
    return name.rstrip("/").encode("utf-8", "backslashreplace").decode()


def is_ignored(folder: Path) -> bool:
    """Tell whether a folder is part of a repository around it that ignores it."""
    below = run_git(folder, _BELOW)
    if below is None or not below.stdout.strip():
        return False  # it is the repository's own root
    ignored = run_git(folder, _IS_IGNORED)
    return ignored is not None and ignored.returncode == 0


def run_git(
    folder: Path, words: Sequence[str], given: bytes = b""
) -> subprocess.CompletedProcess[bytes] | None:
    """Ask git something about a folder; None where it cannot be asked. `given` is its input."""
    # A caller's own git variables would point it at another repository.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env["LC_ALL"] = "C"  # what it says is read
    try:
        program = programs.find("git", folder)
        if program is None:
            return None
        return subprocess.run(
            [program, *_GIT, *words],
            cwd=folder,
            env=env,
            input=given,
            capture_output=True,
            check=False,
            timeout=SOURCE_LIST_TIMEOUT_S,
        )
    except (OSError, CouldNotLook, subprocess.TimeoutExpired):
        return None


def _from_folders(folder: Path, unread: dict[str, str]) -> Iterator[str]:
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            with os.scandir(folder / below) as listing:
                found = sorted(listing, key=lambda one: one.name)
        except OSError as error:
            unread[_spelled(below)] = str(error.strerror)
            continue
        for one in found:
            path = f"{below}/{one.name}" if below else one.name
            if not one.is_dir(follow_symlinks=False):
                yield path
            elif one.name not in IGNORED_FOLDERS:
                waiting.append(path)
