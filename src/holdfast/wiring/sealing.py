"""Sealing by itself: when the log is long, its older entries move into an archive."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

from holdfast.config import Seal
from holdfast.kernel.errors import HoldfastError
from holdfast.wiring.places import Place

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger
    from holdfast.ledger.sealing import Sealer
    from holdfast.storage.archives import ArchiveFolder

TRY_AGAIN_ENTRIES: Final = 100
"""Entries to wait for when another process is sealing, or when it failed."""


class AutoSeal:
    """Told after appends how many entries there are; seals when that is too many."""

    def __init__(self, place: Place, settings: Seal) -> None:
        self._place = place
        self._settings = settings
        self.ledger: Ledger | None = None

    def __call__(self, size: int) -> int:
        """Seal if it is time; return at how many entries to ask again.

        The entries are durable by now, so a seal that fails is told as a warning and tried later.
        """
        assert self.ledger is not None
        due = self._sealed() + self._settings.threshold
        if size <= due:
            return due
        pause = TRY_AGAIN_ENTRIES
        try:
            if self._seal(self.ledger):
                # Where as many stay as may be active, not every entry is worth an archive.
                pause = min(pause, self._settings.keep)
        except (HoldfastError, OSError) as problem:
            warnings.warn(f"Sealing was put off: {problem}", RuntimeWarning, stacklevel=4)
        return max(self._sealed() + self._settings.threshold, size + pause)

    def _sealed(self) -> int:
        assert self.ledger is not None
        archives = self.ledger.reader.archives()
        return archives[-1].last + 1 if archives else 0

    def _seal(self, ledger: Ledger) -> bool:
        from holdfast.storage.archives import ArchiveFolder

        archives = ArchiveFolder(str(self._place.archives))
        sealer = sealer_of(self._place, ledger, archives, self._settings)
        # A log that is far too long, as from before there were archives, shrinks in many steps.
        most = self._settings.threshold + TRY_AGAIN_ENTRIES
        return sealer.seal(trigger="size", wait_s=0, entries_max=most).sealed > 0


def sealer_of(place: Place, ledger: Ledger, archives: ArchiveFolder, settings: Seal) -> Sealer:
    """Put together what seals the ledger of a place."""
    from holdfast.ledger.sealing import Sealer

    return Sealer(ledger, archives, lock_path=str(place.seal_lock), keep=settings.keep)
