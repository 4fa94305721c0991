"""`python -m holdfast.testing.prove`: run the proof and publish it. Exit 1 when a promise broke."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from holdfast.testing.prove import campaigns, storm
from holdfast.testing.prove.proof import Proof, Setting, judge
from holdfast.testing.prove.report import write_report
from holdfast.version import __version__

CAMPAIGNS: Final = ("controls", "tampering", "errors", "crashes", "storm")
STATES: Final = 50_000
SEAL_STATES: Final = 20_000
SECONDS: Final = 400.0
KILLS: Final = 500
FLIPS: Final = 400
SEED: Final = 20261115
SAY_EVERY_S: Final = 5.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for; a whole run is published."""
    options = _parse(arguments)
    wanted = options.only or CAMPAIGNS
    proof = prove(options, wanted)
    for failure in proof.failures:
        print(f"prove: {failure}", file=sys.stderr)
    if set(wanted) == set(CAMPAIGNS):
        folder = Path(options.into)
        encoded = msgspec.json.format(msgspec.json.encode(proof), indent=2)
        (folder / "proof.json").write_bytes(encoded + b"\n")
        write_report(folder / "proof.json", folder / "RELIABILITY.md")
    else:
        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(proof), indent=2) + b"\n")
    print(f"prove: {'every promise held' if proof.ok else 'FAILED'}", file=sys.stderr)
    return 0 if proof.ok else 1


def prove(options: argparse.Namespace, wanted: Sequence[str]) -> Proof:
    """Run the campaigns that are wanted."""
    say = _Sayer()
    started = time.monotonic()
    found: dict[str, Any] = {}
    with campaigns.Workshop(_cores()) as shop:
        if "controls" in wanted:
            found["controls"] = campaigns.run_controls(shop, options.seed, say)
        if "tampering" in wanted:
            found["tampering"], found["bit_flips"] = campaigns.run_tampering(
                shop, flips=FLIPS, seed=options.seed, say=say
            )
        if "errors" in wanted:
            found["errors"] = campaigns.run_errors(shop, say)
        if "crashes" in wanted:
            found["crashes"] = campaigns.run_crashes(
                shop,
                campaigns.Wanted(options.states, options.seal_states),
                seconds=options.seconds,
                seed=options.seed,
                say=say,
            )
    if "storm" in wanted:
        say(f"storm: {options.kills} kills")
        with tempfile.TemporaryDirectory(prefix="holdfast-storm-") as folder:
            found["storm"] = storm.run(folder, kills=options.kills, seed=options.seed)
            found["kills_wanted"] = options.kills
    seconds = round(time.monotonic() - started, 1)
    return judge(Proof(True, [], options.seed, seconds, _setting(), **found))


class _Sayer:
    """Tells on stderr how far it is, not too often."""

    def __init__(self) -> None:
        self._said = (0.0, "")

    def __call__(self, text: str) -> None:
        when, topic = self._said
        now, new_topic = time.monotonic(), text.partition(":")[0]
        if topic != new_topic or now - when >= SAY_EVERY_S:
            print(f"prove: {text}", file=sys.stderr, flush=True)
            self._said = (now, new_topic)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m holdfast.testing.prove", description=__doc__)
    parser.add_argument("--states", type=int, default=STATES, help="different disks to check")
    parser.add_argument("--seal-states", type=int, default=SEAL_STATES, help="inside seals")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for the power cuts")
    parser.add_argument("--kills", type=int, default=KILLS, help="writers to kill")
    parser.add_argument("--seed", type=int, default=SEED, help="where all chance follows from")
    parser.add_argument("--only", action="append", choices=CAMPAIGNS, help="run just this (again)")
    parser.add_argument("--into", default=".", help="where proof.json and RELIABILITY.md go")
    return parser.parse_args(arguments)


def _setting() -> Setting:
    return Setting(
        holdfast=__version__,
        sqlite=apsw.sqlite_lib_version(),
        apsw=apsw.apsw_version(),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        cores=_cores(),
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


if __name__ == "__main__":
    sys.exit(main())
