"""Backups: a copy counts only once it was opened, proved in full and found equal to its source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shutil import rmtree

import msgspec

from holdfast.kernel.errors import Damaged, InvalidInput, StorageFailed
from holdfast.ledger.verify import Progress, Report, no_progress, verify
from holdfast.storage.archives import pack_name
from holdfast.storage.archives.names import ARCHIVE_END
from holdfast.storage.files import Files, RealFiles, make_folder, sync
from holdfast.storage.port import Archive, Fault, Reader
from holdfast.storage.sqlite.backup import copy_database
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import Place
from holdfast.wiring.saves import SAVE_END
from holdfast.wiring.verifying import archive_check
from holdfast.wiring.workers import checks_side_by_side


class Backup(msgspec.Struct, frozen=True):
    """What became of a backup. One that is not verified left no file."""

    path: str
    entries: int
    root: str
    bytes: int
    """Of the database alone."""
    verified: bool
    faults: Sequence[Fault] = ()
    archives: int = 0
    archive_bytes: int = 0
    """Of the archives and of the artifacts packed beside them."""


def back_up(
    place: Place,
    target: Path,
    *,
    progress: Progress = no_progress,
    files: Files | None = None,
) -> Backup:
    """Copy a ledger into a new file while others write to it, and verify the copy.

    Its archives and saves go into folders beside the file, where every command looks for them.
    """
    files = files or RealFiles()
    target = target.expanduser().absolute()
    _refuse_place(target)
    draft = target.with_name(f".{target.name}.{os.getpid()}.partial")
    source = open_reader(place.database)
    try:
        copy_database(str(place.database), str(draft), progress=progress)
        copy_archives(place, Place(draft), files)
        copy_saves(place, Place(draft), files)
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


def copy_archives(place: Place, copy: Place, files: Files) -> None:
    """Copy the archives that a copied database lists, with their packs.

    One that is gone is left out: the copy will not verify.
    """
    listed = _listed(copy)
    if not listed:
        return
    for folder in (copy.state, copy.archives):
        make_folder(str(folder))
    for archive in listed:
        name = Path(archive.name).name
        for one in (name, pack_name(name)):
            with suppress(FileNotFoundError):
                files.create(str(copy.archives / one), (place.archives / one).read_bytes())
    for folder in (copy.archives, copy.state):
        files.sync_folder(str(folder))


def copy_saves(place: Place, copy: Place, files: Files) -> None:
    """Copy the saves as they are. Campaign files are left out: each is a copy by itself."""
    names = sorted(path.name for path in place.saves.glob(f"*{SAVE_END}") if path.is_file())
    if not names:
        return
    make_folder(str(copy.saves))
    for name in names:
        with suppress(FileNotFoundError):
            files.create(str(copy.saves / name), (place.saves / name).read_bytes())
    files.sync_folder(str(copy.saves))


def prove(source: Reader, draft: Path, target: Path) -> Backup:
    """Verify the copy and compare it with what the source says of the same entries."""
    report = _verify(draft)
    faults = list(report.faults)
    if not faults and source.node(0, report.entries).hex() != report.root:
        faults.append(Fault(None, "backup", "the copy does not hold the entries of its source"))
    kept = list(Place(draft).archives.iterdir()) if Place(draft).archives.is_dir() else []
    return Backup(
        path=str(target),
        entries=report.entries,
        root=report.root,
        bytes=draft.stat().st_size,
        verified=not faults,
        faults=faults,
        archives=sum(1 for path in kept if path.name.endswith(ARCHIVE_END)),
        archive_bytes=sum(path.stat().st_size for path in kept),
    )


def _listed(copy: Place) -> Sequence[Archive]:
    reader = open_reader(copy.database, inspect=True)
    try:
        return reader.archives()
    except Damaged:
        return ()  # the proof of the copy says what is wrong
    finally:
        reader.close()


def _verify(draft: Path) -> Report:
    copy = open_reader(draft, inspect=True)
    try:
        checks = checks_side_by_side(draft)
        return verify(copy, checks=checks, check_archive=archive_check(Place(draft)))
    except Damaged as problem:
        return Report(False, 0, "", "", [Fault(None, "database", problem.what)])
    finally:
        copy.close()


def _publish(draft: Path, target: Path, files: Files) -> None:
    """Give a proved copy its name. Nobody has it open, so it may be synced by hand.

    The archives come first: a database with its name has all that belongs to it.
    """
    handle = os.open(draft, os.O_RDWR | os.O_CLOEXEC)
    try:
        sync(handle)
    finally:
        os.close(handle)
    _refuse_place(target)
    moved: list[tuple[Path, Path]] = []
    try:
        for beside, named in zip(_beside(draft), _beside(target), strict=True):
            if beside.exists():
                files.rename(str(beside), str(named))
                moved.append((beside, named))
        files.rename(str(draft), str(target))
    except OSError:
        for beside, named in moved:
            named.rename(beside)
        raise
    files.sync_folder(str(target.parent))


def _refuse_place(target: Path) -> None:
    """Refuse names that are taken, and a project's own folder: its archives lie there already."""
    state = Place(target).state
    if Place(target).project is not None or state == target:
        raise InvalidInput(
            f"{target} is the place of something else.",
            meaning="No backup was made.",
            remedy="Name a file like copy.db, outside of any .holdfast folder.",
        )
    for taken in (target, *_beside(target)):
        if os.path.lexists(taken):
            raise InvalidInput(
                f"{taken} exists already.",
                meaning="It was not touched, and no backup was made.",
                remedy="Name a file that does not exist.",
            )


def _clear(draft: Path) -> None:
    """Take away what only the making of the copy needed."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        draft.with_name(draft.name + suffix).unlink(missing_ok=True)
    for folder in _beside(draft):
        if folder.exists():
            rmtree(folder)


def _beside(database: Path) -> tuple[Path, Path]:
    """Return the folders that go with a database: archives, and saves."""
    return Place(database).state, Place(database).saves
