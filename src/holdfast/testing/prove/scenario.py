"""Recording a piece of work, together with what must hold after a power cut at any point of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final

import msgspec

from holdfast.kernel.errors import StorageFailed
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage.files import Files
from holdfast.storage.sqlite.create import create
from holdfast.testing.faults.failing import FailingVfs
from holdfast.testing.faults.ops import Recording
from holdfast.testing.faults.recorder import (
    Recorder,
    RecordingFiles,
    RecordingVfs,
    seed_sqlite,
    write_files,
)
from holdfast.testing.prove.material import LEDGER_ID, engine_at, fill, ledger_on, sealer_of

DATABASE: Final = "ledger.db"
NO_LEDGER: Final = -1
"""Stands for the number of entries while there need not be a ledger yet."""

RECORDER_VFS: Final = "holdfast-recorder"
FAILING_VFS: Final = "holdfast-failing-recorder"


class Scenario(msgspec.Struct, frozen=True):
    """What was done, step by step, and what is promised about it."""

    name: str
    recording: Recording
    bodies: list[bytes]
    """Every entry of the finished ledger."""
    ends: list[int]
    """How many entries there are after 0, 1, 2 … steps; NO_LEDGER before there is one."""
    batches: list[list[Draft]]
    """What each step appends."""
    seals: dict[int, int] = {}
    """Steps that seal, counted from 0, and how many entries they keep."""
    contents: dict[str, list[bytes | None]] = {}
    """For files beside the database: what each holds after 0, 1, 2 … steps, None for no file."""


class Stage:
    """A folder in which work is recorded. Steps are acknowledged as they are done."""

    def __init__(self, folder: str, seed: int) -> None:
        self.path = os.path.join(folder, DATABASE)  # noqa: PTH118
        self.recorder = Recorder(folder)
        self.files = RecordingFiles(self.recorder)
        self.contents: dict[str, list[bytes | None]] = {}
        self._folder = folder
        self._seed = seed
        self._open: list[Ledger] = []
        self._ends: list[int] = []
        self._batches: list[list[Draft]] = []
        self._seals: dict[int, int] = {}

    def __enter__(self) -> Stage:
        write_files(self._folder, {})
        seed_sqlite(self._seed)
        self._vfs = RecordingVfs(RECORDER_VFS, self.recorder)
        self.failing = FailingVfs(FAILING_VFS, base=RECORDER_VFS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close_ledgers()
        self.failing.unregister()
        self._vfs.unregister()

    def begin(self, *, make: bool = True, entries: int = 0) -> None:
        """Start recording, by default with a ledger of some entries that is safe on disk."""
        if make:
            fill(self.path, create(self.path, LEDGER_ID), range(10**6, 10**6 + entries))
        self.recorder.start()
        self._ends.append(entries)

    def ledger(self, *, vfs: str = RECORDER_VFS, synchronous: str = "FULL") -> Ledger:
        """Open the ledger so that everything it does is recorded."""
        ledger = ledger_on(engine_at(self.path, vfs=vfs, synchronous=synchronous))
        self._open.append(ledger)
        return ledger

    def step(self, work: Callable[[], object], batch: Sequence[Draft] = (), *, phase: str) -> None:
        """Do one step until it succeeds, then acknowledge it."""
        self.plan(batch)
        with self.recorder.phase_named(phase):
            for _ in range(4):
                try:
                    work()
                except StorageFailed:
                    continue
                break
            self.acknowledge()

    def append(self, ledger: Ledger, batch: list[Draft], *, phase: str) -> None:
        """Append a batch as one step."""
        self.step(lambda: ledger.append_many(batch), batch, phase=phase)

    def seal(self, ledger: Ledger, *, keep: int, files: Files | None = None) -> None:
        """Move all entries but some into one archive, as one step that adds one note."""
        self._seals[len(self._batches)] = keep
        self._batches.append([])
        self._ends.append(self._ends[-1] + 1)
        with self.recorder.phase_named("seal"):
            report = sealer_of(ledger, self.path, keep, files or self.files).seal()
            assert len(report.archives) == 1
            self.acknowledge()

    def plan(self, batch: Sequence[Draft]) -> None:
        """Say what the next step will append."""
        self._batches.append(list(batch))
        self._ends.append(max(self._ends[-1], 0) + len(batch))

    def acknowledge(self) -> None:
        """Tell that all planned steps are done."""
        self.recorder.acknowledge(len(self._batches))

    def close_ledgers(self) -> None:
        """Close what is open."""
        while self._open:
            self._open.pop().close()

    def scenario(self, name: str) -> Scenario:
        """Return what was recorded, with the finished ledger as the measure."""
        self.close_ledgers()
        recording = self.recorder.recording()
        bodies: list[bytes] = []
        if os.path.exists(self.path):  # noqa: PTH110
            engine = engine_at(self.path)
            bodies = [stored.body for stored in engine.read()]
            engine.close()
        return Scenario(
            name, recording, bodies, self._ends, self._batches, self._seals, self.contents
        )
