"""Backups: a copy counts only once it was opened, proved in full and found equal to its source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from holdfast.kernel.errors import Damaged, InvalidInput, StorageFailed
from holdfast.ledger.verify import Progress, Report, no_progress, verify
from holdfast.storage.files import Files, RealFiles, sync
from holdfast.storage.port import Fault, Reader
from holdfast.storage.sqlite.backup import copy_database
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import Place
from holdfast.wiring.workers import checks_side_by_side


class Backup(msgspec.Struct, frozen=True):
    """What became of a backup. One that is not verified left no file."""

    path: str
    entries: int
    root: str
    bytes: int
    verified: bool
    faults: Sequence[Fault] = ()


def back_up(
    place: Place,
    target: Path,
    *,
    progress: Progress = no_progress,
    files: Files | None = None,
) -> Backup:
    """Copy a ledger into a new file while others write to it, and verify the copy."""
    files = files or RealFiles()
    target = target.expanduser().absolute()
    _refuse_existing(target)
    draft = target.with_name(f".{target.name}.{os.getpid()}.partial")
    source = open_reader(place.database)
    try:
        copy_database(str(place.database), str(draft), progress=progress)
        backup = prove(source, draft, target)
        if backup.verified:
            _publish(draft, target, files)
        return backup
    except OSError as error:
        raise StorageFailed(
            f"The backup {target} cannot be written: {error.strerror}.",
            meaning="There is no backup; the ledger is untouched.",
            remedy="Name a file in a folder that you may write to.",
        ) from error
    finally:
        source.close()
        _clear(draft)


def prove(source: Reader, draft: Path, target: Path) -> Backup:
    """Verify the copy and compare it with what the source says of the same entries."""
    report = _verify(draft)
    faults = list(report.faults)
    if not faults and source.node(0, report.entries).hex() != report.root:
        faults.append(Fault(None, "backup", "the copy does not hold the entries of its source"))
    size = draft.stat().st_size
    return Backup(str(target), report.entries, report.root, size, not faults, faults)


def _verify(draft: Path) -> Report:
    copy = open_reader(draft, inspect=True)
    try:
        return verify(copy, checks=checks_side_by_side(draft))
    except Damaged as problem:
        return Report(False, 0, "", "", [Fault(None, "database", problem.what)])
    finally:
        copy.close()


def _publish(draft: Path, target: Path, files: Files) -> None:
    """Give a proved copy its name. Nobody has it open, so it may be synced by hand."""
    handle = os.open(draft, os.O_RDWR | os.O_CLOEXEC)
    try:
        sync(handle)
    finally:
        os.close(handle)
    _refuse_existing(target)
    files.rename(str(draft), str(target))
    files.sync_folder(str(target.parent))


def _refuse_existing(target: Path) -> None:
    if os.path.lexists(target):
        raise InvalidInput(
            f"{target} exists already.",
            meaning="It was not touched, and no backup was made.",
            remedy="Name a file that does not exist.",
        )


def _clear(draft: Path) -> None:
    """Take away what only the making of the copy needed."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)
