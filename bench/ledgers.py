"""Ledgers of a thousand, a hundred thousand and a million entries, built once and kept.

Every entry is appended by itself, as in real use, so that each is a row of its own. Building waits
for no disk: `synchronous=OFF`, and a sync at the end. A ledger is built anew when what decides its
bytes has changed.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw

import holdfast
from bench import entries
from bench.harness import SCRATCH, say
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.storage.sqlite.connection import FORMAT, SCHEMA_DIGESTS
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.keys import id_key, session_key, type_key
from holdfast.wiring.places import FOLDER, place_of

DRAFTS: Final = 20_000
"""Different entries; a larger ledger repeats them in new sessions."""


def prebuilt(size: int) -> Path:
    """Return the project root of a ledger of this size. It MUST NOT be written to."""
    root = SCRATCH / "ledgers" / _fingerprint() / str(size)
    if not root.exists():
        building = root.with_name(f"{size}.part")
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        _build(building, size)
        building.rename(root)
    return root


def copy(size: int, folder: Path) -> Path:
    """Copy a ledger, to be written to; the copy is on disk when this returns."""
    root = folder / f"copy-{size}"
    shutil.copytree(prebuilt(size), root)
    for name in (root / FOLDER).iterdir():
        _sync(name)
    return root


def _build(root: Path, size: int) -> None:
    holdfast.open(root).close()
    place = place_of(root)
    ledger = Ledger(
        SqliteEngine(str(place.database), synchronous="OFF"),
        redactor=Redactor(place.key.read_bytes()),
    )
    drafts = entries.drafts(min(size, DRAFTS))
    for number in range(size):
        draft = drafts[number % DRAFTS]
        session = f"s-{number // entries.SESSION_ENTRIES}"
        ledger.append(draft.type, draft.data, session_id=session)
        if number % 10_000 == 0:
            say(f"\r  building a ledger of {size:,} entries: {number * 100 // size} %")
    ledger.close()
    say("\r" + " " * 60 + "\r")
    connection = apsw.Connection(str(place.database))
    connection.pragma("journal_mode")  # looks at the file: there is no log to move before that
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    _sync(place.database)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@cache
def _fingerprint() -> str:
    """Name what decides the bytes: the schema, the spelling of entries, the keys, the drafts."""
    sample = entries.bodies(100)
    keys = [
        id_key("a name"),
        id_key(entries.entry_id(1)),
        type_key("a name"),
        session_key("a name"),
    ]
    parts = [SCHEMA_DIGESTS[FORMAT].encode(), repr(keys).encode(), *sample]
    return sha256(b"\n".join(parts)).hexdigest()[:12]
