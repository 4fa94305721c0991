"""When the loop has nothing to do: then the thread that settles gets into nobody's way.

Both are Python and take turns. A thread that works while the loop does is given a turn whenever the
loop sends or receives, many times for one request, and each time the stream waits. So it works on
small pieces, and before each it waits until the loop itself waits for something; for a while, as
under load that may never be.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable

from holdfast.kernel.limits import PROXY_GIVE_WAY_LOOK_S, PROXY_GIVE_WAY_S


class IdleSelector(selectors.DefaultSelector):
    """What a loop waits with; knows whether it waits."""

    busy = True

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait until something can be read or written."""
        if timeout is not None and timeout <= 0:
            return super().select(timeout)
        self.busy = False
        try:
            return super().select(timeout)
        finally:
            self.busy = True


class Lulls:
    """Gives way to a loop, for one thread."""

    def __init__(
        self, busy: Callable[[], bool], pause: Callable[[float], object] = time.sleep
    ) -> None:
        """`busy` tells whether the loop has something to do; `pause` waits for so many seconds."""
        self._busy = busy
        self._pause = pause
        self._looks = 0

    def begin(self) -> None:
        """Begin with work of many pieces: there is patience for all of them together."""
        self._looks = round(PROXY_GIVE_WAY_S / PROXY_GIVE_WAY_LOOK_S)

    def wait(self) -> None:
        """Wait until the loop waits, as long as there is patience."""
        while self._looks > 0 and self._busy():
            self._looks -= 1
            self._pause(PROXY_GIVE_WAY_LOOK_S)
