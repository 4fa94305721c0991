"""The summaries of a session's archived parts, made anew from the archives whenever they are asked
for, and held against what the notes of the seals say they must be. None of them is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Selection
from holdfast.views.compaction import Compaction, summarise_sessions

if TYPE_CHECKING:
    from holdfast.kernel.entry import Entry
    from holdfast.ledger.ledger import Ledger


class SegmentSummary(msgspec.Struct, frozen=True):
    """What one archive holds of a session, in short."""

    archive: str
    compaction: Compaction | None
    """None when the archive gives nothing of the session back."""
    reproduced: bool
    """It is byte for byte the one that the note of the seal names."""


def summaries_of(ledger: Ledger, session_id: str) -> Iterator[SegmentSummary]:
    """Yield the summary of each archived part of a session, oldest first."""
    for note in ledger.read(Selection(type="compression")):
        data: Any = ledger.data(note)
        if "imported" in data or session_id not in data["sessions_covered"]:
            continue  # another system's seal, or one of other sessions
        part = Selection(data["first"], data["last"] + 1, session_id=session_id)
        made = summarise_sessions(_readable(ledger, part)).get(session_id)
        noted = data["summary"]["sessions"].get(session_id, {})
        yield SegmentSummary(
            data["archive_path"],
            made,
            made is not None and made.output_hash == noted.get("output_hash"),
        )


def _readable(ledger: Ledger, part: Selection) -> Iterator[Entry]:
    """Yield entries; one that is damaged makes the summary another one, which is told."""
    for stored in ledger.lines(part):
        try:
            yield entries.read(stored.body)
        except Damaged:
            continue
