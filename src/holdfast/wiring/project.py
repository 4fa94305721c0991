"""Everything that commands use of one ledger, put together when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from time import time_ns
from typing import TYPE_CHECKING

from holdfast.agents import intake
from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.kernel.errors import HoldfastError
from holdfast.ledger.ledger import Ledger
from holdfast.wiring.opening import open_ledger
from holdfast.wiring.places import Place

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.checkpoints import Checkpoints
    from holdfast.ledger.facts import Facts
    from holdfast.ledger.handing import Handing
    from holdfast.ledger.pinning import Pinning
    from holdfast.ledger.publishing import Publisher
    from holdfast.ledger.rollback import Rollback
    from holdfast.ledger.sealing import Sealer
    from holdfast.ledger.sessions import Sessions
    from holdfast.ledger.story import Story
    from holdfast.ledger.tasks import Tasks
    from holdfast.storage.archives import ArchiveFolder
    from holdfast.wiring.saves import SavesFolder


class Project:
    """A ledger with its sessions, checkpoints, archives and views."""

    def __init__(self, place: Place, settings: Settings, ledger: Ledger) -> None:
        self.place = place
        self.settings = settings
        self.ledger = ledger

    @cached_property
    def archives(self) -> ArchiveFolder:
        """The archive files."""
        from holdfast.storage.archives import ArchiveFolder

        return ArchiveFolder(str(self.place.archives))

    @cached_property
    def views(self) -> Views:
        """What is kept of folds, and the search index; not brought up to date by asking for it."""
        from holdfast.index.views import Views

        return Views(str(self.place.views))

    @cached_property
    def sessions(self) -> Sessions:
        """Sessions: start, end, find."""
        from holdfast.ledger.sessions import Sessions

        return Sessions(self.ledger, self.views)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """Checkpoints: count calls, make one, find the last."""
        from holdfast.ledger.checkpoints import Checkpoints

        return Checkpoints(
            self.ledger, self.views, every_calls=self.settings.checkpoint.every_calls
        )

    @cached_property
    def facts(self) -> Facts:
        """Facts: add, withdraw, unlock, list."""
        from holdfast.ledger.facts import Facts

        return Facts(self.ledger, self.views)

    @cached_property
    def story(self) -> Story:
        """Scenes, and what is pending."""
        from holdfast.ledger.story import Story

        return Story(self.ledger, self.views)

    @cached_property
    def tasks(self) -> Tasks:
        """Tasks: add, change, close, list."""
        from holdfast.ledger.tasks import Tasks

        return Tasks(self.ledger, self.views)

    @cached_property
    def handing(self) -> Handing:
        """Handoffs between agents: offer, accept, decline, list."""
        from holdfast.ledger.handing import Handing

        return Handing(self.ledger, self.views)

    @cached_property
    def rollback(self) -> Rollback:
        """Goes back to an earlier entry."""
        from holdfast.ledger.rollback import Rollback

        return Rollback(self.ledger, self.views)

    @cached_property
    def saves(self) -> SavesFolder:
        """The folder of the saves."""
        from holdfast.wiring.saves import SavesFolder

        return SavesFolder(self.place.saves)

    @cached_property
    def pinning(self) -> Pinning:
        """Pins of the environment beside those of the saves."""
        from holdfast.ledger.pinning import Pinning
        from holdfast.views.pins import environment_pins

        saved = [save.pins_snapshot for save in self.saves.list().saves]
        return Pinning(self.ledger, environment_pins(), saved)

    @cached_property
    def sealer(self) -> Sealer:
        """Moves old entries into archives."""
        from holdfast.wiring.sealing import sealer_of

        return sealer_of(self.place, self.ledger, self.archives, self.settings.seal)

    @cached_property
    def publisher(self) -> Publisher:
        """Writes the views on disk."""
        from holdfast.ledger.publishing import Publisher

        return Publisher(self.place.state, trajectory=self.place.trajectory)

    def publish(self) -> None:
        """Bring the kept folds and the views on disk up to date.

        What is to be searched follows as well, unless much is missing: agents wait for this, and a
        search brings it up itself.
        """
        from holdfast.ledger.sessions import BEHIND_MAX

        reader = self.ledger.reader
        if reader.head().size - self.views.size <= BEHIND_MAX:
            self.views.catch_up(reader)
        else:
            self.views.fold_up(reader)
        self.publisher.publish(self.ledger, self.views)

    def close(self) -> None:
        """Let go of the files."""
        self.close_views()
        self.ledger.close()

    def close_views(self) -> None:
        """Let go of what is kept of folds, and leave the ledger open."""
        if "views" in self.__dict__:
            self.views.close()


def take_in(project: Project) -> None:
    """Record what hooks left in the intake. What cannot be recorded now stays there, and is told by
    `holdfast agents status`: no work waits for it."""
    if not intake.waits(str(project.place.folder)):
        return
    from holdfast.wiring.hooking import drain

    try:
        drain(project)
    except Exception as problem:  # whatever it is: it stays there, and nobody is kept from looking
        intake.note_problem(str(project.place.folder), f"taking in: {problem}", time_ns() // 1000)


def take_in_at(place: Place) -> None:
    """Record what hooks left in the intake, before somebody looks at a ledger without opening it
    for more. What stands in the way of that is theirs to find out."""
    if place.project is None or not intake.waits(str(place.folder)):
        return
    from holdfast import config

    try:
        settings = config.load(place.settings).settings
        with open_project(place, settings, Actor("holdfast", "hook")):
            pass
    except (HoldfastError, OSError) as problem:
        intake.note_problem(str(place.folder), f"taking in: {problem}", time_ns() // 1000)


@contextmanager
def open_project(
    place: Place,
    settings: Settings,
    actor: Actor,
    *,
    session_id: str | None = None,
    takes_in: bool = True,
) -> Iterator[Project]:
    """Open the ledger of a place with everything around it, and take in what hooks left."""
    ledger = open_ledger(
        place.database,
        create=False,
        actor=actor,
        session_id=settings.record.session if session_id is None else session_id,
        secret_names=settings.redaction.secret_names,
        entropy=settings.redaction.entropy,
        wait_s=settings.lock.wait_s,
        seal=settings.seal,
        takes_in=False,
    )
    project = Project(place, settings, ledger)
    try:
        if takes_in:
            take_in(project)
        yield project
    finally:
        project.close()
