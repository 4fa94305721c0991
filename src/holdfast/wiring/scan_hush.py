"""When nothing was to be recorded of changed files: pauses, and private sessions of agents.

Who changed a file is not told by the file. So in a pause nothing that a look finds is recorded, not
even where it is one session that is paused; and of a private session, nothing that changed in its
time. A gap that is told is better than words that somebody did not want to be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.agents import pausing
from holdfast.kernel.limits import SCAN_PRIVATE_TAIL_S

if TYPE_CHECKING:
    from holdfast.wiring.places import Place

COARSE_NS: Final = 20_000_000
"""How far a file's time may lie before the clock that a private session begins by."""


class Hush(msgspec.Struct, frozen=True):
    """What of a look is not recorded."""

    everything: bool = False
    spans: tuple[tuple[int, int], ...] = ()
    """Times of private sessions, in nanoseconds: from, and until when."""

    def hides(self, changed_ns: int) -> bool:
        """Tell whether a file that changed at some time is not recorded."""
        return self.everything or any(
            start - COARSE_NS <= changed_ns <= stop for start, stop in self.spans
        )

    def hides_gone(self, since_ns: int) -> bool:
        """Tell whether a file is not recorded that went away some time after the last look."""
        return self.everything or any(stop >= since_ns for _, stop in self.spans)


def hush_of(place: Place) -> Hush:
    """Return what is not recorded of a look at a project now."""
    folder = str(place.folder)
    try:
        paused = bool(pausing.pauses(folder))
    except OSError:
        paused = True  # as the hooks have it
    spans = pausing.private_spans(folder, SCAN_PRIVATE_TAIL_S)
    return Hush(paused, tuple((start * 1000, stop * 1000) for start, stop in spans))
