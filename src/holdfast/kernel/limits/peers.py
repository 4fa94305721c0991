"""Bounds of what is asked of other ledgers, and told to them."""

from __future__ import annotations

from typing import Final

from holdfast.kernel.limits.ledger import LINE_BYTES_MAX
from holdfast.kernel.limits.units import KIB, MIB

SYNC_PAGE_ENTRIES: Final = 2000
SYNC_PAGE_BYTES: Final = 8 * MIB
SYNC_PAGE_BYTES_MAX: Final = SYNC_PAGE_BYTES + LINE_BYTES_MAX + 1
"""What another ledger is given at once: entries up to about this, and one that is longer."""

SYNC_PART_BYTES: Final = 1 * MIB
"""What another ledger is given at once over MCP: entries up to about this, part of an artifact."""

SYNC_MESSAGE_BYTES_MAX: Final = (SYNC_PART_BYTES + LINE_BYTES_MAX) * 4 // 3 + 64 * KIB
"""Longest message of a peer over MCP: such a part in base64, and what stands around it."""

SYNC_COMMAND_END_S: Final = 5.0
"""How long a command that speaks for a peer may take to end once its input is closed."""

SYNC_ANSWER_BYTES_MAX: Final = 64 * KIB
"""Longest answer of a peer that is neither entries nor an artifact."""

SYNC_TIMEOUT_S: Final = 30.0
"""How long a peer may be silent."""

SYNC_BYTES_PER_S_MIN: Final = 16 * KIB
"""How slow a peer may be: an answer that takes longer than its bound at this pace is given up."""

SYNC_WAIT_S: Final = 10.0
"""How long a sync waits for another one of the same peer."""

ARTIFACT_NESTING_MAX: Final = 16
"""Artifacts within artifacts, of another ledger's entries. Ours are lifted innermost first and come
to two or three."""
