"""The manifest of a campaign file: which members there are, how large, and what they hash to.

The names follow from their number and kind; none is ever used as a path. Every size that is stated
is compared with a bound before anything is decompressed. The same bounds hold for who writes.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NoReturn

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.errors import HoldfastError, NewerFormat
from holdfast.kernel.limits import (
    CAMPAIGN_ARTIFACT_BYTES_MAX,
    CAMPAIGN_FRAME_BYTES_MAX,
    CAMPAIGN_JSON_BYTES_MAX,
    CAMPAIGN_PACK_BYTES,
    CAMPAIGN_RATIO_MAX,
    CAMPAIGN_SEGMENT_ENTRIES,
    CAMPAIGN_SMALL_BYTES,
    KIB,
)
from holdfast.ledger.campaigns.layout import refuse

FORMAT: Final = 1
"""The version of this format."""

KIND: Final = "holdfast campaign"

MANIFEST: Final = "manifest.json"
SNAPSHOT: Final = "snapshot.json"
COMPACTIONS: Final = "compactions.json"
PINS: Final = "pins.json"
PACKS: Final = "artifacts/"

LEVEL: Final = 3
"""Of compression: a campaign is written while somebody waits."""

PACK_ALONE_BYTES_MAX: Final = CAMPAIGN_ARTIFACT_BYTES_MAX + KIB
"""A pack of one artifact, with the line that names it."""


class Part(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A compressed frame of lines."""

    bytes: int
    raw_bytes: int
    entries: int


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A member. Entries and packs also say what they hold when they are decompressed."""

    name: str
    bytes: int
    sha256: str
    raw_bytes: int | None = None
    first: int | None = None
    last: int | None = None
    frames: tuple[Part, ...] | None = None
    artifacts: int | None = None


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a campaign file says it holds: every member but the manifest itself, in order."""

    format: int
    kind: str
    ledger: str
    size: int
    root: str
    snapshot_id: str
    members: tuple[Row, ...]
    erased: tuple[str, ...]
    """Artifacts that entries name and that were erased on request, sorted."""

    @property
    def segments(self) -> tuple[Row, ...]:
        """The members that hold entries."""
        return self.members[1 : 1 + segments_of(self.size)]

    @property
    def packs(self) -> tuple[Row, ...]:
        """The members that hold artifacts."""
        return self.members[1 + segments_of(self.size) : -2]

    @property
    def raw_bytes(self) -> int:
        """What all members hold when they are decompressed."""
        return sum(row.bytes if row.raw_bytes is None else row.raw_bytes for row in self.members)


def segments_of(size: int) -> int:
    """Return how many members hold so many entries."""
    return -(-size // CAMPAIGN_SEGMENT_ENTRIES)


def segment_name(number: int) -> str:
    """Name a member that holds entries."""
    return f"entries/{number:08d}.jsonl.zst"


def pack_name(number: int) -> str:
    """Name a member that holds artifacts."""
    return f"{PACKS}{number:08d}.pack.zst"


def encode(manifest: Manifest) -> bytes:
    """Return the manifest's one spelling."""
    return canonical.encode(msgspec.to_builtins(manifest))


def decode(content: bytes) -> Manifest:
    """Read a manifest; one of a newer format is refused as such."""
    _check_format(content)
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
        spelled = encode(manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, HoldfastError) as error:
        refuse(f"{MANIFEST} cannot be read: {error}")
    if spelled != content or (manifest.kind, manifest.format) != (KIND, FORMAT):
        refuse(f"{MANIFEST} is not as it was written")
    return manifest


def _check_format(content: bytes) -> None:
    class Glance(msgspec.Struct):
        format: int

    try:
        found = msgspec.json.decode(content, type=Glance).format
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        refuse(f"{MANIFEST} cannot be read: {error}")
    if found > FORMAT:
        raise NewerFormat(
            f"This campaign file has format {found}; this holdfast knows {FORMAT}.",
            meaning="Nothing was changed.",
            remedy="Use the newer holdfast that made it.",
        )


def check(manifest: Manifest, file_bytes: int) -> None:
    """Refuse a manifest whose members are not those of a campaign, or that states a bomb."""
    if manifest.size < 0:
        refuse(f"{MANIFEST} states {manifest.size} entries")
    rows = deque(manifest.members)
    _check_json(_next(rows, SNAPSHOT))
    for number in range(segments_of(manifest.size)):
        _check_segment(_next(rows, segment_name(number)), number, manifest.size)
    number = 0
    while rows and rows[0].name.startswith(PACKS):
        _check_pack(_next(rows, pack_name(number)))
        number += 1
    for name in (COMPACTIONS, PINS):
        _check_json(_next(rows, name))
    if rows:
        refuse(f"it has a member {rows[0].name[:80]!r} too many")
    allowed = CAMPAIGN_SMALL_BYTES + CAMPAIGN_RATIO_MAX * file_bytes
    if manifest.raw_bytes > allowed:
        refuse(
            f"its {file_bytes:,} bytes would become {manifest.raw_bytes:,}",
            step=3,
            expected=f"at most {allowed:,} bytes",
            found=f"{manifest.raw_bytes:,} bytes",
        )


def _check_json(row: Row) -> None:
    if row != Row(row.name, row.bytes, row.sha256) or not 0 < row.bytes <= CAMPAIGN_JSON_BYTES_MAX:
        _misstated(row)


def _check_segment(row: Row, number: int, size: int) -> None:
    first = number * CAMPAIGN_SEGMENT_ENTRIES
    last = min(first + CAMPAIGN_SEGMENT_ENTRIES, size) - 1
    parts = row.frames or ()
    totals = tuple(map(sum, zip(*map(msgspec.structs.astuple, parts), strict=True)))
    if (row.first, row.last, row.artifacts) != (first, last, None):
        _misstated(row)
    if totals != (row.bytes, row.raw_bytes, last - first + 1):
        _misstated(row)
    for part in parts:
        sound = 0 < part.entries <= part.raw_bytes <= CAMPAIGN_FRAME_BYTES_MAX
        if not sound or not 0 < part.bytes <= _compressed_max(part.raw_bytes):
            _misstated(row)


def _check_pack(row: Row) -> None:
    if row.raw_bytes is None or row.artifacts is None or row.artifacts < 1:
        _misstated(row)
    expected = Row(
        row.name, row.bytes, row.sha256, raw_bytes=row.raw_bytes, artifacts=row.artifacts
    )
    most = CAMPAIGN_PACK_BYTES if row.artifacts > 1 else PACK_ALONE_BYTES_MAX
    if row != expected or not row.artifacts < row.raw_bytes <= most:
        _misstated(row)
    if not 0 < row.bytes <= _compressed_max(row.raw_bytes):
        _misstated(row)


def _next(rows: deque[Row], name: str) -> Row:
    """Return the next member, which must have this name."""
    if not rows:
        refuse(f"the member {name} is missing", expected=name, found="nothing")
    row = rows.popleft()
    if row.name != name:
        found = row.name[:80]
        refuse(f"the member {found!r} stands where {name} should", expected=name, found=found)
    return row


def _misstated(row: Row) -> NoReturn:
    refuse(f"{MANIFEST} states impossible sizes of the member {row.name}")


def _compressed_max(raw_bytes: int) -> int:
    """Return what a compressor makes of so many bytes at most."""
    return raw_bytes + raw_bytes // 64 + 4 * KIB
