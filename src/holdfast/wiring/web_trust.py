"""Why the ledger can be believed, as the web page shows it: tree, archives, saves, metrics."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.index.words import time_us
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Selection
from holdfast.web.values import Asked, Page
from holdfast.wiring.saves import SavesFolder
from holdfast.wiring.web_answers import Shown

METRICS_MAX: Final = 2_000
"""Newest measurements that are plotted."""
NEWEST_MAX: Final = 50


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"trust": lambda asked: trust(site, asked), "metrics": lambda _: metrics(site)}


def trust(site: Shown, asked: Asked) -> dict[str, Any]:
    """Say what proves the ledger, and what was found when it was last looked at."""
    del asked
    reader = site.reader
    head = reader.head()
    listing = SavesFolder(site.place.saves).list()
    archives = reader.archives()
    return {
        "head": {
            "ledger": head.ledger,
            "size": head.size,
            "leaf": head.leaf.hex(),
            "root": reader.node(0, head.size).hex(),
        },
        "archives": [_archive(one) for one in archives[-NEWEST_MAX:]],
        "archives_more": max(0, len(archives) - NEWEST_MAX),
        "saves": [
            {
                "id": save.snapshot_id,
                "type": save.save_type,
                "size": save.tree_size,
                "stores": len(save.store_digests),
                "boot": site.boots.of(save.snapshot_id),
            }
            for save in listing.saves[:NEWEST_MAX]
        ],
        "saves_more": max(0, len(listing.saves) - NEWEST_MAX),
        "saves_damaged": [one.name for one in listing.damaged],
        "erased": _newest(site, "artifact_erased"),
        "quarantined": _newest(site, "line_quarantined"),
        "healed": _newest(site, "healed"),
        "peers": _newest(site, "peer_merged"),
        "refused": _newest(site, "peer_refused"),
        "verified": msgspec.to_builtins(site.verified),
    }


def metrics(site: Shown) -> dict[str, Any]:
    """Return the newest measurements, by name, oldest first."""
    found: dict[str, list[dict[str, Any]]] = {}
    newest = site.reader.read(Selection(type="metric", newest_first=True))
    for stored in islice(newest, METRICS_MAX):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            continue
        data: Any = entry.value()
        value, threshold = data.get("value"), data.get("threshold")
        if isinstance(value, int | float) and isinstance(data.get("name"), str):
            point: dict[str, Any] = {
                "seq": entry.seq,
                "us": time_us(entry.timestamp),
                "value": value,
            }
            point |= {"passed": data.get("passed") is True}
            point |= {"threshold": threshold if isinstance(threshold, int | float) else None}
            found.setdefault(data["name"], []).append(point)
    return {"metrics": {name: points[::-1] for name, points in found.items()}}


def _archive(one: Any) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(one)
    return told


def _newest(site: Shown, kind: str) -> list[dict[str, Any]]:
    from holdfast.wiring.web_entries import row

    newest = site.reader.read(Selection(type=kind, newest_first=True))
    return [row(stored) for stored in islice(newest, NEWEST_MAX)]
