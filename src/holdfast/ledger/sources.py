"""Where time, ids and chance come from; tests hand in fixed ones."""

from __future__ import annotations

import os
import struct
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeAlias

POOL_NUMBERS: Final = 32
"""Numbers of 64 bits asked for at once: few, as most processes record little."""

Clock: TypeAlias = Callable[[], int]
"""Returns microseconds since 1970, UTC."""

Ids: TypeAlias = Callable[[int], str]
"""Makes an id for an entry of the given time."""


def system_clock() -> int:
    """Return the time of this machine."""
    return time.time_ns() // 1000


def timestamp(now_us: int) -> str:
    """Spell a time as entries do: ISO 8601, UTC, microseconds."""
    seconds, microseconds = divmod(now_us, 1_000_000)
    return f"{_spell_second(seconds)}.{microseconds:06d}Z"


@lru_cache(maxsize=4)
def _spell_second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def uuid7(now_us: int) -> str:
    """Make a UUIDv7 (RFC 9562): milliseconds, then their fraction in 12 bits, then chance."""
    chance = _chance()
    last = f"{chance & 0xFFFFFFFFFFFF:012x}"
    return f"{_spell_moment(now_us)}{chance >> 48 & 0x3FFF | 0x8000:04x}-{last}"


@lru_cache(maxsize=4)
def _spell_moment(now_us: int) -> str:
    """Return the first half of a UUIDv7; the entries of a batch share it."""
    milliseconds, microseconds = divmod(now_us, 1000)
    digits = f"{milliseconds & 0xFFFFFFFFFFFF:012x}"
    return f"{digits[:8]}-{digits[8:]}-7{microseconds * 4096 // 1000:03x}-"


def _chance() -> int:
    """Return 64 bits that nobody else has; the system is asked for many at a time."""
    while True:
        try:
            return _pool.popleft()
        except IndexError:
            _pool.extend(struct.unpack(f">{POOL_NUMBERS}Q", os.urandom(8 * POOL_NUMBERS)))


_pool: deque[int] = deque()
os.register_at_fork(after_in_child=_pool.clear)


def new_ledger_id() -> str:
    """Make the name of a new ledger."""
    return os.urandom(16).hex()
