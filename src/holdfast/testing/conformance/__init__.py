"""What every storage engine must do: each sentence of `holdfast.storage.port` as a test.

An engine passes when a subclass like this one is green:

    class TestMine(EngineConformance):
        def make_engine(self, tmp_path):
            return MyEngine(LEDGER, archive_source=self.archived)

Not here: crashes, many processes, and what only one engine promises.
"""

from __future__ import annotations

from holdfast.testing.conformance.appending import Appending
from holdfast.testing.conformance.engines import (
    ArchivedEntries,
    append,
    artifact,
    audited,
    drop,
    fill,
    naive_root,
    run_threads,
    stored_form,
)
from holdfast.testing.conformance.lasting import Lasting
from holdfast.testing.conformance.leaving import Leaving
from holdfast.testing.conformance.reading import Reading

__all__ = [
    "ArchivedEntries",
    "EngineConformance",
    "append",
    "artifact",
    "audited",
    "drop",
    "fill",
    "naive_root",
    "run_threads",
    "stored_form",
]


class EngineConformance(Appending, Reading, Leaving, Lasting):
    """The whole suite."""
