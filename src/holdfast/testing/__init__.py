"""For tests, ours and yours: fixed sources, valid data, and the suite every engine must pass.

`holdfast.testing.conformance` needs pytest and hypothesis, and is imported by itself; so is
`holdfast.testing.model_server`, a model server that says what it is told to.
"""

from __future__ import annotations

from holdfast.testing.builders import (
    LEDGER,
    data_for,
    draft,
    open_memory_ledger,
    prepared,
    sealed_chain,
)
from holdfast.testing.clock import FixedClock, FixedIds

__all__ = [
    "LEDGER",
    "FixedClock",
    "FixedIds",
    "data_for",
    "draft",
    "open_memory_ledger",
    "prepared",
    "sealed_chain",
]
