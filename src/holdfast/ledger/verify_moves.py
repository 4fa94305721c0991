"""Whether every artifact of the State Map moved as its past allows.

Bytes can be sealed as they should be and still say what cannot have happened: somebody who writes
to the database directly can put in an entry that no `append` would have taken. Only entries that
move artifacts are read; whether one is legal follows from those before it and from nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged, NewerFormat
from holdfast.kernel.types import TYPES
from holdfast.storage.port import Fault, Reader, Selection
from holdfast.stores import State
from holdfast.stores.state_map import StateMap


def check_moves(reader: Reader) -> Iterator[Fault]:
    """Yield the first move that is not legal; what comes behind it can no longer be judged."""
    state = State(StateMap())
    for stored in reader.read(Selection(type="artifact_moved")):
        try:
            entry = entries.read(stored.body)
            state.apply(entry, TYPES.read(entry))
        except (Damaged, NewerFormat) as problem:
            yield Fault(stored.seq, "transition", problem.what)
            return
