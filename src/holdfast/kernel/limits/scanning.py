"""Bounds of looking for files that an agent changed."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import MIB

SCAN_FILES_DEFAULT: Final = 50_000
SCAN_FILES_CEILING: Final = 2_000_000
"""Files of a project that are looked at unless the settings say otherwise, and at most."""

SCAN_FILE_BYTES_DEFAULT: Final = 8 * MIB
SCAN_FILE_BYTES_CEILING: Final = 32 * MIB
"""Largest changed file whose content is kept unless the settings say otherwise, and at most."""

SCAN_HASHED_BYTES_MAX: Final = 256 * MIB
"""Largest file that is hashed, and what is hashed in one scan; what is left waits for the next."""

SCAN_CHANGES_MAX: Final = 1_000
SCAN_KEPT_BYTES_MAX: Final = 16 * MIB
"""Changes that one scan records, and bytes of content; what is left waits for the next scan."""

SCAN_DEPTH_MAX: Final = 100
"""Folders in folders that are looked into."""

SCAN_READS_MAX: Final = 3
"""How often a file is read again that changes while it is read."""

SCAN_COARSE_NS: Final = 2_000_000_000
"""How coarse the times of files are where they are whole seconds, in nanoseconds."""

SCAN_SEEN_BYTES_MAX: Final = 1024 * MIB
"""Largest file of remembered stats that is read; a larger one counts as none."""

SCAN_SEEDED_MAX: Final = 10_000
"""Newest changes in the ledger that are looked at where nothing is remembered."""

SCAN_PRIVATE_TAIL_S: Final = 300
"""How long a private session that told no end may still change files after its last event."""

OWN_WRITES_BYTES_MAX: Final = 1 * MIB
"""Largest list of what holdfast itself wrote since the last look; a larger one counts as none."""

SCAN_UNLOOKED_NAMED: Final = 20
"""Paths that were not looked at which are named, the first; the others are counted."""
