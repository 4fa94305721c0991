"""Which time an agent says the same words, where it gives the turn no id.

A hook knows the words alone; a transcript counts them as it goes. Both number them from 1 on, so
that what both tell is one entry. Whether words are those that the ledger has already is judged by
the time: those of another hook are its own; those that a transcript told meanwhile are the ones
that this hook is about, when they were said since the user last spoke and since the last hook that
told the same.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.agents import keys
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged, NotFound
from holdfast.storage.port import Selection

if TYPE_CHECKING:
    from holdfast.agents.values import Event
    from holdfast.ledger.ledger import Ledger


class _Saying(msgspec.Struct, frozen=True):
    """One time that words were said."""

    at_us: int
    by_hook: bool


class Sayings:
    """Counts what is said in sessions, from what the ledger holds and what was told since."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._known: dict[str, list[_Saying]] = {}
        self._asked_us: dict[str | None, int] = {}

    def asked(self, event: Event) -> None:
        """Remember that the user spoke; what is said from here on is said anew."""
        self._asked_us[event.session] = event.at_us

    def nth(self, event: Event, text: str, *, repeats: bool) -> int:
        """Return which time these words are said; of an event that `repeats` another, its time."""
        known = self._sayings(event, text)
        now = _Saying(event.at_us, by_hook=True)
        if now in known:
            return known.index(now) + 1
        told = [at for at, one in enumerate(known) if one.by_hook]
        if repeats and told:
            return told[-1] + 1
        since_us = max([known[at].at_us for at in told] + [self._last_asked_us(event)])
        for at, one in enumerate(known):
            if not one.by_hook and since_us < one.at_us <= now.at_us:
                known[at] = now  # nobody else's from now on
                return at + 1
        known.append(now)
        return len(known)

    def _sayings(self, event: Event, text: str) -> list[_Saying]:
        first = _key(event, text, 1)
        if first not in self._known:
            known: list[_Saying] = []
            while (one := self._said(_key(event, text, len(known) + 1))) is not None:
                known.append(one)
            self._known[first] = known
        return self._known[first]

    def _said(self, key: str) -> _Saying | None:
        try:
            data = entries.read(self._ledger.get(keys.entry_id(key)).body).value()
        except NotFound:
            return None
        except Damaged:
            return _Saying(0, by_hook=True)
        by_hook = "message" not in data and "imported" not in data and "usage" not in data
        return _Saying(_us(data.get("at")), by_hook)

    def _last_asked_us(self, event: Event) -> int:
        """Return when the user last spoke in a session, 0 where that is not known."""
        if event.session not in self._asked_us:
            session = None if event.session is None else keys.session_id(event.session)
            newest = Selection(type="prompt_given", session_id=session, newest_first=True)
            found = self._ledger.read(newest, on_damaged=lambda _fault: None)
            entry = next((one for one in found if one.session_id == session), None)
            self._asked_us[event.session] = 0 if entry is None else _us(entry.value().get("at"))
        return self._asked_us[event.session]


def _key(event: Event, text: str, nth: int) -> str:
    return keys.said(event.agent, event.session, None, text, nth, worker=event.worker)


def _us(at: Any) -> int:
    """Return microseconds since 1970; 0 for what is no time."""
    try:
        then = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return 0
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return round(then.timestamp() * 1_000_000)
