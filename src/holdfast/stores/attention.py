"""Attention: how full the context of each session is, and what was done about it.

An item for each session id, and one (OUTSIDE) for what belongs to none:

    tokens, zone    as it was measured last, and where that entry stands: seq
    peak            the most it ever was
    model, window   whose context it is, as far as that is known
    entered         the entry with which the zone became what it is
    risen           the entry with which it left green; null in green
    synced          the last delta synthesis
    checked         the last run of the gate
"""

from __future__ import annotations

from typing import Any, Final

from holdfast.kernel.entry import Entry
from holdfast.kernel.types import AttentionMeasured, DeltaSynced, GateRan, Model
from holdfast.stores.store import NO_CHANGES, Changes, Items
from holdfast.stores.wording import told

OUTSIDE: Final = " outside"
"""Key of what belongs to no session; no session id begins with a blank."""


class Attention:
    """The fold over measurements, delta syntheses and runs of the gate."""

    name: Final = "attention"
    version: Final = 1
    items_max: Final = 1_000_000
    takes: Final = frozenset({"attention_measured", "delta_synced", "gate_ran"})
    reads: Final = takes
    rolls_back: Final = False

    def apply(self, items: Items, entry: Entry, data: Model) -> Changes:
        """Note how full a context is, or what was done about it."""
        key = key_of(entry.session_id)
        known: Any = items.get(key)
        item: dict[str, Any] = _unseen() if known is None else known
        match data:
            case AttentionMeasured():
                return {key: item | _measured(item, entry, data)}
            case DeltaSynced():
                return {key: item | {"synced": entry.seq}}
            case GateRan():
                return {key: item | {"checked": entry.seq}}
            case _:
                return NO_CHANGES


def key_of(session_id: str | None) -> str:
    """Return the key of a session's item."""
    return OUTSIDE if session_id is None else session_id


def _measured(item: dict[str, Any], entry: Entry, data: AttentionMeasured) -> dict[str, Any]:
    stays = item["seq"] is not None and data.zone == item["zone"]
    risen = entry.seq if item["risen"] is None else item["risen"]
    return {
        "entered": item["entered"] if stays else entry.seq,
        "model": item["model"] if data.model is None else told(data.model),
        "peak": max(item["peak"], data.tokens),
        "risen": None if data.zone == "green" else risen,
        "seq": entry.seq,
        "tokens": data.tokens,
        "window": item["window"] if data.window is None else data.window,
        "zone": data.zone,
    }


def _unseen() -> dict[str, Any]:
    return {
        "checked": None,
        "entered": None,
        "model": None,
        "peak": 0,
        "risen": None,
        "seq": None,
        "synced": None,
        "tokens": 0,
        "window": None,
        "zone": "green",
    }
