"""What a ledger looks like from outside: a few numbers, none of which needs a pass over it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from holdfast.agents.heartbeat import Heard, heard
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.storage.archives import pack_name
from holdfast.storage.port import Archive, Reader, Selection
from holdfast.wiring.looking import open_reader
from holdfast.wiring.pausing import Paused, paused
from holdfast.wiring.peers import Peer, open_peer, peers_of
from holdfast.wiring.places import Place
from holdfast.wiring.saves import SavesFolder
from holdfast.wiring.teamwork import OpenWork, WaitingOffer, open_work, waiting_offers

SESSIONS_LOOKED_AT: Final = 1000
"""Newest beginnings and ends of sessions that are read to tell which are open."""


class LastEntry(msgspec.Struct, frozen=True):
    """The newest entry. Type and time are null when its bytes are damaged."""

    seq: int
    type: str | None
    timestamp: str | None


class Sizes(msgspec.Struct, frozen=True):
    """Bytes on disk; those of archives with the artifacts packed beside them."""

    database: int
    wal: int
    archives: int


class LastSave(msgspec.Struct, frozen=True):
    """The newest save."""

    snapshot_id: str
    save_type: str
    seq: int
    since: int
    """Entries that came after it."""


class Status(msgspec.Struct, frozen=True):
    """The answer of `holdfast status`."""

    ledger: str
    path: str
    project: str | None
    entries: int
    head: str
    root: str
    last_entry: LastEntry | None
    bytes: Sizes
    sessions_open: list[str]
    active: int
    """Entries in the database."""
    archived: int
    """Entries in archives."""
    save: LastSave | None = None
    """The newest save; null when there is none."""
    saves_damaged: list[str] = []
    """Files among the saves that are none."""
    agents: dict[str, Heard] = {}
    """What was heard of agents' hooks, by agent."""
    paused: list[Paused] = []
    """Pauses that hold: hooks record nothing then."""
    work_open: list[OpenWork] = []
    """Work that somebody began and nobody closed, whichever session or agent."""
    handoffs: list[WaitingOffer] = []
    """Work that was offered and nobody answered yet."""
    peers: list[Peer] = []
    """Other ledgers that are kept beside this one."""


def look(place: Place) -> Status:
    """Look at the ledger of a place."""
    reader = open_reader(place.database) if place.owner is None else open_peer(place)
    try:
        head = reader.head()
        archives = reader.archives()
        archived = archives[-1].last + 1 if archives else 0
        newest = SavesFolder(place.saves).newest()
        return Status(
            ledger=head.ledger,
            path=str(place.database),
            project=None if place.project is None else str(place.project),
            entries=head.size,
            head=head.leaf.hex(),
            root=reader.node(0, head.size).hex(),
            last_entry=last_entry(reader, head.size),
            bytes=_sizes(archives, place),
            sessions_open=_open_sessions(reader),
            active=head.size - archived,
            archived=archived,
            save=None if newest.save is None else _last_save(newest.save, head.size),
            saves_damaged=[one.name for one in newest.damaged],
            work_open=open_work(reader),
            handoffs=waiting_offers(reader),
            peers=peers_of(place, reader),
            agents=heard(place.folder) if place.project else {},
            paused=paused(place) if place.project else [],
        )
    finally:
        reader.close()


def last_entry(reader: Reader, size: int) -> LastEntry | None:
    """Return what is known of the newest entry, None for an empty ledger."""
    if size == 0:
        return None
    for stored in reader.read(Selection(size - 1, size)):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            break
        return LastEntry(size - 1, entry.type, entry.timestamp)
    return LastEntry(size - 1, None, None)


def _last_save(save: SaveSnapshot, size: int) -> LastSave:
    return LastSave(
        save.snapshot_id, save.save_type, save.timestamp_event_id, size - save.tree_size
    )


def age_s(timestamp: str, now_us: int) -> float | None:
    """Return how long ago an entry was recorded, None when its time cannot be read."""
    try:
        then = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return now_us / 1_000_000 - then.timestamp()


def spell_age(age_s: float) -> str:
    """Spell a stretch of time in its largest unit."""
    for unit, length_s in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if (count := int(age_s // length_s)) >= 1:
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{max(0, int(age_s))} s"


def _sizes(archives: Sequence[Archive], place: Place) -> Sizes:
    database = place.database
    packs = sum(_size(place.archives / pack_name(archive.name)) for archive in archives)
    return Sizes(
        database=_size(database),
        wal=_size(database.with_name(database.name + "-wal")),
        archives=sum(archive.bytes for archive in archives) + packs,
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _open_sessions(reader: Reader) -> list[str]:
    """List the sessions whose newest mark is a beginning, in the order they began."""
    marks: dict[str, tuple[int, bool]] = {}
    for kind, opens in (("session_started", True), ("session_ended", False)):
        newest = reader.read(Selection(type=kind, newest_first=True))
        for stored in islice(newest, SESSIONS_LOOKED_AT):
            try:
                session_id = entries.read(stored.body).session_id
            except Damaged:
                continue
            if session_id is not None and marks.get(session_id, (-1, False))[0] < stored.seq:
                marks[session_id] = (stored.seq, opens)
    still = sorted((seq, session_id) for session_id, (seq, opens) in marks.items() if opens)
    return [session_id for _, session_id in still]
