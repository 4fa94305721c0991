"""Losses as the web page shows them: each compaction and each clear, what left with it, and what
was given back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.storage.port import Selection
from holdfast.views.loss import Judged, gone
from holdfast.views.loss_back import Given
from holdfast.web.values import Asked, Page
from holdfast.wiring.losses import Wiped, data_of, loss_and_back, wiped_by
from holdfast.wiring.web_answers import Shown, cut, key_number

WIPES_MAX: Final = 60
"""Newest moments of each kind that are listed."""
ITEMS_MAX: Final = 500
TEXT_CHARS_MAX: Final = 20_000


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"loss": lambda asked: opened(site, asked) if asked.key else listed(site)}


def listed(site: Shown) -> dict[str, Any]:
    """List the moments at which a context was emptied, the newest first."""
    kinds = ("context_compacted", "desk_changed", "session_ended")
    found, more = [], False
    for kind in kinds:
        some = list(islice(_wipes(site, kind), WIPES_MAX + 1))
        found += some[:WIPES_MAX]
        more = more or len(some) > WIPES_MAX
    found.sort(key=lambda one: -one[0].seq)
    return {
        "more": more,
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
        ],
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
    loss = loss_and_back(site.project, wiped)
    fates: dict[str, int] = {}
    for item in loss.items:
        fates[item.fate] = fates.get(item.fate, 0) + 1
    return {
        "seq": seq,
        "time": entry.timestamp,
        "session": wiped.session_id,
        "how": wiped.how,
        "trigger": wiped.trigger,
        "summary": None if wiped.summary is None else cut(wiped.summary, TEXT_CHARS_MAX),
        "fates": fates,
        "items": [msgspec.to_builtins(item) for item in loss.items[:ITEMS_MAX]],
        "items_more": max(0, len(loss.items) - ITEMS_MAX),
        "unseen": loss.unseen,
        "given": [_given(one, loss.items) for one in loss.given],
        "given_more": loss.given_more,
        "back": _counted(loss.items),
    }


def _counted(items: tuple[Judged, ...]) -> dict[str, int]:
    """Count what is gone, and what of it came back, whole or in part."""
    lost = gone(items)
    back = [item.brought_back for item in lost if item.brought_back is not None]
    part = sum(one.how == "paraphrased" for one in back)
    return {"gone": len(lost), "whole": len(back) - part, "part": part}


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
    wiped = wiped_by(entry, data_of(site.project, entry))
    if wiped is not None and entry.type == "desk_changed":
        return msgspec.structs.replace(wiped, trigger="seen by the proxy")
    return wiped


def _given(one: Given, items: tuple[Judged, ...]) -> dict[str, Any]:
    """Tell what was given: all but the entries that it is about, of which its own page tells."""
    back = [item.brought_back for item in items]
    return {
        "seq": one.seq,
        "time": one.time,
        "session": one.session,
        "source": one.source,
        "tokens": one.tokens,
        "counter": one.counter,
        "left_out": one.left_out,
        "text": cut(one.text, TEXT_CHARS_MAX),
        "items": sum(found is not None and found.seq == one.seq for found in back),
    }
