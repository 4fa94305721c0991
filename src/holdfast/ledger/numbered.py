"""Entries by their numbers, many at once: what lies side by side is read together.

A run of entries is stored in one piece. Whoever asks for them one by one has the whole piece read
and taken apart for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Final

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import HoldfastError
from holdfast.storage.port import Selection, Stored

if TYPE_CHECKING:
    from holdfast.kernel.entry import Entry
    from holdfast.ledger.ledger import Ledger

AT_ONCE: Final = 500
"""Entries that are read ahead."""
GAP_MAX: Final = 32
"""Entries between two that are wanted which are read with them."""


def entries_at(ledger: Ledger, seqs: Iterable[int]) -> Iterator[Entry]:
    """Yield the entries with these numbers, in the order asked for.

    One that is not there, or cannot be read, is refused as if it had been asked for alone.
    """
    asked = iter(seqs)
    while some := list(islice(asked, AT_ONCE)):
        held = {stored.seq: stored for stored in _read(ledger, sorted(set(some)))}
        for seq in some:
            yield entries.read((held.get(seq) or ledger.get(seq)).body)


def _read(ledger: Ledger, seqs: Sequence[int]) -> Iterator[Stored]:
    wanted = set(seqs)
    begin = 0
    for place, seq in enumerate(seqs):
        if place + 1 < len(seqs) and seqs[place + 1] - seq <= GAP_MAX:
            continue
        with suppress(HoldfastError):  # of whom it is true is told when each is asked for
            for stored in ledger.reader.read(Selection(seqs[begin], seq + 1)):
                if stored.seq in wanted:
                    yield stored
        begin = place + 1
