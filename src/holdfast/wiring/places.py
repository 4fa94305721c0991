"""Where a ledger and the files beside it lie."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from holdfast.kernel.errors import InvalidInput, NotALedger

FOLDER: Final = ".holdfast"
DATABASE: Final = "ledger.db"

_PEER: Final = re.compile(r"[0-9a-f]{32}")
"""Names of ledgers, and so of the folders of peers."""

KEY_BYTES: Final = 32
"""Length of the key of the fingerprints."""

IGNORED: Final = b"*\n!config.toml\n"
"""What git sees of the folder: nothing but the project's settings."""


class Place(msgspec.Struct, frozen=True):
    """A ledger's files: `x.db`, and beside it `x.lock` and `x.key`."""

    database: Path

    @property
    def folder(self) -> Path:
        """The folder that holds it all."""
        return self.database.parent

    @property
    def lock(self) -> Path:
        """The writers' queue."""
        return self.database.with_suffix(".lock")

    @property
    def key(self) -> Path:
        """The key of the fingerprints that stand for secrets; never part of a backup."""
        return self.database.with_suffix(".key")

    @property
    def views(self) -> Path:
        """Kept folds and the search index: derived, and made anew when it is gone."""
        return self.database.with_name(
            "views.db" if self.project else f"{self.database.stem}.views.db"
        )

    @property
    def code(self) -> Path:
        """The search index of the project's code: derived, and made anew when it is gone."""
        return self.database.with_name(
            "code.db" if self.project else f"{self.database.stem}.code.db"
        )

    @property
    def state(self) -> Path:
        """The folder of the archives and of the views on disk."""
        return self.folder / "state" if self.project else self.database.with_suffix(".state")

    @property
    def archives(self) -> Path:
        """The folder of the archives."""
        return self.state / "archives"

    @property
    def saves(self) -> Path:
        """The folder of the saves."""
        return self.folder / "saves" if self.project else self.database.with_suffix(".saves")

    @property
    def origin(self) -> Path:
        """The folder of the campaign that this ledger continues, if it does."""
        return self.folder / "origin" if self.project else self.database.with_suffix(".origin")

    @property
    def peers(self) -> Path:
        """The folder of the other ledgers that were synced, each in a folder of its own."""
        return self.folder / "peers" if self.project else self.database.with_suffix(".peers")

    @property
    def owner(self) -> Place | None:
        """The ledger that this one is kept beside as a peer's; None for one that is our own."""
        beside = self.folder.parent
        if not _PEER.fullmatch(self.folder.name) or self.database.name != DATABASE:
            return None
        if beside.name == "peers" and beside.parent.name == FOLDER:
            return Place(beside.parent / DATABASE)
        return Place(beside.with_suffix(".db")) if beside.suffix == ".peers" else None

    @property
    def trajectory(self) -> Path:
        """The folder of the trajectory, a file for each day."""
        if self.project:
            return self.folder / "trajectory"
        return self.database.with_suffix(".trajectory")

    @property
    def overrides(self) -> Path:
        """The folder of the user's changes to installed files."""
        return self.folder / "overrides"

    @property
    def seal_lock(self) -> Path:
        """Held by whoever is moving entries into an archive."""
        return self.database.with_name(f"{self.database.stem}.seal.lock")

    @property
    def project(self) -> Path | None:
        """The project's root, None for a database that stands alone."""
        return self.folder.parent if self.folder.name == FOLDER else None

    @property
    def settings(self) -> Path | None:
        """The project's settings, None for a database that stands alone."""
        return None if self.project is None else self.folder / "config.toml"


def place_of(path: Path) -> Place:
    """Return where the ledger of a project root, or of a database file, lies."""
    path = path.expanduser().absolute()
    if path.is_dir():
        return Place((path if path.name == FOLDER else path / FOLDER) / DATABASE)
    if path.suffix in (".lock", ".key"):
        raise InvalidInput(
            f"{path.name} is the name of a file beside a ledger, not of a ledger.",
            meaning="Nothing was recorded.",
            remedy="Name the project's folder or the database.",
        )
    return Place(path)


def discover(start: Path) -> Place:
    """Find the ledger of the project that a folder is part of.

    Looks upwards. A git worktree without a ledger of its own uses its main worktree's.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        place = place_of(folder)
        if place.database.exists():
            return place
        main = _main_worktree(folder / ".git")
        if main is not None and place_of(main).database.exists():
            return place_of(main)
    raise NotALedger(
        f"There is no ledger in {start} or above it.",
        meaning="Nothing was recorded.",
        remedy="Make one with `holdfast init`.",
    )


def bereft(start: Path) -> Place | None:
    """Find a ledger whose database is lost, by the files beside it."""
    start = start.absolute()
    for folder in (start, *start.parents):
        place = place_of(folder)
        if place.state.is_dir():
            return place
    return None


def project_root(start: Path) -> Path:
    """Find the root of the project that a folder is part of, whether it has a ledger or not.

    That is where its ledger is, a git worktree that uses another's ledger, else where git's folder
    is, else the folder itself.
    """
    start = start.absolute()
    for folder in (start, *start.parents):
        main = _main_worktree(folder / ".git")
        if any(place_of(one).database.exists() for one in (folder, main) if one is not None):
            return folder
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return start


def _main_worktree(git: Path) -> Path | None:
    """Return the main worktree that a linked worktree's `.git` file points back to."""
    if not git.is_file():
        return None
    words = git.read_text(encoding="utf-8", errors="replace").split(maxsplit=1)
    if len(words) != 2 or words[0] != "gitdir:":
        return None
    # <main>/.git/worktrees/<name>
    gitdir = (git.parent / words[1].strip()).resolve()
    return gitdir.parents[2] if gitdir.parent.name == "worktrees" else None
