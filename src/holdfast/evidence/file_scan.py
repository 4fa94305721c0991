"""Which files of a project are not as they were remembered. Sizes and times first; then bytes.

Folders are walked by handles, so that no link on the way is followed, not even one that was put
there meanwhile. What is not looked at is named, with the reason. Whether a file changed is for its
bytes to say (`file_reading`); what git ignores, for whoever calls.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from holdfast.evidence.seen_files import Record, SeenFiles
from holdfast.kernel.limits import SCAN_DEPTH_MAX

Ask: TypeAlias = Callable[[list[str]], set[str]]
"""Takes paths from the root, of folders with a `/` behind; returns those that are ignored."""

REPOSITORY: Final = "a repository of its own"

FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NONE: Final[dict[str, Record]] = {}


class Suspect(msgspec.Struct, frozen=True):
    """A file that is new, or whose size or times are not those that were remembered."""

    path: str
    status: os.stat_result
    known: bool


class Walked(msgspec.Struct):
    """What a walk found."""

    suspects: list[Suspect] = []
    gone: list[str] = []
    """Remembered files that are no longer there, or are no plain files any more."""
    forgotten: list[str] = []
    """Remembered files that are no longer looked at."""
    folders: set[str] = set()
    """Folders that were looked into."""
    ignored: set[str] = set()
    """Folders that are ignored; what is in them was not looked at."""
    unlooked: dict[str, str] = {}
    files: int = 0
    cut: bool = False
    """There are more files than are looked at."""


class _FullError(Exception):
    """Leave the walk: that many files are enough."""


class FileWalk:
    """Walks through one project."""

    def __init__(
        self,
        root: Path,
        seen: SeenFiles,
        *,
        files_max: int,
        left_out: frozenset[str],
        ask: Ask | None = None,
        anew: bool = False,
    ) -> None:
        self._root = root
        self._seen = seen
        self._files_max = files_max
        self._left_out = left_out
        self._ask = ask
        self._anew = anew and ask is not None
        """Whether somebody is asked about known folders, too."""
        self._waiting: list[str] = []
        self.found = Walked()

    def run(self) -> Walked:
        """Look at every file. Folders that are new wait until somebody was asked about them."""
        self._waiting = [""]
        if self._ask is not None and not self._anew:
            self.found.ignored = set(self._seen.ignored)
        try:
            while self._waiting:
                folders, self._waiting = self._waiting, []
                for path in self._not_ignored(folders):
                    self._enter(path)
        except _FullError:
            self.found.cut = True
        self._look_for_unmet()
        return self.found

    def _not_ignored(self, folders: list[str]) -> Iterable[str]:
        new = [path for path in folders if path and not self._is_known(path)]
        if self._ask is None or not new:
            return folders
        ignored = self._ask([f"{path}/" for path in new])
        self.found.ignored |= {path for path in new if f"{path}/" in ignored}
        return [path for path in folders if path not in self.found.ignored]

    def _enter(self, path: str) -> None:
        """Look into a folder from the root, name by name."""
        handle = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in path.split("/") if path else ():
                inner = os.open(name, FOLDER_FLAGS, dir_fd=handle)
                os.close(handle)
                handle = inner
            self._look(path, handle, path.count("/"))
        except (FileNotFoundError, NotADirectoryError):
            return  # it went away meanwhile
        except OSError as error:
            self._leave(path, str(error.strerror))
        finally:
            os.close(handle)

    def _look(self, path: str, handle: int, depth: int) -> None:
        """Look at the files of a folder, and then into the folders that are known."""
        known = self._seen.folders.get(path, _NONE)
        suspects: list[Suspect] = []
        folders: list[str] = []
        met = self._list(path, handle, known, suspects, folders)
        if met is None:
            self._leave(path, REPOSITORY)
            return
        self.found.folders.add(path)
        self.found.suspects += suspects
        if met < len(known):
            self._find_gone(path, handle, known)
        if self.found.files >= self._files_max:
            raise _FullError
        for name in folders:
            self._descend(f"{path}/{name}" if path else name, name, handle, depth)

    def _list(
        self,
        path: str,
        handle: int,
        known: dict[str, Record],
        suspects: list[Suspect],
        folders: list[str],
    ) -> int | None:
        """Return how many remembered files were met; None for a repository of its own."""
        left_out, get, met, files = self._left_out, known.get, 0, 0
        start = f"{path}/" if path else ""
        skipped = self._seen.skipped.get(path, ())
        with os.scandir(handle) as listing:
            for one in listing:
                name = one.name
                if name == ".git":
                    if path:
                        return None
                    continue
                if one.is_dir(follow_symlinks=False):
                    if name not in left_out:
                        folders.append(name)
                elif one.is_file(follow_symlinks=False):
                    files += 1
                    try:
                        status = one.stat(follow_symlinks=False)
                    except OSError:
                        continue  # it went away meanwhile
                    record = get(name)
                    if record is None:
                        if name in skipped:
                            continue
                        suspects.append(Suspect(start + name, status, False))
                        continue
                    met += 1
                    if (
                        record[1] != status.st_mtime_ns
                        or record[0] != status.st_size
                        or record[2] != status.st_ctime_ns
                        or record[3] != status.st_ino
                    ):
                        suspects.append(Suspect(start + name, status, True))
        self.found.files += files
        return met

    def _descend(self, path: str, name: str, handle: int, depth: int) -> None:
        if path in self.found.ignored:
            return
        if depth >= SCAN_DEPTH_MAX:
            self._leave(path, f"deeper than {SCAN_DEPTH_MAX} folders")
            return
        if self._ask is not None and not self._is_known(path):
            self._waiting.append(path)
            return
        try:
            inner = os.open(name, FOLDER_FLAGS, dir_fd=handle)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._leave(path, str(error.strerror))
            return
        try:
            self._look(path, inner, depth + 1)
        except OSError as error:
            self._leave(path, str(error.strerror))
        finally:
            os.close(inner)

    def _is_known(self, path: str) -> bool:
        return not self._anew and path in self._seen.folders

    def _find_gone(self, path: str, handle: int, known: dict[str, Record]) -> None:
        for name in known:
            try:
                mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
            except (FileNotFoundError, NotADirectoryError):
                mode = 0
            except OSError:
                continue  # it cannot be told
            if not stat.S_ISREG(mode):
                self.found.gone.append(f"{path}/{name}" if path else name)

    def _look_for_unmet(self) -> None:
        """Find out about remembered folders that the walk did not come to."""
        for path, names in self._seen.folders.items():
            if path in self.found.folders:
                continue
            below = [f"{path}/{name}" if path else name for name in names]
            if not _is_folder(self._root, path):
                self.found.gone += below
            elif self._is_left_out(path):
                self.found.forgotten += below

    def _is_left_out(self, path: str) -> bool:
        """Tell whether a folder is not looked at by rule, not for a failure or the cap."""
        while path:
            if path in self.found.ignored or self.found.unlooked.get(path) == REPOSITORY:
                return True
            path = path.rpartition("/")[0]
        return False

    def _leave(self, path: str, why: str) -> None:
        self.found.unlooked[path or "."] = why


def _is_folder(root: Path, path: str) -> bool:
    """Tell whether there is a folder that is reached without a link; if in doubt, there is."""
    at = os.fspath(root)
    for name in path.split("/") if path else ():
        at = f"{at}/{name}"
        try:
            if not stat.S_ISDIR(os.lstat(at).st_mode):
                return False
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
    return True
