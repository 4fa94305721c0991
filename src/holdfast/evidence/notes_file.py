"""The notes file: read and replaced so that nothing that a person writes into it is lost.

It is replaced at once, keeps its mode, is left alone where its owner made it read-only, and is
never reached through a link that leaves the project. Who replaces it holds the old file open: text
that somebody wrote into that one meanwhile is seen, and handed back to be merged. (An editor that
puts a file of its own there between the last look and the replacing, some microseconds, is not
seen.)
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from holdfast.evidence.project_files import ProjectFiles, decoded
from holdfast.kernel.errors import CouldNotLook, InvalidInput, StorageFailed
from holdfast.kernel.limits import NOTES_FILE_BYTES_MAX
from holdfast.recall.identifiers import PROJECT_ROOT
from holdfast.storage.files import sync
from holdfast.views.notes import Document, parse

MODE: Final = 0o644
"""Of a file that is made here: notes are there to be read, and to be committed."""

_SUFFIXES: Final = (".md", ".markdown", ".txt")
_FOREIGN: Final = frozenset({".git", ".holdfast", ".hg", ".svn"})
_DRAFT: Final = re.compile(r"\.[0-9a-f]{8}\.new\Z")
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Found(msgspec.Struct, frozen=True):
    """A notes file as it was read."""

    text: str
    mode: int
    document: Document


class NotesFile:
    """The notes of one project."""

    def __init__(self, files: ProjectFiles, path: str) -> None:
        self.path = path
        """As the settings name it, from the project's root."""
        self.place = files.root / self._allowed(files, path)

    def read(self) -> Found | None:
        """Return the notes, None when there are none. Refuses what is no text, or in conflict."""
        try:
            handle = os.open(self.place, _READ)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise self._unreadable(f"cannot be read: {error.strerror}") from error
        try:
            return self._found(handle)
        finally:
            os.close(handle)

    def replace(self, before: Found | None, text: str) -> str | None:
        """Put text in the place of what was read; return what somebody else wrote meanwhile.

        None when nobody did. What is returned may by then no longer be in the file: merge it, and
        replace again. Other processes of ours MUST be kept from doing the same.
        """
        self.refuse_read_only(before)
        draft = self.place.with_name(f"{self.place.name}.{os.urandom(4).hex()}.new")
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
            self._sweep()
            self._create(draft, text, MODE if before is None else before.mode)
            return self._swap(draft, before)
        except OSError as error:
            raise StorageFailed(
                f"{self.path} cannot be written: {error.strerror}.",
                meaning="The ledger has everything; the notes are as they were.",
                remedy="Check its permissions and the room on the disk.",
            ) from error
        finally:
            with suppress(OSError):
                draft.unlink()

    def refuse_read_only(self, found: Found | None) -> None:
        """Refuse to write a file that its owner made read-only, though replacing it would work."""
        if found is not None and not found.mode & stat.S_IWUSR:
            raise StorageFailed(
                f"{self.path} is read-only for its owner.",
                meaning="It was left as it is. The ledger has everything.",
                remedy=f"`chmod u+w {self.path}` lets it be written; notes.path names another.",
            )

    def _swap(self, draft: Path, before: Found | None) -> str | None:
        """Put the draft in its place, if that still holds what was read."""
        if before is None:
            return self._put_new(draft)
        try:
            handle = os.open(self.place, _READ)
        except FileNotFoundError:
            return before.text  # removed meanwhile: the text is still a person's
        try:
            if (now := self._text(handle)) != before.text:
                return now
            draft.replace(self.place)
            _sync_folder(self.place.parent)
            os.lseek(handle, 0, os.SEEK_SET)
            late = self._text(handle)
            return None if late == before.text else late
        finally:
            os.close(handle)

    def _put_new(self, draft: Path) -> str | None:
        """Put the draft where there is no file, unless somebody made one meanwhile."""
        try:
            os.link(draft, self.place)
        except FileExistsError:
            found = self.read()
            return "" if found is None else found.text
        except OSError:
            draft.replace(self.place)  # a file system without second names
        _sync_folder(self.place.parent)
        return None

    def _sweep(self) -> None:
        """Remove what a process that was killed left unfinished."""
        for path in self.place.parent.iterdir():
            if path.name.startswith(self.place.name) and _DRAFT.match(
                path.name, len(self.place.name)
            ):
                path.unlink()

    def _create(self, draft: Path, text: str, mode: int) -> None:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            view = memoryview(text.encode())
            while view:
                view = view[os.write(handle, view) :]
            os.fchmod(handle, mode)
            sync(handle)
        finally:
            os.close(handle)

    def _found(self, handle: int) -> Found:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise self._unreadable("is a folder, a pipe or a device")
        text = self._text(handle)
        document = parse(text)
        if line := conflict_in(document):
            raise self._damaged(f"holds conflict markers (line {line})")
        return Found(text, stat.S_IMODE(status.st_mode), document)

    def _text(self, handle: int) -> str:
        with open(os.dup(handle), "rb") as file:  # noqa: PTH123 - a descriptor
            content = file.read(NOTES_FILE_BYTES_MAX + 1)
        if len(content) > NOTES_FILE_BYTES_MAX:
            raise self._unreadable(f"has more than {NOTES_FILE_BYTES_MAX:,} bytes")
        try:
            return decoded(content, self.path)
        except CouldNotLook as problem:
            raise self._damaged(problem.what.removeprefix(self.path).strip(" .")) from problem

    def _allowed(self, files: ProjectFiles, path: str) -> str:
        """Return where the notes lie, links followed; refuse what is not for notes."""
        # behind the root's name an absolute path would be taken for one below it
        below = "" if PurePosixPath(path).is_absolute() else files.locate(PROJECT_ROOT + path)
        place = PurePosixPath(below)
        if place.suffix.casefold() not in _SUFFIXES or _FOREIGN & set(place.parts):
            raise InvalidInput(
                f"The setting notes.path names {path!r}, which is no place for notes.",
                meaning="No notes were read or written. The ledger has everything.",
                remedy="Name a file from the project's root that ends with "
                f"{', '.join(_SUFFIXES)}, such as NOTES.md.",
            )
        return below

    def _damaged(self, why: str) -> CouldNotLook:
        return CouldNotLook(
            f"{self.path} {why}.",
            meaning="It was left as it is. The ledger has everything.",
            remedy="Run `holdfast heal`, or repair it by hand.",
        )

    def _unreadable(self, why: str) -> CouldNotLook:
        return CouldNotLook(
            f"{self.path} {why}.",
            meaning="It was left as it is. The ledger has everything.",
            remedy="Put a text file of bearable size there, or name another one by notes.path.",
        )


def conflict_in(document: Document) -> int | None:
    """Return the line where an unfinished merge begins, None when there is none."""
    began = None
    for number, line in enumerate(document.lines, 1):
        if line.place == "code":
            continue
        if line.text.startswith("<<<<<<< "):
            began = number
        elif began is not None and line.text.startswith(">>>>>>> "):
            return began
    return None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync(handle)
    finally:
        os.close(handle)
