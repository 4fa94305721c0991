"""Where the work stands now: what the first view of the web page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from holdfast.kernel.errors import HoldfastError
from holdfast.stores import tasks
from holdfast.stores.attention import key_of
from holdfast.stores.sessions import open_ids
from holdfast.views.attention import MESSAGES, bounds_of
from holdfast.web.values import Page
from holdfast.wiring.saves import SavesFolder
from holdfast.wiring.status import last_entry
from holdfast.wiring.web_answers import Shown


def pages(site: Shown) -> Mapping[str, Page]:
    """Return the pages of this part."""
    return {"now": lambda _: now(site), "gate": lambda _: site.gate.told(site.reader.head().size)}


def now(site: Shown) -> dict[str, Any]:
    """Say where the work stands, from what the views have taken in; quick, however long it is."""
    project, reader = site.project, site.reader
    head = reader.head()
    views = project.views
    sessions: Any = views.items("sessions")
    going_on = open_ids(sessions)
    session = going_on[-1] if going_on else None
    archives = reader.archives()
    save = SavesFolder(site.place.saves).newest().save
    return {
        "project": None if site.place.project is None else site.place.project.name,
        "path": str(site.place.project or site.place.database),
        "ledger": head.ledger,
        "entries": head.size,
        "archived": archives[-1].last + 1 if archives else 0,
        "as_of": min(views.folded, head.size),
        "last": msgspec.to_builtins(last_entry(reader, head.size)),
        "now_us": project.ledger.now_us(),
        "session": session,
        "sessions": [_session(sessions, one) for one in going_on[-20:]],
        "task": _task(views.items("tasks"), session),
        "attention": _attention(site, views.items("attention"), session),
        "checkpoint": _checkpoint(site, sessions, session),
        "open_work": _open_work(views.items("open_work")),
        "save": None if save is None else {"id": save.snapshot_id, "size": save.tree_size},
        "verified": msgspec.to_builtins(site.verified),
    }


def _session(sessions: Any, session_id: str) -> dict[str, Any]:
    item = sessions.get(session_id) or {}
    names = ("first", "last", "entries", "title", "actor", "tool_calls", "checkpoint")
    return {"id": session_id} | {name: item.get(name) for name in names}


def _task(items: Any, session: str | None) -> dict[str, Any] | None:
    item: Any = tasks.current(items, session)
    if item is None:
        return None
    names = ("task", "title", "status", "priority", "next_steps")
    return {name: item.get(name) for name in names}


def _attention(site: Shown, items: Any, session: str | None) -> dict[str, Any] | None:
    item: Any = items.get(key_of(session))
    if item is None or item["seq"] is None:
        return None
    bounds = bounds_of(site.project.settings.attention, item["window"])
    names = ("tokens", "zone", "peak", "model", "window", "seq")
    told = {name: item[name] for name in names}
    return told | {"bounds": msgspec.to_builtins(bounds), "message": MESSAGES[item["zone"]]}


def _checkpoint(site: Shown, sessions: Any, session: str | None) -> dict[str, Any] | None:
    item: Any = None if session is None else sessions.get(session)
    seq = None if item is None else item["checkpoint"]
    if seq is None:
        return None
    try:
        entry = site.project.ledger.get(seq)
    except HoldfastError:
        return None
    from holdfast.kernel import entry as entries

    read = entries.read(entry.body)
    data = site.project.ledger.data(read)
    names = ("task", "completed", "total", "next_action", "quick_resume")
    return {"seq": seq, "time": read.timestamp} | {name: data.get(name) for name in names}


def _open_work(items: Any) -> list[dict[str, Any]]:
    found = sorted(items.items(), key=lambda one: -one[1]["seq"])[:50]
    return [{"work": key} | dict(item) for key, item in found]
