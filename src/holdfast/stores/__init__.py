"""What is true now: pure folds over entries, each with a digest."""

from __future__ import annotations

from holdfast.stores.registry import STORES, Fold
from holdfast.stores.store import Changes, Items, State, Store, Value

__all__ = ["STORES", "Changes", "Fold", "Items", "State", "Store", "Value"]
