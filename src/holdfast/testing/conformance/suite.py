"""What the parts of the suite share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from holdfast.storage.port import Engine
from holdfast.testing.conformance.engines import ArchivedEntries


class Suite(ABC):
    """Tests of an engine. Each starts with an empty one of its own."""

    archived: ArchivedEntries

    def setup_method(self) -> None:
        self.archived = ArchivedEntries()

    @abstractmethod
    def make_engine(self, tmp_path: Path) -> Engine:
        """Return an empty engine of the ledger LEDGER that reads archives with `self.archived`."""

    def reopen(self, engine: Engine) -> Engine | None:
        """Close an engine and open what it kept again; None when it keeps nothing."""
        engine.close()
        return None
