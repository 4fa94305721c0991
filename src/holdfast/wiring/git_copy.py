"""The copy of a ledger's text in git: made when a session ends and after a clear.

Without git, or outside a repository, there is none; that is told, and nothing fails by it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.evidence import git_state
from holdfast.evidence.git import Blob, Git, find
from holdfast.evidence.healing import damage_of
from holdfast.kernel.errors import CouldNotLook, HoldfastError
from holdfast.kernel.limits import GIT_BLOB_BYTES_MAX, GIT_STATE_BYTES_MAX
from holdfast.ledger.published import CURRENT_STATE, SESSION_MEMORY
from holdfast.storage.port import Selection

if TYPE_CHECKING:
    from holdfast.wiring.project import Project

NOTES: Final = "NOTES.md"
"""The notes in the copy, wherever the settings let them be."""
TASKS: Final = "tasks.jsonl"
TRAJECTORY: Final = "trajectory/"

_DAYS_WRITTEN: Final = 2
"""Newest days of the trajectory that are compared byte for byte; older ones are derived from
entries that no longer change, and one of the same length is the same."""


class Copied(msgspec.Struct, frozen=True):
    """What became of the copy in git."""

    commit: str | None = None
    files: int = 0
    left_out: tuple[str, ...] = ()
    """Files that are too much to be kept; the oldest."""
    put_off: str | None = None
    """Why there is none."""


def copy_state(project: Project) -> Copied:
    """Commit the text state to the private ref; say why not rather than fail."""
    root = project.place.project
    if root is None:
        return Copied(put_off="A ledger without a project has no repository.")
    git = find(root)
    if isinstance(git, str):
        return Copied(put_off=f"There is no copy in git: {git}.")
    try:
        return _copied(project, git, root)
    except (HoldfastError, OSError) as problem:
        return Copied(put_off=f"There is no copy in git: {problem}")


class _Gathered:
    """The files of the text state, as far as there is room for them."""

    def __init__(self, before: Mapping[str, Blob]) -> None:
        self._before = before
        self._room = GIT_STATE_BYTES_MAX
        self.files: dict[str, bytes] = {}
        self.same: set[str] = set()
        self.left_out: list[str] = []

    def take(self, name: str, path: Path) -> None:
        """Take a file in, unless it is no plain one, too large, or there unchanged already."""
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return
        size = status.st_size
        if not stat.S_ISREG(status.st_mode) or size > min(self._room, GIT_BLOB_BYTES_MAX):
            self.left_out.append(name)
            return
        self._room -= size
        old = self._before.get(name)
        if old is not None and old.size == size and self._is_old_day(name):
            self.same.add(name)
            return
        content = path.read_bytes()
        if name == NOTES and (damage := damage_of(content, "notes")):
            # what is whole in git must not be followed by what has to be healed from it
            self.left_out.append(f"{name} ({damage})")
            self.same.add(name)
            return
        self.files[name] = content

    def _is_old_day(self, name: str) -> bool:
        written = sum(one.startswith(TRAJECTORY) for one in self.files)
        return name.startswith(TRAJECTORY) and written >= _DAYS_WRITTEN


def _copied(project: Project, git: Git, root: Path) -> Copied:
    project.publish()
    head = project.ledger.head()
    gathered = _Gathered(git_state.newest(git, head.ledger))
    for name, path in _paths(project, root):
        gathered.take(name, path)
    gathered.files[TASKS] = b"".join(_tasks(project))
    root_hash = project.ledger.root(head.size)
    gathered.files[git_state.TREE_HEAD] = f"{head.size}:{root_hash}\n".encode()
    kept = git_state.keep(
        git,
        head.ledger,
        gathered.files,
        message=f"holdfast: {head.size} entries\n",
        when=_when(project),
        unchanged=frozenset(gathered.same),
    )
    return Copied(kept.commit, kept.files, tuple(gathered.left_out))


def _paths(project: Project, root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of the text state; the newest days of the trajectory first."""
    yield NOTES, root / project.settings.notes.path
    for name in (CURRENT_STATE, SESSION_MEMORY):
        yield f"state/{name}", project.place.state / name
    days = sorted(project.place.trajectory.glob("*.jsonl"), reverse=True)
    for path in days:
        yield f"{TRAJECTORY}{path.name}", path


def _tasks(project: Project) -> Iterator[bytes]:
    """Yield every task whole, a line each."""
    from holdfast.ledger.tasks import Tasks

    for task in Tasks(project.ledger, project.views).every():
        yield msgspec.json.encode(task) + b"\n"


def _when(project: Project) -> str:
    """Return the time of the newest entry that can be read: a commit says what was so then."""
    newest = Selection(newest_first=True)
    for entry in project.ledger.read(newest, on_damaged=lambda _fault: None):
        moment = datetime.fromisoformat(entry.timestamp)
        return f"@{int(moment.timestamp())} +0000"
    raise CouldNotLook("Nothing was recorded yet.", meaning="There is nothing to keep.")
