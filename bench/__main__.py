"""Run the benchmarks: `python -m bench [--only NAME] [--rounds N] [--quick]`.

A full run publishes what it found. A quick one, one of fewer than 5 rounds, and one on a machine
that was busy with other work are only shown.
Exit codes: 0 measured, 1 a demand was missed or something could not be measured.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

import msgspec

from bench.harness import (
    ROUNDS_DEFAULT,
    SCRATCH,
    CannotMeasureError,
    Options,
    Result,
    core_share,
    say,
)

MODULES: Final = {
    "append-single": "append_single",
    "append-batch": "append_batch",
    "append-processes": "append_processes",
    "writers": "writers",
    "growth": "growth",
    "verify": "verifying",
    "canonical": "canonical",
    "search": "search",
    "cli": "cli",
    "resume": "resume",
    "recovery": "recovery",
    "restore": "restoring",
    "archives": "archives",
    "survival": "survival",
    "quick-resume": "resumes",
    "boot": "boots",
    "code-symbols": "code_symbols",
    "code-edits": "code_edits",
    "token-counts": "token_counts",
    "meanings": "meanings",
    "code-search": "code_search",
    "code-oracle": "code_oracle",
    "code-oracle-ts": "code_oracle_ts",
    "ghosts": "ghosts",
    "grounding": "grounding",
    "clearing": "clearing",
    "proxy": "proxying",
    "web": "web",
    "replay": "replay",
    "transcripts": "transcripts",
    "losses": "losses",
    "scan": "scanning",
    "hooks": "hooks",
    "mcp": "mcp_calls",
}


def main(argv: Sequence[str]) -> int:
    """Measure, show and publish."""
    chosen = _parser().parse_args(argv)
    options = Options(chosen.rounds, chosen.quick)
    os.environ["XDG_STATE_HOME"] = str(SCRATCH / "state")  # what is made here is no ledger of yours
    from bench.report import publish, summary

    results = []
    for name in chosen.only or MODULES:
        say(f"{name} ")
        began = time.monotonic()
        results.append(_measure(name, options))
        print("\n".join(summary(results[-1])))
        if results[-1].is_sound() and not options.quick and options.rounds >= ROUNDS_DEFAULT:
            publish(results[-1], list(MODULES))
        print(f"  took {time.monotonic() - began:.0f} s\n", flush=True)
    return 0 if all(map(_good, results)) else 1


def _measure(name: str, options: Options) -> Result:
    module = import_module(f"bench.{MODULES[name]}")
    measure: Callable[[Options], Result] = module.run
    try:
        return msgspec.structs.replace(measure(options), core_share=core_share())
    except CannotMeasureError as reason:
        core_share()  # what was seen so far counts for nothing
        return Result(name, module.TITLE, module.__doc__ or "", not_measured=str(reason))


def _good(result: Result) -> bool:
    if result.not_measured or not result.is_sound():
        return False
    return all(figure.holds() is not False for figure in result.figures)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        choices=MODULES,
        metavar="NAME",
        help=f"one of {', '.join(MODULES)}; may be given more than once",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS_DEFAULT)
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing is published")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
