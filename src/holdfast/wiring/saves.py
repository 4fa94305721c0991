"""The folder of the saves: one file each, named by what is in it, whole or not there.

A file that is not what its name says is damaged. It is reported beside the others, never skipped in
silence and never taken for a save.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel import snapshot as snapshots
from holdfast.kernel.errors import HoldfastError, InvalidInput, NotFound, StorageFailed
from holdfast.kernel.limits import INPUT_BYTES_MAX
from holdfast.kernel.snapshot import SaveSnapshot, SaveType
from holdfast.storage.files import make_folder, replace
from holdfast.wiring.places import Place

SAVE_END: Final = ".json"
CAMPAIGN_END: Final = ".campaign"
DRAFT_END: Final = ".new"
"""What a write leaves that was cut off; it never became a save."""

NAMED_MAX: Final = 5
"""Saves that a message names; the others are counted."""

_HEX: Final = re.compile(r"[0-9a-f]{1,64}")
_ZIP: Final = b"PK\x03\x04"
_WIDTH: Final[dict[SaveType, int]] = {"SCENE": 0, "SESSION": 1, "CAMPAIGN": 2}


class DamagedSave(msgspec.Struct, frozen=True):
    """A file among the saves that is none."""

    name: str
    why: str


class Listing(msgspec.Struct, frozen=True):
    """What the folder holds."""

    saves: list[SaveSnapshot]
    """The newest first."""
    damaged: list[DamagedSave]


class Newest(msgspec.Struct, frozen=True):
    """The newest save, and what could not be looked at on the way to it."""

    save: SaveSnapshot | None
    damaged: list[DamagedSave]


class SavesFolder:
    """The saves of one ledger."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, snapshot: SaveSnapshot) -> Path:
        """Write a save; one that is there already, to the byte, stays as it is."""
        path = self.path / f"{snapshot.snapshot_id}{SAVE_END}"
        line = snapshot.to_line() + b"\n"
        try:
            if path.is_file() and path.read_bytes() == line:
                return path
            make_folder(str(self.path))
            replace(str(path), line)
        except OSError as error:
            raise StorageFailed(
                f"The save cannot be written to {self.path}: {error.strerror}.",
                meaning="Nothing was saved; the ledger is not affected.",
                remedy="Check the folder's permissions and the room on the disk.",
            ) from error
        return path

    def campaign_path(self, snapshot: SaveSnapshot) -> Path:
        """Return where the campaign file of a save lies in this folder."""
        return self.path / f"{snapshot.snapshot_id}{CAMPAIGN_END}"

    def list(self) -> Listing:
        """Read every save; the newest first."""
        saves, damaged = [], []
        for path in self._files():
            try:
                saves.append(_read(path))
            except (HoldfastError, OSError) as problem:
                damaged.append(DamagedSave(path.name, _why(problem)))
        return Listing(sorted(saves, key=_age, reverse=True), damaged)

    def newest(self) -> Newest:
        """Find the save of the highest entry. Only that one is read in full: there may be many."""
        glances: list[tuple[int, int, str]] = []
        damaged: list[DamagedSave] = []
        for path in self._files():
            try:
                glances.append(_glance(path))
            except (HoldfastError, OSError) as problem:
                damaged.append(DamagedSave(path.name, _why(problem)))
        for *_, name in sorted(glances, reverse=True):
            try:
                return Newest(_read(self.path / name), damaged)
            except (HoldfastError, OSError) as problem:
                damaged.append(DamagedSave(name, _why(problem)))
        return Newest(None, damaged)

    def find(self, key: str) -> SaveSnapshot:
        """Return the save that an id, or the beginning of one, names; a damaged one is raised."""
        names = [path.name for path in self._files()] if _HEX.fullmatch(key) else []
        found = sorted(name for name in names if name.startswith(key[: snapshots.ID_HEX]))
        if len(found) == 1:
            snapshot = _read(self.path / found[0])
            if snapshot.bytes_hash.startswith(key):
                return snapshot
        if len(found) > 1:
            raise InvalidInput(
                f"{len(found)} saves begin with {key!r}: {_named(found)}.",
                meaning="Nothing was done.",
                remedy="Give more of the id.",
            )
        raise NotFound(
            f"There is no save {key[:80]!r}.",
            meaning="Nothing was done.",
            remedy="`holdfast boot --list` shows those there are.",
        )

    def _files(self) -> Iterator[Path]:
        """Yield what should be saves: every file that is no draft and no campaign."""
        if not self.path.is_dir():
            return
        for path in sorted(self.path.iterdir()):
            if path.suffix not in (CAMPAIGN_END, DRAFT_END):
                yield path


class _Glance(msgspec.Struct):
    save_type: SaveType
    timestamp_event_id: int


def _glance(path: Path) -> tuple[int, int, str]:
    """Return how new a file says it is; the save itself is checked when it is read."""
    try:
        seen = msgspec.json.decode(_bytes(path), type=_Glance)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        read_save(path)  # refuses it, and says why
        raise
    return seen.timestamp_event_id, _WIDTH[seen.save_type], path.name


def _age(snapshot: SaveSnapshot) -> tuple[int, int, str]:
    return (
        snapshot.timestamp_event_id,
        _WIDTH[snapshot.save_type],
        f"{snapshot.snapshot_id}{SAVE_END}",
    )


def read_save(path: Path) -> SaveSnapshot:
    """Read a save from any file: the line that `save --json` prints."""
    return snapshots.read(_bytes(path))


def _read(path: Path) -> SaveSnapshot:
    """Read a save of the folder, whose name has to be that of its content."""
    snapshot = read_save(path)
    if path.name != f"{snapshot.snapshot_id}{SAVE_END}":
        raise InvalidInput(
            f"{path.name} holds the save {snapshot.snapshot_id}.",
            meaning="It may have been renamed; it is not taken for the one its name says.",
            remedy=f"`holdfast boot {path}` boots what it holds.",
        )
    return snapshot


def _bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(INPUT_BYTES_MAX + 1)
    if len(content) > INPUT_BYTES_MAX:
        raise InvalidInput(
            f"{path} is longer than {INPUT_BYTES_MAX:,} bytes: it is no save.",
            meaning="Nothing was done.",
            remedy="`holdfast boot --list` shows the saves there are.",
        )
    return content


def _why(problem: HoldfastError | OSError) -> str:
    if isinstance(problem, HoldfastError):
        return problem.what
    return problem.strerror or str(problem)


def _named(names: list[str]) -> str:
    """Name some, and count the rest."""
    shown = ", ".join(name.removesuffix(SAVE_END) for name in names[:NAMED_MAX])
    more = len(names) - NAMED_MAX
    return shown + (f" and {more} more" if more > 0 else "")


def campaigns_beside(place: Place) -> list[Path]:
    """Return the campaign files that lie beside a ledger: of milestones, and where it came from."""
    folders = (place.saves, place.origin)
    return sorted(path for folder in folders for path in folder.glob(f"*{CAMPAIGN_END}"))


def is_campaign(path: Path) -> bool:
    """Tell whether a file is to be taken for a campaign file, by its name or its first bytes."""
    try:
        with path.open("rb") as file:
            return path.suffix == CAMPAIGN_END or file.read(len(_ZIP)) == _ZIP
    except OSError:
        return False
