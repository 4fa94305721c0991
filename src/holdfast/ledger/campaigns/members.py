"""The members of a campaign file, read in pieces of bounded size. No name is ever used as a path.

What is read here is what the manifest says it is; whether its entries belong together is for
`checking` to say.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from zlib import crc32

import msgspec

from holdfast.kernel.limits import CAMPAIGN_JSON_BYTES_MAX, LINE_BYTES_MAX
from holdfast.ledger.campaigns import format as manifests
from holdfast.ledger.campaigns import layout, packs
from holdfast.ledger.campaigns.format import Manifest, Row
from holdfast.ledger.campaigns.layout import Member, refuse
from holdfast.storage.archives import container
from holdfast.storage.archives.container import Frame, Unreadable


class Lines(msgspec.Struct, frozen=True, gc=False):
    """Where a frame of lines stands, and which entries it holds."""

    first: int
    entries: int
    place: Frame
    raw_bytes: int


class Members:
    """An open campaign file whose headers and manifest are as they were written."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.bytes = os.fstat(handle).st_size
        found = layout.read(handle, self.bytes)
        self._manifest_member = found[-1]
        self.manifest = self._read_manifest(found)
        manifests.check(self.manifest, self.bytes)
        self._by_name = {member.name: member for member in found}

    def json(self, row: Row) -> bytes:
        """Return a member that is plain JSON, proved by its hashes."""
        content = self._read(self._by_name[row.name])
        Proof(self._by_name[row.name], row).take(content).finish()
        return content

    def pack(self, row: Row, proof: Proof | None = None) -> bytes:
        """Return what a pack holds."""
        member = self._by_name[row.name]
        content = self._read(member)
        if proof is not None:
            proof.take(content).finish()
        assert row.raw_bytes is not None
        try:
            return _decompressed(content, row.raw_bytes)
        except Unreadable as problem:
            refuse(f"the member {row.name}: {problem}", step=3)

    def frames(self, row: Row) -> Iterator[Lines]:
        """Yield where the frames of a member stand that holds entries."""
        assert row.first is not None
        assert row.frames is not None
        offset, first = self._by_name[row.name].start, row.first
        for part in row.frames:
            yield Lines(first, part.entries, Frame(offset, part.bytes), part.raw_bytes)
            offset += part.bytes
            first += part.entries

    def lines(self, frame: Lines, proof: Proof | None = None) -> list[bytes]:
        """Return the entries of one frame, each without its line feed."""
        try:
            content = container.read_at(self.handle, frame.place)
            if proof is not None:
                proof.take(content)
            raw = _decompressed(content, frame.raw_bytes)
        except Unreadable as problem:
            refuse(f"entry {frame.first} and those after it: {problem}", step=3)
        lines = raw.split(b"\n")
        if lines.pop() or len(lines) != frame.entries or max(map(len, lines)) > LINE_BYTES_MAX:
            refuse(
                f"the lines from entry {frame.first} on are no {frame.entries} entries",
                step=3,
                expected=f"{frame.entries} entries",
                found=f"{len(lines)} lines",
            )
        return lines

    def proof(self, row: Row) -> Proof:
        """Begin to prove a member by its hashes."""
        return Proof(self._by_name[row.name], row)

    def _read_manifest(self, found: list[Member]) -> Manifest:
        last = found[-1]
        if last.name != manifests.MANIFEST or last.bytes > CAMPAIGN_JSON_BYTES_MAX:
            refuse(f"its last member is {last.name!r}", expected=manifests.MANIFEST)
        content = self._read(last)
        if crc32(content) != last.crc:
            refuse(f"the member {last.name} is damaged: its checksum does not fit")
        manifest = manifests.decode(content)
        listed = [(row.name, row.bytes) for row in manifest.members]
        there = [(member.name, member.bytes) for member in found[:-1]]
        if listed != there:
            odd = next(
                (f"{one[0]} of {one[1]:,} bytes" for one in there if one not in listed),
                "fewer members",
            )
            refuse(f"its members are not those of {manifests.MANIFEST}: {odd}", found=odd)
        return manifest

    def _read(self, member: Member) -> bytes:
        try:
            return container.read_at(self.handle, Frame(member.start, member.bytes))
        except Unreadable as problem:
            refuse(f"the member {member.name}: {problem}")


class Proof:
    """Hashes the bytes of a member as they come by."""

    def __init__(self, member: Member, row: Row) -> None:
        self._member = member
        self._row = row
        self._crc = 0
        self._sha = sha256()

    def take(self, content: bytes) -> Proof:
        """Take the next bytes."""
        self._crc = crc32(content, self._crc)
        self._sha.update(content)
        return self

    def finish(self) -> None:
        """Compare with what the manifest and the header say."""
        name, found = self._row.name, self._sha.hexdigest()
        step = 1 if name.endswith(".json") else 3
        if found != self._row.sha256:
            refuse(
                f"the member {name} is not what {manifests.MANIFEST} says",
                step=step,
                expected=self._row.sha256,
                found=found,
            )
        if self._crc != self._member.crc:
            refuse(f"the member {name} is damaged: its checksum does not fit", step=step)


def _decompressed(frame: bytes, raw_bytes: int) -> bytes:
    """Return what a frame holds, which must be just as much as was stated."""
    raw = container.decompress(frame, raw_bytes)
    if len(raw) != raw_bytes:
        raise Unreadable("it holds less than stated")
    return raw


def artifact_places(raw: bytes, row: Row) -> list[packs.Place]:
    """Return where the artifacts of a pack stand."""
    assert row.artifacts is not None
    try:
        return packs.places(raw, row.artifacts)
    except Unreadable as problem:
        refuse(f"the member {row.name}: {problem}", step=3)
