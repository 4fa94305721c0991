"""Healing files: what counts as damage, and where a whole one may be found.

    damage_of(content, kind)   why a file cannot be used as it is, None when it can
    whole(...)                 the first whole version, in the order of how much it can be trusted
    set_aside(path, folder)    a damaged file under a new name; nothing is overwritten, ever

The order: the private ref in git, the user's commits, git's index. A version that is damaged itself
is passed over. A file that was emptied is as damaged as one that is gone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.evidence import git_state
from holdfast.evidence.git import Git
from holdfast.evidence.notes_file import conflict_in
from holdfast.kernel.errors import CouldNotLook, StorageFailed
from holdfast.kernel.limits import GIT_BLOB_BYTES_MAX, HEALED_ASIDE_MAX
from holdfast.storage.files import FOLDER_MODE, RealFiles
from holdfast.views.notes import parse

Kind: TypeAlias = Literal["notes", "lines"]
"""Text with headings, or one JSON object a line."""

MISSING: Final = "missing"
_HISTORY_COMMITS: Final = 20
"""Commits of the user that changed a file which are looked at, the newest."""

_CONFLICT: Final = (b"<<<<<<< ", b">>>>>>> ")


class Candidate(msgspec.Struct, frozen=True):
    """A whole version of a file, and where it comes from."""

    source: str
    content: bytes
    detail: str


def read(path: Path) -> bytes | None:
    """Return a file's bytes, None when it is not there; refuses what is no plain file."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, flags)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        with open(handle, "rb", closefd=False) as file:  # of a folder it would not close it
            content = file.read(GIT_BLOB_BYTES_MAX + 1)
    finally:
        os.close(handle)
    if len(content) > GIT_BLOB_BYTES_MAX:
        raise CouldNotLook(
            f"{path.name} has more than {GIT_BLOB_BYTES_MAX:,} bytes.",
            meaning="It was not looked at, and left as it is.",
        )
    return content


def damage_of(content: bytes | None, kind: Kind) -> str | None:
    """Say what is wrong with a file, None when nothing is."""
    if content is None:
        return MISSING
    if not content.strip(b"\0 \t\r\n"):
        return "empty"
    if b"\0" in content:
        return "binary: it holds NUL bytes"
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8 at byte {error.start:,}"
    if kind == "notes":
        line = conflict_in(parse(text))
        return None if line is None else f"conflict markers at line {line}"
    return _damaged_line(content)


def whole(
    git: Git | str,
    path: str,
    *,
    ledger: str | None,
    copied: str | None,
    damaged: Callable[[bytes], str | None],
) -> Candidate | None:
    """Find a whole version of a file: `path` from git's folder, `copied` in the private ref."""
    if isinstance(git, str):
        return None
    for one in _candidates(git, path, ledger, copied):
        if damaged(one.content) is None:
            return one
    return None


def set_aside(path: Path, folder: Path) -> Path:
    """Give a damaged file a new name in a folder; the first that nobody has."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    for number in range(1, HEALED_ASIDE_MAX):
        place = folder / f"{path.name}.{number}"
        try:
            os.link(path, place, follow_symlinks=False)  # where a rename would replace
        except FileExistsError:
            continue
        path.unlink()
        RealFiles().sync_folder(str(folder))
        return place
    raise StorageFailed(
        f"{folder} holds {HEALED_ASIDE_MAX:,} files that were set aside.",
        meaning=f"{path.name} was left as it is.",
        remedy="Look through them, and move those elsewhere that are of use.",
    )


def put(path: Path, content: bytes, *, mode: int) -> None:
    """Write a file that MUST NOT exist, and read it back."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")
    files = RealFiles()
    try:
        files.create(str(draft), content)
        draft.chmod(mode)
        os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    files.sync_folder(str(path.parent))
    if read(path) != content:
        raise StorageFailed(
            f"{path.name} does not read back as it was written.",
            meaning="What was damaged is kept aside.",
            remedy="Check the disk, then run `holdfast heal` again.",
        )


def _candidates(git: Git, path: str, ledger: str | None, copied: str | None) -> Iterator[Candidate]:
    if ledger is not None and copied is not None:
        for version in git_state.versions(git, ledger, copied):
            detail = f"{git_state.REF} at {version.commit[:12]}"
            yield Candidate("git-ref", version.content, detail)
    for commit in git.history("HEAD", path, commits_max=_HISTORY_COMMITS):
        content = git.read(f"{commit}:./{path}")
        if content is not None:
            yield Candidate("git-history", content, f"commit {commit[:12]}")
    content = git.read(f":0:./{path}")
    if content is not None:
        yield Candidate("git-checkout", content, "git's index")


def _damaged_line(content: bytes) -> str | None:
    for number, line in enumerate(content.splitlines(), start=1):
        if line.startswith(_CONFLICT):
            return f"conflict markers at line {number}"
        if not line.strip():
            continue
        try:
            if isinstance(json.loads(line), dict):
                continue
        except (ValueError, RecursionError):
            pass
        return f"line {number} is not a JSON object"
    return None
