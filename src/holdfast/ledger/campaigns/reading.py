"""Reading a campaign: the file stands for the ledger it was made of, and can only be looked at.

Everything was proved when it was opened. It answers like any reader, so that a boot needs neither a
database nor a folder; to look for entries by id, type or session it goes through all of them.
"""

from __future__ import annotations

import os
import stat
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound, StorageFailed
from holdfast.kernel.hashing import leaf_hash
from holdfast.kernel.limits import CAMPAIGN_KEPT_BYTES, TREE_BLOCK_LEAVES
from holdfast.kernel.merkle import Frontier, root_of
from holdfast.ledger.campaigns import checking
from holdfast.ledger.campaigns.layout import refuse
from holdfast.ledger.campaigns.members import Lines, Members, artifact_places
from holdfast.ledger.campaigns.packs import Place, content_at
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.archives.container import Unreadable
from holdfast.storage.archives.kept import Kept
from holdfast.storage.port import EVERYTHING, Archive, Fault, Selection, Stored

_HASH_HEX: Final = 64


class Pack(msgspec.Struct, frozen=True):
    """A pack that was decompressed."""

    raw: bytes
    places: dict[bytes, Place]


def open_campaign(
    path: str | os.PathLike[str], *, progress: Progress = no_progress
) -> CampaignReader:
    """Open a campaign file and prove all of it; what is wrong with it is a BootFailed."""
    handle = _open(path)
    try:
        return CampaignReader(handle, progress=progress)
    except BaseException:
        os.close(handle)
        raise


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[int]:
    """Open a file whose headers and manifest are those of a campaign; nothing else is proved."""
    handle = _open(path)
    try:
        Members(handle)
        yield handle
    finally:
        os.close(handle)


def _open(path: str | os.PathLike[str]) -> int:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise NotFound(
            f"There is no file {Path(path)}.",
            meaning="Nothing was changed.",
            remedy="Name the campaign file.",
        ) from None
    except OSError as error:
        raise StorageFailed(
            f"{Path(path)} cannot be read: {error.strerror}.",
            meaning="Nothing was changed.",
            remedy="Check the file's permissions.",
        ) from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        refuse("it is not a file")
    return handle


class CampaignReader:
    """A campaign file as a `Reader`. Whoever holds one cannot change anything."""

    def __init__(self, handle: int, *, progress: Progress = no_progress) -> None:
        """Prove an open file; it is closed with this reader."""
        self._members = Members(handle)
        self.manifest = self._members.manifest
        self._kept: Kept[Pack] = Kept(CAMPAIGN_KEPT_BYTES)
        self._newest_pack: tuple[int, Pack] | None = None
        self._frames = [
            frame for row in self.manifest.segments for frame in self._members.frames(row)
        ]
        self._firsts = [frame.first for frame in self._frames]
        self.snapshot = checking.read_snapshot(self._members)
        """The save that it was made of."""
        self._artifacts = checking.index_artifacts(self._members)
        self._tree, contents = checking.check_entries(self._members, self.artifact, progress)
        checking.check_contents(self._members, self.snapshot, contents, self._artifacts)
        self.compactions = checking.read_compactions(self._members, self.snapshot, contents)
        """The compactions of the save."""
        checking.check_pins(self._members, self.snapshot, contents)
        self._is_open = True

    def __enter__(self) -> CampaignReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def artifacts(self) -> int:
        """How many artifacts it holds; erased ones are only named."""
        return len(self._artifacts)

    @property
    def file_bytes(self) -> int:
        """How large the file is."""
        return self._members.bytes

    def head(self) -> Head:
        """Return where the chain ended."""
        return Head(self.manifest.ledger, self.manifest.size, self._tree.leaf)

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        """Yield the entries that fit, a frame at a time."""
        size = self.manifest.size
        stop = size if selection.stop is None else min(selection.stop, size)
        first = max(selection.first, 0)
        if first >= stop:
            return
        frames = self._frames[
            bisect_right(self._firsts, first) - 1 : bisect_right(self._firsts, stop - 1)
        ]
        mark = _mark(selection)
        for frame in reversed(frames) if selection.newest_first else frames:
            lines = list(enumerate(self._lines(frame), frame.first))
            for seq, body in reversed(lines) if selection.newest_first else lines:
                if first <= seq < stop and mark in body and _fits(body, selection):
                    yield Stored(seq, body, leaf_hash(body))

    def node(self, first: int, stop: int) -> bytes:
        """Return the tree hash over a range; whole blocks were hashed when it was opened."""
        stop = min(stop, self.manifest.size)
        if first % TREE_BLOCK_LEAVES:
            return root_of([stored.leaf for stored in self.read(Selection(first, stop))])
        frontier = Frontier()
        whole = max(stop // TREE_BLOCK_LEAVES, first // TREE_BLOCK_LEAVES)
        for block in self._tree.blocks[first // TREE_BLOCK_LEAVES : whole]:
            frontier = frontier.append_subtree(block, TREE_BLOCK_LEAVES)
        rest = self.read(Selection(whole * TREE_BLOCK_LEAVES, stop))
        return frontier.extend([stored.leaf for stored in rest]).root()

    def artifact(self, sha256: str) -> bytes | None:
        """Return an artifact, None when it was erased, or is none that the entries name."""
        if len(sha256) != _HASH_HEX or sha256.strip("0123456789abcdef"):
            return None
        digest = bytes.fromhex(sha256)
        number = self._artifacts.get(digest)
        if number is None:
            return None
        pack = self._pack(number)
        try:
            return content_at(pack.raw, pack.places[digest])
        except (Unreadable, KeyError) as problem:
            raise _changed() from problem

    def archives(self) -> Sequence[Archive]:
        """Return nothing: every entry is here."""
        return ()

    def audit(self) -> NothingToAudit:
        """Return an audit that finds nothing: there is nothing here but the entries."""
        return NothingToAudit()

    def close(self) -> None:
        """Let go of the file."""
        if self._is_open:
            self._is_open = False
            os.close(self._members.handle)

    def _lines(self, frame: Lines) -> list[bytes]:
        return self._members.lines(frame)

    def _pack(self, number: int) -> Pack:
        """Return a pack; neighbours in the ledger lie in the same one."""
        newest = self._newest_pack
        if newest is not None and newest[0] == number:
            return newest[1]
        pack = self._kept.get(number)
        if pack is None:
            row = self.manifest.packs[number]
            raw = self._members.pack(row)
            pack = Pack(raw, {place[0]: place for place in artifact_places(raw, row)})
            self._kept.put(number, pack, len(raw))
        self._newest_pack = (number, pack)
        return pack


class NothingToAudit:
    """The audit of a file that adds nothing to the entries."""

    def take(self, _entry: Entry) -> None:
        """Count nothing."""

    def part(self) -> bytes:
        """Return nothing."""
        return b""

    def structure(self) -> Iterator[Fault]:
        """Find nothing."""
        return iter(())

    def compare(self, _parts: Sequence[bytes], _size: int) -> Iterator[Fault]:
        """Find nothing."""
        return iter(())


def _mark(selection: Selection) -> bytes:
    """Return bytes that every entry has which fits, so that few others are read."""
    return b"" if selection.type is None else f'"type":"{selection.type}"'.encode()


def _fits(body: bytes, selection: Selection) -> bool:
    if selection.id is selection.type is selection.session_id is None:
        return True
    entry = entries.read(body)
    return (
        selection.id in (None, entry.id)
        and selection.type in (None, entry.type)
        and selection.session_id in (None, entry.session_id)
    )


def _changed() -> Damaged:
    return Damaged(
        "The campaign file changed while it was read.",
        meaning="Nothing else was changed.",
        remedy="Open it again: all of it is proved first.",
    )
