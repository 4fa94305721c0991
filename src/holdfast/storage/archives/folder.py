"""The folder of archives: reads any entry or artifact back, and says what is wrong with a file.

Reading never fails because of what lies in the folder: a file that is missing, cut, foreign or
hostile yields less. `check` tells why. Which entries should be there is for the caller to know.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from holdfast.kernel.limits import ARCHIVES_KEPT_BYTES, ARCHIVES_KEPT_INDEXES
from holdfast.storage.archives import container, frames, packs
from holdfast.storage.archives.container import Identity, Unreadable
from holdfast.storage.archives.frames import Index, Part
from holdfast.storage.archives.kept import Kept
from holdfast.storage.files import Files
from holdfast.storage.port import Archive

_CHUNK_BYTES: Final = 1 << 20


class ArchiveFolder:
    """Reads archives; an `ArchiveSource`. With `ledger`, entries of another one are left out."""

    def __init__(self, folder: str, *, ledger: str | None = None) -> None:
        self.folder = folder
        self._ledger = ledger
        self._indexes: Kept[Index] = Kept(ARCHIVES_KEPT_INDEXES)
        self._frames: Kept[frames.Lines] = Kept(ARCHIVES_KEPT_BYTES)
        self._packs = packs.Packs(folder)

    def __call__(self, archive: Archive, first: int, stop: int) -> Iterator[tuple[int, bytes]]:
        """Yield number and bytes of the entries that can be read, in order."""
        first, stop = max(first, archive.first), min(stop, archive.last + 1)
        path = self.path_of(archive)
        try:
            identity = container.identity_of(path)
            index = self._index(identity)
        except (OSError, ValueError):  # a name may hold what no path may
            return
        ledger = index.ledger if self._ledger is None else self._ledger
        start = max(bisect_right(index.frames, first, key=_first) - 1, 0)
        for part in index.frames[start:]:
            if part.first >= stop:
                return
            lines = self._lines(identity, part)
            for seq in range(max(first, part.first), min(stop, part.first + len(lines))):
                line = lines[seq - part.first]
                if frames.place_of(line) == (ledger, seq):
                    yield seq, line

    def check(self, archive: Archive) -> str | None:
        """Say why the file is not the one that was listed; None when it is. Reads all of it."""
        path = self.path_of(archive)
        try:
            with container.opened(path) as handle:
                size, digest = os.fstat(handle).st_size, _digest(handle)
                if size == archive.bytes and digest == archive.sha256:
                    return None
                return self._difference(archive, size, frames.read_index(handle))
        except FileNotFoundError:
            return "the file is missing"
        except (OSError, ValueError) as error:
            what = error.strerror if isinstance(error, OSError) else error
            return f"there is no file that can be read ({what})"

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact from any pack, checked against its hash."""
        return self._packs.find(sha256)

    def erase(self, sha256: str, files: Files | None = None) -> int:
        """Rewrite the packs that hold an artifact without it; return how many."""
        return self._packs.erase(sha256, files)

    def path_of(self, archive: Archive) -> str:
        """Return where the file of an archive lies; a name cannot lead out of the folder."""
        return os.path.join(self.folder, os.path.basename(archive.name))  # noqa: PTH118, PTH119

    def _difference(self, archive: Archive, size: int, index: Index) -> str:
        if not index.frames:
            return f"the file holds no entry that can be read, in {size:,} bytes"
        if self._ledger not in (None, index.ledger):
            return f"the file is of another ledger, {index.ledger}"
        if (index.first, index.last) != (archive.first, archive.last):
            return f"the file holds entries {index.first} to {index.last}, in {size:,} bytes"
        if size != archive.bytes:
            return f"the file has {size:,} bytes, not {archive.bytes:,}"
        return "the file's SHA-256 is another one"

    def _index(self, identity: Identity) -> Index:
        index = self._indexes.get(identity)
        if index is None:
            with container.opened(identity[0]) as handle:
                index = frames.read_index(handle)
            self._indexes.put(identity, index)
        return index

    def _lines(self, identity: Identity, part: Part) -> Sequence[bytes]:
        key = (identity, part.offset)
        lines = self._frames.get(key)
        if lines is None:
            try:
                with container.opened(identity[0]) as handle:
                    lines = frames.read_frame(handle, part)
            except (OSError, Unreadable):
                return []
            self._frames.put(key, lines, lines.size_bytes)
        return lines


def _first(part: Part) -> int:
    return part.first


def _digest(handle: int) -> str:
    digest, offset = sha256(), 0
    while chunk := os.pread(handle, _CHUNK_BYTES, offset):
        digest.update(chunk)
        offset += len(chunk)
    return digest.hexdigest()
