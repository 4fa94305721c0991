"""Ledgers to make campaigns of, and campaign files taken apart and put together again, wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.boundary import boundary_of
from holdfast.ledger.campaigns import layout, write_campaign
from holdfast.ledger.campaigns.layout import Member
from holdfast.ledger.history import fold_at
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.saving import take_save
from holdfast.storage.memory import MemoryEngine
from holdfast.storage.port import Batch, Erased, Reader
from holdfast.testing.builders import data_for, open_memory_ledger
from holdfast.views.compaction import Compaction
from holdfast.views.pins import environment_pins
from holdfast.views.working_set import WORKING_SET_POLICY

LARGE = "All work and no play. " * 4000
"""A text that goes to the vault."""

NESTED = {"c": ["b" * 40_000, "d" * 20_000, "e" * 20_000]}
"""A value that goes to the vault, with a text in it that does so, too."""


def filled(ledger: Ledger | None = None) -> Ledger:
    """Return a ledger with something of everything."""
    ledger = ledger or open_memory_ledger()
    ledger.append("session_started", {}, session_id="café ☕ 会議")
    for n in range(8):
        ledger.append("decision", data_for("decision", n), session_id="café ☕ 会議")
    ledger.append("fact_recorded", data_for("fact_recorded", 1), id="clé-№-1")
    ledger.append("scene_started", data_for("scene_started", 1))
    ledger.append("pending_opened", data_for("pending_opened", 1))
    ledger.append("command_ran", data_for("command_ran", 1, output=LARGE), session_id="s2")
    ledger.append("tool_called", data_for("tool_called", 1, params=NESTED))
    ledger.append("pin_revised", data_for("pin_revised", 1))
    return ledger


def erase(ledger: Ledger, sha256_hex: str) -> None:
    """Erase an artifact, as the eraser does in the database."""
    note = {"sha256": sha256_hex, "bytes": 1, "reason": "asked for"}
    ledger._drop(Erased(sha256_hex), Draft("artifact_erased", note))


def hash_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def copied(reader: Reader) -> MemoryEngine:
    """Return the same ledger, entry for entry, in the plain engine; its artifacts stay behind."""
    from holdfast.kernel import entry as entries
    from holdfast.kernel.entry import Sealed

    engine = MemoryEngine(reader.head().ledger)
    sealed = []
    for stored in reader.read():
        entry = entries.read(stored.body)
        named = (entry.id, entry.type, entry.session_id)
        sealed.append(Sealed(stored.seq, *named, stored.leaf, stored.body))
    engine.append(Batch(sealed), expected_head=engine.head())
    return engine


def save_of(reader: Reader) -> tuple[SaveSnapshot, tuple[Compaction, ...]]:
    """Take a campaign save of all there is."""
    fold = fold_at(reader, reader.head().size)
    pins = environment_pins()
    snapshot = take_save(reader, fold, "CAMPAIGN", pins=pins)
    return snapshot, boundary_of(fold, reader, WORKING_SET_POLICY, pins).compactions


def campaign_of(reader: Reader) -> bytes:
    """Return the campaign file of all there is."""
    snapshot, compactions = save_of(reader)
    out = BytesIO()
    write_campaign(reader, snapshot, out, compactions=compactions)
    return out.getvalue()


def put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def taken_apart(content: bytes) -> dict[str, bytes]:
    """Return the members of a campaign file by name, in order; the manifest comes last."""
    import zipfile

    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put_together(parts: Iterable[tuple[str, bytes]], *, wrong: str | None = None) -> bytes:
    """Return a file of our own layout, whatever is in it; the checksum of one part may be wrong."""
    content, members = b"", []
    for name, part in parts:
        member = Member(name, crc32(part) ^ (name == wrong), len(part), len(content))
        content += layout.header(member) + part
        members.append(member)
    return content + layout.directory(members)


def with_manifest(parts: dict[str, bytes], change: Callable[[dict[str, Any]], None]) -> bytes:
    """Put a file together whose manifest was changed, after sizes and hashes were put right."""
    manifest = msgspec.json.decode(parts["manifest.json"])
    for row in manifest["members"]:
        part = parts.get(row["name"], b"")
        row["bytes"], row["sha256"] = len(part), sha256(part).hexdigest()
    change(manifest)
    return put_together({**parts, "manifest.json": canonical.encode(manifest)}.items())


def unchanged(_manifest: dict[str, Any]) -> None:
    """Leave the manifest as it is."""
