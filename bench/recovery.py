"""Recovery after a clear: `holdfast resume --level 1` as a whole cold process.

The ledgers are those of `resume`, of 1,000 and of 1,000,000 entries. In each a session decides
three things that rest on quotes of a file, makes a checkpoint, and is cleared without the gate;
another one starts. Then `holdfast resume --level 1 --json` runs beside `python -I -c pass` of the
same environment, in turns; time from start to end of the process as its parent sees it. A `bd` is
on the path, and must not be started. Before anything is measured it is checked that the answer
tells the task, the next step, the three decisions with their places and what was not sealed, in no
more than 100 tokens by two tokenizers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

import holdfast
from bench import ledgers
from bench.harness import (
    CannotMeasureError,
    Measured,
    Options,
    Result,
    end_round,
    percentile,
    say,
    scratch_folder,
)
from bench.resume import BARE, cold_starts
from holdfast import counting

NAME = "recovery"
TITLE = "Recovery after a clear, from a cold start"
ASKED: Final = ("resume", "--level", "1", "--json")
TOKENS_MAX: Final = 100


def run(options: Options) -> Result:
    """Measure."""
    sizes = options.pick((1_000, 1_000_000), (1_000, 10_000))
    runs = options.pick(40, 5)
    with scratch_folder() as folder:
        env = _environment(folder)
        roots = {_called(size): _cleared(size, folder, env) for size in sizes}
        found: dict[str, list[Measured]] = {name: [] for name in (BARE, *roots)}
        for _ in range(options.rounds):
            for name, measured in _round(roots, runs, env).items():
                found[name].append(measured)
            end_round()
        if (folder / "bd-was-started").exists():
            raise CannotMeasureError("`bd` was started")
    say("\n")
    small, large = map(_called, sizes)
    figures, rows = cold_starts(small, large, found)
    return Result(NAME, TITLE, __doc__ or "", options.rounds, figures=figures, rows=rows)


def _called(size: int) -> str:
    return f"recovery at {size:,} entries"


def _command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("holdfast")), *arguments]


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which whoever starts `bd` is seen."""
    program = folder / "programs" / "bd"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch '{folder}/bd-was-started'\n")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}:{os.environ.get('PATH', '')}"}


def _cleared(size: int, folder: Path, env: dict[str, str]) -> Path:
    """Copy a ledger and bring it to where a session was cleared and another one begins."""
    root = ledgers.copy_sealed(size, folder)
    (root / ".beads").mkdir()
    (root / "pso.py").write_text("\n".join(f"step_{n} = {n}" for n in range(9)))
    _output(_command("session", "start", "--session", "cleared"), root, env)
    with holdfast.open(root) as ledger:
        for line in (2, 4, 6):
            quote = {"path": "pso.py", "line": line, "quote": f"step_{line - 1}"}
            grounds = {"cited": 1, "exact": 1, "evidence": [{**quote, "state": "exact"}]}
            data = {"question": "?", "choice": f"step {line} stays", "reasoning": "it is needed"}
            made = {**data, "alternatives": [], "grounds": grounds}
            ledger.append("decision", made, session_id="cleared")
    told = ("--task", "the swarm", "--completed", "3", "--total", "7", "--next", "tune it")
    _output(_command("checkpoint", *told, "--session", "cleared"), root, env)
    _output(_command("session", "end", "--session", "cleared", "--reason", "clear"), root, env)
    _output(_command("session", "start", "--session", "next"), root, env)
    _check(_output(_command(*ASKED), root, env))
    return root


def _check(output: bytes) -> None:
    """Refuse to measure an answer that does not tell what it has to."""
    text = msgspec.json.decode(output)["text"]
    wanted = (
        "Task 3/7: ",
        "Next: tune it",
        "Unsealed: 3",
        *(f".py:{n}]" for n in (2, 4, 6)),
    )
    lacking = [one for one in wanted if one not in text]
    tokens = [counting.count(text, name).tokens for name in ("cl100k_base", "o200k_base")]
    if lacking or max(tokens) > TOKENS_MAX:
        raise CannotMeasureError(f"the capsule {text!r} lacks {lacking}, or takes {tokens} tokens")


def _output(command: list[str], root: Path, env: dict[str, str]) -> bytes:
    try:
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, check=False)
    except OSError as error:
        raise CannotMeasureError(f"`{command[0]}` cannot be started") from error
    if done.returncode:
        say(done.stderr.decode(errors="replace"))
        raise CannotMeasureError(f"`holdfast {command[1]}` ended with {done.returncode}")
    return done.stdout


def _round(roots: dict[str, Path], runs: int, env: dict[str, str]) -> dict[str, Measured]:
    bare = [sys.executable, "-I", "-c", "pass"]
    subjects = {BARE: (bare, next(iter(roots.values())))}
    subjects |= {name: (_command(*ASKED), root) for name, root in roots.items()}
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(runs):
        for name, (command, root) in subjects.items():
            before = time.perf_counter()
            done = subprocess.run(
                command,
                cwd=root,
                env=env,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            times[name].append((time.perf_counter() - before) * 1e3)
            if done.returncode:
                raise CannotMeasureError(f"`{command[-2]}` failed between other runs of it")
    return {
        name: {"p50_ms": percentile(spent, 0.5), "p95_ms": percentile(spent, 0.95)}
        for name, spent in times.items()
    }
