"""Sessions: where each began, where it ended and how, and what it goes on from.

An item for each session id:

    first, last, entries   numbers of its first and last entry, and how many it has
    started, ended, reason numbers of the entries that started and ended it, and how it ended
    parent, root           the session it goes on from, and the first of all of them
    actor, holder, title   who works in it, the process it lives with, what it is called
    tool_calls, checkpoint how many tools it called, and the number of its last checkpoint

A session that was started again is open again. An end whose reason is CRASHED is a presumption: a
later entry of the session takes it back.

So that nobody has to go through all of them, a few items are about many; their keys begin with a
blank, which no session id does: which sessions are open, in which the newest entry is, which was
the last that is over, and per actor where the last session of that name ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from holdfast.kernel.entry import Outline
from holdfast.kernel.types import (
    Holder,
    Model,
    SessionEnded,
    SessionStarted,
)
from holdfast.kernel.types.sessions import CRASHED
from holdfast.stores.store import NO_CHANGES, UNREAD, Changes, Items, Value
from holdfast.stores.wording import bounded, told

OPEN: Final = " open"
"""Ids of the sessions that were started and are not over, in the order they began."""
NEWEST: Final = " newest"
"""Id of the session that the newest entry of any belongs to."""
OVER: Final = " over"
"""Id of the session that is not open and was worked in last; null where only a search can tell."""
_ENDED_BY: Final = " ended by "


class Sessions:
    """The fold over everything that carries a session id."""

    name: Final = "sessions"
    version: Final = 3
    items_max: Final = 1_000_000
    takes: Final = None
    reads: Final = frozenset({"session_started", "session_ended"})
    rolls_back: Final = False

    def apply(self, items: Items, entry: Outline, data: Model) -> Changes:
        """Count the entry to its session, and note its beginning or end."""
        session_id = entry.session_id
        if session_id is None:
            return NO_CHANGES
        known: Any = items.get(session_id)
        session: dict[str, Any] = _unseen(entry, session_id) if known is None else known.copy()
        session["entries"] += 1
        session["last"] = entry.seq
        if session["reason"] == CRASHED:
            session |= {"ended": None, "reason": None}
        kind = entry.type
        if kind == "tool_called":
            session["tool_calls"] += 1
        elif kind == "checkpoint":
            session["checkpoint"] = entry.seq
        elif isinstance(data, SessionStarted):
            session |= _started(entry, data)
        elif isinstance(data, SessionEnded):
            session |= {"ended": entry.seq, "reason": told(data.reason)}
        # every other type counts, and changes nothing else about its session
        if (
            known is not None
            and known["ended"] is session["ended"] is None
            and known["started"] is not None
        ):  # open before and after, as nearly always
            if items.get(NEWEST) == session_id:
                return {session_id: session}
            return {session_id: session, NEWEST: session_id}
        return {session_id: session, **_about_many(items, session_id, session)}

    def apply_run(self, items: Items, run: Sequence[Outline]) -> Changes:
        """Return what several entries in a row change, all of one session and none of a type whose
        data this store reads: the same as one by one, but counted together."""
        changes = self.apply(items, run[0], UNREAD)
        session: Any = changes.get(run[0].session_id or "")
        if session is not None:  # made just now, by the line above
            session["entries"] += len(run) - 1
            session["last"] = run[-1].seq
            session["tool_calls"] += sum(entry.type == "tool_called" for entry in run[1:])
        return changes


def sessions_of(items: Items) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every session; goes through all items."""
    for key, item in items.items():
        if not key.startswith(" ") and isinstance(item, dict):
            yield key, item


def open_ids(items: Items) -> list[str]:
    """Return the open sessions in the order they began."""
    found: Any = items.get(OPEN)
    return list(found or ())


def ended_by(items: Items, actor: str) -> int:
    """Return the entry that ended the newest finished session of an actor, -1 when none did."""
    found: Any = items.get(_ENDED_BY + actor)
    return -1 if found is None else int(found)


def is_open(session: dict[str, Value]) -> bool:
    """Tell whether a session was started and is not over."""
    return session["started"] is not None and session["ended"] is None


def _about_many(items: Items, session_id: str, session: dict[str, Value]) -> dict[str, Value]:
    """Return what changes about all sessions together when this one has become so."""
    changes: dict[str, Value] = {}
    going_on = open_ids(items)
    if is_open(session) != (session_id in going_on):
        others: list[Value] = [one for one in going_on if one != session_id]
        changes[OPEN] = [*others, session_id] if is_open(session) else others
    if items.get(NEWEST) != session_id:
        changes[NEWEST] = session_id
    over = items.get(OVER)
    if not is_open(session) and over != session_id:
        changes[OVER] = session_id
    elif is_open(session) and over == session_id:
        changes[OVER] = None
    if session["ended"] == session["last"]:
        changes[f"{_ENDED_BY}{session['actor']}"] = session["ended"]
    return changes


def _started(entry: Outline, data: SessionStarted) -> dict[str, Value]:
    changes: dict[str, Value] = {
        "actor": entry.actor.name,
        "ended": None,
        "holder": None if data.holder is None else _holder(data.holder),
        "parent": data.parent,
        "reason": None,
        "started": entry.seq,
    }
    if data.title is not None:
        changes["title"] = told(data.title)
    if entry.span is not None:
        changes["root"] = entry.span.root
    return changes


def _holder(holder: Holder) -> dict[str, Value]:
    return {"pid": holder.pid, "started": bounded(holder.started)}


def _unseen(entry: Outline, session_id: str) -> dict[str, Value]:
    return {
        "actor": entry.actor.name,
        "checkpoint": None,
        "ended": None,
        "entries": 0,
        "first": entry.seq,
        "holder": None,
        "last": entry.seq,
        "parent": None,
        "reason": None,
        "root": session_id if entry.span is None else entry.span.root,
        "started": None,
        "title": None,
        "tool_calls": 0,
    }
