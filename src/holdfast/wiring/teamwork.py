"""What others are at, as `status` tells it: open work and handoffs that wait, without a fold.

The newest entries of each kind are looked at, so that it stays quick; `holdfast resume` and
`holdfast handoff list` know all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Reader, Selection

LOOKED_AT: Final = 1000
"""Newest entries of each kind that are read."""


class OpenWork(msgspec.Struct, frozen=True):
    """Work that somebody began and nobody closed."""

    work: str
    title: str
    seq: int
    session: str | None
    by: str


class WaitingOffer(msgspec.Struct, frozen=True):
    """A handoff that nobody answered."""

    handoff: str
    to: str
    title: str
    seq: int
    by: str


def open_work(reader: Reader) -> list[OpenWork]:
    """Return the work that is open, the newest first. It may be opened again after its end."""
    closed: dict[str, int] = {}
    for entry in _newest(reader, "work_closed"):
        closed.setdefault(str(entry.value().get("work")), entry.seq)
    found: dict[str, OpenWork] = {}
    for entry in _newest(reader, "work_opened"):
        data = entry.value()
        work = str(data.get("work"))
        if closed.get(work, -1) < entry.seq:
            title = _text(data.get("title"))
            found.setdefault(
                work, OpenWork(work, title, entry.seq, entry.session_id, entry.actor.name)
            )
    return list(found.values())


def waiting_offers(reader: Reader) -> list[WaitingOffer]:
    """Return the handoffs that nobody answered, the newest first."""
    answered = {entry.value().get("handoff") for entry in _newest(reader, "handoff_answered")}
    return [
        WaitingOffer(
            entry.id, str(data.get("to")), _text(data.get("title")), entry.seq, entry.actor.name
        )
        for entry in _newest(reader, "handoff_offered")
        if entry.id not in answered
        for data in (entry.value(),)
    ]


def _newest(reader: Reader, kind: str) -> Iterator[Entry]:
    """Yield the newest entries of a type; a damaged one is for verify to name."""
    for stored in islice(reader.read(Selection(type=kind, newest_first=True)), LOOKED_AT):
        try:
            entry = entries.read(stored.body)
            entry.value()
        except Damaged:
            continue
        yield entry


def _text(value: Any) -> str:
    """Return a text as it stands in an entry; one that went to the vault is only named."""
    return value if isinstance(value, str) else "(long; `holdfast show` has it)"
