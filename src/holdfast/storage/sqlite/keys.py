"""The 64-bit keys under which ids, types and sessions are looked up.

A key only says where to look: different names may share one, so whoever follows it compares the
name itself. Part of the format (docs/format.md).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from hashlib import sha256
from typing import Final

KEY_MAX: Final = 2**63 - 1
"""The largest integer SQLite has."""


def id_key(entry_id: str) -> int:
    """Return the key of an id: the first 64 bits of a UUIDv7, so that newer ids have larger keys.

    Any other id, and one whose first bit is set, gets a negative key from its hash.
    """
    if len(entry_id) == 36 and entry_id[14] == "7":
        key = _time_key(entry_id[:18])
        if key is not None:
            return key
    return -1 - (int.from_bytes(sha256(entry_id.encode()).digest()[:8], "big") >> 1)


def id_keys(ids: Collection[str]) -> set[int]:
    """Return the keys of several ids. Those of a batch begin alike and share one."""
    starts = {one[:18] if len(one) == 36 and one[14] == "7" else "" for one in ids}
    keys = {_time_key(start) for start in starts}
    found = {key for key in keys if key is not None}
    return found if len(found) == len(keys) else {id_key(one) for one in ids}


def _time_key(start: str) -> int | None:
    """Return the first 64 bits of a UUIDv7, None for what is no time."""
    try:
        key = int(start[:8] + start[9:13] + start[14:], 16)
    except ValueError:
        return None
    return key if key <= KEY_MAX else None


@lru_cache(maxsize=1024)
def type_key(name: str) -> int:
    """Return the key of an entry type."""
    return _hashed("type", name)


@lru_cache(maxsize=1024)
def session_key(session_id: str) -> int:
    """Return the key of a session."""
    return _hashed("session", session_id)


def _hashed(kind: str, name: str) -> int:
    digest = sha256(f"{kind}\0{name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
