"""Where other ledgers' chains are kept, each in a folder of its own.

peers/<ledger>/ledger.db            its entries, as it sealed them, and its own kept folds
peers/refused/<ledger>/*.jsonl      evidence: two entries with one number
peers/sync.lock, peers/sync.token   one sync at a time; what `sync --serve` asks for
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Final

from holdfast.kernel.errors import Damaged
from holdfast.ledger.peers.merging import copy_entries
from holdfast.storage.files import RealFiles, make_folder, replace
from holdfast.storage.port import Engine
from holdfast.storage.sqlite.connection import is_ledger
from holdfast.storage.sqlite.create import create as create_database
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.wiring.looking import open_engine
from holdfast.wiring.places import DATABASE, Place

_LEFT: Final = (".new", ".old")
"""Ends of folders that a restart is making, or has replaced."""


class PeerFolders:
    """The chains of other ledgers, on disk."""

    def __init__(self, place: Place) -> None:
        self._folder = place.peers

    @contextmanager
    def open(self, ledger: str) -> Iterator[Engine]:
        """Open the place of a ledger, empty at first. The caller holds the lock of syncs."""
        engine = _opened(self._folder / ledger, ledger)
        try:
            yield engine
        finally:
            engine.close()

    def restart(self, ledger: str, keep: int) -> None:
        """Begin a place anew with the first entries of what is there."""
        mark = os.urandom(4).hex()
        draft, old = (self._folder / f"{ledger}.{mark}{end}" for end in _LEFT)
        there = _opened(self._folder / ledger, ledger)
        new = _opened(draft, ledger)
        try:
            copy_entries(there, new, keep)
        finally:
            new.close()
            there.close()
        (self._folder / ledger).rename(old)
        draft.rename(self._folder / ledger)
        RealFiles().sync_folder(str(self._folder))
        rmtree(old)

    def forget_derived(self, ledger: str) -> None:
        """Remove a peer's kept folds, its search index and its views on disk; all are made anew."""
        place = Place(self._folder / ledger / DATABASE)
        for end in ("", "-wal", "-shm", "-journal"):
            place.views.with_name(place.views.name + end).unlink(missing_ok=True)
        for folder in (place.state, place.trajectory):
            if folder.is_dir():
                rmtree(folder)

    def keep_evidence(self, ledger: str, name: str, entries: tuple[bytes, bytes]) -> str:
        """Keep two entries with one number, a line each."""
        folder = self._folder / "refused" / ledger
        make_folder(str(folder))
        path = folder / f"{name}.jsonl"
        if not path.exists():
            replace(str(path), b"".join(body + b"\n" for body in entries))
        return str(path)

    def clear_drafts(self) -> None:
        """Undo a restart that was cut short. The caller holds the lock of syncs."""
        with suppress(FileNotFoundError):
            for path in sorted(self._folder.iterdir(), reverse=True):  # the old before the new
                if not path.name.endswith(_LEFT) or not path.is_dir():
                    continue
                there = self._folder / path.name.split(".")[0]
                if path.suffix == ".old" and not there.exists():
                    path.rename(there)
                else:
                    rmtree(path)


def _opened(folder: Path, ledger: str) -> Engine:
    place = Place(folder / DATABASE)
    make_folder(str(folder))
    with WriterQueue(str(place.lock)):
        if not (place.database.exists() and is_ledger(str(place.database))):
            create_database(str(place.database), ledger)
    engine = open_engine(place)
    if engine.head().ledger != ledger:
        engine.close()
        raise Damaged(
            f"{folder} holds the entries of another ledger.",
            meaning="Our own ledger is not affected.",
            remedy="Move that folder away and sync again: the peer's entries come anew.",
        )
    return engine
