"""Losses as the web page shows them: each compaction and each clear, and what left with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.storage.port import Selection
from holdfast.web.values import Asked, Page
from holdfast.wiring.losses import CLEAR_REASONS, Wipe, Wiped, loss_at
from holdfast.wiring.web_answers import Shown, cut, key_number

WIPES_MAX: Final = 60
"""Newest moments of each kind that are listed."""
ITEMS_MAX: Final = 500


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"loss": lambda asked: opened(site, asked) if asked.key else listed(site)}


def listed(site: Shown) -> dict[str, Any]:
    """List the moments at which a context was emptied, the newest first."""
    kinds = ("context_compacted", "desk_changed", "session_ended")
    found = [
        (entry, wiped) for kind in kinds for entry, wiped in islice(_wipes(site, kind), WIPES_MAX)
    ]
    found.sort(key=lambda one: -one[0].seq)
    return {
        "rows": [
            {
                "seq": entry.seq,
                "time": entry.timestamp,
                "session": wiped.session_id,
                "how": wiped.how,
                "trigger": wiped.trigger,
                "told": wiped.summary is not None,
            }
            for entry, wiped in found
        ]
    }


def opened(site: Shown, asked: Asked) -> dict[str, Any]:
    """Say what became of all that a session had when it was emptied."""
    seq = key_number(asked)
    entry = entries.read(site.project.ledger.get(seq).body)
    wiped = _wiped(site, entry)
    if wiped is None:
        raise NotFound(
            f"Entry {seq:,} emptied no context.",
            meaning="Nothing was lost by it.",
            remedy="Choose one of the list.",
        )
    loss = loss_at(site.project, wiped)
    fates: dict[str, int] = {}
    for item in loss.items:
        fates[item.fate] = fates.get(item.fate, 0) + 1
    return {
        "seq": seq,
        "time": entry.timestamp,
        "session": wiped.session_id,
        "how": wiped.how,
        "trigger": wiped.trigger,
        "summary": None if wiped.summary is None else cut(wiped.summary, 20_000),
        "fates": fates,
        "items": [msgspec.to_builtins(item) for item in loss.items[:ITEMS_MAX]],
        "items_more": max(0, len(loss.items) - ITEMS_MAX),
        "unseen": loss.unseen,
    }


def _wipes(site: Shown, kind: str) -> Iterator[tuple[Entry, Wiped]]:
    for stored in site.reader.read(Selection(type=kind, newest_first=True)):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            continue
        wiped = _wiped(site, entry)
        if wiped is not None:
            yield entry, wiped


def _wiped(site: Shown, entry: Entry) -> Wiped | None:
    """Read an entry as the end of a context; None when it is none."""
    data: Any = site.project.ledger.data(entry)
    match entry.type:
        case "context_compacted":
            summary = data.get("summary")
            told = summary if isinstance(summary, str) else None
            return Wiped("compacted", entry.seq, entry.session_id, data.get("trigger"), told)
        case "desk_changed" if data.get("change") in ("compacted", "cleared"):
            how: Wipe = "cleared" if data["change"] == "cleared" else "compacted"
            session = entry.session_id or data.get("conversation")
            # what was cleared left altogether; of a compaction the proxy sees no summary
            summary = "" if how == "cleared" else None
            return Wiped(how, entry.seq, session, "seen by the proxy", summary)
        case "session_ended" if data.get("reason") in CLEAR_REASONS:
            return Wiped("cleared", entry.seq, entry.session_id, "clear", "")
        case _:
            return None
