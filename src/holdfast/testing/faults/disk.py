"""A disk as a power cut leaves it: what was synced is there, of the rest whatever chance leaves.

Names are kept apart from bytes, as file systems do: a synced file whose folder was not synced may
be gone, and a deleted one may be back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from holdfast.testing.faults.ops import (
    Acknowledge,
    Create,
    Delete,
    Op,
    Rename,
    Sync,
    SyncFailed,
    SyncFolder,
    Truncate,
    Write,
)

SECTOR_BYTES: Final = 512
DIGEST_BYTES: Final = 12

Model: TypeAlias = Literal["lost", "prefix", "subset", "torn", "all"]
"""What is left of the operations since the last sync: none; the first few of each file; any of
them; any of them, each write in any of its sectors; all."""

MODELS: Final[tuple[Model, ...]] = get_args(Model)

Image: TypeAlias = dict[str, bytes]
_Item = TypeVar("_Item")


class _File:
    """Bytes on disk, and what was done to them since."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = content
        self.pending: list[Write | Truncate] = []

    def sync(self) -> None:
        self.content = _applied(self.content, self.pending)
        self.pending = []

    def forget(self, chance: Random) -> None:
        """Lose what waits, but for what may have been written before the sync failed."""
        share = chance.choice((0.0, 0.0, 0.5, 0.9))
        kept = [op for op in self.pending if chance.random() < share]
        self.content = _applied(self.content, kept)
        self.pending = []


_Change: TypeAlias = tuple[tuple[str, _File | None], ...]
"""Names and what they stand for from now on; one change happens at once."""


class Disk:
    """Follows a recording. `honest=False` is a disk that says it synced and did not."""

    def __init__(self, baseline: Mapping[str, bytes], *, honest: bool = True) -> None:
        self._honest = honest
        self._chance = Random(len(baseline))
        self._seen = {name: _File(content) for name, content in baseline.items()}
        self._names: dict[str, _File | None] = {**self._seen}
        self._pending: list[_Change] = []

    def apply(self, op: Op) -> None:
        """Take the next operation."""
        match op:
            case Write() | Truncate():
                self._seen[op.file].pending.append(op)
            case Create():
                self._change(((op.file, _File()),))
            case Delete():
                self._change(((op.file, None),))
            case Rename():
                self._change(((op.old, None), (op.new, self._seen[op.old])))
            case Sync():
                if self._honest:
                    self._seen[op.file].sync()
            case SyncFailed():
                self._seen[op.file].forget(self._chance)
            case SyncFolder():
                if self._honest:
                    self._sync_folder(op.folder)
            case Acknowledge():
                pass

    @property
    def settled(self) -> bool:
        """Tell whether nothing waits for a sync: every model leaves the same disk."""
        files = [file for file in self._names.values() if file is not None]
        return not self._pending and not any(file.pending for file in files)

    def image(self, model: Model, chance: Random) -> Image:
        """Return the files as they may be found after a power cut at this moment."""
        names = dict(self._names)
        for change in _chosen(self._pending, model, chance):
            names.update(change)
        return {
            name: _applied(file.content, _left(file.pending, model, chance))
            for name, file in names.items()
            if file is not None
        }

    def _change(self, change: _Change) -> None:
        for name, file in change:
            if file is None:
                del self._seen[name]
            else:
                self._seen[name] = file
        self._pending.append(change)

    def _sync_folder(self, folder: str) -> None:
        waiting = []
        for change in self._pending:
            if any(name.rpartition("/")[0] == folder for name, _ in change):
                self._names.update(change)
            else:
                waiting.append(change)
        self._pending = waiting


class Digests:
    """Names images: two that are equal in every byte of every file have the same name.

    What did not change from one image to the next is not hashed again.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, bytes]] = {}

    def name(self, image: Image) -> bytes:
        """Return the name of an image."""
        whole = sha256()
        for name in sorted(image):
            content, hashed = self._known.get(name, (b"", b""))
            if content is not image[name] or not hashed:
                content = image[name]
                hashed = sha256(content).digest()
                self._known[name] = (content, hashed)
            whole.update(f"{name}\0".encode() + hashed)
        return whole.digest()[:DIGEST_BYTES]


def _left(
    pending: Sequence[Write | Truncate], model: Model, chance: Random
) -> list[Write | Truncate]:
    chosen = _chosen(pending, model, chance)
    if model != "torn":
        return chosen
    return [part for op in chosen for part in _torn(op, chance)]


def _chosen(items: Sequence[_Item], model: Model, chance: Random) -> list[_Item]:
    match model:
        case "lost":
            return []
        case "all":
            return list(items)
        case "prefix":
            return list(items[: chance.randint(0, len(items))])
        case "subset" | "torn":
            share = chance.random()
            return [item for item in items if chance.random() < share]


def _torn(op: Write | Truncate, chance: Random) -> list[Write | Truncate]:
    """Split a write at the sectors of the disk and keep some of them."""
    if isinstance(op, Truncate):
        return [op]
    parts: list[Write | Truncate] = []
    begin, end = op.offset, op.offset + len(op.content)
    share = chance.choice((0.5, 0.8, 1.0))
    while begin < end:
        stop = min(end, begin - begin % SECTOR_BYTES + SECTOR_BYTES)
        if chance.random() < share:
            content = op.content[begin - op.offset : stop - op.offset]
            parts.append(Write(op.file, begin, content))
        begin = stop
    return parts


def _applied(content: bytes, ops: Sequence[Write | Truncate]) -> bytes:
    if not ops:
        return content
    result = bytearray(content)
    for op in ops:
        size = op.size if isinstance(op, Truncate) else op.offset
        if len(result) < size:
            result.extend(bytes(size - len(result)))
        if isinstance(op, Truncate):
            del result[op.size :]
        else:
            result[op.offset : op.offset + len(op.content)] = op.content
    return bytes(result)
