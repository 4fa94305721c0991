"""The plain engine passes the suite of all engines."""

from __future__ import annotations

from pathlib import Path

from holdfast.storage.memory import MemoryEngine
from holdfast.testing.builders import LEDGER
from holdfast.testing.conformance import EngineConformance


class TestMemoryEngine(EngineConformance):
    def make_engine(self, tmp_path: Path) -> MemoryEngine:
        del tmp_path
        return MemoryEngine(LEDGER, archive_source=self.archived)
