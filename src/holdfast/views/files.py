"""The documents kept on disk for people and scripts: what they say, not how they are written.

    current_state(...)   CURRENT_STATE.json         what is true now, and how to go on
    session_memory(...)  SESSION_MEMORY.json        what the current or latest session did
    restore_index(...)   indexes/restore_index.json which entries of a session are where

Each carries `as_of_seq`, `ledger` and `head`: whoever reads one can see whether it is current. What
is too much to repeat is counted beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import VIEW_DECISIONS_MAX, VIEW_ITEMS_MAX
from holdfast.stores import decisions as decided
from holdfast.stores import story as waiting
from holdfast.stores.sessions import NEWEST, open_ids
from holdfast.stores.store import Items
from holdfast.stores.wording import bounded
from holdfast.views.memory import Memory
from holdfast.views.places import Places
from holdfast.views.resume import Capsule
from holdfast.views.wording import Resolve, stored


class Marks(msgspec.Struct, frozen=True):
    """As of when a document is true: the ledger's name, its last entry and that one's leaf hash."""

    ledger: str
    head: str
    as_of_seq: int
    """-1 for an empty ledger."""


class Listed(Protocol):
    """An archive as the ledger lists it."""

    @property
    def first(self) -> int:
        """Its first entry."""

    @property
    def last(self) -> int:
        """Its last entry."""

    @property
    def name(self) -> str:
        """The name of the file."""

    @property
    def sha256(self) -> str:
        """The hash of the file."""

    @property
    def bytes(self) -> int:
        """The length of the file."""


def current_state(
    marks: Marks,
    *,
    archives: Sequence[Listed],
    sessions: Items,
    decisions: Items,
    work: Items,
    checkpoint: Entry | None,
    capsule: Capsule,
    resolve: Resolve = stored,
) -> dict[str, Any]:
    """Say what is true now. `checkpoint` is the newest of all, `capsule` what `resume` shows."""
    archives = _listed(archives, marks)
    archived = sum(archive.last - archive.first + 1 for archive in archives)
    open_now = open_sessions(sessions)
    return {
        **_marks(marks),
        "entries": marks.as_of_seq + 1,
        "active": marks.as_of_seq + 1 - archived,
        "archived": archived,
        "archives": len(archives),
        "sessions": {
            "current": open_now[0] if open_now else None,
            "open": open_now[:VIEW_ITEMS_MAX],
            "more_open": max(len(open_now) - VIEW_ITEMS_MAX, 0),
        },
        "checkpoint": None if checkpoint is None else _whole(checkpoint, resolve),
        "resume": {"text": capsule.text, "tokens": capsule.tokens},
        "decisions": _decisions(decisions, decided.CURRENT),
        "flagged": _decisions(decisions, decided.FLAGGED),
        "open_work": _open_work(work),
    }


def pending(story: Items) -> dict[str, Any]:
    """Say what waits for somebody; prompts are cut, `holdfast pending list` has them in full."""
    newest = reversed(waiting.pending(story, VIEW_ITEMS_MAX).items())
    shown = [
        {
            "pending": name,
            "kind": item["kind"],
            "prompt": bounded(item["prompt"]),
            "steps": item["steps"],
            "seq": item["seq"],
        }
        for name, item in newest
    ]
    return {"newest": shown, "more": waiting.count_pending(story) - len(shown)}


def session_memory(
    marks: Marks,
    *,
    session_id: str | None,
    sessions: Items,
    entries: Iterable[Entry],
    decisions: Items,
    unseen: bool = False,
    resolve: Resolve = stored,
) -> dict[str, Any]:
    """Say what a session did. `entries` are its newest, oldest first; `unseen`: there are older."""
    memory = Memory()
    for entry in entries:
        memory.take(entry, resolve(entry))
    session: Any = sessions.get(session_id) if session_id is not None else None
    holds = [one for one in memory.decisions if not _superseded(decisions, str(one["id"]))]
    return {
        **_marks(marks),
        "session": None if session is None else {"id": session_id, **session},
        "decisions": _newest(holds, VIEW_DECISIONS_MAX),
        "files": _newest(list(memory.files.values()), VIEW_ITEMS_MAX),
        "commands": _newest(memory.commands, VIEW_ITEMS_MAX),
        "errors": _newest(memory.errors, VIEW_ITEMS_MAX),
        "tool_calls_since_checkpoint": memory.calls_since(),
        "looked_at": {"first": memory.first, "last": memory.last, "older_unseen": unseen},
    }


def is_about(note: Mapping[str, Any], archive: Listed) -> bool:
    """Tell whether the note of a seal is of this archive.

    A ledger that continues another one holds the notes of that one's seals as well.
    """
    same = note.get("archive_sha256", archive.sha256) == archive.sha256
    return same and note.get("first") == archive.first


def restore_index(
    marks: Marks,
    *,
    archives: Sequence[Listed],
    compressions: Iterable[tuple[int, Mapping[str, Any]]],
    active: Iterable[tuple[int, str | None]],
) -> dict[str, Any]:
    """Say which entries of each session are in which archive, or still active.

    `compressions` are number and resolved data of the `compression` entries, oldest first;
    `active` are number and session id of the entries in no archive, in order.
    """
    archives = _listed(archives, marks)
    by_first = {archive.first: archive for archive in archives}
    places = Places()
    for note, data in compressions:
        archive = by_first.get(data.get("first", -1))
        if archive is not None and is_about(data, archive):
            places.take_archive(archive.name, note, data)
    for seq, session_id in active:
        places.take_active(seq, session_id)
    return {
        **_marks(marks),
        "archives": [
            {
                "name": archive.name,
                "first": archive.first,
                "last": archive.last,
                "sha256": archive.sha256,
                "bytes": archive.bytes,
            }
            for archive in archives
        ],
        "sessions": {key: place for key, place in places.found.items() if key is not None},
        "unsessioned": places.found.get(None),
    }


def open_sessions(sessions: Items) -> list[str]:
    """Return the sessions that were started and not ended, the one with the newest entry first."""
    found: list[tuple[int, str]] = []
    for session_id in open_ids(sessions):
        match sessions.get(session_id):
            case {"last": int(last)}:
                found.append((last, session_id))
            case _:
                pass  # the items do not fit together; what is not there is not named
    return [session_id for _, session_id in sorted(found, reverse=True)]


def latest_session(sessions: Items) -> str | None:
    """Return the session to remember: the newest open one, else the one with the newest entry."""
    if open_now := open_sessions(sessions):
        return open_now[0]
    newest = sessions.get(NEWEST)
    return newest if isinstance(newest, str) else None


def _marks(marks: Marks) -> dict[str, Any]:
    return {"as_of_seq": marks.as_of_seq, "head": marks.head, "ledger": marks.ledger}


def _listed(archives: Sequence[Listed], marks: Marks) -> list[Listed]:
    return [archive for archive in archives if archive.last <= marks.as_of_seq]


def _whole(entry: Entry, resolve: Resolve) -> dict[str, Any]:
    return {
        "id": entry.id,
        "seq": entry.seq,
        "session_id": entry.session_id,
        "timestamp": entry.timestamp,
        "data": dict(resolve(entry)),
    }


def _decisions(items: Items, which: str) -> dict[str, Any]:
    """List the newest of the decisions that hold; superseded ones are in neither list."""
    shown = [
        {
            "id": key,
            **{name: item[name] for name in ("seq", "session", "subject", "choice")},
            "cites_superseded": item["cites_superseded"],
        }
        for key, item in decided.newest(items, which, VIEW_DECISIONS_MAX)
    ]
    return {"newest": shown, "more": decided.count(items, which) - len(shown)}


def _superseded(items: Items, decision_id: str) -> bool:
    item: Any = items.get(decision_id)
    return item is not None and item["superseded_by"] is not None


def _open_work(items: Items) -> dict[str, Any]:
    found: list[dict[str, Any]] = [
        {"work": key, **item} for key, item in items.items() if isinstance(item, dict)
    ]
    return _newest(sorted(found, key=lambda one: (one["seq"], one["work"])), VIEW_ITEMS_MAX)


def _newest(things: Sequence[Any], limit: int) -> dict[str, Any]:
    return {"newest": list(things[::-1][:limit]), "more": max(len(things) - limit, 0)}
