"""The SQLite engine passes the suite of all engines."""

from __future__ import annotations

from pathlib import Path

from holdfast.storage.port import Engine
from holdfast.storage.sqlite.create import create
from holdfast.storage.sqlite.engine import SqliteEngine
from holdfast.testing.builders import LEDGER
from holdfast.testing.conformance import EngineConformance


class TestSqliteEngine(EngineConformance):
    path: str

    def make_engine(self, tmp_path: Path) -> SqliteEngine:
        self.path = str(tmp_path / "ledger.db")
        create(self.path, LEDGER)
        return SqliteEngine(self.path, archive_source=self.archived)

    def reopen(self, engine: Engine) -> SqliteEngine:
        engine.close()
        return SqliteEngine(self.path, archive_source=self.archived)
