"""Sessions as callers use them: start, end, find the one that an entry belongs to.

Identity crosses processes because it lies in the ledger: the session that was started and not
ended is the current one. Two agents at once are told apart by name and by the process that holds
the session; where that does not decide, nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor, Span
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.types import TYPES, Holder
from holdfast.kernel.types.sessions import CRASHED
from holdfast.ledger.ledger import Draft
from holdfast.ledger.processes import Processes, SystemProcesses
from holdfast.ledger.session_items import Listed, OpenSession, listed, open_session
from holdfast.storage.port import Selection
from holdfast.stores.sessions import OPEN, OVER, ended_by, is_open, open_ids, sessions_of
from holdfast.stores.sessions import Sessions as Fold

if TYPE_CHECKING:
    from holdfast.index.views import Views
    from holdfast.ledger.ledger import Ledger, Receipt

NAMED_MAX: Final = 5
"""Sessions that a message names; the others are counted."""

BEHIND_MAX: Final = 20_000
"""Entries that the kept folds are brought forward by before something is recorded."""

_HOLDFAST: Final = Actor("holdfast", "holdfast")
_FOLD: Final = Fold()


class Started(msgspec.Struct, frozen=True):
    """A session that is open now."""

    session_id: str
    parent: str | None
    crashed: tuple[str, ...] = ()
    """Sessions that ended without saying so, and were closed."""
    resumed: bool = False
    """It was open already; nothing was recorded."""


class Before(msgspec.Struct, frozen=True):
    """What there is before a session that an agent says has begun."""

    parent: str | None
    root: str
    crashed: tuple[Draft, ...]
    """Ends of sessions that ended without saying so, for the caller to append."""


class Sessions:
    """The sessions of one ledger."""

    def __init__(self, ledger: Ledger, views: Views, *, processes: Processes | None = None) -> None:
        self._ledger = ledger
        self._views = views
        self._processes = processes or SystemProcesses()

    def start(
        self,
        session_id: str | None = None,
        *,
        parent: str | None = None,
        holder: Holder | None = None,
        title: str | None = None,
    ) -> Started:
        """Begin a session, or go on in one that is open; close those that are presumed crashed.

        The holder is the process that the session lives and dies with: this one by default.
        """
        session_id = entries.check_name("The session id", session_id or self._ledger.new_id())
        parent = None if parent is None else self._given(parent, session_id)
        holder = holder or next(iter(self._processes.line()), None)
        going_on = self._open()
        crashed = self._close_crashed(going_on, holder, session_id)
        for one in going_on:
            if one.session_id == session_id and session_id not in crashed:
                return Started(session_id, one.parent, crashed, resumed=True)
        parent = self._parent_of(session_id) if parent is None else parent
        self._record_start(session_id, parent, holder, title)
        return Started(session_id, parent, crashed)

    def before(
        self, session_id: str, actor: str, holder: Holder | None, *, goes_on: bool
    ) -> Before:
        """Return what a session of another program comes after; records nothing.

        One that is opened again keeps its parent. A new one has none unless it `goes_on`: then it
        is the newest finished session of the same actor, and of the same process where that is
        known.
        """
        items = self._items()
        crashed = [
            one
            for one in sorted(self._open(), key=lambda one: one.last)
            if one.session_id != session_id
            and (self._is_gone(one) or (one.actor == actor and None is not holder == one.holder))
        ]
        known: Any = items.get(session_id)
        if known is not None and known["started"] is not None:
            parent: str | None = known["parent"]
            root: str = known["root"]
        else:
            gone = {one.session_id for one in crashed}
            over = [
                (item["holder"] == _spelled(holder), item["last"], name)
                for name, item in sessions_of(items)
                if name != session_id
                and item["actor"] == actor
                and (name in gone or not is_open(item))
            ]
            parent = max(over)[2] if goes_on and over else None
            root = session_id if parent is None else items[parent]["root"]
        return Before(parent, root, tuple(_crash(one) for one in crashed))

    def end(self, session_id: str, reason: str) -> Receipt:
        """Say that a session is over. Refuses one that is not there or is over already."""
        self.check_open(session_id)
        return self._ledger.append("session_ended", {"reason": reason}, session_id=session_id)

    def check_open(self, session_id: str) -> None:
        """Refuse a session that is not there or is over already."""
        known = self._items().get(session_id)
        if known is None:
            raise _unknown(session_id)
        if known["ended"] is not None:
            raise NotFound(
                f"Session {session_id} is over already ({known['reason']}).",
                meaning="Nothing was recorded; it keeps the end it has.",
                remedy="`holdfast session start --session` opens it again.",
            )

    def current(self) -> str | None:
        """Return the session that entries belong to when they name none, None outside any.

        Of several open ones it is the one with our actor's name, then the one that this process
        or an ancestor holds. When that leaves more than one, or none, it refuses.
        """
        going_on = self._open()
        if not going_on:
            return None
        if len(going_on) == 1:
            return None if self._is_anothers(going_on[0]) else going_on[0].session_id
        mine = [one for one in going_on if one.actor == self._ledger.actor.name]
        if len(mine) != 1:
            line = self._processes.line()
            mine = [one for one in mine or going_on if one.holder in line]
        if len(mine) == 1:
            return mine[0].session_id
        raise InvalidInput(
            f"{len(going_on)} sessions are open: {_named(one.session_id for one in going_on)}.",
            meaning="Nothing was recorded: it is not clear which of them this belongs to.",
            remedy="Say which with --session, or set HOLDFAST_SESSION.",
        )

    def open(self) -> list[str]:
        """Return the sessions that were started and are not over, oldest first."""
        return [one.session_id for one in self._open()]

    def resolve(self, prefix: str) -> str:
        """Return the session that a whole id or the beginning of one names."""
        items = self._items()
        if prefix in items or self._is_there(prefix):
            return prefix
        found = sorted(name for name, _ in sessions_of(items) if name.startswith(prefix))
        found = found if prefix else []
        if len(found) == 1:
            return found[0]
        if not found:
            raise _unknown(prefix)
        raise InvalidInput(
            f"{len(found)} sessions begin with {prefix!r}: {_named(found)}.",
            meaning="Nothing was done.",
            remedy="Give more of the id.",
        )

    def all(self) -> list[Listed]:
        """Return every session, in the order of its last entry."""
        return sorted(
            (listed(name, item) for name, item in sessions_of(self._items())),
            key=lambda one: one.last,
        )

    # What the ledger says

    def _items(self) -> Mapping[str, Any]:
        """Return every session as it stands at the head."""
        reader = self._ledger.reader
        if reader.head().size - self._views.size <= BEHIND_MAX:
            self._views.catch_up(reader)
        taken, head = self._views.taken, reader.head()
        ours = taken.ledger == head.ledger and taken.stores.get(_FOLD.name) == _FOLD.version
        if not ours or taken.size > head.size:
            return self._beyond(0, {})
        items = self._views.items("sessions")
        # others may have appended since; what counts is whether the fold got as far as it could
        whole = taken.folded == taken.size and head.size - taken.size <= BEHIND_MAX
        return items if whole else self._beyond(taken.folded, dict(items.items()))

    def _beyond(self, folded: int, items: dict[str, Any]) -> dict[str, Any]:
        """Follow beginnings and ends from where the fold stands, for a recorder who cannot wait.

        The fold stops at an entry that cannot be read; and where it is far behind, whatever is to
        be recorded is not held up by it.
        """
        marks = [
            entry
            for kind in ("session_started", "session_ended")
            for entry in self._ledger.read(
                Selection(folded, type=kind), on_damaged=lambda _fault: None
            )
        ]
        for entry in sorted(marks, key=lambda entry: entry.seq):
            items |= _FOLD.apply(items, entry, TYPES.read(entry))
        for name, item in list(sessions_of(items)):
            ended = item["ended"]
            if item["reason"] == CRASHED and ended >= folded and self._is_there(name, ended + 1):
                items[name] = {**item, "ended": None, "reason": None}
                items[OPEN] = [*open_ids(items), name]
        return items

    def _is_there(self, session_id: str, first: int = 0) -> bool:
        """Tell whether any entry has this session, also where the fold could not look."""
        wanted = Selection(first, session_id=session_id, newest_first=True)
        return next(iter(self._ledger.reader.read(wanted)), None) is not None

    def _open(self) -> list[OpenSession]:
        """Return what goes on, in the order it began."""
        items = self._items()
        going_on = [open_session(name, items[name]) for name in open_ids(items)]
        return sorted(going_on, key=lambda one: one.started)

    def _is_anothers(self, one: OpenSession) -> bool:
        """Tell whether we worked beside a session, in one of our own that is over by now."""
        name = self._ledger.actor.name
        return one.actor != name and ended_by(self._items(), name) > one.started

    # Beginning

    def _close_crashed(
        self, going_on: list[OpenSession], holder: Holder | None, session_id: str
    ) -> tuple[str, ...]:
        """End the sessions whose holder is gone or works in the new one; return which.

        The one that was worked in last is closed last: it is what the new one goes on from.
        """
        crashed = [
            one
            for one in sorted(going_on, key=lambda one: one.last)
            if self._is_gone(one) or (one.session_id != session_id and self._is_left(one, holder))
        ]
        for one in crashed:
            self._ledger.append_many([_crash(one)])
        return tuple(one.session_id for one in crashed)

    def _is_gone(self, one: OpenSession) -> bool:
        return one.holder is not None and self._processes.is_gone(one.holder)

    def _is_left(self, one: OpenSession, holder: Holder | None) -> bool:
        """Tell whether whoever starts a session now worked in this one before."""
        same_name = one.actor == self._ledger.actor.name
        return same_name and (one.holder is None or one.holder == holder)

    def _parent_of(self, session_id: str) -> str | None:
        """Return the newest session that does not go on; one that is opened again keeps its own."""
        items = self._items()
        known: Any = items.get(session_id)
        if known is not None and known["started"] is not None:
            kept: str | None = known["parent"]
            return kept
        over: Any = items.get(OVER)
        if over is not None and over != session_id:
            newest: str = over
            return newest
        found = (
            (item["last"], name)
            for name, item in sessions_of(items)
            if name != session_id and not is_open(item)
        )
        return max(found, default=(0, None))[1]

    def _given(self, parent: str, session_id: str) -> str:
        """Return the parent that was asked for, unless it comes from the session itself."""
        parent = self.resolve(parent)
        items = self._items()
        above: str | None = parent
        seen: set[str] = set()
        while above is not None and above not in seen:
            if above == session_id:
                raise InvalidInput(
                    f"Session {session_id} cannot go on from {parent}, which comes from it.",
                    meaning="Nothing was recorded.",
                    remedy="Name another --parent, or leave it out.",
                )
            seen.add(above)
            item = items.get(above)
            above = None if item is None else item["parent"]
        return parent

    def _record_start(
        self, session_id: str, parent: str | None, holder: Holder | None, title: str | None
    ) -> None:
        data: dict[str, Any] = {"parent": parent}
        if holder is not None:
            data["holder"] = msgspec.to_builtins(holder)
        if title is not None:
            data["title"] = title
        items = self._items()
        known: Any = items.get(session_id)
        self._ledger.append(
            "session_started",
            data,
            session_id=session_id,
            # two hooks that start one session at once start it once
            id=derived_id("started", session_id, -1 if known is None else known["last"]),
            span=Span(session_id, parent, session_id if parent is None else items[parent]["root"]),
        )


def _crash(one: OpenSession) -> Draft:
    """Make the end of a session that ended without saying so."""
    identity = derived_id(CRASHED, one.session_id, one.last)
    return Draft("session_ended", {"reason": CRASHED}, one.session_id, _HOLDFAST, identity)


def _spelled(holder: Holder | None) -> object:
    return None if holder is None else msgspec.to_builtins(holder)


def derived_id(*parts: str | int) -> str:
    """Return an id that follows from what it is for: whoever comes second repeats the first."""
    digest = sha256("\0".join(map(str, parts)).encode()).hexdigest()
    # the form of a UUID that is made from something (RFC 9562, version 8)
    text = f"{digest[:12]}8{digest[13:16]}a{digest[17:32]}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _unknown(name: str) -> NotFound:
    return NotFound(
        f"There is no session {name!r}.",
        meaning="Nothing was recorded.",
        remedy="`holdfast session list` names them.",
    )


def _named(names: Iterable[str]) -> str:
    """Name some, and count the rest."""
    names = list(names)
    more = len(names) - NAMED_MAX
    return ", ".join(islice(names, NAMED_MAX)) + (f" and {more} more" if more > 0 else "")
