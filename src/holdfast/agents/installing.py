"""Put our hooks into an agent's own files, look at them, and take them out again.

What a file was before is kept in a folder of ours, so that taking away leaves it byte for byte. A
file that was edited since loses only our part. What cannot be changed safely (a link, a file with
comments, one that is not ours) is left alone, and what should stand in it is said.

What is remembered is written first and the files after it: a crash in between is an install that
was not finished, and the next one finishes it.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.agents.edits import Edit, JsonEdit, OwnFile
from holdfast.agents.steps import Action, Step, diff_of
from holdfast.agents.values import AgentName
from holdfast.evidence.shipped import read_bytes
from holdfast.kernel.errors import CouldNotLook, HoldfastError, InvalidInput, StorageFailed
from holdfast.storage.files import RealFiles, make_folder, replace
from holdfast.version import __version__

Scope: TypeAlias = Literal["project", "user"]
SCOPES: Final[tuple[Scope, ...]] = ("project", "user")
State: TypeAlias = Literal["installed", "outdated", "absent", "blocked"]

_NEW_MODE: Final = 0o644
_COMMAND: Final = re.compile(r"^const COMMAND = (.*)$", re.MULTILINE)
"""How a plugin names the command that it starts."""


class Kept(msgspec.Struct, frozen=True):
    """What is remembered of one file."""

    written: str
    """SHA-256 of what was written."""
    before: bytes | None = None
    """What was there before us; null when nothing was."""


class Memory(msgspec.Struct, frozen=True):
    """What is remembered of an install."""

    version: str = __version__
    files: dict[str, Kept] = {}
    folders: tuple[str, ...] = ()
    """Folders that were made for it."""


class Setup:
    """The files of one agent, in a project or in somebody's home."""

    def __init__(
        self, agent: AgentName, scope: Scope, root: Path, edits: tuple[Edit, ...], memory: Path
    ) -> None:
        """`root` is what the edits' paths begin at; `memory` is the file that remembers."""
        self.agent = agent
        self.scope = scope
        self.root = root
        self.edits = edits
        self._memory = memory

    def paths(self) -> list[Path]:
        """Return every file that an install or its removal may write."""
        return [self.root / edit.path for edit in self.edits]

    def plan(self) -> list[Step]:
        """Say what an install would do."""
        memory = self.memory()
        return [self._planned(edit, memory)[0] for edit in self.edits]

    def install(self) -> list[Step]:
        """Put in what is missing or older; return what was done."""
        memory = self.memory()
        planned = [(edit, *self._planned(edit, memory)) for edit in self.edits]
        writing = [(edit, text) for edit, step, text in planned if step.action != "left"]
        self._remember(self._anew(memory, writing))
        for edit, step, text in planned:
            if step.action in ("write", "update"):
                self._write(edit.path, text.encode())
        return [step for _, step, _ in planned]

    def remove(self) -> list[Step]:
        """Take our part out of every file; return what was done."""
        memory = self.memory()
        steps = [step for edit in self.edits if (step := self._take(edit, memory)) is not None]
        left = {self._path(step) for step in steps if step.action == "left"}
        kept = {path: one for path, one in memory.files.items() if path in left}
        if kept:
            self._remember(Memory(files=kept, folders=memory.folders))
        elif self._memory.exists():
            self._memory.unlink()
        if not kept:
            self._remove_folders(memory.folders)
        return steps

    def state(self) -> tuple[State, list[str]]:
        """Say whether it is installed, and what is not as it should be."""
        memory = self.memory()
        steps = [self._planned(edit, memory)[0] for edit in self.edits]
        notes = [f"{one.path}: {one.note}" for one in steps if one.note]
        actions = {one.action for one in steps}
        if actions == {"unchanged"}:
            return "installed", notes
        if not self.is_there():
            return "absent", notes
        return ("blocked" if "left" in actions else "outdated"), notes

    def is_there(self) -> bool:
        """Tell whether anything of ours stands in the files."""
        return any(self._holds(edit) for edit in self.edits)

    def documents(self) -> list[Any]:
        """Return what the JSON files hold now, as far as they can be read."""
        found = []
        for edit in self.edits:
            with suppress(HoldfastError, ValueError, RecursionError):
                if isinstance(edit, JsonEdit) and (text := self._text(edit.path)) is not None:
                    found.append(msgspec.json.decode(text))
        return found

    def own_commands(self) -> list[list[str]]:
        """Return the argv that stand in whole files of ours, as they are now."""
        found = []
        for edit in self.edits:
            with suppress(HoldfastError, ValueError):
                text = self._text(edit.path) if isinstance(edit, OwnFile) else None
                if (line := _COMMAND.search(text or "")) is not None:
                    found.append(msgspec.json.decode(line[1], type=list[str]))
        return found

    def memory(self) -> Memory:
        """Return what is remembered."""
        content = read_bytes(self._memory)
        try:
            return Memory() if content is None else msgspec.json.decode(content, type=Memory)
        except msgspec.DecodeError as error:
            raise CouldNotLook(
                f"{self._memory} is not what was written there: {error}.",
                meaning="Nothing was looked at, and nothing was written.",
                remedy="Move that file away. Our part of the agent's files is then still found.",
            ) from error

    def _planned(self, edit: Edit, memory: Memory) -> tuple[Step, str]:
        """Return what is to be done with a file, and what will stand in it."""
        path = str(self.root / edit.path)
        try:
            text = self._text(edit.path)
            kept = memory.files.get(edit.path)
            older = isinstance(edit, OwnFile) and text is not None and _is_written(text, kept)
            after = edit.put(None if older else text)
        except HoldfastError as problem:
            paste = "" if isinstance(edit, OwnFile) else edit.snippet()
            return Step(path, "left", problem.what, paste=paste), ""
        if text == after:
            return Step(path, "unchanged"), after
        action: Action = "write" if text is None else "update"
        return Step(path, action, diff=diff_of(path, text, after)), after

    def _take(self, edit: Edit, memory: Memory) -> Step | None:
        """Take our part out of one file; None when nothing of ours is there."""
        path, kept = str(self.root / edit.path), memory.files.get(edit.path)
        try:
            text = self._text(edit.path)
            if text is None:
                return None
            if kept is not None and _is_written(text, kept):
                return self._put_back(edit, text, kept.before)
            after = edit.take(text, bare=kept is not None and kept.before is None)
        except HoldfastError as problem:
            return Step(path, "left", problem.what) if kept or self._holds(edit) else None
        if after == text:
            edited = isinstance(edit, OwnFile) and kept is not None
            return Step(path, "left", "it was edited since it was installed") if edited else None
        diff = diff_of(path, text, after)
        if after is None:
            (self.root / edit.path).unlink()
            return Step(path, "remove", diff=diff)
        self._write(edit.path, after.encode())
        note = "it was edited since; only our part was taken out"
        return Step(path, "strip", note if kept else "only our part was taken out", diff)

    def _put_back(self, edit: Edit, text: str, before: bytes | None) -> Step:
        path = self.root / edit.path
        if before is None:
            path.unlink()
            return Step(str(path), "remove", diff=diff_of(str(path), text, None))
        self._write(edit.path, before)
        diff = diff_of(str(path), text, before.decode("utf-8", "replace"))
        return Step(str(path), "restore", diff=diff)

    def _holds(self, edit: Edit) -> bool:
        """Tell whether our part, of whatever version, stands in a file."""
        try:
            text = self._text(edit.path)
            return text is not None and edit.take(text) != text
        except HoldfastError:
            return False

    def _anew(self, memory: Memory, writing: list[tuple[Edit, str]]) -> Memory:
        """Return what is to be remembered once these files are written."""
        files = dict(memory.files)
        for edit, after in writing:
            text, kept = self._text(edit.path), files.get(edit.path)
            if text is None:
                before = None
            elif kept is not None and _is_written(text, kept):
                before = kept.before
            elif isinstance(edit, OwnFile):
                before = None
            elif not text.strip():
                before = text.encode()
            else:
                bare = kept is not None and kept.before is None
                taken = edit.take(text, bare=bare)
                before = None if taken is None else taken.encode()
            files[edit.path] = Kept(_hex(after.encode()), before)
        made = {*memory.folders, *self._missing_folders([edit.path for edit, _ in writing])}
        return Memory(files=files, folders=tuple(sorted(made)))

    def _remember(self, memory: Memory) -> None:
        folder = self._memory.parent
        if folder.is_symlink():
            raise InvalidInput(
                f"{folder} is a link.",
                meaning="It is not followed, and nothing was written.",
                remedy="Move it away; a folder is made in its place.",
            )
        make_folder(str(folder))
        replace(str(self._memory), msgspec.json.encode(memory) + b"\n")

    def _text(self, path: str) -> str | None:
        """Return a file's text, None where there is none; nothing is read through a link."""
        if (link := self._link_to(path)) is not None:
            raise InvalidInput(f"{link} is a link; it is not followed")
        content = read_bytes(self.root / path)
        try:
            return None if content is None else content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidInput("it is not UTF-8") from error

    def _link_to(self, path: str) -> Path | None:
        """Name the part of a path that is a link."""
        parts = path.split("/")
        upwards = (self.root / "/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return next((part for part in upwards if part.is_symlink()), None)

    def _write(self, path: str, content: bytes) -> None:
        """Put a file in its place at once and durably; one that is there keeps its mode."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _NEW_MODE
        draft = target.with_name(f"{target.name}.{os.urandom(4).hex()}.new")
        files = RealFiles()
        files.create(str(draft), content)
        draft.chmod(mode)
        files.rename(str(draft), str(target))
        files.sync_folder(str(target.parent))
        if read_bytes(target) != content:
            raise StorageFailed(
                f"{target} does not hold what was just written.",
                meaning="Somebody else writes it at the same time; it was not written again.",
                remedy="End the agent, and do it once more.",
            )

    def _missing_folders(self, paths: list[str]) -> set[str]:
        parents = {str(parent) for path in paths for parent in Path(path).parents}
        return {parent for parent in parents if not (self.root / parent).exists()}

    def _remove_folders(self, folders: tuple[str, ...]) -> None:
        """Remove the folders that were made, where they are empty; what is remembered may lie."""
        ours = {str(parent) for edit in self.edits for parent in Path(edit.path).parents} - {"."}
        for folder in sorted(ours & set(folders), key=len, reverse=True):
            if self._link_to(folder) is None:
                with suppress(OSError):  # it holds something else by now
                    (self.root / folder).rmdir()

    def _path(self, step: Step) -> str:
        return str(Path(step.path).relative_to(self.root))


def _is_written(text: str, kept: Kept | None) -> bool:
    return kept is not None and _hex(text.encode()) == kept.written


def _hex(content: bytes) -> str:
    return sha256(content).hexdigest()
