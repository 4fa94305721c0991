"""What is known of other ledgers: the heads that were merged, by our own word alone."""

from __future__ import annotations

from typing import Final

import msgspec

from holdfast.kernel import entry as entries
from holdfast.kernel.entry import Actor
from holdfast.ledger.peers.source import TreeHead
from holdfast.storage.port import Reader, Selection

SYNCER: Final = Actor("holdfast", "sync")
"""Who merges and refuses. Nobody can record under this name by a command."""

_HEAD: Final = ("ledger", "size", "root")


def known_of(reader: Reader, ledger: str) -> TreeHead | None:
    """Return the newest head of a ledger that was merged here, None when none was."""
    for stored in reader.read(Selection(type="peer_merged", newest_first=True)):
        head = head_of(entries.read(stored.body))
        if head is not None and head.ledger == ledger:
            return head
    return None


def head_of(entry: entries.Entry) -> TreeHead | None:
    """Return the head that an entry merged; None when somebody else recorded it."""
    if entry.type != "peer_merged" or entry.actor != SYNCER:
        return None
    data = entry.value()
    return msgspec.convert({name: data[name] for name in _HEAD}, TreeHead)
