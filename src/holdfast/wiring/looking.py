"""Opening a ledger to look at it. Loads nothing of what prepares entries: looking must be quick."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.kernel.errors import NotALedger
from holdfast.storage.archives import ArchiveFolder
from holdfast.storage.port import Reader
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.storage.sqlite.queue import WAIT_S_DEFAULT
from holdfast.wiring.places import Place, place_of


def open_reader(path: str | os.PathLike[str], *, inspect: bool = False) -> Reader:
    """Open a ledger to look at it; what comes back cannot append.

    `inspect` opens even one whose schema was changed, and leaves an older format as it is. Without
    it, what hooks of agents left is recorded first.
    """
    place = place_of(Path(path))
    if not inspect and place.project is not None:
        _take_in(place)
    return open_engine(place, inspect=inspect)


def _take_in(place: Place) -> None:
    from holdfast.agents import intake

    if intake.waits(str(place.folder)):
        from holdfast.wiring.project import take_in_at

        take_in_at(place)


def open_engine(
    place: Place, *, wait_s: float = WAIT_S_DEFAULT, inspect: bool = False
) -> SqliteEngine:
    """Open the engine of the ledger at a place."""
    if not place.database.exists():
        raise NotALedger(
            f"There is no ledger at {place.database}.",
            meaning="Nothing was recorded.",
            remedy="Make one with `holdfast init`.",
        )
    return SqliteEngine(
        str(place.database),
        wait_s=wait_s,
        archive_source=ArchiveFolder(str(place.archives)),
        inspect=inspect,
    )
