"""Entries made ready for their place before the writer's turn, in small steps.

    readying = ledger.readying(drafts, ledger.head())
    for _ in readying:
        ...                                           # something else may be done in between
    ledger.append_readied(readying)                   # when that is a conflict: begin again

For whoever serves streams in the same process: nearly all of what an append takes of Python is
here, and can be done where it is in nobody's way. What is left is SQLite's, beside which others go
on. It is the same admission, the same sealing and the same order as of any append.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from holdfast.kernel import chain
from holdfast.kernel.chain import Head
from holdfast.kernel.entry import Prepared, Sealed
from holdfast.kernel.limits import READIED_AT_ONCE
from holdfast.ledger.admission import Admitted, check_number
from holdfast.ledger.drafts import Draft
from holdfast.storage.port import Batch

Prepare: TypeAlias = Callable[[Sequence[Draft]], tuple[list[Prepared], list[Admitted]]]
"""Decides every byte of some entries except their place."""


class Readying:
    """Drafts on their way to be entries right behind a head."""

    def __init__(self, drafts: Sequence[Draft], head: Head, prepare: Prepare) -> None:
        check_number(len(drafts))
        if any(draft.id is not None for draft in drafts):
            raise ValueError("an entry with an id is appended with append or append_many")
        self.head = head
        """What they stand behind."""
        self.sealed: list[Sealed] = []
        self._drafts = drafts
        self._prepare = prepare
        self._artifacts: dict[str, bytes] = {}

    def __iter__(self) -> Iterator[None]:
        """Go on; there are no more steps when all are ready."""
        end = self.head
        while len(self.sealed) < len(self._drafts):
            done = len(self.sealed)
            batch, admitted = self._prepare(self._drafts[done : done + READIED_AT_ONCE])
            self.sealed += chain.seal_all(end, batch)
            end = chain.after(end, self.sealed[-1])
            for one in admitted:
                self._artifacts.update(one.artifacts)
            yield

    def batch(self) -> Batch:
        """Return what is to be written, all of it."""
        if len(self.sealed) < len(self._drafts):
            raise ValueError("not all of them are ready")
        return Batch(self.sealed, self._artifacts)
