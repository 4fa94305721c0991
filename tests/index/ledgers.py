"""Ledgers for tests of what is derived from them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.port import EVERYTHING, Selection, Stored
from holdfast.testing.builders import draft, open_memory_ledger

TYPES = ("decision", "error", "file_change", "metric", "session_started", "session_ended")


def filled(count: int) -> Ledger:
    """Return a ledger of entries of several types in several sessions."""
    ledger = open_memory_ledger()
    add(ledger, count)
    return ledger


def add(ledger: Ledger, count: int) -> None:
    first = ledger.head().size
    numbers = range(first, first + count)
    ledger.append_many([draft(TYPES[n % 6], n, session_id=f"s{n % 7}") for n in numbers])


def decide(ledger: Ledger, choice: str, **fields: Any) -> str:
    """Record a decision and return its id."""
    data = {"question": "", "reasoning": "", "alternatives": [], **fields, "choice": choice}
    return ledger.append("decision", data).id


def say(ledger: Ledger, text: str, **fields: Any) -> int:
    """Record words and return their number."""
    [receipt] = ledger.append_many([Draft("agent_said", {"text": text}, **fields)])
    return receipt.seq


class Watched:
    """A reader that counts what it gives out, and cannot read some entries."""

    def __init__(self, ledger: Ledger) -> None:
        self._reader = ledger.reader
        self.missing: Collection[int] = ()
        self.given = 0
        self.erased = False

    def artifact(self, sha256: str) -> bytes | None:
        return None if self.erased else self._reader.artifact(sha256)

    def read(self, selection: Selection = EVERYTHING) -> Iterator[Stored]:
        for stored in self._reader.read(selection):
            if stored.seq not in self.missing:
                self.given += 1
                yield stored

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)
