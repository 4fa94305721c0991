"""The work that is cut off at every point: small, and each kind of write in it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final, TypeAlias
from unittest.mock import patch

from holdfast.kernel.limits import INDEX_BLOCK_ENTRIES, INLINE_BYTES_MAX, TREE_BLOCK_LEAVES
from holdfast.ledger.ledger import Draft, Ledger
from holdfast.storage import files
from holdfast.storage.sqlite import engine
from holdfast.storage.sqlite.connection import is_ledger
from holdfast.storage.sqlite.create import create
from holdfast.testing.faults.failing import Plan
from holdfast.testing.faults.recorder import UnsyncedFiles, default_vfs
from holdfast.testing.prove.material import (
    LEDGER_ID,
    draft,
    drafts,
    make_format_1,
    small_limits,
)
from holdfast.testing.prove.scenario import FAILING_VFS, NO_LEDGER, Scenario, Stage

NEARLY_A_BLOCK: Final = INDEX_BLOCK_ENTRIES - 6
"""Entries before the first: soon the index is written, too."""

Workload: TypeAlias = Callable[[Stage, Random], None]


def record(name: str, folder: str, seed: int) -> Scenario:
    """Do one piece of work in an empty folder and return what was recorded."""
    with Stage(folder, seed) as stage:
        WORKLOADS[name](stage, Random(f"{name}/{seed}"))
        return stage.scenario(name)


def singles(stage: Stage, chance: Random) -> None:
    """Entries one by one."""
    stage.begin(entries=NEARLY_A_BLOCK)
    with small_limits(wal_pages=60):
        ledger = stage.ledger()
        for number in range(24):
            stage.append(ledger, [draft(chance, number)], phase="append")


def batches(stage: Stage, chance: Random) -> None:
    """Batches that are cut into several rows."""
    stage.begin(entries=NEARLY_A_BLOCK)
    number = 0
    with small_limits(wal_pages=60):
        ledger = stage.ledger()
        for _ in range(8):
            count = chance.randint(2, 11)
            stage.append(ledger, drafts(chance, number, count), phase="batch")
            number += count


def vault(stage: Stage, chance: Random) -> None:
    """Entries with parts of many pages."""
    stage.begin()
    with small_limits(wal_pages=50):
        ledger = stage.ledger()
        for number in range(7):
            chars = chance.randint(INLINE_BYTES_MAX + 1, 2 * INLINE_BYTES_MAX)
            batch = [draft(chance, 2 * number, chars=chars), draft(chance, 2 * number + 1)]
            stage.append(ledger, batch, phase="vault")


def checkpoints(stage: Stage, chance: Random) -> None:
    """A log that is moved into the database all the time."""
    stage.begin(entries=NEARLY_A_BLOCK)
    ledger = stage.ledger()
    for number in range(16):
        with small_limits(wal_pages=chance.choice((1, 12))):
            if number % 5 == 4:
                ledger = stage.ledger()
            count = chance.randint(1, 4)
            stage.append(ledger, drafts(chance, number * 4, count), phase="append")


def creation(stage: Stage, chance: Random) -> None:
    """A ledger that comes into being, every other time on a disk that refuses one sync."""
    stage.begin(make=False, entries=NO_LEDGER)
    _refuse_a_sync(stage, chance.choice((None, 0, 1, 2, 3, 4, 5, 6)))
    stage.step(lambda: _init(stage), phase="creation")
    stage.append(stage.ledger(), drafts(chance, 0, 3), phase="append")


def _init(stage: Stage) -> None:
    """Do what `init` does: make a ledger unless there is one."""
    if not os.path.exists(stage.path):  # noqa: PTH110
        stage.files.create(stage.path, b"")
        stage.files.sync_folder(stage.recorder.folder)
    with default_vfs(FAILING_VFS):
        if not is_ledger(stage.path):
            create(stage.path, LEDGER_ID)


def migration(stage: Stage, chance: Random) -> None:
    """A ledger of the first format that is opened, every other time with a sync refused."""
    count = TREE_BLOCK_LEAVES + chance.randint(1, 20)
    make_format_1(stage.path, count)
    stage.begin(make=False, entries=count)
    _refuse_a_sync(stage, chance.choice((None, None, 0, 1, 2)))
    stage.step(lambda: stage.ledger(vfs=FAILING_VFS), phase="migration")
    stage.append(stage.ledger(), drafts(chance, count, 2), phase="append")


def two_writers(stage: Stage, chance: Random) -> None:
    """Two connections in turn, one of which is opened anew from time to time."""
    stage.begin(entries=NEARLY_A_BLOCK)
    with small_limits(wal_pages=30):
        ledgers = [stage.ledger(), stage.ledger()]
        for number in range(18):
            if number % 6 == 5:
                ledgers[number % 2].close()
                ledgers[number % 2] = stage.ledger()
            batch = drafts(chance, number * 2, chance.randint(1, 2))
            stage.append(ledgers[number % 2], batch, phase="two writers")


def failed_syncs(stage: Stage, chance: Random) -> None:
    """A disk that refuses one sync and forgets what it was given.

    The writer tries again; now and then another one does, which was told nothing.
    """
    stage.begin(entries=NEARLY_A_BLOCK)
    with small_limits(wal_pages=20):
        ledgers = [stage.ledger(vfs=FAILING_VFS), stage.ledger()]
        for number in range(9):
            _refuse_a_sync(stage, chance.choice((None, 0, 0, 1, 2)))
            if number % 4 == 1:
                ledgers.pop(1).close()
            elif number % 4 == 3:
                ledgers.insert(1, stage.ledger())
            order = ledgers if number % 3 else ledgers * 2
            _append_by(stage, order, drafts(chance, number * 3, 2))


def _append_by(stage: Stage, ledgers: list[Ledger], batch: list[Draft]) -> None:
    """Append a batch by the first writer that can, one try each."""
    writers = itertools.cycle(ledgers)
    stage.step(lambda: next(writers).append_many(batch), batch, phase="failed sync")


def _refuse_a_sync(stage: Stage, skip: int | None) -> None:
    """Let the disk refuse a sync, after `skip` that it does; None refuses none."""
    stage.failing.plan = Plan(skip, only="sync", on_failed_sync=stage.recorder.note_failed_sync)


def seals(stage: Stage, chance: Random) -> None:
    """Entries that move into archives, the oldest first, with what they have in the vault."""
    stage.begin(entries=NEARLY_A_BLOCK)
    with small_limits(wal_pages=chance.choice((40, 400))):
        ledger = stage.ledger()
        large = draft(chance, 0, chars=INLINE_BYTES_MAX + 40)
        stage.append(ledger, [large, *drafts(chance, 1, 6)], phase="append")
        for keep in sorted(chance.sample(range(60), 4), reverse=True):
            stage.seal(ledger, keep=keep)
        ledger = stage.ledger()
        stage.append(ledger, drafts(chance, 7, 2), phase="append")
        stage.seal(ledger, keep=0)


def unsynced_archives(stage: Stage, chance: Random) -> None:
    """A control: entries leave for an archive that was not synced."""
    stage.begin(entries=NEARLY_A_BLOCK)
    ledger = stage.ledger()
    for number in range(3):
        stage.append(ledger, drafts(chance, number * 8, 8), phase="control")
        stage.seal(ledger, keep=2, files=UnsyncedFiles(stage.recorder))


def saved_files(stage: Stage, chance: Random) -> None:
    """A file beside the database, replaced again and again."""
    stage.begin(make=False, entries=NO_LEDGER)
    path = f"{stage.recorder.folder}/saved.json"
    contents: list[bytes | None] = [None]
    for _ in range(6):
        content = chance.randbytes(chance.randint(1, 5_000))
        contents.append(content)
        stage.step(partial(files.replace, path, content, stage.files), phase="file")
    stage.contents["saved.json"] = contents


def unsynced(stage: Stage, chance: Random) -> None:
    """A control: commits without a sync of the log."""
    stage.begin()
    ledger = stage.ledger(synchronous="NORMAL")
    for number in range(8):
        stage.append(ledger, [draft(chance, number)], phase="control")


def too_early(stage: Stage, chance: Random) -> None:
    """A control: entries that are acknowledged before they are committed."""
    stage.begin()
    ledger = stage.ledger()
    for number in range(8):
        batch = [draft(chance, number)]
        stage.plan(batch)
        stage.acknowledge()
        ledger.append_many(batch)


def in_halves(stage: Stage, chance: Random) -> None:
    """A control: batches that are committed in two parts."""
    stage.begin()
    ledger = stage.ledger()
    for number in range(6):
        batch = drafts(chance, number * 4, 4)
        stage.plan(batch)
        ledger.append_many(batch[:2])
        ledger.append_many(batch[2:])
        stage.acknowledge()


def tried_again(stage: Stage, chance: Random) -> None:
    """A control: after a refused sync the log is not written anew, only synced again."""
    stage.begin()
    with patch.object(engine, "rewrite_log"):
        ledger = stage.ledger(vfs=FAILING_VFS)
        for number in range(8):
            _refuse_a_sync(stage, 0)
            stage.append(ledger, drafts(chance, number * 3, 2), phase="control")


WORKLOADS: Final[dict[str, Workload]] = {
    "single entries": singles,
    "batches": batches,
    "vault": vault,
    "checkpoints": checkpoints,
    "creation": creation,
    "migration": migration,
    "two writers": two_writers,
    "failed syncs": failed_syncs,
    "saved files": saved_files,
    "seals": seals,
    "control: synchronous=NORMAL": unsynced,
    "control: acknowledged before commit": too_early,
    "control: batches in halves": in_halves,
    "control: a refused sync tried again": tried_again,
    "control: archives that are not synced": unsynced_archives,
}

CRASHED: Final = tuple(name for name in WORKLOADS if not name.startswith("control"))
