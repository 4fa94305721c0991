"""Sealing in a process of its own, for one that lives long and has streams to serve.

What sealing takes of time and memory goes with that process. It is the same sealing as everywhere.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from holdfast.config import Seal
from holdfast.kernel.entry import Actor
from holdfast.storage.port import Reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.sealing import TRY_AGAIN_ENTRIES, AutoSeal

_END_S: Final = 20.0


class SealApart:
    """Looks now and then whether it is time to seal, and lets another process do it."""

    def __init__(self, database: Path, settings: Seal, reader: Reader, actor: Actor) -> None:
        self._database = database
        self._settings = settings
        self._reader = reader
        self._actor = actor
        self._process: subprocess.Popen[bytes] | None = None
        self._next = 0
        """At how many entries to look again."""

    def look(self) -> None:
        """Begin to seal if it is time; for one thread at a time."""
        if self._process is not None and self._process.poll() is None:
            return
        self._process = None
        size = self._reader.head().size
        if not self._settings.auto or size < self._next:
            return
        archives = self._reader.archives()
        due = (archives[-1].last + 1 if archives else 0) + self._settings.threshold
        self._next = max(due, size + TRY_AGAIN_ENTRIES) if size > due else due
        if size > due:
            self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        told = [str(self._database), _spelled(self._settings), _spelled(self._actor)]
        return subprocess.Popen(
            [sys.executable, "-m", __name__, *told],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # it is tried again; `holdfast status` shows what is active
        )

    def close(self) -> None:
        """Let a seal that was begun end."""
        if self._process is None:
            return
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.terminate()  # an archive is there whole, or not at all
            self._process.wait()


def _spelled(value: object) -> str:
    return msgspec.json.encode(value).decode()


def main(database: str, settings: str, actor_told: str) -> None:
    """Seal once."""
    auto = AutoSeal(place_of(Path(database)), msgspec.json.decode(settings, type=Seal))
    actor = msgspec.json.decode(actor_told, type=Actor)
    with open_ledger(
        database, create=False, actor=actor, seal=Seal(auto=False), takes_in=False
    ) as ledger:
        auto.ledger = ledger
        auto(ledger.reader.head().size)


if __name__ == "__main__":
    main(*sys.argv[1:])
