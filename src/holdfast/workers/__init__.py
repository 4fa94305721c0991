"""Reading code from outside in a process that can be killed.

    with ParseWorker() as worker:
        reading = worker.read_symbols(text, "python")

A text may be made to keep a parser busy for ever or to eat all memory. So it is parsed by a child
with bounds on time, memory and size. A child that goes over one is ended, and the answer is
`CouldNotLook`; the next text gets a new child. While all goes well one child serves all texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.workers.parsing import ParseWorker

__all__ = ["ParseWorker"]


def __getattr__(name: str) -> Any:
    """Load the owner's side when it is used: a child, which has none, starts faster."""
    if name != "ParseWorker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from holdfast.workers.parsing import ParseWorker

    globals()[name] = ParseWorker
    return ParseWorker
