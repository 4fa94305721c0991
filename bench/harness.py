"""What every benchmark shares: interleaved rounds, medians, a folder on the right disk.

A ratio is taken within a round, between things measured seconds apart, and the median of those
ratios is the figure: what the machine does besides moves both sides and falls out.
"""

from __future__ import annotations

import math
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

SCRATCH: Final = Path(__file__).parent / ".scratch"
"""On the same disk as the project, not in memory; git does not see it."""

ROUNDS_DEFAULT: Final = 5

CORE_SHARE_MIN: Final = 0.9
"""What a busy loop must get of a core, or others were at work: then waiting for a core hides what
is measured, every ratio drifts to 1, and nothing is published."""

_PROBE_S: Final = 0.1
_shares: Final[list[float]] = []


class Options(msgspec.Struct, frozen=True):
    """How much to measure."""

    rounds: int = ROUNDS_DEFAULT
    quick: bool = False

    def pick(self, full: Any, quick: Any) -> Any:
        """Return the size for this run."""
        return quick if self.quick else full


class Spread(msgspec.Struct, frozen=True):
    """A median over rounds and the extremes."""

    median: float
    least: float
    most: float


class Row(msgspec.Struct, frozen=True):
    """One thing measured, in one unit."""

    subject: str
    measure: str
    unit: str
    spread: Spread


class Figure(msgspec.Struct, frozen=True):
    """One ratio or count, and what is demanded of it."""

    what: str
    spread: Spread
    unit: str = "×"
    at_least: float | None = None
    at_most: float | None = None
    aim: str = ""
    every_round: bool = False
    """The demand holds for each round, not only for the median."""

    def holds(self) -> bool | None:
        """Tell whether the demand is met, None when there is none."""
        if self.at_least is None and self.at_most is None:
            return None
        low, high = self.spread.median, self.spread.median
        if self.every_round:
            low, high = self.spread.least, self.spread.most
        return not (
            (self.at_least is not None and low < self.at_least)
            or (self.at_most is not None and high > self.at_most)
        )


class Result(msgspec.Struct, frozen=True):
    """What one benchmark found."""

    name: str
    title: str
    method: str
    rounds: int = 0
    figures: Sequence[Figure] = ()
    rows: Sequence[Row] = ()
    notes: Sequence[str] = ()
    not_measured: str = ""
    """Why there are no figures."""
    core_share: Spread | None = None
    """What a busy loop got of a core between the rounds."""

    def is_sound(self) -> bool:
        """Tell whether the machine was quiet enough to believe the figures."""
        return self.core_share is None or self.core_share.median >= CORE_SHARE_MIN


class CannotMeasureError(Exception):
    """One benchmark is impossible here; the others are not."""


Measured: TypeAlias = Mapping[str, float]
"""Measures of one subject in one round."""


def side_by_side(
    subjects: Mapping[str, Callable[[], Measured]],
    rounds: int,
    *,
    warm_up: bool = True,
    rest_s: float = 0.0,
) -> dict[str, list[Measured]]:
    """Measure A, B, C, A, B, C and so on; a round to warm up is thrown away.

    `rest_s`: how long what a round started, such as a browser, needs to end after it.
    """
    found: dict[str, list[Measured]] = {name: [] for name in subjects}
    for number in range(rounds + warm_up):
        for name, measure in subjects.items():
            found[name].append(measure())
        if warm_up and number == 0:
            for measured in found.values():
                measured.clear()
        time.sleep(rest_s)
        end_round()
    say("\n")
    return found


def end_round() -> None:
    """Show that a round is done, and look at how much of a core one gets here."""
    begin, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - begin < _PROBE_S:
        pass
    _shares.append((time.process_time() - used) / (time.perf_counter() - begin))
    say(".")


def core_share() -> Spread | None:
    """Return what was seen at the ends of rounds since this was last asked."""
    seen = spread(_shares) if _shares else None
    _shares.clear()
    return seen


def spread(values: Sequence[float]) -> Spread:
    """Return the median and the extremes."""
    return Spread(statistics.median(values), min(values), max(values))


def spread_of(rounds: Sequence[Measured], measure: str) -> Spread:
    """Return the median and the extremes of one measure over the rounds."""
    return spread([measured[measure] for measured in rounds])


def ratios(ours: Sequence[Measured], theirs: Sequence[Measured], measure: str) -> Spread:
    """Return ours over theirs, round by round."""
    return spread([a[measure] / b[measure] for a, b in zip(ours, theirs, strict=True)])


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least value that this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * share) - 1)]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder for one benchmark and remove it afterwards."""
    SCRATCH.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=SCRATCH))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def say(text: str) -> None:
    """Show progress."""
    sys.stderr.write(text)
    sys.stderr.flush()
