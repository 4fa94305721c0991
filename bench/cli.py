"""The command line on a ledger of a million entries, nearly all of them archived, whole processes.

`holdfast --version`, `record`, `status`, `log -n 20` and `search` of two words beside
`python -I -c pass` of the same environment, in turns; time from start to end of the process as its
parent sees it. `record` brings the views up to date as well, and now and then seals.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

from bench import entries, ledgers
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

NAME = "cli"
TITLE = "The command line at a million entries"
BARE: Final = "python -I -c pass"


def run(options: Options) -> Result:
    """Measure."""
    size = options.pick(1_000_000, 10_000)
    runs = options.pick(20, 2)
    with scratch_folder() as folder:
        commands = _commands()
        _check(commands["holdfast --version"], folder)
        root = ledgers.copy_sealed(size, folder)
        for command in commands.values():
            _check(command, root)
        found: dict[str, list[Measured]] = {name: [] for name in commands}
        for _ in range(options.rounds):
            for name, measured in _round(commands, root, runs).items():
                found[name].append(measured)
            end_round()
    say("\n")
    bare = found[BARE]
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure(f"median of `{name}` : `{BARE}`", ratios(rounds, bare, "p50_ms"))
            for name, rounds in found.items()
            if name != BARE
        ],
        rows=[
            Row(f"`{name}`", measure, "ms", spread_of(rounds, key))
            for name, rounds in found.items()
            for measure, key in (("median", "p50_ms"), ("95 of 100", "p95_ms"))
        ],
    )


def _commands() -> dict[str, list[str]]:
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    draft = entries.drafts(1)[0]
    data = msgspec.json.encode(draft.data).decode()
    return {
        BARE: [sys.executable, "-I", "-c", "pass"],
        "holdfast --version": [holdfast, "--version"],
        "holdfast record": [holdfast, "record", draft.type, "--data", data, "--json"],
        "holdfast status": [holdfast, "status"],
        "holdfast log -n 20": [holdfast, "log", "-n", "20"],
        "holdfast search": [holdfast, "search", "timeout", "connection"],
    }


def _check(command: list[str], root: Path) -> None:
    """Stop when a command does not work: how fast it fails is nobody's question."""
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError as error:
        raise CannotMeasureError(f"{_called(command)} cannot be started") from error
    if done.returncode:
        say(done.stderr)
        raise CannotMeasureError(f"{_called(command)} ended with exit code {done.returncode}")


def _called(command: list[str]) -> str:
    return f"`{Path(command[0]).name} {command[1]}`"


def _round(commands: dict[str, list[str]], root: Path, runs: int) -> dict[str, Measured]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            before = time.perf_counter()
            done = subprocess.run(
                command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            times[name].append((time.perf_counter() - before) * 1e3)
            if done.returncode:
                raise CannotMeasureError(f"{_called(command)} failed between other runs of it")
    return {
        name: {"p50_ms": percentile(spent, 0.5), "p95_ms": percentile(spent, 0.95)}
        for name, spent in times.items()
    }
