"""What the global options mean to a command: which ledger, with which settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

# A command pays for what it uses: everything below is imported where it is needed.
if TYPE_CHECKING:
    from holdfast.config import Settings
    from holdfast.evidence.project_files import ProjectFiles
    from holdfast.kernel.entry import ActorKind
    from holdfast.storage.port import Reader
    from holdfast.wiring.places import Place
    from holdfast.wiring.project import Project


class Invocation:
    """One run of the command line."""

    def __init__(self, ledger: str | None, peer: str | None = None) -> None:
        self._ledger = ledger
        self._peer = peer

    def place(self) -> Place:
        """Return where the ledger is: named, or found from the current folder upwards; with a peer
        named, where that peer's chain is kept beside it."""
        from holdfast.wiring.places import discover

        place = self.named_place() or discover(Path.cwd())
        if self._peer is None:
            return place
        from holdfast.wiring.peers import find_peer

        return find_peer(place, self._peer)

    def peer(self, key: str | None) -> Invocation:
        """Return this invocation for a peer's chain; itself when none is named."""
        return self if key is None else Invocation(self._ledger, key)

    def named_place(self) -> Place | None:
        """Return the place that --ledger or the environment names."""
        from holdfast import config
        from holdfast.wiring.places import place_of

        named = self._ledger or config.named_ledger()
        return None if named is None else place_of(Path(named))

    def files(self) -> ProjectFiles:
        """Return the files of the project that is named, or that the current folder is part of."""
        from holdfast.evidence.project_files import ProjectFiles
        from holdfast.wiring.places import project_root

        named = self.named_place()
        root = None if named is None else named.project
        return ProjectFiles(root or project_root(Path.cwd()), Path.cwd())

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Open the ledger to look at it, as far as it can be read."""
        from holdfast.cli.output import talk, visible
        from holdfast.kernel.errors import Damaged
        from holdfast.wiring.looking import open_reader
        from holdfast.wiring.salvage import Salvager

        place = self.place()
        if place.owner is not None:
            with self._peer_reader(place) as reader:
                yield reader
            return
        database = place.database
        try:
            open_reader(database).close()  # brings an older format up to date
        except Damaged as problem:
            talk(visible(f"{problem.what} {problem.remedy}"), "bold red")
        reader = Salvager(database)
        try:
            yield reader
        finally:
            reader.close()

    @contextmanager
    def _peer_reader(self, place: Place) -> Iterator[Reader]:
        """Open a peer's chain, as far as it was merged."""
        from holdfast.wiring.peers import open_peer

        reader = open_peer(place)
        try:
            yield reader
        finally:
            reader.close()

    @contextmanager
    def project(
        self,
        kind: ActorKind = "user",
        name: str | None = None,
        session: str | None = None,
        *,
        publish: bool = True,
    ) -> Iterator[Project]:
        """Open the ledger with everything around it, as the settings say.

        Afterwards the views on disk are brought up to date, unless the command failed.
        """
        from holdfast import config
        from holdfast.kernel.entry import Actor
        from holdfast.wiring.project import open_project

        place = self.place()
        settings: Settings = config.load(place.settings).settings
        actor = Actor(kind, settings.record.actor if name is None else name)
        with open_project(place, settings, actor, session_id=session) as project:
            yield project
            if publish:
                _publish(project)

    @contextmanager
    def recorder(self, kind: ActorKind, name: str | None, session: str | None) -> Iterator[Project]:
        """Open the ledger to append; what is appended belongs to the current session.

        That is the one named, else the one of the environment, else the project's open one.
        """
        with self.project(kind, name, session) as project:
            if project.ledger.session_id is None:
                project.ledger.session_id = project.sessions.current()
            yield project


def keep_folds(project: Project) -> None:
    """Bring the kept folds up to the head, so that any moment can be had from the nearest one."""
    from holdfast.cli.output import progress

    with progress("Folding what is new") as advance:
        project.views.fold_up(project.ledger.reader, progress=advance)


def _publish(project: Project) -> None:
    """Write the views. What was recorded is durable by now, so a failure is told, not raised."""
    from holdfast.cli.output import progress, talk, visible
    from holdfast.kernel.errors import HoldfastError

    try:
        with progress("Taking in what is new") as advance:
            project.views.catch_up(project.ledger.reader, progress=advance)
        project.publish()
    except (HoldfastError, OSError) as problem:
        talk(
            visible(
                f"The files in {project.place.state} could not be brought up to date: {problem} "
                "The ledger is not affected; the next command tries again."
            )
        )
    if kept := project.publisher.set_aside:
        talk(
            visible(
                f"{project.place.state} held a log with entries that this ledger does not have. "
                f"It was kept as {kept}."
            )
        )
