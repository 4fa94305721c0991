"""`holdfast resume` as a whole cold process, on ledgers of 1,000 and of 1,000,000 entries.

The ledgers are sealed but for the newest 100 entries; each gets a checkpoint by the command line.
Then `holdfast resume --json` runs beside `python -I -c pass` of the same environment, in turns;
time from start to end of the process as its parent sees it. Before anything is measured it is
checked that a stale view is noticed, and that the answer is the words of the last checkpoint.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

import holdfast
from bench import ledgers
from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    end_round,
    percentile,
    ratios,
    say,
    scratch_folder,
    spread_of,
)

NAME = "resume"
TITLE = "Resume from a cold start"
BARE: Final = "python -I -c pass"

Parts: TypeAlias = tuple[list[Figure], list[Row]]
WORDS: Final = "Moved the parser to a cursor, 5/12 done, next: strings"


def run(options: Options) -> Result:
    """Measure."""
    sizes = options.pick((1_000, 1_000_000), (1_000, 10_000))
    runs = options.pick(40, 5)
    with scratch_folder() as folder:
        roots = {_called(size): _prepared(size, folder) for size in sizes}
        found: dict[str, list[Measured]] = {name: [] for name in (BARE, *roots)}
        for _ in range(options.rounds):
            for name, measured in _round(roots, runs).items():
                found[name].append(measured)
            end_round()
    say("\n")
    small, large = map(_called, sizes)
    figures, rows = cold_starts(small, large, found)
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def cold_starts(small: str, large: str, found: dict[str, list[Measured]]) -> Parts:
    """Return the figures and rows of processes that start, answer and end, by ledger size."""
    figures = [
        Figure(f"{large} : `{BARE}`", ratios(found[large], found[BARE], "p50_ms"), at_most=4.0),
        Figure(f"{small} : `{BARE}`", ratios(found[small], found[BARE], "p50_ms")),
        Figure(
            f"{large} : {small}",
            ratios(found[large], found[small], "p50_ms"),
            at_most=1.15,
            aim="flat",
        ),
    ]
    rows = [
        Row(name, measure, "ms", spread_of(rounds, key))
        for name, rounds in found.items()
        for measure, key in (("median", "p50_ms"), ("95 of 100", "p95_ms"))
    ]
    return figures, rows


def _called(size: int) -> str:
    return f"resume at {size:,} entries"


def _command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("holdfast")), *arguments]


def _prepared(size: int, folder: Path) -> Path:
    """Copy a ledger and bring it to where work is resumed; prove that a stale view is noticed."""
    root = ledgers.copy_sealed(size, folder)
    session = ledgers.sealed_session(0)
    _output(_command("checkpoint", "--resume", "an older checkpoint", "--session", session), root)
    with holdfast.open(root) as ledger:
        for stored in ledger.lines(holdfast.Selection(type="checkpoint", newest_first=True)):
            data = {**msgspec.json.decode(stored.body)["data"], "quick_resume": WORDS}
            data.pop("through", None)  # it tells of everything before it
            ledger.append("checkpoint", data, session_id=session)
            break
    for _ in range(2):  # from the ledger, then from the view
        answer = msgspec.json.decode(_output(_command("resume", "--json"), root))
        if answer["text"] != WORDS:
            raise CannotMeasureError(f"`holdfast resume` says {answer['text']!r}")
    return root


def _output(command: list[str], root: Path) -> bytes:
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    except OSError as error:
        raise CannotMeasureError(f"`{command[0]}` cannot be started") from error
    if done.returncode:
        say(done.stderr.decode(errors="replace"))
        raise CannotMeasureError(f"`holdfast {command[1]}` ended with {done.returncode}")
    return done.stdout


def _round(roots: dict[str, Path], runs: int) -> dict[str, Measured]:
    bare = [sys.executable, "-I", "-c", "pass"]
    subjects = {BARE: (bare, next(iter(roots.values())))}
    subjects |= {name: (_command("resume", "--json"), root) for name, root in roots.items()}
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(runs):
        for name, (command, root) in subjects.items():
            before = time.perf_counter()
            done = subprocess.run(
                command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            times[name].append((time.perf_counter() - before) * 1e3)
            if done.returncode:
                raise CannotMeasureError(f"`{command[-2]}` failed between other runs of it")
    return {
        name: {"p50_ms": percentile(spent, 0.5), "p95_ms": percentile(spent, 0.95)}
        for name, spent in times.items()
    }
