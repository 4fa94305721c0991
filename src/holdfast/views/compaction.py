"""Compactions: summaries of entries that can be thrown away and made again, byte for byte.

A compaction is never authority. It says what it was made from (`input_handles`), by which policy,
for which purpose, and which of its inputs it may be asked to mention. Same inputs, policy and
purpose: same bytes. The policy of this module takes an entry's data as it is stored, so a summary
comes out the same even after an artifact was erased.

A session's summary takes at most 1/12 of the bytes it stands for, but may always be as long as a
small floor (`kernel.limits`). Its frame (which session, when, how many of what) is always there;
details are added, the telling ones first, while there is room, and the rest is counted in `more`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

import msgspec

from holdfast.kernel import canonical
from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import (
    ITEM_CHARS_MAX,
    MILESTONES_MAX,
    SUMMARY_BYTES_FLOOR,
    SUMMARY_BYTES_MAX,
    SUMMARY_SHARE,
)
from holdfast.views.summary import summarise
from holdfast.views.tally import Tally
from holdfast.views.wording import Resolve, cut_middle, stored

Purpose: TypeAlias = Literal["RECAP", "SYNOPSIS", "SEGMENT_SUMMARY", "CONTEXT_CACHE"]

SESSION_POLICY: Final = "session-summary/1"
"""Changes whenever the same entries would give another summary."""

ID_HEX: Final = 16


class Compaction(msgspec.Struct, frozen=True):
    """A derived view of some entries: reproducible, deletable, never canon."""

    compaction_id: str
    purpose: Purpose
    compaction_policy_id: str
    input_handles: tuple[str, ...]
    output_bytes: bytes
    output_hash: str
    allowmention_handles: tuple[str, ...] = ()
    """What of the inputs may be mentioned; none means none."""

    def __post_init__(self) -> None:
        if not {type(self.input_handles), type(self.allowmention_handles)} <= {tuple}:
            raise TypeError("the handles of a compaction are tuples")
        if not set(self.allowmention_handles) <= set(self.input_handles):
            raise ValueError("a compaction may mention only what it was made from")


def compact(
    purpose: Purpose,
    policy_id: str,
    input_handles: Iterable[str],
    output: object,
    allowmention_handles: Iterable[str] = (),
) -> Compaction:
    """Make a compaction; its id follows from inputs, policy and purpose."""
    handles = tuple(input_handles)
    identity = canonical.encode([list(handles), policy_id, purpose])
    output_bytes = canonical.encode(output)
    return Compaction(
        sha256(identity).hexdigest()[:ID_HEX],
        purpose,
        policy_id,
        handles,
        output_bytes,
        sha256(output_bytes).hexdigest(),
        tuple(allowmention_handles),
    )


def summarise_sessions(
    entries: Iterable[Entry], *, resolve: Resolve = stored
) -> dict[str, Compaction]:
    """Summarise a range of entries by session, in the order the sessions appear."""
    tallies: dict[str, Tally] = {}
    ledger = ""
    for entry in entries:
        ledger = entry.ledger
        if entry.session_id is not None:
            tallies.setdefault(entry.session_id, Tally()).take(entry, resolve(entry))
    return {session: _compacted(session, tally, ledger) for session, tally in tallies.items()}


def compression_data(
    entries: Sequence[Entry],
    *,
    archive_path: str,
    archive_sha256: str,
    archive_bytes: int,
    trigger: str,
    artifacts: int = 0,
) -> dict[str, Any]:
    """Fill the `compression` entry for a range that moved into one archive.

    `restore_index[session]` has its first and last entry in the range, and in `ranges` exactly
    which entries are its own. `artifacts` is how many were packed beside the archive.
    """
    whole = Tally()
    tallies: dict[str | None, Tally] = {}
    for entry in entries:
        data = stored(entry)  # no word of what lies in the vault, which may be erased one day
        whole.take(entry, data)
        tallies.setdefault(entry.session_id, Tally()).take(entry, data)
    loose = tallies.pop(None, Tally())
    sessions = {str(session): tally for session, tally in tallies.items()}
    ledger = entries[0].ledger if entries else ""
    made = {session: _compacted(session, tally, ledger) for session, tally in sessions.items()}
    return {
        "entries_compressed": len(entries),
        "sessions_covered": list(sessions),
        "archive_path": archive_path,
        "summary": _totals(whole, made),
        "restore_index": {session: _place(tally) for session, tally in sessions.items()},
        "first": entries[0].seq if entries else None,
        "last": entries[-1].seq if entries else None,
        "archive_sha256": archive_sha256,
        "archive_bytes": archive_bytes,
        "raw_bytes": whole.raw_bytes,
        "summary_bytes": sum(len(one.output_bytes) for one in made.values()),
        "trigger": trigger,
        "artifacts": artifacts,
        "unsessioned": loose.ranges,
    }


def _compacted(session_id: str, tally: Tally, ledger: str) -> Compaction:
    room = min(max(SUMMARY_BYTES_FLOOR, tally.raw_bytes // SUMMARY_SHARE), SUMMARY_BYTES_MAX)
    output, mentioned = summarise(session_id, tally, room)
    handles = (f"ledger:{ledger}", *tally.ids)
    return compact("SEGMENT_SUMMARY", SESSION_POLICY, handles, output, mentioned)


def _totals(whole: Tally, made: Mapping[str, Compaction]) -> dict[str, Any]:
    milestones = list(dict.fromkeys(cut_middle(text, ITEM_CHARS_MAX) for text in whole.milestones))
    kept = milestones[-MILESTONES_MAX:]
    totals: dict[str, Any] = {
        "total_decisions": whole.decided,
        "total_files_changed": whole.files_changed,
        "total_errors": whole.errors,
        "key_milestones": kept,
        "sessions": {
            session: {"compaction_id": one.compaction_id, "output_hash": one.output_hash}
            for session, one in made.items()
        },
    }
    if len(milestones) > len(kept):
        totals["earlier_milestones"] = len(milestones) - len(kept)
    return totals


def _place(tally: Tally) -> dict[str, Any]:
    ranges = tally.ranges
    return {"start": ranges[0][0], "end": ranges[-1][1], "ranges": ranges}
