"""What came while nothing was to be recorded: an agent's own transcript has it all the same.

Whoever reads transcripts asks here, so that a pause, or a private session, stays one.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from holdfast.agents import pausing
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.kernel.limits import PRIVATE_SLACK_S
from holdfast.storage.port import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.ledger.ledger import Draft, Ledger
    from holdfast.wiring.places import Place

_EVER: Final = 1 << 63
_SLACK_US: Final = PRIVATE_SLACK_S * 1_000_000


class Window(msgspec.Struct, frozen=True):
    """A time in which nothing of a session, or of all of them, was to be recorded."""

    session: str | None
    from_us: int
    until_us: int = _EVER

    def covers(self, session: str | None, at_us: int) -> bool:
        """Tell whether something of a session came in this time."""
        mine = self.session is None or self.session == session
        return mine and self.from_us <= at_us <= self.until_us


class Unrecorded:
    """Tells, of drafts in the order of their lines, which are to be left out."""

    def __init__(self, ledger: Ledger, place: Place) -> None:
        self._ledger = ledger
        self._folder = str(place.folder)
        self._pauses = pauses_of(ledger)
        self._private: dict[str, list[Window]] = {}
        self._last = False

    def hides(self, draft: Draft) -> bool:
        """Tell whether a draft is of such a time; one that names no time is as the one before."""
        at_us = _us(draft.data.get("at"))
        if at_us is not None:
            windows = [*self._pauses, *self._of(draft.session_id)]
            self._last = any(one.covers(draft.session_id, at_us) for one in windows)
        return self._last

    def left(self, drafts: Iterable[Draft]) -> list[Draft]:
        """Return the drafts that may be recorded."""
        return [draft for draft in drafts if not self.hides(draft)]

    def _of(self, session: str | None) -> list[Window]:
        """Return when a session was private; an end that was not told is its next start here."""
        if session is None:
            return []
        if session not in self._private:
            found = pausing.private_since(self._folder, session)
            self._private[session] = [
                Window(
                    session,
                    start - _SLACK_US,
                    self._next_start(session, start) if end is None else end + _SLACK_US,
                )
                for start, end in found
            ]
        return self._private[session]

    def _next_start(self, session: str, after_us: int) -> int:
        chosen = Selection(type="session_started", session_id=session)
        starts = (at for at, _, _ in _told(self._ledger, chosen) if at > after_us)
        return min(starts, default=_EVER)


def pauses_of(ledger: Ledger) -> list[Window]:
    """Return the pauses that the ledger tells of; the last may hold still."""
    marks = [
        (seq, at_us, session, type_name)
        for type_name in ("recording_paused", "recording_resumed")
        for at_us, seq, data in _told(ledger, Selection(type=type_name))
        for session in (data.get("session"),)
    ]
    found: list[Window] = []
    since: dict[str | None, int] = {}
    for _, at_us, session, type_name in sorted(marks, key=lambda mark: mark[0]):
        if type_name == "recording_paused":
            since.setdefault(session, at_us)
        elif session in since:
            found.append(Window(session, since.pop(session), at_us))
    return found + [Window(session, at_us) for session, at_us in since.items()]


def _told(ledger: Ledger, chosen: Selection) -> Iterable[tuple[int, int, Any]]:
    for stored in ledger.lines(chosen):
        try:
            entry = entries.read(stored.body)
        except Damaged:
            continue
        if (at_us := _us(entry.timestamp)) is not None:
            yield at_us, stored.seq, entry.value()


def _us(timestamp: Any) -> int | None:
    if not isinstance(timestamp, str):
        return None
    try:
        then = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return int(then.timestamp() * 1_000_000)
