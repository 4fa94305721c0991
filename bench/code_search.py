"""Search the code of the standard library: what the vectors add, and what keeping up costs.

Found: of 600 questions about modules without their docstrings (`code_corpus`), how many have the
function that the sentence was written about among the first ten hits; by words and vectors joined,
and by BM25 over the same index alone. Both through `recall.code_search.search_code`. The questions
are others than those by which weights and constants were chosen.

Kept up to date: all modules, tests of Python included, with their docstrings. The time until the
index is whole, in a process of its own; then a module of mean size gets one more function, several
times over: until the index knows it, with the files listed and a parser started, as a command does.
Memory is the most that the process held beyond what it held when the model was loaded and all its
weights read; the parser is a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Final

from bench.code_corpus import Question, held_out, lay_out, modules
from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    end_round,
    say,
    scratch_folder,
)
from bench.harness import spread as spread_over
from holdfast.index import vectors
from holdfast.index.code_index import CodeIndex
from holdfast.index.vectors import Model
from holdfast.kernel.limits import MIB
from holdfast.recall.code_search import CodeQuery, search_code
from holdfast.wiring.code_files import CodeFiles, Source
from holdfast.wiring.code_indexing import Brought, Indexing
from holdfast.wiring.places import Place, place_of
from holdfast.workers import ParseWorker

NAME = "code-search"
TITLE = "Search the code of a project"

AMONG: Final = 10
CHANGES: Final = 5
CHANGED: Final = "textwrap.py"
"""A module of about the mean size."""


def run(options: Options) -> Result:
    """Measure."""
    with scratch_folder() as folder:
        joined, words, asked = _found(folder, options.pick(600, 100))
    costs = [_keep_up(options.quick) for _ in range(options.pick(options.rounds, 1))]
    figures = [
        Figure(
            f"points of {AMONG} first hits, joined beyond BM25 alone",
            spread_over([100 * (joined - words) / asked]),
            at_least=5,
            unit="",
        ),
        Figure(
            "one changed file : whole index",
            spread_over([cost["change_s"] / cost["whole_s"] for cost in costs]),
            at_most=1 / 200,
        ),
        Figure(
            "memory beyond the model's",
            spread_over([cost["beyond_mib"] for cost in costs]),
            at_most=64,
            unit=" MiB",
        ),
    ]
    rows = [
        Row("joined", f"found among {AMONG}", "%", spread_over([100 * joined / asked])),
        Row("BM25 alone", f"found among {AMONG}", "%", spread_over([100 * words / asked])),
    ]
    rows += [
        Row("standard library", measure, unit, spread_over([cost[key] for cost in costs]))
        for measure, unit, key in (
            ("size", "MiB", "size_mib"),
            ("whole index", "s", "whole_s"),
            ("one changed file", "s", "change_s"),
            ("model's memory, with Python's", "MiB", "model_mib"),
        )
    ]
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def _found(folder: Path, count: int) -> tuple[int, int, int]:
    """Return how many questions are answered joined, by words alone, and how many there are."""
    place = _placed(folder)
    questions = held_out(lay_out(folder, modules()), count)
    model = vectors.load()
    with CodeIndex(str(place.code)) as index:
        _catch_up(place, index, model)
        if index.counts().files < 100:
            raise CannotMeasureError("the standard library's sources are not there")
        end_round()
        joined = sum(_answers(index, model, place, one) for one in questions)
        end_round()
        words = sum(_answers(index, None, place, one) for one in questions)
        end_round()
    return joined, words, len(questions)


def _answers(index: CodeIndex, model: Model | None, place: Place, asked: Question) -> bool:
    files = CodeFiles(place)

    def read(path: str) -> tuple[bytes, str] | None:
        source = files.read(path)
        assert isinstance(source, Source)
        return source.hash, source.text or ""

    found = search_code(index, model, read, CodeQuery(asked.text, limit=AMONG))
    return any(
        hit.path == asked.path
        and hit.first_line <= asked.line <= hit.last_line
        and hit.name.partition("#")[0].rpartition(".")[2] == asked.name
        for hit in found.hits
    )


def _keep_up(quick: bool) -> Measured:
    """Index everything and then a change, in a process of its own."""
    with scratch_folder() as folder:
        say(".")
        command = [sys.executable, "-m", "bench.code_search", str(folder), str(int(quick))]
        done = subprocess.run(command, capture_output=True, check=True)
        end_round()
        cost: dict[str, float] = json.loads(done.stdout)
        return cost


def _measure(folder: Path, quick: bool) -> Measured:
    place = _placed(folder)
    size = _copy_all(folder, quick)
    model = vectors.load()
    assert model is not None
    model._weights.max()  # all of them into memory, where they come as they are used
    model_mib = _forget_peak_mib()
    with CodeIndex(str(place.code)) as index:
        before = time.perf_counter()
        _catch_up(place, index, model)
        whole_s = time.perf_counter() - before
        changes = []
        for number in range(CHANGES):
            with (folder / CHANGED).open("a") as file:
                file.write(f"\ndef added_{number}():\n    return {number}\n")
            before = time.perf_counter()
            brought = _catch_up(place, index, model)
            changes.append(time.perf_counter() - before)
            assert (brought.read, brought.taken) == (1, 1), brought
    return {
        "size_mib": size / MIB,
        "whole_s": whole_s,
        "change_s": sorted(changes)[len(changes) // 2],
        "model_mib": model_mib,
        "beyond_mib": _peak_mib() - model_mib,
    }


def _catch_up(place: Place, index: CodeIndex, model: Model | None) -> Brought:
    with ParseWorker() as worker:
        # Nothing else writes these files, so that their times can be relied on at once.
        indexing = Indexing(CodeFiles(place), index, worker, model=model, now_ns=lambda: 2**62)
        return indexing.catch_up()


def _copy_all(folder: Path, quick: bool) -> int:
    root = Path(sysconfig.get_paths()["stdlib"])
    size = 0
    for path in sorted(root.glob("*.py") if quick else root.rglob("*.py")):
        if "site-packages" not in path.parts:
            target = folder / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            size += target.write_bytes(path.read_bytes())
    return size


def _placed(folder: Path) -> Place:
    place = place_of(folder)
    place.folder.mkdir()
    return place


def _forget_peak_mib() -> float:
    """Let the most that was held begin anew with what is held now, and return that."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak_mib()


def _peak_mib() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    [held] = [line for line in lines if line.startswith("VmHWM:")]
    return int(held.split()[1]) / 1024


if __name__ == "__main__":
    print(json.dumps(_measure(Path(sys.argv[1]), sys.argv[2] == "1")))
