"""Choose the constants of `recall.similarity`: `python -m bench.calibration`.

Of the features of the standard library (`features/`), the first, third and so on are asked for; the
others are left for `bench/ghosts.py` to measure with. For each way to weigh what is measured, the
highest threshold is taken at which no feature that is there would be confirmed as missing, and how
many that are missing would be. Printed are the best ways, and that of the constants as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.code_corpus import modules
from bench.features import Feature, by_hand, missing
from bench.ghosts import indexed
from holdfast.recall import similarity
from holdfast.recall.similarity import nearest

Floats: TypeAlias = NDArray[np.float64]
Asked: TypeAlias = list[tuple[Floats, Floats]]
"""For each feature, and each of its two questions: what was measured of every section."""

WAYS: Final = tuple(product((2.0, 3.0, 4.0, 5.0), (0.0, 1.0, 2.0, 3.0), (1.0, 2.2, 3.5)))
SHOWN: Final = 8


def main() -> None:
    """Ask, weigh, and print."""
    texts = dict(modules())
    with indexed(texts) as (index, model, read):

        def ask(query: str) -> Floats:
            near = nearest(index, model, read, query).near
            rows = [(one.measured.close, one.measured.file, one.measured.cosine) for one in near]
            return np.array(rows or [(0.0, 0.0, 0.0)])

        def ask_all(features: Sequence[Feature]) -> Asked:
            return [(ask(one.queries[0]), ask(one.queries[1])) for one in features]

        there = ask_all(by_hand("present")[::2])
        absent = ask_all(missing(by_hand("absent"), texts)[::2])
    told = sorted(((_share(there, absent, way), way) for way in WAYS), reverse=True)
    for (share, middle), way in told[:SHOWN]:
        print(f"close, file, cosine = {way}: {share:.1%} confirmed, threshold {middle:.2f}")
    now = (similarity.CLOSE, similarity.FILE, similarity.COSINE)
    share, middle = _share(there, absent, now)
    print(f"as they are {now}: {share:.1%} at {middle:.2f}; the constant is {similarity.MIDDLE}")


def _share(there: Asked, absent: Asked, way: tuple[float, float, float]) -> tuple[float, float]:
    """Return what share of missing features is below everything that is there, and that bound."""
    bound = min(_best(one, way) for one in there)
    return sum(_best(one, way) < bound for one in absent) / len(absent), bound


def _best(asked: tuple[Floats, Floats], way: tuple[float, float, float]) -> float:
    return max(float((one @ np.array(way)).max()) for one in asked)


if __name__ == "__main__":
    main()
