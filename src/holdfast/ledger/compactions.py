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
    for data in _notes(ledger):
        if session_id in data["sessions_covered"]:
            part = Selection(data["first"], data["last"] + 1, session_id=session_id)
            made = summarise_sessions(_readable(ledger, part)).get(session_id)
            yield _compared(data, session_id, made)


def all_summaries(ledger: Ledger) -> Iterator[tuple[str, SegmentSummary]]:
    """Yield every session's summary in every archive, oldest first; each archive is read once."""
    for data in _notes(ledger):
        made = summarise_sessions(_readable(ledger, Selection(data["first"], data["last"] + 1)))
        for session_id in data["sessions_covered"]:
            yield session_id, _compared(data, session_id, made.get(session_id))


def _notes(ledger: Ledger) -> Iterator[Any]:
    """Yield what the notes of our own seals say: not those of other systems, nor of a ledger that
    this one continues."""
    ours = {archive.sha256 for archive in ledger.reader.archives()}
    for note in ledger.read(Selection(type="compression")):
        data = ledger.data(note)
        if data.get("archive_sha256") in ours:
            yield data


def _compared(data: Any, session_id: str, made: Compaction | None) -> SegmentSummary:
    noted = data["summary"]["sessions"].get(session_id, {})
    return SegmentSummary(
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
