"""Telling one happening from the next like it, where the agent gives it no id of its own.

The same told again at once is the same: agents fire some events several times. The same with
anything else of its session in between is another one. What was recorded before is looked up in the
ledger, by the time at which it was received: so taking in twice what waited adds nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from holdfast.agents import keys
from holdfast.agents.reading import numbered
from holdfast.kernel import entry as entries
from holdfast.kernel.errors import NotFound
from holdfast.kernel.limits import LAST_EVENTS_MAX
from holdfast.ledger.sources import timestamp
from holdfast.storage.files import FILE_MODE
from holdfast.wiring.sayings import Sayings

if TYPE_CHECKING:
    from holdfast.agents.values import Event
    from holdfast.wiring.project import Project

FILE: Final = "last-events"
"""In the intake: the last event of each session. Derived; without it a double is seen as two."""


_SAYING: Final = frozenset({"stop", "other"})
"""Kinds of events that tell what the agent said."""


class Numbering:
    """Counts events that nothing in their payload tells apart."""

    def __init__(self, project: Project) -> None:
        self._ledger = project.ledger
        self._path = Path(project.place.folder) / "intake" / FILE
        self._last = self._read()
        self._sayings = Sayings(project.ledger)
        self._received: dict[str, list[str]] = {}
        """When each of those was received that have one key but for their number."""

    def settle(self, event: Event) -> Event:
        """Return an event with the number that is its own."""
        first = keys.entry_id(event.key)
        session = keys.entry_id(f"{event.agent} {event.session}")
        told = keys.entry_id(event.key, event.source or "")
        repeats = self._last.pop(session, None) == told
        self._last[session] = told
        event = self._worded(event, repeats=repeats)
        if not event.counted:
            return event
        known = self._known(event, first)
        at = timestamp(event.at_us)
        if at in known:
            return numbered(event, known.index(at) + 1)
        if repeats and known:
            return numbered(event, len(known))
        known.append(at)
        return numbered(event, len(known))

    def _worded(self, event: Event, *, repeats: bool) -> Event:
        """Return an event with which time its words are said, where no turn tells them apart."""
        if event.kind == "prompt":
            self._sayings.asked(event)
        if event.turn is not None or event.text is None or event.kind not in _SAYING:
            return event
        nth = self._sayings.nth(event, event.text, repeats=repeats)
        return msgspec.structs.replace(event, said=nth)

    def known(self, event: Event) -> Event:
        """Return an event that was taken in, with the number that it got; of one that was told
        again, the number of the first. Counts nothing."""
        if not event.counted:
            return event
        known = self._known(event, keys.entry_id(event.key))
        at = timestamp(event.at_us)
        return numbered(event, known.index(at) + 1 if at in known else max(len(known), 1))

    def keep(self) -> None:
        """Remember the last event of each session for the next process; all is recorded by now, so
        nothing that stands in the way of it may keep us from saying so."""
        kept = list(self._last.items())[-LAST_EVENTS_MAX:]
        draft = self._path.with_name(f"{FILE}.{os.getpid()}.new")
        try:
            draft.touch(FILE_MODE)
            draft.write_text("".join(f"{a} {b}\n" for a, b in kept), encoding="ascii")
            draft.replace(self._path)
        except OSError:
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def _known(self, event: Event, first: str) -> list[str]:
        """Return when those were received that the ledger holds, in the order of their numbers."""
        if first not in self._received:
            known: list[str] = []
            while (at := self._at(numbered(event, len(known) + 1).key)) is not None:
                known.append(at)
            self._received[first] = known
        return self._received[first]

    def _at(self, key: str) -> str | None:
        try:
            stored = self._ledger.get(keys.entry_id(key))
        except NotFound:
            return None
        at = entries.read(stored.body).value().get("at")
        return at if isinstance(at, str) else ""

    def _read(self) -> dict[str, str]:
        try:
            lines = self._path.read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:
            return {}
        pairs = [line.split(" ") for line in lines]
        return {pair[0]: pair[1] for pair in pairs if len(pair) == 2 and "".join(pair).isascii()}
