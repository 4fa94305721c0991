"""The State Map as the web page shows it: files, definitions, and how each became what it is."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.kernel.limits import WEB_ROWS_MAX
from holdfast.storage.port import Selection
from holdfast.stores.state_map import entity_key, entity_name
from holdfast.web.values import Asked, Page
from holdfast.wiring.web_answers import Shown, cut

FILES_MAX: Final = 5_000
"""Files of a tree; more are counted."""
MOVES_LOOKED_AT: Final = 20_000
"""Newest transitions that are read for the history of one definition."""


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {
        "code": lambda asked: files(site, asked),
        "entity": lambda asked: history(site, asked),
    }


def files(site: Shown, asked: Asked) -> dict[str, Any]:
    """List the files of the State Map with their definitions, whose path has a text in it."""
    wanted = asked.query.get("prefix", "")
    items: Any = site.project.views.items("state_map")
    found: dict[str, list[dict[str, Any]]] = {}
    left_out = 0
    for key, item in items.items():
        name = entity_name(key)
        if name is None or wanted not in name:
            continue
        path, _, symbol = name.partition("::")
        if path not in found and len(found) >= FILES_MAX:
            left_out += 1
            continue
        row: dict[str, Any] = {
            "symbol": symbol,
            "state": item["state"],
            "stale": item["stale"],
            "seq": item["seq"],
        }
        found.setdefault(path, []).append(row | {"proposals": len(item["proposals"])})
    for rows in found.values():
        rows.sort(key=_symbol)
    listed = [{"path": path, "symbols": rows} for path, rows in sorted(found.items())]
    return {"files": listed, "left_out": left_out, "as_of": site.project.views.folded}


def history(site: Shown, asked: Asked) -> dict[str, Any]:
    """Tell how a definition became what it is, the newest first, with what differed each time."""
    name = asked.query.get("name", "")
    path, _, symbol = name.partition("::")
    items: Any = site.project.views.items("state_map")
    item = items.get(entity_key(path, symbol))
    moves = list(_moves(site, path, symbol))
    if item is None and not moves:
        raise NotFound(
            f"Nothing is known of {name[:200]!r}.",
            meaning="It never crossed the proxy.",
            remedy="Choose one of the list.",
        )
    return {
        "entity": name,
        "now": None if item is None else dict(item) | {"text": _text(site, item["artifact"])},
        "moves": _with_diffs(site, moves),
        "more": len(moves) == WEB_ROWS_MAX,
    }


def _moves(site: Shown, path: str, symbol: str) -> Iterator[tuple[Entry, dict[str, Any], Any]]:
    looked, told = 0, 0
    for stored in site.reader.read(Selection(type="artifact_moved", newest_first=True)):
        looked += 1
        if looked > MOVES_LOOKED_AT or told == WEB_ROWS_MAX:
            return
        try:
            entry = entries.read(stored.body)
        except Damaged:
            continue
        data: Any = entry.value()
        for moved in data["symbols"] if data["path"] == path else ():
            if moved["symbol"] == symbol:
                told += 1
                yield entry, data, moved


def _with_diffs(
    site: Shown, moves: list[tuple[Entry, dict[str, Any], Any]]
) -> list[dict[str, Any]]:
    """Put beside each that became authoritative how it differs from the one before."""
    told: list[dict[str, Any]] = []
    before: str | None = None
    for entry, data, moved in reversed(moves):
        row = {
            "seq": entry.seq,
            "time": entry.timestamp,
            "before": data["before"],
            "after": data["after"],
            "reason": data["reason"],
            "grant": data.get("grant"),
            "episode": data["episode"],
            "artifact": moved["artifact"],
        }
        if data["after"] == "AUTHORITATIVE":
            text = _text(site, moved["artifact"])
            row["diff"] = _diff(before, text)
            before = text
        told.append(row)
    return told[::-1]


def _text(site: Shown, digest: str | None) -> str | None:
    content = None if digest is None else site.reader.artifact(digest)
    return None if content is None else cut(content.decode("utf-8", "replace"), 100_000)


def _diff(before: str | None, after: str | None) -> str | None:
    if after is None:
        return None
    old = [] if before is None else before.splitlines()
    return "\n".join(list(difflib.unified_diff(old, after.splitlines(), lineterm="", n=3))[2:])


def _symbol(row: dict[str, Any]) -> str:
    return str(row["symbol"])
