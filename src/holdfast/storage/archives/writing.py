"""Writing an archive: pack first, then the archive, each a synced draft put in its place.

A kill between any two steps leaves drafts or whole files, and nothing that is listed: listing comes
after, in the engine's own transaction. The caller holds the lock of sealing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256

from holdfast.kernel.errors import InvalidInput, StorageFailed
from holdfast.kernel.limits import (
    ARCHIVE_BYTES_MAX,
    ARCHIVE_ENTRIES_MAX,
    INPUT_BYTES_MAX,
    LINE_BYTES_MAX,
    PACK_ARTIFACTS_MAX,
)
from holdfast.storage.archives import container, frames, names, packs
from holdfast.storage.files import Files, RealFiles, make_folder, replace
from holdfast.storage.port import Archive, Stored


def write(
    folder: str,
    entries: Sequence[Stored],
    *,
    ledger: str,
    day: str,
    artifacts: Mapping[str, bytes],
    files: Files | None = None,
) -> Archive:
    """Write entries and the artifacts they name, re-read them, return how the file is listed."""
    files = files or RealFiles()
    _check(entries, ledger, artifacts)
    first, last = entries[0].seq, entries[-1].seq
    name = names.name_of(first, last, day)
    lines = [entry.body for entry in entries]
    content = frames.encode(lines, ledger=ledger, first=first)
    try:
        _make_folder(folder, files)
        if artifacts:
            pack = _put(folder, names.pack_name(name), packs.encode(artifacts), files)
            _compare(dict(packs.artifacts_in(pack)) == dict(artifacts), pack)
        path = _put(folder, name, content, files)
        _compare(list(frames.read_lines(path)) == list(enumerate(lines, first)), path)
    except OSError as error:
        raise _failed(f"The archive {name} could not be written: {error.strerror}.") from error
    return Archive(first, last, name, sha256(content).hexdigest(), len(content))


def _check(entries: Sequence[Stored], ledger: str, artifacts: Mapping[str, bytes]) -> None:
    """Refuse what could not be read back as what it was."""
    if not 0 < len(entries) <= ARCHIVE_ENTRIES_MAX:
        raise _refused(f"An archive holds 1 to {ARCHIVE_ENTRIES_MAX:,} entries.")
    if len(entries) > 1 and sum(len(entry.body) for entry in entries) > ARCHIVE_BYTES_MAX:
        raise _refused(f"An archive holds at most {ARCHIVE_BYTES_MAX:,} bytes of entries.")
    for seq, entry in enumerate(entries, entries[0].seq):
        if len(entry.body) > LINE_BYTES_MAX:
            raise _refused(f"Entry {entry.seq} has more than {LINE_BYTES_MAX:,} bytes.")
        if b"\n" in entry.body or frames.place_of(entry.body) != (ledger, seq) or entry.seq != seq:
            raise _refused(f"Entry {entry.seq} does not say that it is number {seq} of {ledger}.")
    if len(artifacts) > PACK_ARTIFACTS_MAX:
        raise _refused(f"A pack holds at most {PACK_ARTIFACTS_MAX:,} artifacts.")
    for name, content in artifacts.items():
        if len(content) > INPUT_BYTES_MAX:
            raise _refused(f"The artifact {name[:12]} has more than {INPUT_BYTES_MAX:,} bytes.")
        if sha256(content).hexdigest() != name:
            raise _refused(f"The artifact {name[:12]} is not what its name says.")


def _make_folder(folder: str, files: Files) -> None:
    """Make the folder, and its name and that of the one around it durable.

    Whoever made them may have been killed before it did so: it is done every time.
    """
    make_folder(folder)
    around = os.path.dirname(os.path.abspath(folder))  # noqa: PTH100, PTH120
    files.sync_folder(around)
    files.sync_folder(os.path.dirname(around))  # noqa: PTH120


def _put(folder: str, name: str, content: bytes, files: Files) -> str:
    """Put a file in its place and compare every byte with what then lies there."""
    path = os.path.join(folder, name)  # noqa: PTH118
    replace(path, content, files)
    _compare(_read_back(path) == content, path)
    return path


def _read_back(path: str) -> bytes:
    with container.opened(path) as handle:
        if sys.platform == "linux":  # ask for the disk's bytes, not those still in memory
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        with open(handle, "rb", closefd=False) as file:
            return file.read()


def _compare(same: bool, path: str) -> None:
    if not same:
        name = os.path.basename(path)  # noqa: PTH119
        raise _failed(f"The file {name} does not hold what was written to it.")


def _refused(what: str) -> InvalidInput:
    return InvalidInput(what, meaning="Nothing was written.", remedy="Archive whole ranges.")


def _failed(what: str) -> StorageFailed:
    return StorageFailed(
        what,
        meaning="No entry left the database.",
        remedy="Check the disk and its free space; sealing is tried again by itself.",
    )
