"""Bounds of reading what agents wrote down of their sessions."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import KIB, MIB

TRANSCRIPT_CALLS_MAX: Final = 1_000
"""Calls of tools that are remembered until their end is read; of older ones the name is lost."""

TRANSCRIPT_FILES_MAX: Final = 100_000
"""Files that one import looks at."""

TRANSCRIPT_APART_BYTES_MIN: Final = 8 * MIB
"""Transcripts that are read by a process of their own, where there are two cores; starting one for
less would take longer than it saves."""

TRANSCRIPT_PIECE_ENTRIES: Final = 256
TRANSCRIPT_PIECE_BYTES: Final = 512 * KIB
"""What is read before it is handed on; one line may be more."""

TRANSCRIPT_PIECES_WAITING: Final = 8
"""Pieces that a process which reads may be ahead of the one that records."""

TAIL_BYTES_MAX: Final = MIB
"""What a hook reads of a transcript at once; when there is more, the rest comes the next time."""

TAILS_MAX: Final = 200
"""Transcripts of which it is remembered how far they were read."""
