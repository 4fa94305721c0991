"""What is remembered of a project's files between two looks: sizes, times and hashes.

All of it is derived: without it the next look begins anew. It is one file, read and written whole.
A file that was written in the very moment it was looked at could be written again without a trace
in its times. Git calls that racily clean; here such a file is remembered by its hash alone, so the
next look reads it again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from holdfast.kernel.limits import SCAN_COARSE_NS, SCAN_SEEN_BYTES_MAX

Record: TypeAlias = tuple[int, int, int, int, bytes]
"""Of a file: size, time of its content, time of its inode, the inode, and SHA-256 of its bytes,
which is empty where it was not read. A content time of -1 fits no file."""

ANY: Final = -1

_MAGIC: Final = b"holdfast seen files 1\n"
_HASH_BYTES: Final = 32


class Pending(msgspec.Struct, frozen=True, array_like=True):
    """A change that somebody was to record: the entry's id, and what was remembered before."""

    id: str
    path: bytes
    before: Record | None
    unkept: bool = False
    """That was made while nothing was to be recorded."""


class SeenFiles(msgspec.Struct, array_like=True):
    """What is remembered, by folder and name. The root's own folder is the empty string."""

    folders: dict[str, dict[str, Record]] = {}
    ignored: set[str] = set()
    """Folders that git ignores."""
    skipped: dict[str, set[str]] = {}
    """Files that git ignores in other folders."""
    by_git: bool = False
    """Whether git says what is ignored."""
    pending: list[Pending] = []
    """The changes of the last look, in the order they were to be recorded."""
    unlooked: dict[str, str] = {}
    """What was not looked at, with the reason; the first ones."""
    files: int = 0
    left: int = 0
    """Files that were looked at, and changes that wait for the next look."""
    began_ns: int = 0
    """When the last look began, by the file system's clock; 0 when there was none."""
    cut: bool = False
    """The last look did not come to all files."""
    odd: list[tuple[bytes, Record]] = []
    """Files whose names are not UTF-8, while they lie on disk."""
    unkept: set[str] = set()
    """Files as they were made while nothing was to be recorded: what they held is kept nowhere."""

    def get(self, path: str) -> Record | None:
        """Return what is remembered of a file."""
        folder, _, name = path.rpartition("/")
        return self.folders.get(folder, {}).get(name)

    def put(self, path: str, record: Record | None) -> None:
        """Remember a file, or forget it."""
        folder, _, name = path.rpartition("/")
        if record is not None:
            self.folders.setdefault(folder, {})[name] = record
        elif folder in self.folders:
            self.folders[folder].pop(name, None)

    def paths(self) -> Iterator[str]:
        """Return every file that is remembered."""
        for folder, names in self.folders.items():
            yield from (f"{folder}/{name}" if folder else name for name in names)

    def settle(self, is_recorded: Callable[[str], bool]) -> None:
        """Take back what is remembered of changes that never were recorded.

        They were recorded in order, so all before one that was were, too.
        """
        while self.pending and not is_recorded(self.pending[-1].id):
            missing = self.pending.pop()
            path = os.fsdecode(missing.path)
            self.put(path, missing.before)
            if missing.unkept:
                self.unkept.add(path)
        self.pending = []


def read(path: Path) -> SeenFiles | None:
    """Read what was remembered; None when there is nothing that can be used."""
    try:
        with path.open("rb") as file:
            content = file.read(SCAN_SEEN_BYTES_MAX + 1)
    except OSError:
        return None
    body = content[len(_MAGIC) + _HASH_BYTES :]
    if content[: -len(body) or None] != _MAGIC + sha256(body).digest():
        return None
    try:
        seen = _decoder.decode(body)
    except msgspec.DecodeError:
        return None
    for raw, record in seen.odd:
        seen.put(os.fsdecode(raw), record)
    seen.odd = []
    return seen


def write(path: Path, seen: SeenFiles) -> None:
    """Keep it for the next look. A power cut may lose it, as may anybody."""
    try:
        body = _encoder.encode(seen)
    except UnicodeEncodeError:
        body = _encoder.encode(_spelled(seen))
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}.new")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(_MAGIC + sha256(body).digest() + body)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


def record_of(status: os.stat_result, digest: bytes, began_ns: int) -> Record:
    """Return what to remember of a file that was read after a moment of the file system's clock."""
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    coarse = 0 if status.st_mtime_ns % 1_000_000_000 else SCAN_COARSE_NS
    mtime = ANY if newest >= began_ns - coarse else status.st_mtime_ns
    return status.st_size, mtime, status.st_ctime_ns, status.st_ino, digest


def _spelled(seen: SeenFiles) -> SeenFiles:
    """Set the names aside that cannot be written as text."""
    plain: dict[str, dict[str, Record]] = {}
    odd: list[tuple[bytes, Record]] = []
    for folder, names in seen.folders.items():
        if is_text(folder):
            plain[folder] = {}  # that it is known counts, even when it is empty
        for name, record in names.items():
            if folder in plain and is_text(name):
                plain[folder][name] = record
            else:
                odd.append((os.fsencode(f"{folder}/{name}" if folder else name), record))
    ignored = set(filter(is_text, seen.ignored))
    skipped = {
        folder: set(filter(is_text, names))
        for folder, names in seen.skipped.items()
        if is_text(folder)
    }
    unkept = set(filter(is_text, seen.unkept))
    return msgspec.structs.replace(
        seen, folders=plain, ignored=ignored, skipped=skipped, odd=odd, unkept=unkept
    )


def is_text(name: str) -> bool:
    """Tell whether a name is text; what the system takes for one need not be."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(SeenFiles)
