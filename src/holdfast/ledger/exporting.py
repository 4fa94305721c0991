"""Exporting: the entries as JSON Lines, byte for byte as they are stored."""

from __future__ import annotations

from hashlib import sha256
from typing import BinaryIO

import msgspec

from holdfast.kernel.errors import Damaged
from holdfast.kernel.hashing import leaf_hash
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Reader, Selection

_PROGRESS_EVERY = 1000


class Exported(msgspec.Struct, frozen=True):
    """What was written."""

    entries: int
    bytes: int
    sha256: str
    """Of all lines, each with its line feed."""


def export_lines(
    reader: Reader,
    out: BinaryIO,
    *,
    first: int = 0,
    stop: int | None = None,
    progress: Progress = no_progress,
) -> Exported:
    """Write entries `first` up to, not including, `stop`, as they are now; a line for each.

    One that is missing, or is not what was sealed, stops it with Damaged: what was written until
    then is whole lines.
    """
    size = reader.head().size
    stop = size if stop is None else min(stop, size)
    first = min(max(first, 0), stop)
    digest, written, seq = sha256(), 0, first
    for stored in reader.read(Selection(first, stop)):
        if stored.seq != seq or leaf_hash(stored.body) != stored.leaf:
            break
        line = stored.body + b"\n"
        out.write(line)
        digest.update(line)
        written, seq = written + len(line), seq + 1
        if seq % _PROGRESS_EVERY == 0:
            progress(seq - first, stop - first)
    if seq < stop:
        raise Damaged(
            f"Entry {seq} is missing or is not what was sealed.",
            meaning=f"{seq - first} of {stop - first} entries were written; none was changed.",
            remedy="Run `holdfast verify` to see what else is damaged.",
        )
    progress(stop - first, stop - first)
    return Exported(stop - first, written, digest.hexdigest())
