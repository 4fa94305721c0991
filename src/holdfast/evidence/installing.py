"""Install what is shipped for agents below `.claude/` of a project, look at it, and take it away.

A file that is there and that we did not write stays as it is. So does one of ours that somebody
edited, until its owner says which of the two should count. Installing twice is installing once;
taking away what was installed leaves the project as it was, byte for byte.

The digests are written first and the files after them. A crash in between leaves digests without
files, which the next install completes, and never a file of ours that passes for somebody else's.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from holdfast.evidence.checksums import NAME as CHECKSUMS
from holdfast.evidence.checksums import Checksums, Recorded, merged, read_checksums, without_ours
from holdfast.evidence.shipped import TARGET, Shipped, Source, read_bytes, wanted
from holdfast.kernel.errors import CouldNotLook, InvalidInput, NewerFormat
from holdfast.storage.files import RealFiles, make_folder, replace
from holdfast.version import __version__

LOCAL: Final = "installed.json"
BEFORE: Final = "checksums.before.json"
SET_ASIDE: Final = "set_aside"

State: TypeAlias = Literal[
    "current", "outdated", "changed", "missing", "absent", "foreign", "link", "unreadable"
]
Action: TypeAlias = Literal["write", "update", "unchanged", "left", "adopt", "restore", "remove"]
Mine: TypeAlias = Literal["leave", "keep", "restore"]
"""What happens to a file of ours that somebody edited."""


class FileState(msgspec.Struct, frozen=True):
    """One of the files: what became of it, and whose version it is."""

    path: str
    state: State
    source: Source
    note: str = ""


class Step(msgspec.Struct, frozen=True):
    """What is done, or would be done, with one file."""

    path: str
    action: Action
    note: str = ""


class Local(msgspec.Struct, frozen=True):
    """What this machine remembers of an install: digests that a project cannot rewrite."""

    files: dict[str, str] = {}
    checksums: str = ""
    """Digest of `.claude/checksums.json` as it was written."""
    ck: dict[str, str] = {}
    """The pins of `ck`: its version, and the digest of the program."""


class Installation:
    """The files installed in one project."""

    def __init__(self, root: Path, folder: Path, overrides: Path) -> None:
        """`folder` is where the ledger is; what must outlive an install is kept there."""
        self.root = root
        self._folder = folder
        self._overrides = overrides

    def wanted(self) -> tuple[Shipped, ...]:
        """Return what is to stand in the project."""
        return wanted(self._overrides)

    def paths(self) -> list[Path]:
        """Return every file that an install or its removal may write."""
        return [self.root / path for path in (*(one.path for one in self.wanted()), CHECKSUMS)]

    def checksums(self) -> Checksums:
        """Return the list of digests."""
        return read_checksums(self.root)

    def local(self) -> Local:
        """Return what this machine remembers."""
        content = read_bytes(self._folder / LOCAL)
        try:
            return Local() if content is None else msgspec.json.decode(content, type=Local)
        except msgspec.DecodeError as error:
            raise CouldNotLook(
                f"{self._folder / LOCAL} is not what was written there: {error}.",
                meaning="The installed files were not verified, and nothing was written.",
                remedy="Move that file away; `holdfast protocols install` writes it anew.",
            ) from error

    def remember(self, local: Local) -> None:
        """Keep what this machine remembers."""
        replace(str(self._folder / LOCAL), msgspec.json.encode(local) + b"\n")

    def states(self) -> list[FileState]:
        """Say of every file what became of it."""
        recorded, local = self.checksums().ours, self.local()
        digests = {} if recorded is None else recorded.files
        return [self._state(one, digests.get(one.path), local) for one in self.wanted()]

    def plan(self, mine: Mine = "leave") -> list[Step]:
        """Say what an install would do."""
        self._refuse()
        return [_step(state, mine) for state in self.states()]

    def install(self, mine: Mine = "leave") -> list[Step]:
        """Write what is missing or older; return what was done."""
        steps = self.plan(mine)
        by_path = {step.path: step for step in steps}
        for step in steps:
            self._make_room(step)
        files = [one for one in self.wanted() if by_path[one.path].action != "left"]
        self._record(files, {step.path for step in steps if step.action == "left"})
        for one in files:
            if by_path[one.path].action != "unchanged":
                self._write(one)
        content = read_bytes(self.root / CHECKSUMS) or b""
        digests = {one.path: one.sha256 for one in files}
        self.remember(msgspec.structs.replace(self.local(), files=digests, checksums=_hex(content)))
        return steps

    def remove(self) -> list[Step]:
        """Take away what was installed and not edited since."""
        checksums, local = self.checksums(), self.local()
        if checksums.ours is None:
            return []
        steps = []
        for state in self.states():
            if state.state in ("current", "outdated"):
                (self.root / state.path).unlink()
                steps.append(Step(state.path, "remove"))
            elif state.state not in ("absent", "missing"):
                steps.append(Step(state.path, "left", state.note))
        self._restore_checksums(checksums, local)
        self._remove_folders(checksums.ours.folders)
        self.remember(msgspec.structs.replace(local, files={}, checksums=""))
        return steps

    def _state(self, one: Shipped, recorded: str | None, local: Local) -> FileState:
        if (link := self._link_to(one.path)) is not None:
            return FileState(one.path, "link", one.source, f"{link} is a link; it is not followed")
        try:
            content = read_bytes(self.root / one.path)
        except CouldNotLook as error:
            return FileState(one.path, "unreadable", one.source, error.what)
        if content is None:
            state: State = "absent" if recorded is None else "missing"
            return FileState(one.path, state, one.source)
        digest = _hex(content)
        ours = {recorded, local.files.get(one.path)} - {None}
        if recorded is None and not ours:
            return FileState(one.path, "foreign", one.source, "holdfast did not write it")
        if digest == one.sha256 and digest == recorded:
            return FileState(one.path, "current", one.source)
        if digest in ours or digest == one.sha256:
            return FileState(one.path, "outdated", one.source, "another version is installed")
        return FileState(one.path, "changed", one.source, "it was edited since it was installed")

    def _link_to(self, path: str) -> str | None:
        """Name the part of a path that is a link."""
        parts = path.split("/")
        upwards = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return next((part for part in upwards if (self.root / part).is_symlink()), None)

    def _make_room(self, step: Step) -> None:
        """Keep the version of a file that somebody edited, before ours is written."""
        folders = {"adopt": self._overrides, "restore": self._folder / SET_ASIDE}
        folder = folders.get(step.action)
        if folder is None:
            return
        content = read_bytes(self.root / step.path) or b""
        kept = folder / step.path.removeprefix(f"{TARGET}/")
        if step.action == "restore":
            kept = kept.with_name(f"{kept.name}.{_hex(content)[:12]}")
        make_folder(str(kept.parent))
        replace(str(kept), content)

    def _record(self, files: list[Shipped], left: set[str]) -> None:
        """Write the digests; those of files that are left alone stay what they were."""
        checksums = self.checksums()
        before = checksums.ours or Recorded(__version__, {})
        if checksums.ours is None and checksums.content is not None:
            replace(str(self._folder / BEFORE), checksums.content)
        digests = {path: digest for path, digest in before.files.items() if path in left}
        digests |= {one.path: one.sha256 for one in files}
        made = {*before.folders, *self._missing_folders([CHECKSUMS, *(one.path for one in files)])}
        ours = Recorded(__version__, digests, tuple(sorted(made)))
        content = merged(checksums.document, ours, checksums.ours)
        if content != checksums.content:
            self._write(Shipped(CHECKSUMS, content))

    def _missing_folders(self, paths: list[str]) -> set[str]:
        parents = {str(parent) for path in paths for parent in Path(path).parents}
        return {parent for parent in parents if not (self.root / parent).exists()}

    def _write(self, one: Shipped) -> None:
        """Put a file in its place at once, readable by all and durable."""
        path = self.root / one.path
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = f"{path}.{os.urandom(4).hex()}.new"
        files = RealFiles()
        files.create(draft, one.content)
        Path(draft).chmod(one.mode)
        files.rename(draft, str(path))
        files.sync_folder(str(path.parent))

    def _restore_checksums(self, checksums: Checksums, local: Local) -> None:
        before = read_bytes(self._folder / BEFORE)
        untouched = _hex(checksums.content or b"") == local.checksums
        kept = before if before is not None and untouched else without_ours(checksums)
        if kept is None:
            (self.root / CHECKSUMS).unlink()
        else:
            self._write(Shipped(CHECKSUMS, kept))
        (self._folder / BEFORE).unlink(missing_ok=True)

    def _remove_folders(self, folders: tuple[str, ...]) -> None:
        for folder in sorted(folders, key=len, reverse=True):
            inside = folder == TARGET or folder.startswith(f"{TARGET}/")
            if inside and ".." not in folder.split("/") and self._link_to(folder) is None:
                with suppress(OSError):  # it holds something else by now
                    (self.root / folder).rmdir()

    def _refuse(self) -> None:
        """Refuse to write through a link, or over what a newer holdfast wrote."""
        if (link := self._link_to(CHECKSUMS)) is not None:
            raise InvalidInput(
                f"{link} is a link.",
                meaning="It is not followed, and nothing was written.",
                remedy=f"Make {TARGET} a folder of this project.",
            )
        recorded = self.checksums().ours
        if recorded is None or _numbers(recorded.version) <= _numbers(__version__):
            return
        raise NewerFormat(
            f"The files in {TARGET} were installed by holdfast {recorded.version}, "
            f"and this is {__version__}.",
            meaning="They were left untouched.",
            remedy="Use the newer holdfast in this project.",
        )


def _step(state: FileState, mine: Mine) -> Step:
    match state.state:
        case "absent" | "missing":
            return Step(state.path, "write", _of(state.source))
        case "outdated":
            return Step(state.path, "update", _of(state.source))
        case "current":
            return Step(state.path, "unchanged", _of(state.source))
        case "changed" if mine == "keep":
            return Step(state.path, "adopt", "your version is kept in the overrides, and counts")
        case "changed" if mine == "restore":
            return Step(state.path, "restore", f"your version is kept in {SET_ASIDE}/")
        case "changed" | "foreign" | "link" | "unreadable":
            return Step(state.path, "left", state.note)


def _of(source: Source) -> str:
    return "from the overrides" if source == "override" else ""


def _hex(content: bytes) -> str:
    return sha256(content).hexdigest()


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".")
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()
