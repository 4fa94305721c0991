"""Code that is not searched, as git ignores it: it may be what somebody looks for.

Folders of caches, and of what was fetched or made, told by names that are used for that, and hidden
ones are left out: they are named, with how much code they hold. All other ignored code counts as
not looked at. Whether a file is code is told by its name, or by `#!` where it has no ending.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import msgspec

from holdfast.code import language_of
from holdfast.kernel.limits import IGNORED_FILES_LOOKED
from holdfast.wiring.code_files import run_git
from holdfast.wiring.places import FOLDER
from holdfast.wiring.watching import IGNORED_FOLDERS

REASON: Final = "git ignores it"

_IGNORED: Final = (
    *("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"),
)
_MADE: Final = IGNORED_FOLDERS | frozenset(
    {"bin", "build", "coverage", "dist", "env", "htmlcov", "obj", "out", "target", "vendor"}
)
_NEVER_CODE: Final = frozenset({".ck", ".git", ".hg", ".svn", FOLDER})
"""Folders of indexes and repositories: nobody's code is only there."""

_DATA: Final = frozenset({"css", "html", "json", "markdown", "toml", "yaml"})
_TEMPLATES: Final = frozenset(
    {"ejs", "erb", "hbs", "in", "j2", "jinja", "jinja2", "mustache", "template", "tmpl", "tpl"}
)
_OTHERS: Final = frozenset({"strings"})
"""Endings of what is made by hand, and is no language that is known here."""

_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class LeftOut(msgspec.Struct, frozen=True):
    """A file or folder that is never searched: how many files it holds that are named as code."""

    path: str
    files: int
    more: bool
    """Whether there are more than were looked at."""


class Ignored(msgspec.Struct, frozen=True):
    """What git ignores: code that was to be searched, each with the reason; what is left out."""

    unread: list[tuple[str, str]]
    left_out: list[LeftOut]


def ignored_code(folder: Path, by: Literal["git", "folders"]) -> Ignored:
    """Find the code below a folder that is not searched; `by` is who named the files."""
    if by == "folders":
        return Ignored([], _counted(folder, _made_below(folder, "")))
    done = run_git(folder, _IGNORED)
    if done is None or done.returncode != 0:
        return Ignored([(".", "git does not say what it ignores")], [])
    names = [os.fsdecode(name).rstrip("/") for name in done.stdout.split(b"\0") if name]
    made = [path for path in names if _is_made(path)]
    unread = []
    for path in names:
        if _is_made(path):
            continue
        why = _why_unread(folder, path)
        if why is not None:
            unread.append((_spelled(path), why))
        made += _made_below(folder, path)
    return Ignored(unread, _counted(folder, made))


def is_named_as_code(name: str) -> bool:
    """Tell whether a file's name says that it is code, or a template of some."""
    language = language_of(name)
    if language is not None:
        return language not in _DATA
    return "." in name and name.rpartition(".")[2].lower() in _TEMPLATES | _OTHERS


def _is_made(path: str) -> bool:
    return any(part in _MADE or part.startswith(".") for part in path.split("/"))


def _why_unread(folder: Path, path: str) -> str | None:
    """Say why an ignored file or folder may hold what is looked for; None when it does not."""
    if not _is_folder(folder / path):
        return REASON if _is_code(folder / path) else None
    failed: list[OSError] = []
    looked = 0
    for file in islice(_files(folder / path, failed), IGNORED_FILES_LOOKED + 1):
        looked += 1
        if _is_code(file):
            return REASON
    if failed:
        return f"{REASON}, and it cannot be looked into: {failed[0].strerror}"
    if looked > IGNORED_FILES_LOOKED:
        return f"{REASON}, and it has more than {IGNORED_FILES_LOOKED:,} files"
    return None


def _counted(folder: Path, paths: Iterable[str]) -> list[LeftOut]:
    """Return those that hold code; folders of indexes and repositories hold nobody's."""
    counted = (_count(folder, path) for path in paths if _NEVER_CODE.isdisjoint(path.split("/")))
    return [one for one in counted if one.files or one.more]


def _count(folder: Path, path: str) -> LeftOut:
    """Count the code in what is left out."""
    if not _is_folder(folder / path):
        return LeftOut(_spelled(path), int(_is_code(folder / path)), False)
    failed: list[OSError] = []
    names = [
        file.name
        for file in islice(_files(folder / path, failed, all_=True), IGNORED_FILES_LOOKED + 1)
    ]
    code = sum(map(is_named_as_code, names[:IGNORED_FILES_LOOKED]))
    return LeftOut(_spelled(path), code, bool(failed) or len(names) > IGNORED_FILES_LOOKED)


def _files(folder: Path, failed: list[OSError], *, all_: bool = False) -> Iterator[Path]:
    """Return the files below a folder, without those in folders that are left out."""
    for below, folders, files in os.walk(folder, onerror=failed.append):
        if not all_:
            folders[:] = [one for one in folders if not _is_made(one)]
        yield from (Path(below, name) for name in files)


def _made_below(folder: Path, path: str) -> Iterator[str]:
    """Return the outermost folders below a path that are left out by their names."""
    if not _is_folder(folder / path):
        return
    left_out = IGNORED_FOLDERS if not path else _MADE
    for below, folders, _ in os.walk(folder / path):
        skipped = [one for one in folders if one in left_out or (path and one.startswith("."))]
        yield from (os.path.relpath(Path(below, one), folder) for one in sorted(skipped))
        folders[:] = [one for one in folders if one not in skipped]


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_code(path: Path) -> bool:
    if is_named_as_code(path.name):
        return True
    return "." not in path.name and _begins_as_script(path)


def _begins_as_script(path: Path) -> bool:
    """Tell whether a file begins with `#!`, or cannot be looked into."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError:
        return path.is_file() and not path.is_symlink()
    try:
        return os.read(handle, 2) == b"#!"
    except OSError:
        return False  # a pipe, or a device
    finally:
        os.close(handle)


def _spelled(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()
