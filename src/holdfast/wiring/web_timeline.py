"""The timeline: sessions as lanes, and how much of what happened when.

Drawn from blocks of 1,024 entries that the views count, so that a million entries are a thousand
rows. Where few enough are asked for, the entries themselves are read and marked one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from holdfast.index.tallies import Block, blocks
from holdfast.index.words import time_us
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import WEB_BUCKETS_MAX, WEB_LANES_MAX, WEB_MARKS_MAX
from holdfast.storage.port import Selection
from holdfast.stores.sessions import sessions_of
from holdfast.web.values import Asked, Page
from holdfast.wiring.saves import SavesFolder
from holdfast.wiring.web_answers import Shown, number

KINDS: Final[Mapping[str, str]] = {
    "decision": "decision",
    "command_ran": "command",
    "tool_called": "tool",
    "prompt_given": "prompt",
    "error": "error",
    "checkpoint": "checkpoint",
    "context_compacted": "compaction",
    "context_given": "given",
    "desk_changed": "compaction",
    "session_ended": "end",
    "session_started": "start",
    "gate_ran": "gate",
    "handoff_made": "clear",
    "file_change": "file",
}
"""What types are drawn as; every other is `other`."""


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"timeline": lambda asked: timeline(site, asked)}


def timeline(site: Shown, asked: Asked) -> dict[str, Any]:
    """Return lanes, buckets and marks of entries `from` up to before `to`."""
    size = site.reader.head().size
    first = min(number(asked, "from", 0), size)
    stop = max(first, min(number(asked, "to", size), size))
    most = max(1, number(asked, "buckets", 200, most=WEB_BUCKETS_MAX))
    told: dict[str, Any] = {"from": first, "to": stop, "entries": size}
    told["lanes"], told["lanes_more"] = _lanes(site, first, stop)
    told["saves"] = _saves(site, first, stop)
    if stop - first <= WEB_MARKS_MAX:
        return told | {"buckets": [], "marks": _marks(site, first, stop)}
    found = site.project.views.look(lambda connection: blocks(connection, first, stop))
    return told | {"buckets": _buckets(found, most), "marks": []}


def _lanes(site: Shown, first: int, stop: int) -> tuple[list[dict[str, Any]], int]:
    """Return the sessions that have entries there, the newest first, and how many more."""
    items = site.project.views.items("sessions")
    names = ("first", "last", "entries", "title", "actor", "parent", "ended", "reason")
    found = [
        {"id": key} | {name: item[name] for name in names}
        for key, item in sessions_of(items)
        if item["first"] < stop and item["last"] >= first
    ]
    found.sort(key=lambda one: -one["last"])
    return found[:WEB_LANES_MAX], max(0, len(found) - WEB_LANES_MAX)


def _saves(site: Shown, first: int, stop: int) -> list[dict[str, Any]]:
    """Return the saves that were taken there; they are files beside the ledger, no entries."""
    found = SavesFolder(site.place.saves).list().saves
    return [
        {"seq": save.timestamp_event_id, "id": save.snapshot_id, "type": save.save_type}
        for save in found
        if first <= save.timestamp_event_id < stop
    ][-WEB_MARKS_MAX:]


def _buckets(found: Sequence[Block], most: int) -> list[dict[str, Any]]:
    """Put blocks together until there are few enough."""
    together = -(-len(found) // most) or 1
    buckets = []
    for place in range(0, len(found), together):
        group = found[place : place + together]
        counts: Counter[str] = Counter()
        for block in group:
            for name, count in block.counts.items():
                counts[KINDS.get(name, "other")] += count
        buckets.append(
            {
                "first": group[0].first,
                "stop": group[-1].stop,
                "since_us": min(block.since_us for block in group),
                "until_us": max(block.until_us for block in group),
                "counts": dict(counts),
            }
        )
    return buckets


def _marks(site: Shown, first: int, stop: int) -> list[dict[str, Any]]:
    marks = []
    for stored in site.reader.read(Selection(first, stop)):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            marks.append({"seq": stored.seq, "kind": "damaged"})
            continue
        marks.append(
            {
                "seq": entry.seq,
                "kind": KINDS.get(entry.type, "other"),
                "session": entry.session_id,
                "us": time_us(entry.timestamp),
            }
        )
    return marks
