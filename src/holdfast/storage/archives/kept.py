"""What was read lately, within bounds: safe for threads, and in a process that was forked."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Remembers values up to a total weight; the one not used for longest goes first."""

    def __init__(self, weight_max: int) -> None:
        self._weight_max = weight_max
        self._forget()

    def _forget(self) -> None:
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()
        self._process = os.getpid()

    def get(self, key: Hashable) -> T | None:
        """Return a value that is still remembered."""
        with self._own_lock():
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: T, weight: int = 1) -> None:
        """Remember a value; one that weighs more than all may is not taken."""
        if weight > self._weight_max:
            return
        with self._own_lock():
            if key in self._values:
                self._weight -= self._values.pop(key)[1]
            self._values[key] = (value, weight)
            self._weight += weight
            while self._weight > self._weight_max:
                self._weight -= self._values.popitem(last=False)[1][1]

    def _own_lock(self) -> threading.Lock:
        # Another thread may have held the lock, and half a change, when this process was forked.
        if self._process != os.getpid():
            self._forget()
        return self._lock
