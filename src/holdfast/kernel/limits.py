"""Every bound of holdfast, named, with its unit. Nothing here is read from settings."""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

INTEGER_MAX: Final = 2**53 - 1
"""Largest integer every JSON reader agrees on (RFC 8785, I-JSON)."""

JSON_DEPTH_MAX: Final = 64
"""Nesting levels of arrays and objects, the outermost counted as one."""

INPUT_BYTES_MAX: Final = 64 * MIB
"""Largest JSON text or single value accepted from outside."""

INLINE_BYTES_MAX: Final = 32 * KIB
"""A value inside `data` above this goes to the vault and leaves a reference."""

ENTRY_BYTES_MAX: Final = 1 * MIB
"""Largest entry as stored, after large values went to the vault."""

BATCH_ENTRIES_MAX: Final = 10_000
"""Entries in one atomic append."""

NAME_CHARS_MAX: Final = 200
"""Characters in an id, a session id, an actor's name."""

TREE_BLOCK_LEAVES: Final = 256
"""Leaves under one kept tree node; a power of two."""

RUN_ENTRIES_MAX: Final = 256
RUN_BYTES_MAX: Final = 256 * KIB
"""Consecutive entries kept together; one entry alone may be larger."""

INDEX_BLOCK_ENTRIES: Final = 64
"""Entries that are put into the index together; the newest, until they fill a block, are not."""

WAL_PAGES_MAX: Final = 1000
"""Pages in the write-ahead log before a writer moves them into the database."""

READ_BYTES_PAGE: Final = 4 * MIB
READ_RUNS_FIRST: Final = 16
READ_RUNS_PAGE: Final = 1024
"""How much a reader takes at once, so that nobody waits for it; at first little, for those who
want just one entry."""

SETTINGS_BYTES_MAX: Final = 1 * MIB
"""Largest settings file that is read."""
