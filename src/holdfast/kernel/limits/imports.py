"""Bounds of what is taken in from other systems' folders."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.units import MIB

LOA_FILES_MAX: Final = 20_000
"""Files of a Loa folder that are looked at; how many more there are is told."""

LOA_DEPTH_MAX: Final = 12
"""Folders within folders of it."""

LOA_FILE_BYTES_MAX: Final = 8 * MIB
"""Largest text of it that is taken in whole; trajectories are read line by line."""

LOA_SPRINTS_MAX: Final = 10_000
"""Sprints of its ledger."""
