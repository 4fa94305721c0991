"""Where the entries of each session are: in which archives, and which are still active."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.kernel.limits import VIEW_RANGES_MAX


class Places:
    """Built from the notes of seals, oldest first, then from the active entries in order."""

    def __init__(self) -> None:
        self.found: dict[str | None, dict[str, Any]] = {}
        """By session id; under None, the entries without a session."""

    def take_archive(self, name: str, note: int, data: Mapping[str, Any]) -> None:
        """Add what one archive holds, as entry `note` tells it."""
        for session_id, place in data["restore_index"].items():
            ranges = place.get("ranges") or [[place["start"], place["end"]]]
            self._add(session_id, name, ranges, note)
        if data.get("unsessioned"):
            self._add(None, name, data["unsessioned"], note)

    def take_active(self, seq: int, session_id: str | None) -> None:
        """Add an entry that is in no archive."""
        parts = self._at(session_id)["parts"]
        if not parts or parts[-1]["archive"] is not None:
            self._add(session_id, None, [[seq, seq]], None)
            return
        self.found[session_id]["end"] = seq
        ranges = parts[-1]["ranges"]
        if ranges[-1][1] == seq - 1:
            ranges[-1][1] = seq
        else:
            ranges.append([seq, seq])

    def _add(
        self,
        session_id: str | None,
        name: str | None,
        ranges: Sequence[Sequence[int]],
        note: int | None,
    ) -> None:
        place = self._at(session_id)
        place["start"] = ranges[0][0] if place["start"] is None else place["start"]
        place["end"] = ranges[-1][1]
        part: dict[str, Any] = {
            "archive": name,
            "ranges": [list(one) for one in ranges[:VIEW_RANGES_MAX]],
        }
        if len(ranges) > VIEW_RANGES_MAX:
            part |= {"more": len(ranges) - VIEW_RANGES_MAX, "all_in_entry": note}
        place["parts"].append(part)

    def _at(self, session_id: str | None) -> dict[str, Any]:
        return self.found.setdefault(session_id, {"start": None, "end": None, "parts": []})
