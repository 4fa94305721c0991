"""Time and ids that are the same in every run."""

from __future__ import annotations

import itertools
from typing import Final

START_US: Final = 1_794_726_000_000_000
"""2026-11-15T07:00:00Z, in microseconds."""

STEP_US: Final = 1_000


class FixedClock:
    """A clock that goes on by one step each time somebody looks at it, from any thread."""

    def __init__(self, start_us: int = START_US, *, step_us: int = STEP_US) -> None:
        self._times = itertools.count(start_us, step_us)

    def __call__(self) -> int:
        return next(self._times)


class FixedIds:
    """Ids of the form of UUIDv7 whose random part is a counter."""

    def __init__(self, first: int = 0) -> None:
        self._numbers = itertools.count(first)

    def __call__(self, now_us: int) -> str:
        return id_for(next(self._numbers), now_us)


def id_for(number: int, now_us: int = START_US) -> str:
    """Return the id of the form of UUIDv7 that belongs to a number."""
    text = f"{now_us // 1000:012x}7{number & 0xFFF:03x}8{number:015x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
