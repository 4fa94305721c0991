"""Choosing the parts of a ledger and putting them together."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from holdfast.config import Seal, Settings
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import Busy, StorageFailed
from holdfast.ledger.ledger import DEFAULT_ACTOR, Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.ledger.sources import Clock, Ids, new_ledger_id, system_clock, uuid7
from holdfast.storage.files import FOLDER_MODE, make_folder, replace
from holdfast.storage.port import Engine
from holdfast.storage.sqlite.connection import is_ledger
from holdfast.storage.sqlite.create import create as create_database
from holdfast.storage.sqlite.queue import WAIT_S_DEFAULT, WriterQueue
from holdfast.wiring.looking import open_engine
from holdfast.wiring.places import IGNORED, KEY_BYTES, Place, place_of
from holdfast.wiring.sealing import AutoSeal
from holdfast.wiring.trusting import trust
from holdfast.wiring.workers import checks_side_by_side


def open_ledger(
    path: str | os.PathLike[str],
    *,
    create: bool = True,
    actor: Actor = DEFAULT_ACTOR,
    session_id: str | None = None,
    secret_names: tuple[str, ...] = (),
    entropy: bool = True,
    wait_s: float = WAIT_S_DEFAULT,
    seal: Seal = Seal(),  # noqa: B008 (frozen)
    clock: Clock = system_clock,
    ids: Ids = uuid7,
    takes_in: bool = True,
) -> Ledger:
    """Open the ledger of a project root, or of a database file, making it when it is not there.

    `seal` says when old entries move into an archive by themselves. What hooks of agents left is
    recorded first, unless the caller does that.
    """
    place = place_of(Path(path))
    if create:
        make_ledger(place, wait_s=wait_s)
    auto_seal = AutoSeal(place, seal)
    ledger = Ledger(
        _engine(place, wait_s),
        redactor=Redactor(_key(place, wait_s), secret_names=secret_names, entropy=entropy),
        actor=actor,
        session_id=session_id,
        clock=clock,
        ids=ids,
        checks=checks_side_by_side(place.database),
        upkeep=auto_seal if seal.auto else None,
    )
    auto_seal.ledger = ledger
    if takes_in and place.project is not None:
        from holdfast.wiring.project import take_in_at

        # by the project's own settings: they say what a secret is, and this caller may not know
        take_in_at(place)
    return ledger


def _engine(place: Place, wait_s: float) -> Engine:
    engine = open_engine(place, wait_s=wait_s)
    if place.owner is None:
        return engine
    from holdfast.wiring.peers import bounded

    return bounded(engine, place)  # a peer's chain: nobody here adds to it


def redactor_of(place: Place, settings: Settings) -> Redactor:
    """Return what finds the secrets of a ledger's entries, without opening the ledger."""
    own = settings.redaction
    key = _key(place, settings.lock.wait_s)
    return Redactor(key, secret_names=own.secret_names, entropy=own.entropy)


def make_ledger(place: Place, *, wait_s: float = WAIT_S_DEFAULT) -> bool:
    """Make a ledger where there is none; return whether one was made. Harmless to repeat."""
    with suppress(Busy):  # somebody makes it at this moment: the queue waits for them
        if _is_made(place):
            return False
    try:
        _make_folder(place)
        place.folder.stat()  # of a database that stands alone the folder must be there
        with WriterQueue(str(place.lock), wait_s=wait_s):
            if _is_made(place):
                return False
            _write_key(place)
            create_database(str(place.database), new_ledger_id())
        with suppress(StorageFailed):  # who wants hooks is told; a ledger needs no home
            trust(place)
    except OSError as error:
        raise StorageFailed(
            f"A ledger cannot be made in {place.folder}: {error.strerror}.",
            meaning="Nothing was recorded.",
            remedy="Check the folder's permissions and the room on the disk.",
        ) from error
    return True


def _is_made(place: Place) -> bool:
    return place.database.exists() and is_ledger(str(place.database))


def _make_folder(place: Place) -> None:
    if place.project is None:
        return
    make_folder(str(place.folder))
    place.folder.chmod(FOLDER_MODE)
    ignore = place.folder / ".gitignore"
    if not ignore.exists():
        replace(str(ignore), IGNORED)


def _key(place: Place, wait_s: float) -> bytes:
    """Return the key of the fingerprints; a lost one is made anew, and old marks match no more."""
    try:
        key = place.key.read_bytes()
    except FileNotFoundError:
        with WriterQueue(str(place.lock), wait_s=wait_s):
            return _write_key(place)
    if len(key) == KEY_BYTES:
        return key
    raise StorageFailed(
        f"{place.key} is not a key.",
        meaning="Nothing is recorded without it: secrets could not be replaced.",
        remedy="Move the file away; the next command makes a new one.",
    )


def _write_key(place: Place) -> bytes:
    if place.key.exists():
        return place.key.read_bytes()
    key = os.urandom(KEY_BYTES)
    replace(str(place.key), key)
    return key
