"""Booting a save at a place: which process hashes, and what a base starts from."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger.base import Base
from holdfast.ledger.booting import Booted, cold_boot
from holdfast.ledger.history import fold_at
from holdfast.ledger.log_proof import HashingFrom, hashing_here
from holdfast.ledger.replay import stores_of
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.port import Reader
from holdfast.stores import Items
from holdfast.views.pins import environment_pins
from holdfast.wiring.hashing import hashing_beside

if TYPE_CHECKING:
    from holdfast.index.views import Views

ENTRIES_WORTH_A_PROCESS: Final = 50_000
"""Entries to go through below which starting another process costs more than it saves."""


def boot(
    reader: Reader,
    save: SaveSnapshot,
    *,
    database: Path | None = None,
    base: SaveSnapshot | None = None,
    views: Views | None = None,
    progress: Progress = no_progress,
) -> Booted:
    """Boot a save of a ledger under the pins of this code, from an earlier save when one is named.

    With the ledger's `database`, a long log is hashed by a second process. Without kept folds to
    take the base's items from, everything is folded from the first entry.
    """
    with _uncollected():
        known = None if base is None or views is None else base_of(reader, base, views)
        entries = save.tree_size - (0 if known is None else known.snapshot.tree_size)
        hashing = _hashing(database, entries)
        return cold_boot(
            save,
            reader,
            pins=environment_pins(),
            base=known,
            hashing=hashing,
            progress=progress,
        )


def base_of(reader: Reader, save: SaveSnapshot, views: Views) -> Base:
    """Return an earlier save with its items, taken from what is kept; a boot proves them."""
    stores = stores_of(save)

    def past(seq: int) -> Mapping[str, Items]:
        return fold_at(reader, seq + 1, views, stores=stores).items()

    if views.versions == {store.name: store.version for store in stores}:
        point, spelled = views.spelled_at(save.tree_size, reader)
        if point == save.tree_size:
            return Base(save, past=past, spelled=spelled)
    return Base(save, fold_at(reader, save.tree_size, views, stores=stores).items(), past)


def _hashing(database: Path | None, entries: int) -> HashingFrom:
    if database is None or entries < ENTRIES_WORTH_A_PROCESS or cores() < 2:
        return hashing_here
    return hashing_beside(database)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let nobody look for garbage meanwhile: a boot makes none that needs to be looked for, and
    going through all items again and again takes a third of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def cores() -> int:
    """Return how many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
