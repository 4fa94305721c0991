"""Giving prepared entries their place, in the writer's turn: no other writer can come between."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.kernel import chain
from holdfast.kernel.entry import Prepared, Sealed
from holdfast.ledger.admission import Admitted
from holdfast.storage.port import Batch, Engine


def place(
    engine: Engine, batch: Sequence[Prepared], admitted: Sequence[Admitted]
) -> Sequence[Sealed]:
    """Append entries right behind the head, with the artifacts they name."""
    head = engine.head()
    if len(batch) == 1:  # by far the most common, so it takes the short way
        sealed: Sequence[Sealed] = (chain.seal(head, batch[0]),)
        engine.append(Batch(sealed, admitted[0].artifacts), expected_head=head)
        return sealed
    sealed = chain.seal_all(head, batch)
    artifacts: dict[str, bytes] = {}
    for one in admitted:
        if one.artifacts:
            artifacts.update(one.artifacts)
    engine.append(Batch(sealed, artifacts), expected_head=head)
    return sealed
