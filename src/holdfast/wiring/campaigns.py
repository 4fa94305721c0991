"""Campaign files and exports on disk: written as a draft, synced, read back, put in their place.

Nothing is ever put over a file that is there, unless that was asked for. A ledger that continues a
campaign is made in a folder beside its place, proved, and moved there whole; whatever fails leaves
nothing.
"""

from __future__ import annotations

import errno
import filecmp
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import copyfileobj, disk_usage, rmtree
from typing import TYPE_CHECKING, BinaryIO, Final, TypeVar

import msgspec

from holdfast.config import Seal
from holdfast.kernel.errors import InvalidInput, StorageFailed
from holdfast.kernel.limits import MIB
from holdfast.kernel.snapshot import SaveSnapshot
from holdfast.ledger import campaigns
from holdfast.ledger.boundary import boundary_of
from holdfast.ledger.campaigns import CampaignReader, open_campaign
from holdfast.ledger.continuing import Continued, continue_campaign
from holdfast.ledger.exporting import Exported, export_lines
from holdfast.ledger.history import fold_at
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.files import FILE_MODE, FOLDER_MODE, RealFiles, make_folder, sync
from holdfast.storage.port import Reader
from holdfast.storage.sqlite.backup import copy_database
from holdfast.storage.sqlite.queue import WriterQueue
from holdfast.views.working_set import policy_of
from holdfast.wiring.booting import boot
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import FOLDER, Place, place_of

if TYPE_CHECKING:
    from holdfast.ledger.booting import Booted
    from holdfast.wiring.project import Project

"""The folder, beside a ledger that continues a campaign, of the file it continues."""

CAMPAIGN_END: Final = ".campaign"
DRAFT_END: Final = ".new"

_SETTINGS: Final = frozenset({"config.toml", ".gitignore"})
"""What a project may have in its folder before it has a ledger."""

_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})

T = TypeVar("T")


class Campaign(msgspec.Struct, frozen=True):
    """A campaign file that was written, and proved by reading it."""

    path: str
    bytes: int
    entries: int
    artifacts: int
    erased: int
    """Artifacts that are named, but were erased."""
    snapshot_id: str


def write_campaign(
    project: Project,
    snapshot: SaveSnapshot,
    path: Path,
    *,
    replace: bool = False,
    progress: Progress = no_progress,
) -> Campaign:
    """Write the campaign file of a save of this project.

    The same file again changes nothing; another one in its place is an error unless `replace`.
    """
    reader = project.ledger.reader
    fold = fold_at(reader, snapshot.tree_size, project.views)
    made = boundary_of(fold, reader, policy_of(snapshot.policy), snapshot.pins_snapshot)

    def fill(out: BinaryIO) -> None:
        campaigns.write_campaign(
            reader, snapshot, out, compactions=made.compactions, progress=progress
        )

    return _written(path.expanduser().absolute(), fill, _proved, replace=replace)


def export_file(
    reader: Reader, path: Path, *, replace: bool = False, progress: Progress = no_progress
) -> Exported:
    """Write all entries as JSON Lines into a file."""
    done: list[Exported] = []

    def fill(out: BinaryIO) -> None:
        done.append(export_lines(reader, out, progress=progress))

    return _written(path.expanduser().absolute(), fill, lambda *_: done[0], replace=replace)


def boot_campaign(path: Path, *, progress: Progress = no_progress) -> Booted:
    """Prove a campaign file and boot its save, without any ledger. Nothing is written."""
    with open_campaign(path, progress=progress) as campaign:
        return boot(campaign, campaign.snapshot)


def continue_into(file: Path, folder: Path, *, progress: Progress = no_progress) -> Continued:
    """Make a ledger in a folder that has none, which continues a campaign.

    The file is kept beside it, byte for byte. Whatever fails, the folder is as it was.
    """
    folder = folder.expanduser().absolute()
    place = Place(folder / FOLDER / "ledger.db")
    _refuse_taken(place)
    try:
        with _made_folder(folder), _draft_folder(folder) as draft:
            continued = _make(file, draft, progress)
            _move(draft / FOLDER, place)
    except OSError as error:
        raise StorageFailed(
            f"A ledger cannot be made in {folder}: {error.strerror}.",
            meaning="No ledger was made.",
            remedy="Check the folder's permissions and the room on the disk.",
        ) from error
    return continued


def origin_of(place: Place, snapshot_id: str) -> Path:
    """Return where the file lies that a ledger continues."""
    return place.origin / f"{snapshot_id}{CAMPAIGN_END}"


def _proved(draft: Path, path: Path) -> Campaign:
    with open_campaign(draft) as campaign:
        return Campaign(
            str(path),
            campaign.file_bytes,
            campaign.manifest.size,
            campaign.artifacts,
            len(campaign.manifest.erased),
            campaign.snapshot.snapshot_id,
        )


def _written(
    path: Path,
    fill: Callable[[BinaryIO], None],
    prove: Callable[[Path, Path], T],
    *,
    replace: bool,
) -> T:
    """Write a draft, sync it, prove it, and give it its name."""
    if os.path.lexists(path) and not path.is_file():
        raise _taken(path)
    draft = path.with_name(f"{path.name}.{os.urandom(4).hex()}{DRAFT_END}")
    try:
        try:
            with _created(draft) as out:
                fill(out)
            proved = prove(draft, path)
            _publish(draft, path, replace=replace)
            return proved
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be written: {error.strerror}.",
            meaning="No file was written; the ledger is as it was.",
            remedy="Name a file in a folder that you may write to, with room on its disk.",
        ) from error


@contextmanager
def _created(path: Path) -> Iterator[BinaryIO]:
    """Make a new file for its owner; it is on the disk when this ends well."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
    with os.fdopen(handle, "w+b") as out:
        yield out
        out.flush()
        sync(handle)


def _publish(draft: Path, path: Path, *, replace: bool) -> None:
    if replace:
        draft.replace(path)
    elif not _linked(draft, path) and not _is_same(draft, path):
        raise _taken(path)
    RealFiles().sync_folder(str(path.parent))


def _is_same(draft: Path, path: Path) -> bool:
    return path.is_file() and filecmp.cmp(draft, path, shallow=False)


def _linked(draft: Path, path: Path) -> bool:
    """Give a draft its name unless it is taken; return whether it was free."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(path):
            return False
        draft.rename(path)  # no links here: that nobody came between cannot be made sure
    return True


def _make(file: Path, draft: Path, progress: Progress) -> Continued:
    """Make the ledger in a folder of its own, from a copy of the file."""
    place = place_of(draft)
    origin = place.origin
    make_folder(str(origin))
    copy = origin / f"copy{CAMPAIGN_END}"
    _copy(file, copy)
    with open_campaign(copy) as campaign:
        _check_room(campaign, draft)
        boot(campaign, campaign.snapshot)
        with open_ledger(draft, seal=Seal(auto=False)) as ledger:
            continued = continue_campaign(campaign, ledger, progress=progress)
        copy.rename(origin_of(place, campaign.snapshot.snapshot_id))
    RealFiles().sync_folder(str(origin))
    return continued


def _copy(file: Path, copy: Path) -> None:
    """Copy the file first: what is proved is what is kept."""
    with (
        campaigns.opened(file) as handle,
        os.fdopen(handle, "rb", closefd=False) as source,
        _created(copy) as out,
    ):
        copyfileobj(source, out, MIB)


def _check_room(campaign: CampaignReader, draft: Path) -> None:
    needed, free = campaign.manifest.raw_bytes, disk_usage(draft).free
    if needed > free:
        raise StorageFailed(
            f"The campaign takes {needed:,} bytes; the disk has room for {free:,}.",
            meaning="No ledger was made.",
            remedy="Make room, or name a folder on another disk.",
        )


@contextmanager
def _made_folder(folder: Path) -> Iterator[None]:
    """Make a folder; if it was not there and this fails, it is not there again."""
    there = folder.is_dir()
    make_folder(str(folder))
    try:
        yield
    except BaseException:
        if not there:
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def _draft_folder(folder: Path) -> Iterator[Path]:
    draft = folder / f"{FOLDER}.{os.urandom(4).hex()}{DRAFT_END}"
    draft.mkdir(FOLDER_MODE)
    try:
        yield draft
    finally:
        rmtree(draft)


def _move(made: Path, place: Place) -> None:
    """Put the ledger in its place; into a folder with settings the database comes last."""
    _refuse_taken(place)
    if not place.folder.exists():
        made.rename(place.folder)
    else:
        with WriterQueue(str(place.lock)):
            _refuse_taken(place)
            _move_files(made, place)
    RealFiles().sync_folder(str(place.folder))
    RealFiles().sync_folder(str(place.folder.parent))


def _move_files(made: Path, place: Place) -> None:
    """Move what belongs to a ledger, then the database: without it, there is none."""
    whole = made / f"whole{DRAFT_END}"
    copy_database(str(made / place.database.name), str(whole))  # in one file, with no log beside it
    with whole.open("rb+") as file:
        sync(file.fileno())
    moved: list[Path] = []
    try:
        for path in (made / place.origin.name, made / place.key.name):
            path.rename(place.folder / path.name)
            moved.append(place.folder / path.name)
        if not _linked(whole, place.database):
            raise _taken(place.database)
    except BaseException:
        for path in moved:
            rmtree(path) if path.is_dir() else path.unlink()
        raise


def _refuse_taken(place: Place) -> None:
    """Refuse a folder that has a ledger, or the remains of one."""
    if os.path.lexists(place.database):
        raise InvalidInput(
            f"{place.folder.parent} has a ledger already.",
            meaning="It was not touched, and no ledger was made.",
            remedy="Name a folder that has none.",
        )
    if os.path.lexists(place.folder) and not place.folder.is_dir():
        raise _taken(place.folder)
    there = {path.name for path in place.folder.iterdir()} if place.folder.is_dir() else set()
    if odd := sorted(there - _SETTINGS - {place.lock.name}):
        raise InvalidInput(
            f"{place.folder} holds {odd[0]}, which may be of a ledger that was there.",
            meaning="It was not touched, and no ledger was made.",
            remedy="Name a folder without a ledger.",
        )


def _taken(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{path} exists already, and is something else.",
        meaning="It was not touched, and nothing was written.",
        remedy="Name a file that does not exist.",
    )
