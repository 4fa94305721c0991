"""Bounds of reading what agents wrote down of their sessions."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import MIB

TRANSCRIPT_CALLS_MAX: Final = 1_000
"""Calls of tools that are remembered until their end is read; of older ones the name is lost."""

TRANSCRIPT_FILES_MAX: Final = 100_000
"""Files that one import looks at."""

TAIL_BYTES_MAX: Final = MIB
"""What a hook reads of a transcript at once; when there is more, the rest comes the next time."""

TAILS_MAX: Final = 200
"""Transcripts of which it is remembered how far they were read."""
