"""Count the tokens of texts with the built-in estimate, beside the tokenizers it stands in for.

`holdfast.kernel.tokens.estimate`, which needs no tables of megabytes, beside cl100k_base and
o200k_base of splintr-rs, which `holdfast.counting.count` uses where it is installed. The texts are
every second Python file of the standard library (the other half was used to make the estimate's
table), this project's docs and the golden texts of its tests in two dozen languages: each file
whole, and each of its parts between blank lines; those of more than 50 tokens are compared. An
under-count is an estimate below the true number; the over-count is by how much of it the estimate
is above. What the counts are does not change from round to round.
"""

from __future__ import annotations

import statistics
import sysconfig
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    Spread,
    ratios,
    side_by_side,
    spread_of,
)
from holdfast import counting
from holdfast.kernel import tokens

NAME = "token-counts"
TITLE = "Estimate the tokens of a text"

VOCABULARIES: Final = ("cl100k_base", "o200k_base")
TOKENS_MIN: Final = 50
ROOT: Final = Path(__file__).parents[1]
STDLIB: Final = Path(sysconfig.get_path("stdlib"))


class Compared(NamedTuple):
    """Texts of one kind: how many, how many were counted low, and by how much high."""

    texts: int
    low: int
    median_over: float

    @property
    def low_share(self) -> float:
        """Percent of the texts that were counted low."""
        return 100 * self.low / self.texts


def run(options: Options) -> Result:
    """Measure."""
    if not counting.is_installed():
        raise CannotMeasureError("the tokenizers (splintr-rs) are not installed")
    texts = {name: list(parts(files)) for name, files in corpus(options.pick(1, 10)).items()}
    everything = [text for some in texts.values() for text in some]
    figures, rows = [], []
    for vocabulary in VOCABULARIES:
        figures += _figures(vocabulary, compare(everything, vocabulary))
        for name, some in texts.items():
            rows += _rows(f"{name}, {vocabulary}", compare(some, vocabulary))
    counters = (tokens.COUNTER, *VOCABULARIES)
    found = side_by_side(
        {name: partial(_timed, name, everything) for name in counters}, options.rounds
    )
    for name in VOCABULARIES:
        shares = ratios(found[tokens.COUNTER], found[name], "mb_s")
        figures.append(Figure(f"speed of the estimate : {name}", shares))
    rows += [Row(name, "speed", "MB/s", spread_of(of, "mb_s")) for name, of in found.items()]
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def corpus(every: int = 1) -> dict[str, list[Path]]:
    """Return the files of the corpus by where they come from; of the library every so many."""
    library = [path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts]
    return {
        "standard library": sorted(library)[1::2][::every],
        "docs": sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]),
        "golden texts": sorted(p for p in ROOT.glob("tests/code/golden/**/*") if p.is_file()),
    }


def parts(files: Sequence[Path]) -> Iterator[str]:
    """Yield each file that is UTF-8 whole, then its parts between blank lines."""
    for path in files:
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # tests of the library hold files that are not text on purpose
        yield text
        yield from text.split("\n\n")


def compare(texts: Sequence[str], vocabulary: str) -> Compared:
    """Hold the estimate against a tokenizer."""
    over = []
    for text in texts:
        if (true := counting.count(text, vocabulary).tokens) > TOKENS_MIN:
            over.append(tokens.estimate(text) / true - 1)
    return Compared(len(over), sum(share < 0 for share in over), statistics.median(over))


def _figures(vocabulary: str, found: Compared) -> list[Figure]:
    return [
        Figure(f"texts counted below {vocabulary}", _one(found.low_share), "%", at_most=0.1),
        Figure(f"median above {vocabulary}", _one(100 * found.median_over), "%", at_most=30),
    ]


def _rows(subject: str, found: Compared) -> list[Row]:
    return [
        Row(subject, "texts over 50 tokens", "", _one(found.texts)),
        Row(subject, "counted low", "", _one(found.low)),
        Row(subject, "median over-count", "%", _one(100 * found.median_over)),
    ]


def _timed(counter: str, texts: Sequence[str]) -> Measured:
    began = time.perf_counter()
    for text in texts:
        counting.count(text, counter)
    return {"mb_s": sum(map(len, texts)) / 1e6 / (time.perf_counter() - began)}


def _one(value: float) -> Spread:
    return Spread(value, value, value)
