"""Entries to archive, and archives made of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from holdfast.kernel import chain
from holdfast.kernel.chain import Head
from holdfast.storage.archives import ArchiveFolder, write
from holdfast.storage.port import Archive, Stored
from holdfast.testing.builders import LEDGER, data_for, prepared

DAY = "20261115"
OTHER = "f" * 32


def entries(count: int, *, first: int = 0, ledger: str = LEDGER) -> list[Stored]:
    """Return so many small entries."""
    return of_messages((f"message {n} " * 3 for n in range(count)), first=first, ledger=ledger)


def of_messages(messages: Iterable[str], *, first: int = 0, ledger: str = LEDGER) -> list[Stored]:
    """Return an entry for each message."""
    head = Head(ledger, first, sha256(b"before").digest())
    drafts = (
        prepared("error", n, session_id='s "ledger":"x"', data=data_for("error", n, message=one))
        for n, one in enumerate(messages)
    )
    return [Stored(one.seq, one.body, one.leaf) for one in chain.seal_all(head, drafts)]


def noise(seed: int, length: int) -> str:
    """Return text that does not compress well."""
    return random.Random(seed).randbytes(length // 2 + 1).hex()[:length]


def of_size(size: int, *, first: int = 0) -> list[Stored]:
    """Return one entry of exactly so many bytes."""
    spare = size - len(of_messages([""], first=first)[0].body)
    made = of_messages([noise(size, spare)], first=first)
    assert size == len(made[0].body)
    return made


def pairs(stored: Sequence[Stored]) -> list[tuple[int, bytes]]:
    """Return entries as a source yields them."""
    return [(one.seq, one.body) for one in stored]


def artifacts_of(*contents: bytes) -> dict[str, bytes]:
    """Return artifacts by their names."""
    return {sha256(one).hexdigest(): one for one in contents}


def archived(folder: Path, stored: Sequence[Stored], **changes: Any) -> Archive:
    """Write an archive."""
    given = {"ledger": LEDGER, "day": DAY, "artifacts": {}, **changes}
    return write(str(folder), stored, **given)


def read_all(folder: Path, archive: Archive, ledger: str | None = None) -> list[tuple[int, bytes]]:
    """Read an archive with a folder that remembers nothing."""
    source = ArchiveFolder(str(folder), ledger=ledger)
    return list(source(archive, archive.first, archive.last + 1))


def prefixes(path: Path) -> Iterator[int]:
    """Let a file be cut at every byte, the longest first; yield what is left of it."""
    whole = path.read_bytes()
    for length in range(len(whole) - 1, -1, -1):
        path.write_bytes(whole[:length])
        yield length
    path.write_bytes(whole)
