"""Any moment as the web page shows it: every store as it was, and what lies between two moments.

Folding to a moment holds every store at once, so it is done by a process beside the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import WEB_APART_S
from holdfast.ledger.history import StoreDifference, diff, fold_at
from holdfast.stores import Fold
from holdfast.web.values import Asked, Page
from holdfast.wiring.web_answers import Looked, Shown, key_number, number
from holdfast.wiring.web_apart import Question
from holdfast.wiring.web_entries import shortened

ITEMS_MAX: Final = 200
"""Items of a store on one page; more are counted."""


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""

    def apart(name: str, asked: Asked) -> Any:
        return site.beside.ask(Question(name, asked.key, dict(asked.query)), WEB_APART_S)

    return {"at": lambda asked: apart("at", asked), "diff": lambda asked: apart("diff", asked)}


def folded(site: Looked, name: str, asked: Asked) -> dict[str, Any]:
    """Make one of the pages of this part, here."""
    return at(site, asked) if name == "at" else between(site, asked)


def at(site: Looked, asked: Asked) -> dict[str, Any]:
    """Say what was true right after an entry: how much of each store, or one store's items."""
    seq = key_number(asked)
    fold = _fold(site, seq)
    items = fold.items()
    store = asked.query.get("store")
    if not store:
        digests = fold.digests()
        return {
            "seq": seq,
            "stores": {
                name: {"items": len(found), "digest": digests[name]}
                for name, found in items.items()
            },
        }
    if store not in items:
        raise NotFound(
            f"There is no store {store[:60]!r}.",
            meaning="Nothing was shown.",
            remedy=f"Stores: {', '.join(items)}.",
        )
    keys = sorted(items[store])
    skip = number(asked, "skip", 0)
    shown = keys[skip : skip + ITEMS_MAX]
    return {
        "seq": seq,
        "store": store,
        "count": len(keys),
        "items": [[key, shortened(items[store][key])] for key in shown],
    }


def between(site: Looked, asked: Asked) -> dict[str, Any]:
    """Say what is true right after one entry and was not after another, and the other way round."""
    head = site.reader.head().size
    first, second = number(asked, "a", 0), number(asked, "b", max(0, head - 1))
    found = diff(_fold(site, first), _fold(site, second))
    return {"a": first, "b": second, "stores": [_spelled(one) for one in found.stores]}


def _fold(site: Looked, seq: int) -> Fold:
    size = site.reader.head().size
    if seq >= size:
        raise NotFound(
            f"There is no entry {seq:,}.",
            meaning=f"The ledger holds {size:,} entries.",
            remedy="Choose an earlier one.",
        )
    site.project.views.fold_up(site.reader)
    return fold_at(site.reader, seq + 1, site.project.views)


def _spelled(one: StoreDifference) -> dict[str, Any]:
    parts: dict[str, Mapping[str, Any]] = {
        "added": one.added,
        "removed": one.removed,
        "changed": one.changed,
    }
    told: dict[str, Any] = {"store": one.store}
    for name, found in parts.items():
        shown = list(found.items())[:ITEMS_MAX]
        told[name] = [[key, shortened(_plain(value))] for key, value in shown]
        told[f"{name}_more"] = len(found) - len(shown)
    return told


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
