"""Joining rankings of different kinds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from holdfast.kernel.limits import SOURCE_RANKS_FUSED


def fuse(rankings: Sequence[Sequence[tuple[int, float]]]) -> list[tuple[int, float]]:
    """Join rankings by reciprocal rank, so that scores of different kinds need not be compared."""
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, (id_, _) in enumerate(ranking, 1):
            scores[id_] += 1 / (SOURCE_RANKS_FUSED + rank)
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
