"""What the ledger knows of a file's states: its `file_change` entries, and their content.

An entry may hold `content`, a reference to the file's bytes or why they were withheld; without it
the bytes may be in the vault all the same, under the hash.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel.errors import Damaged
from holdfast.ledger.erased import ErasedArtifacts
from holdfast.ledger.vault import KEY
from holdfast.storage.port import EVERYTHING, Reader, Selection, Stored

Kind: TypeAlias = Literal["kept", "gone", "withheld", "erased", "unknown"]

_HEX_DIGITS: Final = 64


class Change(msgspec.Struct, frozen=True):
    """What an entry says of a file."""

    path: str
    action: str
    hash_after: str | None
    size_after: int
    hash_before: str | None = None
    path_bytes: str | None = None
    content: Any = None
    executable: bool = False
    moved_from: str | None = None
    seen_by: str | None = None

    def name(self) -> str | None:
        """Return the file's path as it is on disk; None for what can be none."""
        if self.path_bytes is None:
            return self.path
        try:
            return os.fsdecode(bytes.fromhex(self.path_bytes))
        except ValueError:
            return None


class Recorded(msgspec.Struct, frozen=True):
    """An entry about a file, and its number."""

    seq: int
    change: Change


class FileState(msgspec.Struct, frozen=True):
    """What a file was at some entry, as far as that is known."""

    kind: Kind
    seq: int | None = None
    """The entry that says so."""
    sha256: str | None = None
    size: int = 0
    content: bytes | None = None
    why: str = ""
    executable: bool = False
    unread: int = 0
    """Entries that could not be read; one of them may say otherwise."""


class OfOneFile:
    """A reader that shows, of all changes of files, those of one file."""

    def __init__(self, reader: Reader, names: Collection[str]) -> None:
        self._reader = reader
        self._names = names
        self.head, self.node, self.artifact = reader.head, reader.node, reader.artifact
        self.archives, self.audit, self.close = reader.archives, reader.audit, reader.close

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield the entries that fit; one that cannot be read may be about the file."""
        for stored in self._reader.read(selection):
            try:
                change = _decoder.decode(stored.body).data
            except msgspec.DecodeError:
                yield stored
            else:
                if change.name() in self._names:
                    yield stored


class FileStates:
    """Looks for the states of one file, by the names it goes by."""

    def __init__(self, reader: Reader, names: Collection[str]) -> None:
        self._reader = reader
        self._names = names
        self._unread = 0

    def changes(self, first: int = 0, stop: int | None = None) -> Iterator[Recorded]:
        """Yield what was recorded of the file, newest first."""
        wanted = Selection(first, stop, type="file_change", newest_first=True)
        for stored in self._reader.read(wanted):
            try:
                change = _decoder.decode(stored.body).data
            except msgspec.DecodeError:
                self._unread += 1
                continue
            if change.name() in self._names:
                yield Recorded(stored.seq, change)

    def at(self, seq: int) -> FileState:
        """Return what the file was when entry `seq` had been recorded."""
        self._unread = 0
        for found in self.changes(stop=seq + 1):
            return self._with_unread(self._after(found))
        earliest = None
        for found in self.changes(first=seq + 1):
            earliest = found
        if earliest is None:
            return self._with_unread(FileState("unknown", why="no entry is about it"))
        return self._with_unread(self._before(earliest))

    def _after(self, found: Recorded) -> FileState:
        change = found.change
        if change.hash_after is None:
            return FileState("gone", found.seq)
        match change.content:
            case {"$artifact": str(sha256)}:
                return self._kept(found, sha256, change.size_after)
            case {"withheld": str(why)}:
                return FileState(
                    "withheld", found.seq, change.hash_after, change.size_after, None, why
                )
            case _:
                state = self._kept(found, change.hash_after, change.size_after)
                return state if state.kind != "unknown" else _known_by_hash(found)

    def _before(self, found: Recorded) -> FileState:
        """Tell from its first change what a file was before."""
        change = found.change
        if change.hash_before is not None:
            state = self._kept(found, change.hash_before, 0)
            if state.content is not None:
                return msgspec.structs.replace(state, size=len(state.content))
        if change.action == "create" and change.seen_by is not None:
            return FileState("gone", found.seq, why="it was new then")
        return FileState(
            "unknown", found.seq, change.hash_before, why="the first entry about it is a later one"
        )

    def _kept(self, found: Recorded, sha256: str, size: int) -> FileState:
        content = self._reader.artifact(sha256) if _is_hash(sha256) else None
        if content is not None:
            executable = found.change.executable
            return FileState(
                "kept", found.seq, sha256, len(content), content, executable=executable
            )
        if ErasedArtifacts(self._reader)(sha256):
            return FileState("erased", found.seq, sha256, size)
        if isinstance(found.change.content, dict) and found.change.content.get(KEY) == sha256:
            raise Damaged(
                f"Artifact {sha256[:12]} is not in the vault.",
                meaning=f"Entry {found.seq} says that it is what the file held.",
                remedy="Run `holdfast verify`, then take the artifact from a backup.",
            )
        return FileState("unknown", found.seq, sha256, size)

    def _with_unread(self, state: FileState) -> FileState:
        return msgspec.structs.replace(state, unread=self._unread)


def _known_by_hash(found: Recorded) -> FileState:
    change = found.change
    why = "its content was not recorded"
    return FileState("unknown", found.seq, change.hash_after, change.size_after, why=why)


def _is_hash(text: str) -> bool:
    return len(text) == _HEX_DIGITS and all(char in "0123456789abcdef" for char in text)


class _Line(msgspec.Struct):
    data: Change


_decoder: Final = msgspec.json.Decoder(_Line)
