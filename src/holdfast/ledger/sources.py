"""Where time, ids and chance come from; tests hand in fixed ones."""

from __future__ import annotations

import os
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
    while True:
        try:
            return _spell_moment(now_us) + _chances.popleft()
        except IndexError:
            _chances.extend(_spell_chances())


def _spell_moment(now_us: int) -> str:
    """Return the first half of a UUIDv7. The entries of a batch share it, so the last is kept."""
    global _moment  # one tuple, replaced as a whole
    last_us, spelled = _moment
    if last_us != now_us:
        milliseconds, microseconds = divmod(now_us, 1000)
        digits = f"{milliseconds & 0xFFFFFFFFFFFF:012x}"
        spelled = f"{digits[:8]}-{digits[8:]}-7{microseconds * 4096 // 1000:03x}-"
        _moment = now_us, spelled
    return spelled


def _spell_chances() -> list[str]:
    """Return second halves of UUIDv7s, each of 62 bits that nobody else has, behind the variant."""
    chance = int.from_bytes(os.urandom(8 * POOL_NUMBERS), "big") & _CHANCE | _VARIANT
    digits = chance.to_bytes(8 * POOL_NUMBERS, "big").hex()
    return [f"{digits[at : at + 4]}-{digits[at + 4 : at + 16]}" for at in range(0, len(digits), 16)]


_CHANCE: Final = int.from_bytes(bytes.fromhex("3fffffffffffffff") * POOL_NUMBERS, "big")
_VARIANT: Final = int.from_bytes(bytes.fromhex("8000000000000000") * POOL_NUMBERS, "big")


_moment: tuple[int, str] = (-1, "")
_chances: deque[str] = deque()
"""Second halves that were not used yet: the system is asked for many at a time."""
os.register_at_fork(after_in_child=_chances.clear)


def new_ledger_id() -> str:
    """Make the name of a new ledger."""
    return os.urandom(16).hex()
