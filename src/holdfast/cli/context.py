"""What the global options mean to a command: which ledger, with which settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

# A command pays for what it uses: everything below is imported where it is needed.
if TYPE_CHECKING:
    from holdfast.config import Settings
    from holdfast.kernel.entry import ActorKind
    from holdfast.ledger.ledger import Ledger
    from holdfast.storage.port import Reader
    from holdfast.wiring.places import Place


class Invocation:
    """One run of the command line."""

    def __init__(self, ledger: str | None) -> None:
        self._ledger = ledger

    def place(self) -> Place:
        """Return where the ledger is: named, or found from the current folder upwards."""
        from holdfast.wiring.places import discover

        return self.named_place() or discover(Path.cwd())

    def named_place(self) -> Place | None:
        """Return the place that --ledger or the environment names."""
        from holdfast import config
        from holdfast.wiring.places import place_of

        named = self._ledger or config.named_ledger()
        return None if named is None else place_of(Path(named))

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Open the ledger to look at it, as far as it can be read."""
        from holdfast.cli.output import talk, visible
        from holdfast.kernel.errors import Damaged
        from holdfast.wiring.looking import open_reader
        from holdfast.wiring.salvage import Salvager

        database = self.place().database
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
    def writer(self, kind: ActorKind, name: str | None, session: str | None) -> Iterator[Ledger]:
        """Open the ledger to append, as the settings say."""
        from holdfast import config
        from holdfast.kernel.entry import Actor
        from holdfast.wiring.opening import open_ledger

        place = self.place()
        settings: Settings = config.load(place.settings).settings
        with open_ledger(
            place.database,
            create=False,
            actor=Actor(kind, settings.record.actor if name is None else name),
            session_id=settings.record.session if session is None else session,
            secret_names=settings.redaction.secret_names,
            entropy=settings.redaction.entropy,
            wait_s=settings.lock.wait_s,
        ) as ledger:
            yield ledger
