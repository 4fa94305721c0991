"""What every step of healing has in hand, and what it tells."""

from __future__ import annotations

from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from holdfast.evidence import git_state, healing
from holdfast.evidence.git import Git
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError
from holdfast.ledger import published
from holdfast.wiring.looking import open_reader

if TYPE_CHECKING:
    from holdfast.config import Settings
    from holdfast.storage.port import Reader
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that was missing or damaged, and what became of it."""

    what: str
    damage: str
    healed: bool
    source: str | None = None
    """git-ref, git-history, git-checkout, template, reindex, ledger, archives; null for none."""
    kept_as: str | None = None
    """Where the damaged original is."""
    detail: str | None = None


class Ward:
    """A ledger that is looked after: its place, and as much of it as can be opened. Close it."""

    def __init__(
        self, place: Place, settings: Settings, actor: Actor, git: Git | str, *, check: bool
    ) -> None:
        self.place = place
        self.settings = settings
        self.git = git
        self.check = check
        self.reader: Reader | None = None
        """To look at the ledger; None where it cannot be read."""
        self.project: Project | None = None
        """To write; None where that cannot be, or nothing may be written."""
        self.told: list[str] = []
        self._actor = actor
        try:
            self.reader = open_reader(place.database, inspect=True)
        except HoldfastError as problem:
            self.told.append(f"The ledger cannot be read: {problem.what}")

    @property
    def aside(self) -> Path:
        """Where damaged files are kept."""
        return self.place.folder / "aside"

    @property
    def ledger(self) -> str | None:
        """The ledger's name, None when nobody can tell it."""
        return ledger_id(self.git, self.place)

    def writable(self) -> Project:
        """Open the ledger to write, when something is to be."""
        from holdfast.wiring.opening import open_ledger
        from holdfast.wiring.project import Project

        if self.project is None:
            settings = self.settings
            ledger = open_ledger(
                self.place.database,
                create=False,
                actor=self._actor,
                session_id=settings.record.session,
                secret_names=settings.redaction.secret_names,
                entropy=settings.redaction.entropy,
                wait_s=settings.lock.wait_s,
                seal=settings.seal,
            )
            self.project = Project(self.place, settings, ledger)
        return self.project

    def set_aside(self, path: Path) -> str | None:
        """Keep a damaged file aside, if there is one; return where."""
        if not path.exists() and not path.is_symlink():
            return None
        return self._spelled(healing.set_aside(path, self.aside))

    def record(self, steps: list[Step]) -> list[str]:
        """Append an entry for each recovery; return what has to be told."""
        if self.check or not any(step.healed for step in steps):
            return []
        try:
            ledger = self.writable().ledger
            for step in steps:
                if step.healed:
                    ledger.append("healed", _data(step))
            self.writable().publish()  # the second copy of the ledger has to know of it, too
        except (HoldfastError, OSError) as problem:
            return [f"The recoveries could not be recorded: {problem}"]
        return []

    def close(self) -> None:
        """Let go of the ledger."""
        if self.reader is not None:
            self.reader.close()
        if self.project is not None:
            self.project.close()

    def _spelled(self, path: Path) -> str:
        root = self.place.project or self.place.folder
        return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def ledger_id(git: Git | str, place: Place) -> str | None:
    """Return a ledger's name: as it says itself, as its views do, or the only one in git."""
    with suppress(HoldfastError), closing(open_reader(place.database, inspect=True)) as reader:
        return reader.head().ledger
    said = published.read(place.state / published.CURRENT_STATE)
    if said is not None and isinstance(said.get("ledger"), str):
        return str(said["ledger"])
    if isinstance(git, str) or git.resolve(git_state.REF) is None:
        return None
    known = list(git.trees(git_state.REF))
    return known[0] if len(known) == 1 else None


def could_not(what: str, problem: Exception) -> Step:
    """Say that something could not be looked at, or not be healed."""
    told = problem.what if isinstance(problem, HoldfastError) else str(problem)
    return Step(what, "could not be healed", False, detail=told)


def _data(step: Step) -> dict[str, str]:
    fields = msgspec.structs.asdict(step)
    names = ("what", "damage", "source", "kept_as", "detail")
    return {name: fields[name] for name in names if fields[name] is not None}
