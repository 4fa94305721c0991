"""What would block a clear, for a page that does not wait: looked at beside, and kept for a while.

Somebody who asks is told at once what is known, and whether it is being looked at. A look begins
when what is known is old; never two at a time, and the longer one takes, the longer the next waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from holdfast.kernel.errors import CouldNotLook, HoldfastError
from holdfast.kernel.limits import (
    WEB_GATE_KEPT_S,
    WEB_GATE_REST,
    WEB_GATE_S,
    WEB_GATE_SAME_S,
)
from holdfast.web.guard import told
from holdfast.wiring.web_apart import Apart, Question


class Look(msgspec.Struct, frozen=True):
    """One look that has ended."""

    head: int
    """Entries that there were when it began."""
    began_s: float
    ended_s: float
    answer: dict[str, Any] | None
    problem: dict[str, Any] | None = None


def waits_s(last: Look | None, head: int, now_s: float) -> float:
    """Return how long it is until it is time to look again."""
    if last is None:
        return 0.0
    kept_s = max(WEB_GATE_KEPT_S, WEB_GATE_REST * (last.ended_s - last.began_s))
    if last.head == head:
        kept_s = max(kept_s, WEB_GATE_SAME_S)
    return max(0.0, kept_s - (now_s - last.ended_s))


class Gate:
    """The gate, as it was when it was looked at last."""

    def __init__(
        self,
        apart: Apart,
        *,
        limit_s: float = WEB_GATE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._apart = apart
        self._limit_s = limit_s
        self._clock = clock
        self._lock = threading.Lock()
        self._last: Look | None = None
        self._began_s: float | None = None
        """When the look that goes on began."""

    def told(self, head: int) -> dict[str, Any]:
        """Say what is known, and begin to look if that is old."""
        now_s = self._clock()
        with self._lock:
            if self._began_s is None and not waits_s(self._last, head, now_s):
                self._began_s = now_s
                looking = threading.Thread(target=self._look, args=(head, now_s), daemon=True)
                looking.start()
            last, began_s = self._last, self._began_s
        answer: dict[str, Any] = {
            "state": _state(last),
            "looking_s": None if began_s is None else round(self._clock() - began_s, 1),
        }
        if last is None:
            return answer
        changed = began_s is None and last.head != head
        answer["as_of"] = last.head
        answer["next_s"] = round(waits_s(last, head, now_s), 1) if changed else None
        answer["took_s"] = round(last.ended_s - last.began_s, 2)
        return answer | (last.answer or {"problem": last.problem})

    def _look(self, head: int, began_s: float) -> None:
        answer: dict[str, Any] | None = None
        problem: HoldfastError | None = None
        try:
            raw = self._apart.ask(Question("gate"), self._limit_s)
            answer = msgspec.json.decode(raw, type=dict[str, Any])
        except HoldfastError as found:
            problem = found
        except Exception as found:  # a look that cannot end must not be the last
            problem = CouldNotLook(f"Could not look: {type(found).__name__}: {found}")
        with self._lock:
            said = None if problem is None else told(problem)["error"]
            self._last = Look(head, began_s, self._clock(), answer, said)
            self._began_s = None


def _state(last: Look | None) -> str:
    if last is None:
        return "looking"
    return "looked" if last.answer is not None else "could not look"
