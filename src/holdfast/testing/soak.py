"""A soak of hook processes: many at once, some killed at any moment, then everything is counted.

    python -m holdfast.testing.soak --processes 10000

A process that ended by itself has acknowledged its event: it MUST be in the ledger once. One that
was killed has not: its event may be there, but not twice. Most events take the short way; every
so often one takes the long way, so that taking in what waits is killed, too.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec

from holdfast.storage.port import Selection
from holdfast.wiring.hook_command import hook_command
from holdfast.wiring.opening import open_ledger

KILLED_OF_100: Final = 25
LONG_OF_100: Final = 6
KILL_MS_SHORT: Final = 45.0
KILL_MS_LONG: Final = 600.0
"""How long after its start a process is killed at the latest: about as long as it may take."""


class Soaked(msgspec.Struct, frozen=True):
    """What a soak came to."""

    processes: int
    killed: int
    acknowledged: int
    lost: tuple[str, ...]
    """Acknowledged events that the ledger does not hold."""
    twice: tuple[str, ...]
    refused: tuple[str, ...]
    """What processes that were not killed complained of."""
    faults: int
    """Faults that `verify` found."""
    entries: int

    @property
    def ok(self) -> bool:
        """Whether nothing acknowledged was lost, nothing is there twice, and the chain holds."""
        return not (self.lost or self.twice or self.refused or self.faults)


class _Ran(msgspec.Struct, frozen=True):
    mark: str
    killed: bool
    complaint: str = ""


def soak(root: Path, processes: int, *, agents: int = 8, seed: int = 1) -> Soaked:
    """Run hook processes in a new project, kill some, and count what is in its ledger."""
    open_ledger(root).close()
    command = hook_command("claude-code")
    shares = [processes // agents + (n < processes % agents) for n in range(agents)]

    def work(number: int) -> list[_Ran]:
        chance = random.Random(f"{seed} {number}")
        return [_run(root, command, number, nth, chance) for nth in range(shares[number])]

    with ThreadPoolExecutor(agents) as pool:
        ran = [one for part in pool.map(work, range(agents)) for one in part]
    return _count(root, ran)


def _run(root: Path, command: list[str], agent: int, nth: int, chance: random.Random) -> _Ran:
    """Start one process, and kill it or let it end."""
    mark = f"soak-{agent}-{nth}"
    is_long = chance.randrange(100) < LONG_OF_100
    payload = json.dumps(_told(root, f"agent-{agent}", mark, is_long=is_long)).encode()
    kills = chance.randrange(100) < KILLED_OF_100
    after_s = chance.uniform(0, KILL_MS_LONG if is_long else KILL_MS_SHORT) / 1000
    process = subprocess.Popen(
        command,
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        _, complaint = process.communicate(payload, timeout=after_s if kills else None)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        # one that ended in the meantime has acknowledged all the same
        return _Ran(mark, killed=process.returncode != 0)
    return _Ran(mark, killed=False, complaint=complaint.decode("utf-8", "replace"))


def _told(root: Path, session: str, mark: str, *, is_long: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"session_id": session, "cwd": str(root)}
    if is_long:
        return told | {"hook_event_name": "Stop", "last_assistant_message": mark}
    return told | {
        "hook_event_name": "PostToolUse",
        "tool_name": "Read",
        "tool_use_id": mark,
        "tool_input": {"file_path": f"{root}/some.py"},
        "tool_response": {"type": "text", "file": {"content": f"# {mark}\n" * 300}},
    }


def _count(root: Path, ran: Sequence[_Ran]) -> Soaked:
    found: Counter[str] = Counter()
    with open_ledger(root) as ledger:
        for entry in ledger.read(Selection(type="tool_called")):
            found[ledger.data(entry)["call"]] += 1
        for entry in ledger.read(Selection(type="agent_said")):
            found[ledger.data(entry)["text"]] += 1
        faults, entries = len(ledger.verify().faults), ledger.head().size
    kept = [one.mark for one in ran if not one.killed]
    return Soaked(
        processes=len(ran),
        killed=len(ran) - len(kept),
        acknowledged=len(kept),
        lost=tuple(mark for mark in kept if not found[mark]),
        twice=tuple(mark for mark, times in found.items() if times > 1),
        refused=tuple(one.complaint for one in ran if one.complaint),
        faults=faults,
        entries=entries,
    )


def main(arguments: Sequence[str]) -> int:
    """Soak, and say what came of it: 0 when nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--processes", type=int, default=10_000)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="holdfast-soak-") as folder:
        done = soak(Path(folder), chosen.processes, agents=chosen.agents, seed=chosen.seed)
    sys.stdout.buffer.write(msgspec.json.encode(done) + b"\n")
    return 0 if done.ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
