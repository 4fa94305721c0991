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
    made: list[SqliteEngine]

    def setup_method(self) -> None:
        super().setup_method()
        self.made = []

    def teardown_method(self) -> None:
        for engine in self.made:
            engine.close()

    def make_engine(self, tmp_path: Path) -> SqliteEngine:
        self.path = str(tmp_path / "ledger.db")
        create(self.path, LEDGER)
        return self._opened()

    def reopen(self, engine: Engine) -> SqliteEngine:
        engine.close()
        return self._opened()

    def _opened(self) -> SqliteEngine:
        self.made.append(SqliteEngine(self.path, archive_source=self.archived))
        return self.made[-1]
