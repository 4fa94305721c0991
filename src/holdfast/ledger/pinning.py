"""Pins: what a save depends on besides the entries, and saying that one changed on purpose.

Pins come from the code that runs. A save made under another value does not boot, until an entry
says that the change is meant: that is what revising a pin records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.ledger.pin_check import ABSENT
from holdfast.storage.port import Reader, Selection

if TYPE_CHECKING:
    from holdfast.ledger.ledger import Ledger, Receipt


class Pin(msgspec.Struct, frozen=True):
    """One pin as it is now, and as the newest save has it."""

    pin: str
    value: str
    saved: str | None
    """What the newest save was made under; null when there is no save."""


class Revision(msgspec.Struct, frozen=True):
    """An entry that lets saves made under `before` boot under `after`."""

    seq: int
    pin: str
    before: str
    after: str


class Revised(msgspec.Struct, frozen=True):
    """A pin that was revised."""

    receipt: Receipt
    pin: str
    before: str
    after: str


class Pinning:
    """The pins of the environment beside those that saves were made under, the newest first."""

    def __init__(
        self,
        ledger: Ledger,
        environment: Mapping[str, str],
        saved: Sequence[Mapping[str, str]] = (),
    ) -> None:
        self._ledger = ledger
        self._environment = environment
        self._saved = saved

    def all(self) -> list[Pin]:
        """Return every pin that the environment or the newest save has, by name."""
        newest = self._saved[0] if self._saved else None
        names = sorted({*self._environment, *(newest or ())})
        return [
            Pin(
                name,
                self._environment.get(name, ABSENT),
                None if newest is None else newest.get(name, ABSENT),
            )
            for name in names
        ]

    def revise(self, pin: str, reason: str, *, to: str | None = None) -> Revised:
        """Record that a pin has another value from now on: the environment's unless one is named.

        What it had before is its value in the newest save that was made under another one. Refuses
        a pin that nobody knows, and a value that changes nothing.
        """
        if pin not in self._environment and not any(pin in pins for pins in self._saved):
            raise _unknown(pin)
        after = self._environment.get(pin, ABSENT) if to is None else to
        values = [pins.get(pin, ABSENT) for pins in self._saved]
        before = next((value for value in values if value != after), None)
        if before is None:
            raise _changes_nothing(pin, after, bool(self._saved))
        for known in revisions(self._ledger.reader):
            if (known.pin, known.before, known.after) == (pin, before, after):
                raise InvalidInput(
                    f"Entry {known.seq} revises {pin} from {before} to {after} already.",
                    meaning="Nothing was recorded; saves made under the old value may boot.",
                    remedy="`holdfast boot` tries one.",
                )
        receipt = self._ledger.append(
            "pin_revised", {"pin": pin, "before": before, "after": after, "reason": reason}
        )
        return Revised(receipt, pin, before, after)


def revisions(reader: Reader) -> list[Revision]:
    """Return every revision of a pin, oldest first."""
    found = []
    for stored in reader.read(Selection(type="pin_revised")):
        data: Any = entries.read(stored.body).value()
        found.append(Revision(stored.seq, data["pin"], data["before"], data["after"]))
    return found


def _unknown(pin: str) -> NotFound:
    return NotFound(
        f"There is no pin {pin[:80]!r}.",
        meaning="Nothing was recorded.",
        remedy="`holdfast pin list` names them.",
    )


def _changes_nothing(pin: str, after: str, saved: bool) -> InvalidInput:
    if not saved:
        return InvalidInput(
            "There is no save yet, so none was made under another value.",
            meaning="Nothing was recorded.",
            remedy="A pin is revised when a save no longer boots because of it.",
        )
    return InvalidInput(
        f"Every save was made with {pin} = {after}: revising it would change nothing.",
        meaning="Nothing was recorded.",
        remedy="`holdfast pin list` shows every value beside that of the newest save.",
    )
