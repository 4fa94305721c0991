"""What is true now, for whoever is about to record something because of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.kernel.errors import Damaged
from holdfast.storage.port import Reader
from holdfast.stores.store import Items

if TYPE_CHECKING:
    from holdfast.index.views import Views


def items_now(reader: Reader, views: Views, store: str) -> Items:
    """Return the items of a store as of the head; a fold that cannot get there is no answer."""
    size = reader.head().size
    folded = views.fold_up(reader)
    if folded < size:
        raise Damaged(
            f"Entry {folded} cannot be read, so what is true after it is not known.",
            meaning="Nothing was recorded.",
            remedy="Run `holdfast verify` to see what else is damaged.",
        )
    return views.items(store)
