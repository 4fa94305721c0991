"""Making saves of a project: when somebody asks, and by themselves.

They come by themselves when a scene ends, when a session ends, when a start finds sessions that
crashed, and at a milestone. What was recorded is durable by then, so one that fails is told and
never fails what it came with.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from holdfast.kernel.errors import Damaged, HoldfastError
from holdfast.kernel.snapshot import SaveSnapshot, SaveType
from holdfast.ledger.verify import Progress, no_progress
from holdfast.storage.files import make_folder
from holdfast.stores import Items, Value

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.wiring.project import Project


class Saved(msgspec.Struct, frozen=True):
    """A save that is on disk."""

    snapshot: SaveSnapshot
    path: Path
    campaign: Path | None = None
    """The file that holds everything, of a campaign save."""


class AutoSaved(msgspec.Struct, frozen=True):
    """What became of a save that came by itself."""

    save_type: SaveType
    snapshot_id: str | None = None
    put_off: str | None = None
    """Why there is none."""


def make_save(
    project: Project,
    save_type: SaveType,
    *,
    campaign: Path | None = None,
    progress: Progress = no_progress,
) -> Saved:
    """Save what is true now. A campaign save also writes everything into one file.

    Nothing is appended. Saving again with nothing between gives the same file.
    """
    snapshot = _take(project, save_type)
    file = None if save_type != "CAMPAIGN" else _write(project, snapshot, campaign, progress)
    path = project.saves.keep(snapshot)
    project.views.mark_point(snapshot.tree_size)
    return Saved(snapshot, path, file)


def _write(
    project: Project, snapshot: SaveSnapshot, campaign: Path | None, progress: Progress
) -> Path:
    """Write the campaign file, among the saves unless another place is named."""
    from holdfast.wiring.campaigns import write_campaign

    if campaign is None:
        campaign = project.saves.campaign_path(snapshot)
        make_folder(str(campaign.parent))
    write_campaign(project, snapshot, campaign, progress=progress)
    return campaign


def auto_save(project: Project, save_type: SaveType) -> AutoSaved:
    """Make a save that nobody asked for; return why there is none rather than fail."""
    try:
        return AutoSaved(save_type, make_save(project, save_type).snapshot.snapshot_id)
    except (HoldfastError, OSError) as problem:
        return AutoSaved(save_type, put_off=str(problem))


def _take(project: Project, save_type: SaveType) -> SaveSnapshot:
    """Take the save from the kept folds; should others move them meanwhile, from one of our own."""
    from holdfast.ledger.history import fold_at
    from holdfast.ledger.saving import take_save
    from holdfast.views.pins import environment_pins

    reader, views = project.ledger.reader, project.views
    size = _fold_up(project)
    try:
        snapshot = take_save(reader, _Kept(views, size), save_type, pins=environment_pins())
    except (HoldfastError, LookupError):
        if views.folded == size:
            raise
    else:
        if views.folded == size:
            return snapshot
    fold = fold_at(reader, size, views)
    return take_save(reader, fold, save_type, pins=environment_pins())


class _Kept:
    """The kept folds as they are now."""

    def __init__(self, views: Views, size: int) -> None:
        self._views = views
        self.size = size

    def items(self) -> Mapping[str, Items]:
        """Return the items of every store, by its name."""
        return {name: Remembered(self._views.items(name)) for name in self._views.versions}

    def digests(self) -> Mapping[str, str]:
        """Return the digest of every store, by its name."""
        return self._views.digests()


class Remembered(Mapping[str, Value]):
    """Items of which none is looked up twice."""

    def __init__(self, items: Items) -> None:
        self._items = items
        self._known: dict[str, Value] = {}

    def __getitem__(self, key: str) -> Value:
        if key not in self._known:
            self._known[key] = self._items.get(key)
        value = self._known[key]
        if value is None:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def items(self) -> ItemsView[str, Value]:
        """Return keys and values, without a lookup for each."""
        return self._items.items()


def _fold_up(project: Project) -> int:
    """Bring the kept folds up to the head; a save of less than everything is none."""
    reader = project.ledger.reader
    size = reader.head().size
    folded = project.views.fold_up(reader)
    if folded >= size:
        return folded
    raise Damaged(
        f"Entry {folded} cannot be read, so what is true after it is not known.",
        meaning="Nothing was saved.",
        remedy="Run `holdfast verify` to see what else is damaged.",
    )
