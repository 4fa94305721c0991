"""Ledgers of a thousand, a hundred thousand and a million entries, built once and kept.

Of the plain kind every entry is appended by itself, as in real use, so that each is a row of its
own, and nothing is sealed: what grows is the database. Of the sealed kind sessions of 500 entries
run four at a time, their entries in turns by chance; all but the newest 100 were moved into
archives by the sealer, and views.db is caught up.

Building waits for no disk: `synchronous=OFF`, and a sync at the end. A ledger is built anew when
what decides its bytes has changed.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw

import holdfast
from bench import entries, lives
from bench.harness import SCRATCH, say
from holdfast.config import Seal
from holdfast.index import terms, texts, words
from holdfast.index.database import LAYOUT
from holdfast.index.queries import read_sql
from holdfast.index.views import Views
from holdfast.kernel import limits
from holdfast.kernel.entry import read
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.storage.archives import ArchiveFolder, frames, packs
from holdfast.storage.sqlite.connection import FORMAT, SCHEMA_DIGESTS
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.keys import id_key, session_key, type_key
from holdfast.stores import STORES
from holdfast.views.compaction import compression_data
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.sealing import sealer_of

DRAFTS: Final = 20_000
"""Different entries; a larger ledger repeats them in new sessions."""


AT_ONCE: Final = 4
"""Sessions of the sealed kind that run at the same time."""

BATCH: Final = 2_000
NEVER: Final = Seal(auto=False)
"""For a ledger that must stay in one piece: `holdfast.open` seals by itself otherwise."""


def prebuilt(size: int) -> Path:
    """Return the project root of a plain ledger of this size. It MUST NOT be written to."""
    return _kept(SCRATCH / "ledgers" / _fingerprint() / str(size), size, _build)


def sealed(size: int) -> Path:
    """Return the project root of a sealed ledger of this size, notes of seals not counted.

    It MUST NOT be written to.
    """
    return _kept(SCRATCH / "ledgers" / _sealed_fingerprint() / str(size), size, _build_sealed)


def lived(size: int) -> Path:
    """Return the project root of a ledger as a working agent leaves it, nothing of it sealed.

    It MUST NOT be written to, nor anything beside it.
    """
    return _kept(SCRATCH / "ledgers" / _lived_fingerprint() / str(size), size, _build_lived)


def copy_lived(size: int, folder: Path) -> Path:
    """Copy such a ledger, to be written to; the copy is on disk when this returns."""
    return _copied(lived(size), folder / f"lived-{size}")


def copy(size: int, folder: Path) -> Path:
    """Copy a plain ledger, to be written to; the copy is on disk when this returns."""
    return _copied(prebuilt(size), folder / f"copy-{size}")


def copy_sealed(size: int, folder: Path) -> Path:
    """Copy a sealed ledger, to be written to; the copy is on disk when this returns."""
    return _copied(sealed(size), folder / f"sealed-{size}")


def sealed_session(number: int) -> str:
    """Return the name of a session of the sealed kind; there are `size` / 500 of them."""
    return f"s-{number}"


def _copied(source: Path, root: Path) -> Path:
    shutil.copytree(source, root)
    for name in root.rglob("*"):
        _sync(name)
    return root


def _kept(root: Path, size: int, build: Callable[[Path, int], None]) -> Path:
    if not root.exists():
        building = root.with_name(f"{size}.part")
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        build(building, size)
        building.rename(root)
    return root


def _opened(root: Path) -> tuple[Place, Ledger]:
    holdfast.open(root, seal=NEVER).close()
    place = place_of(root)
    engine = SqliteEngine(
        str(place.database),
        synchronous="OFF",
        archive_source=ArchiveFolder(str(place.archives)),
    )
    return place, Ledger(engine, redactor=Redactor(place.key.read_bytes()))


def _build(root: Path, size: int) -> None:
    place, ledger = _opened(root)
    drafts = entries.drafts(min(size, DRAFTS))
    for number in range(size):
        draft = drafts[number % DRAFTS]
        session = f"s-{number // entries.SESSION_ENTRIES}"
        ledger.append(draft.type, draft.data, session_id=session)
        if number % 10_000 == 0:
            _tell("building a ledger of", size, number)
    ledger.close()
    _settle(place.database)


def _build_lived(root: Path, size: int) -> None:
    place, ledger = _opened(root)
    for number, draft in enumerate(lives.drafts(size), 1):
        ledger.append(draft.type, draft.data, session_id=draft.session_id)
        if number % 10_000 == 0 or number == size:
            _tell("building a ledger of", size, number)
    ledger.close()
    _settle(place.database)


def _build_sealed(root: Path, size: int) -> None:
    place, ledger = _opened(root)
    batch: list[Draft] = []
    for number, draft in enumerate(_interleaved(size), 1):
        batch.append(draft)
        if len(batch) == BATCH or number == size:
            ledger.append_many(batch)
            batch.clear()
            _tell("building a ledger of", size, number)
    sealer = sealer_of(place, ledger, ArchiveFolder(str(place.archives)), Seal())
    sealer.seal(progress=lambda done, _: _tell("sealing a ledger of", size, done))
    with Views(str(place.views)) as views:
        views.catch_up(
            ledger.reader, progress=lambda done, _: _tell("indexing a ledger of", size, done)
        )
    ledger.close()
    _settle(place.database)
    _settle(place.views)


def _interleaved(size: int) -> Iterator[Draft]:
    """Yield entries of some sessions at a time, which takes its turn is chance."""
    chance = random.Random(size)
    drafts = entries.drafts(min(size, DRAFTS))
    together = AT_ONCE * entries.SESSION_ENTRIES
    for start in range(0, size, together):
        first = start // entries.SESSION_ENTRIES
        turns = [number % AT_ONCE for number in range(min(together, size - start))]
        chance.shuffle(turns)
        for number, turn in enumerate(turns, start):
            draft = drafts[number % DRAFTS]
            yield Draft(draft.type, draft.data, sealed_session(first + turn))


def _tell(what: str, size: int, done: int) -> None:
    end = "\r" + " " * 60 + "\r" if done >= size else ""
    say(f"\r  {what} {size:,} entries: {done * 100 // size} %{end}")


def _settle(database: Path) -> None:
    """Move the log into the database, and that onto the disk."""
    connection = apsw.Connection(str(database))
    connection.pragma("journal_mode")  # looks at the file: there is no log to move before that
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.close()
    _sync(database)


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


@cache
def _lived_fingerprint() -> str:
    parts = [repr(list(lives.drafts(1_000))), _fingerprint(), "lived"]
    return sha256("\n".join(parts).encode()).hexdigest()[:12]


@cache
def _sealed_fingerprint() -> str:
    """Name what decides the bytes of archives, notes of seals and views as well."""
    bodies = entries.bodies(2_000)
    archive = frames.encode(bodies, ledger="0" * 32, first=0)
    note = compression_data(
        [read(body) for body in bodies],
        archive_path="",
        archive_sha256="",
        archive_bytes=0,
        trigger="request",
    )
    bounds = (limits.ARCHIVE_ENTRIES_MAX, limits.ARCHIVE_BYTES_MAX, Seal().keep, AT_ONCE)
    stores = [(store.name, store.version) for store in STORES]
    parts = [archive, repr((note, bounds, packs.VERSION, stores, LAYOUT)).encode()]
    # a layout that somebody forgot to count up would be measured as what it is not
    parts += [Path(module.__file__ or "").read_bytes() for module in (terms, texts, words)]
    parts.append(read_sql("schema.sql").encode())
    return sha256(b"\n".join([_fingerprint().encode(), *parts])).hexdigest()[:12]
