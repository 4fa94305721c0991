"""Sealing in a process of its own, for one that lives long and has streams to serve.

What sealing takes of time and memory goes with that process. It is the same sealing as everywhere.
Most of what it takes is to start, so that under load one process seals what several would have.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from holdfast.config import Seal
from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import PROXY_SEAL_PAUSE_S, PROXY_SEALS_MAX
from holdfast.storage.port import Reader
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import place_of
from holdfast.wiring.sealing import TRY_AGAIN_ENTRIES, AutoSeal

_END_S: Final = 20.0


class SealApart:
    """Looks now and then whether it is time to seal, and lets another process do it."""

    def __init__(
        self,
        database: Path,
        settings: Seal,
        reader: Reader,
        actor: Actor,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._settings = settings
        self._reader = reader
        self._actor = actor
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._not_before = clock()
        self._next = 0
        """At how many entries to look again."""

    def look(self) -> None:
        """Begin to seal if it is time; for one thread at a time."""
        if self._process is not None and self._process.poll() is None:
            return
        self._process = None
        if not self._settings.auto or self._clock() < self._not_before:
            return
        size = self._reader.head().size
        if size < self._next:
            return
        archives = self._reader.archives()
        due = (archives[-1].last + 1 if archives else 0) + self._settings.threshold
        self._next = max(due, size + TRY_AGAIN_ENTRIES) if size > due else due
        if size > due:
            self._not_before = self._clock() + PROXY_SEAL_PAUSE_S
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
    """Seal what is too much."""
    auto = AutoSeal(place_of(Path(database)), msgspec.json.decode(settings, type=Seal))
    actor = msgspec.json.decode(actor_told, type=Actor)
    with open_ledger(
        database, create=False, actor=actor, seal=Seal(auto=False), takes_in=False
    ) as ledger:
        before = len(ledger.reader.archives())
        auto.ledger = ledger
        for made in range(1, PROXY_SEALS_MAX + 1):
            auto(ledger.reader.head().size)
            if len(ledger.reader.archives()) < before + made:
                return


if __name__ == "__main__":
    main(*sys.argv[1:])
