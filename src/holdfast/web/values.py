"""What the server is handed: pages that answer with JSON, and where the chain ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import msgspec


class Asked(msgspec.Struct, frozen=True):
    """What a page is asked for: `/api/<page>/<key>?<query>`."""

    key: str = ""
    query: Mapping[str, str] = {}


class Told(msgspec.Struct, frozen=True):
    """Where the chain ends; sent whenever that changes."""

    ledger: str
    entries: int
    behind: int = 0
    """Entries that are not taken into the views yet."""


Page: TypeAlias = Callable[[Asked], Any]
"""Answers with what msgspec can spell, or raises a `HoldfastError`. Runs in any thread."""

Progress: TypeAlias = Callable[[int, int], None]


class Site(Protocol):
    """A ledger to look at."""

    @property
    def pages(self) -> Mapping[str, Page]:
        """Every page by its name."""

    def look(self) -> Told:
        """Say where the chain ends now."""

    def verify(self, progress: Progress) -> Any:
        """Prove every entry anew; takes long."""

    def close(self) -> None:
        """Let go of the ledger."""
