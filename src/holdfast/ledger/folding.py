"""What is true at some moment, worked out from the entries."""

from __future__ import annotations

from holdfast.kernel import entry as entries
from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Reader, Selection
from holdfast.stores import Fold


def fold_up_to(reader: Reader, stop: int | None) -> Fold:
    """Fold all entries, or those before `stop`; one that is missing is a hard failure."""
    fold = Fold()
    for stored in reader.read(Selection(stop=stop)):
        if stored.seq != fold.size:
            break
        fold.apply(entries.read(stored.body))
    size = reader.head().size if stop is None else stop
    if fold.size < size:
        raise Damaged(
            f"Entry {fold.size} is missing.",
            meaning="What is true after it cannot be worked out.",
            remedy="Run `holdfast verify` to see what else is.",
        )
    return fold
