"""Writing a campaign: everything a save stands on, in one file, piece by piece.

Nothing here depends on a clock, on chance or on what else was saved: the same ledger and the same
save give the same bytes. Every entry is proved on its way, against its leaf, the one before it and,
all together, the root in the save. What cannot be proved, or is gone, fails the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, BinaryIO, Final
from zlib import crc32

from holdfast.kernel import canonical, chain
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import BootFailed, Damaged, InvalidInput
from holdfast.kernel.hashing import ZERO_LEAF, leaf_hash
from holdfast.kernel.limits import (
    CAMPAIGN_ARTIFACT_BYTES_MAX,
    CAMPAIGN_FRAME_BYTES,
    CAMPAIGN_SEGMENT_ENTRIES,
)
from holdfast.kernel.merkle import Frontier
from holdfast.kernel.snapshot import SaveSnapshot, thaw
from holdfast.ledger.campaigns import format as manifests
from holdfast.ledger.campaigns import layout, packs
from holdfast.ledger.campaigns.contents import Contents, disagreement
from holdfast.ledger.campaigns.format import Manifest, Part, Row
from holdfast.ledger.campaigns.layout import Member
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.archives import container
from holdfast.storage.port import Reader, Selection, Stored
from holdfast.views.compaction import Compaction

_UNWRITTEN: Final = "No campaign file was written; the ledger is as it was."


def write_campaign(
    reader: Reader,
    snapshot: SaveSnapshot,
    out: BinaryIO,
    *,
    compactions: Sequence[Compaction] = (),
    progress: Progress = no_progress,
) -> Manifest:
    """Write the campaign of a save into an empty file that can be gone back in.

    `compactions` are those that the save names. What was written of a file when this raises is no
    campaign.
    """
    _check_save(reader, snapshot, compactions)
    return _Writer(reader, snapshot, out).write(compactions, progress)


class _Writer:
    """One file in the making."""

    def __init__(self, reader: Reader, snapshot: SaveSnapshot, out: BinaryIO) -> None:
        self._reader = reader
        self._snapshot = snapshot
        self._zip = _Zip(out)
        self._contents = Contents(reader.artifact)
        self._rows: list[Row] = []
        self._erased: list[str] = []

    def write(self, compactions: Sequence[Compaction], progress: Progress) -> Manifest:
        snapshot = self._snapshot
        self._put(manifests.SNAPSHOT, snapshot.to_line() + b"\n")
        self._put_entries(progress)
        if why := disagreement(self._contents, snapshot.contents.get("manifest")):
            raise _unsaved(f"The save counts other things than there are: {why}.", "Save again.")
        for number, group in enumerate(packs.grouped(self._artifacts())):
            self._put_pack(manifests.pack_name(number), group)
        self._put(manifests.COMPACTIONS, compactions_json(compactions, self._contents))
        self._put(manifests.PINS, pins_json(snapshot, self._contents))
        manifest = Manifest(
            format=manifests.FORMAT,
            kind=manifests.KIND,
            ledger=snapshot.ledger,
            size=snapshot.tree_size,
            root=snapshot.tree_root,
            snapshot_id=snapshot.snapshot_id,
            members=tuple(self._rows),
            erased=tuple(sorted(self._erased)),
        )
        self._put(manifests.MANIFEST, manifests.encode(manifest))
        self._check_readable(manifest, self._zip.finish())
        return manifest

    def _put_entries(self, progress: Progress) -> None:
        size = self._snapshot.tree_size
        proved = self._proved()
        frontier = Frontier()
        for number in range(manifests.segments_of(size)):
            first = number * CAMPAIGN_SEGMENT_ENTRIES
            last = min(first + CAMPAIGN_SEGMENT_ENTRIES, size) - 1
            frontier = self._put_segment(number, (first, last), proved, frontier)
            progress(last + 1, size)
        if frontier.root().hex() != self._snapshot.tree_root:
            raise _unsaved(
                "The entries are not those that the save was made of.",
                "Run `holdfast verify` to see what is wrong with the ledger.",
            )

    def _put_segment(
        self, number: int, span: tuple[int, int], proved: Iterator[Stored], frontier: Frontier
    ) -> Frontier:
        """Write the next entries as frames of lines."""
        name = manifests.segment_name(number)
        self._zip.begin(name)
        leaves: list[bytes] = []
        parts: list[Part] = []
        for lines in _frames(proved, span[1], leaves):
            raw = b"".join(lines)
            [frame] = container.compress([raw], manifests.LEVEL)
            self._zip.write(frame)
            parts.append(Part(len(frame), len(raw), len(lines)))
        size, digest = self._zip.end()
        raw_bytes = sum(part.raw_bytes for part in parts)
        self._rows.append(Row(name, size, digest, raw_bytes, *span, tuple(parts)))
        return frontier.extend(leaves)

    def _proved(self) -> Iterator[Stored]:
        """Yield every entry, or raise for the first that is not the one that was sealed."""
        size, ledger = self._snapshot.tree_size, self._snapshot.ledger
        prev, seq = ZERO_LEAF, 0
        for stored in self._reader.read(Selection(stop=size)):
            if stored.seq != seq:
                break
            if leaf_hash(stored.body) != stored.leaf:
                raise _damaged(seq, "its bytes are not those that were sealed")
            entry = entries.read(stored.body)
            for _, why in chain.link(entry, ledger=ledger, seq=seq, prev=prev.hex()):
                raise _damaged(seq, why)
            self._contents.take(entry, stored.body)
            yield stored
            prev, seq = stored.leaf, seq + 1
        if seq < size:
            raise _damaged(seq, "it is missing")

    def _artifacts(self) -> Iterator[packs.Artifact]:
        for digest in self._contents.named:
            content = self._reader.artifact(digest.hex())
            if content is not None and len(content) > CAMPAIGN_ARTIFACT_BYTES_MAX:
                raise _unsaved(f"Artifact {digest.hex()[:12]} is too large.", "Export the entries.")
            if content is not None:
                yield digest, content
            elif self._contents.was_erased(digest):
                self._erased.append(digest.hex())
            else:
                raise _unsaved(
                    f"Artifact {digest.hex()[:12]} is not in the vault, and no entry says that it "
                    "was erased.",
                    "Run `holdfast verify`; if it was erased just now, save again.",
                )

    def _put_pack(self, name: str, group: Sequence[packs.Artifact]) -> None:
        raw = packs.encode(group)
        size, digest = self._zip.put(name, container.compress([raw], manifests.LEVEL)[0])
        self._rows.append(Row(name, size, digest, len(raw), artifacts=len(group)))

    def _put(self, name: str, content: bytes) -> None:
        size, digest = self._zip.put(name, content)
        if name != manifests.MANIFEST:
            self._rows.append(Row(name, size, digest))

    def _check_readable(self, manifest: Manifest, file_bytes: int) -> None:
        """Hold the file to the bounds of those who read it."""
        try:
            manifests.check(manifest, file_bytes)
        except BootFailed as problem:
            raise _unsaved(
                f"A campaign file of this ledger could not be read again: {problem.found}.",
                "Export the entries as JSON Lines instead.",
            ) from problem


def compactions_json(compactions: Sequence[Compaction], contents: Contents) -> bytes:
    """Spell the compactions of the save, and name those that seals made."""
    boundary = [
        {
            "compaction_id": one.compaction_id,
            "purpose": one.purpose,
            "compaction_policy_id": one.compaction_policy_id,
            "input_handles": list(one.input_handles),
            "output": one.output_bytes.decode(),
            "output_hash": one.output_hash,
            "allowmention_handles": list(one.allowmention_handles),
        }
        for one in compactions
    ]
    return canonical.encode({"boundary": boundary, "segments": contents.segments}) + b"\n"


def pins_json(snapshot: SaveSnapshot, contents: Contents) -> bytes:
    """Spell the pins of the save, and every entry that revised one."""
    value: dict[str, Any] = {
        "pins": thaw(snapshot.pins_snapshot),
        "revisions": contents.revisions,
    }
    return canonical.encode(value) + b"\n"


def _frames(proved: Iterator[Stored], last: int, leaves: list[bytes]) -> Iterator[list[bytes]]:
    """Yield lines up to entry `last`, together as many as fit a frame."""
    lines: list[bytes] = []
    held = 0
    for stored in proved:
        if lines and held + len(stored.body) + 1 > CAMPAIGN_FRAME_BYTES:
            yield lines
            lines, held = [], 0
        lines.append(stored.body + b"\n")
        held += len(stored.body) + 1
        leaves.append(stored.leaf)
        if stored.seq == last:
            break
    if lines:
        yield lines


class _Zip:
    """Members one after the other; a header is completed when its member is."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._members: list[Member] = []
        self._open = Member("", 0, 0, 0)
        self._sha = sha256()

    def put(self, name: str, content: bytes) -> tuple[int, str]:
        """Write a whole member; return its size and SHA-256."""
        self.begin(name)
        self.write(content)
        return self.end()

    def begin(self, name: str) -> None:
        """Begin a member."""
        offset = self._members[-1].stop if self._members else 0
        self._open = Member(name, 0, 0, offset)
        self._sha = sha256()
        self._out.write(layout.header(self._open))

    def write(self, content: bytes) -> None:
        """Write more of the member."""
        self._out.write(content)
        self._sha.update(content)
        begun = self._open
        crc = crc32(content, begun.crc)
        self._open = Member(begun.name, crc, begun.bytes + len(content), begun.offset)

    def end(self) -> tuple[int, str]:
        """End the member; return its size and SHA-256."""
        member = self._open
        self._out.seek(member.offset)
        self._out.write(layout.header(member))
        self._out.seek(member.stop)
        self._members.append(member)
        return member.bytes, self._sha.hexdigest()

    def finish(self) -> int:
        """Write the list of the members; return the size of the file."""
        listed = layout.directory(self._members)
        self._out.write(listed)
        return self._members[-1].stop + len(listed)


def _check_save(reader: Reader, snapshot: SaveSnapshot, compactions: Sequence[Compaction]) -> None:
    head = reader.head()
    if snapshot.save_type != "CAMPAIGN":
        raise _refused(f"A save of type {snapshot.save_type} is no campaign save.")
    if snapshot.ledger != head.ledger or snapshot.tree_size > head.size:
        raise _refused(f"The save {snapshot.snapshot_id} was not made of this ledger.")
    made = {one.compaction_id: one.output_hash for one in compactions}
    if tuple(made) != snapshot.compaction_ids or made != dict(snapshot.compaction_hashes):
        raise _refused(f"These are not the compactions of the save {snapshot.snapshot_id}.")


def _refused(what: str) -> InvalidInput:
    return InvalidInput(what, meaning=_UNWRITTEN, remedy="`holdfast save --campaign FILE` does it.")


def _damaged(seq: int, why: str) -> Damaged:
    return _unsaved(
        f"Entry {seq} cannot be saved: {why}.",
        "Run `holdfast verify` to see what else is damaged.",
    )


def _unsaved(what: str, remedy: str) -> Damaged:
    return Damaged(what, meaning=_UNWRITTEN, remedy=remedy)
