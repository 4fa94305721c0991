"""Hooks: what an agent waits for, whole processes, beside an interpreter that does nothing.

In turns, `python -IS -c pass` and the hook command that `agents install` writes are started, each
with a payload of about 6 kB on stdin (`bench/hook_payloads.py`: reads, edits and greps of real
code; what looks like a secret in them is looked at closely, and counted in). When the process ends
the event is durable. A project with a ledger, a session and 400 files; whenever a megabyte waits,
the next process takes it in, which is counted in, too. Shown apart: a finished shell command, after
which the project's files are looked at; the end of a turn; the end of a turn by which a session
came into yellow, as its transcript tells, so that its decisions are written down; the start of a
session, which is answered with what there is to know. A hook of claude-mem takes 2,418 ms, as it
was published.

Then eight agents at once, at full speed: every event must be in the ledger exactly once, and the
ledger must verify.
"""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from bench.harness import (
    CannotMeasureError,
    Figure,
    Measured,
    Options,
    Result,
    Row,
    percentile,
    scratch_folder,
    side_by_side,
    spread,
    spread_of,
)
from bench.hook_payloads import payloads
from holdfast.agents import keys, trusting
from holdfast.storage.port import Selection
from holdfast.wiring.hook_command import hook_command
from holdfast.wiring.opening import open_ledger

NAME = "hooks"
TITLE = "Hooks of agents"

P50_RATIO_MAX: Final = 3.5
P95_RATIO_MAX: Final = 5.0
AGENTS: Final = 8
FILES: Final = 400

BARE: Final = [sys.executable, "-IS", "-c", "pass"]
APART: Final = (
    "a finished command, with the scan",
    "the end of a turn",
    "the end of a turn in yellow, with the synthesis",
    "the start of a session",
)
YELLOW_TOKENS: Final = 6_000
"""More than `attention.yellow`, less than `attention.orange`."""


def run(options: Options) -> Result:
    """Measure."""
    compileall.compile_dir(str(Path(__file__).parents[1] / "src"), quiet=1)
    turns, events = options.pick(200, 40), options.pick(2_000, 25)
    with scratch_folder() as folder:
        root = _project(folder / "one")
        found = side_by_side({"turns": lambda: _turns(root, turns)}, options.rounds)["turns"]
        crowd = _crowd(_project(folder / "eight"), events)
    p50 = spread([one["hook_p50_ms"] / one["bare_p50_ms"] for one in found])
    p95 = spread([one["hook_p95_ms"] / one["bare_p95_ms"] for one in found])
    at_once = f"{AGENTS} agents at once, {events:,} events each"
    return Result(
        NAME,
        TITLE,
        __doc__ or "",
        options.rounds,
        figures=[
            Figure("hook beside the bare interpreter, median", p50, at_most=P50_RATIO_MAX),
            Figure("hook beside the bare interpreter, 95 of 100", p95, at_most=P95_RATIO_MAX),
            Figure(f"{at_once}: lost", spread([crowd["lost"]]), unit="events", at_most=0),
            Figure(f"{at_once}: twice", spread([crowd["twice"]]), unit="events", at_most=0),
            Figure(f"{at_once}: faults", spread([crowd["faults"]]), unit="faults", at_most=0),
        ],
        rows=_rows(found, crowd),
    )


def _rows(found: list[Measured], crowd: dict[str, float]) -> list[Row]:
    subjects = {"bare": "python -IS -c pass", "hook": "a hook, durable"}
    subjects |= {f"apart{at}": what for at, what in enumerate(APART)}
    rows = [
        Row(what, measured, "ms", spread_of(found, f"{key}_{part}_ms"))
        for key, what in subjects.items()
        for measured, part in (("median", "p50"), ("95 of 100", "p95"))
    ]
    rows.append(Row("a hook, durable", "long way, of 100", "", spread_of(found, "long_share")))
    rows.append(Row(f"{AGENTS} agents at once", "events", "1/s", spread([crowd["per_s"]])))
    return rows


def _project(root: Path) -> Path:
    root.mkdir(parents=True)
    for number in range(FILES):
        path = root / f"package{number % 20}" / f"module{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"VALUE = {number}\n" * 20)
    open_ledger(root).close()
    trusting.trust(f"{root}/.holdfast", _env(root))
    _hook(root, _told(root, "SessionStart", source="startup"))
    return root


def _env(root: Path) -> dict[str, str]:
    """Return what hooks are started with: a home of their own, beside the project."""
    kept = {name: value for name, value in os.environ.items() if not _is_foreign(name)}
    return kept | {"HOME": f"{root}-home"}


def _is_foreign(name: str) -> bool:
    return name.startswith(("HOLDFAST", "XDG_", "CLAUDE"))


def _told(root: Path, event: str, session: str = "bench", **fields: Any) -> bytes:
    told = {"hook_event_name": event, "session_id": session, "cwd": str(root), **fields}
    return json.dumps(told).encode()


def _hook(root: Path, payload: bytes, command: list[str] | None = None) -> float:
    """Run one process to its end; return how many milliseconds that took."""
    started = time.perf_counter()
    done = subprocess.run(
        command or hook_command("claude-code"),
        input=payload,
        cwd=root,
        env=_env(root),
        capture_output=True,
    )
    took_ms = (time.perf_counter() - started) * 1000
    if done.returncode or done.stderr:
        raise CannotMeasureError(f"A hook failed: {done.stderr.decode()[:300]}")
    return took_ms


def _turns(root: Path, turns: int) -> Measured:
    session = f"bench-{time.monotonic_ns()}"
    bare, hook = [], []
    before = _long(root)
    for payload in payloads(turns, root, session):
        bare.append(_hook(root, payload, BARE))
        hook.append(_hook(root, payload))
    measured: dict[str, float] = {"long_share": 100 * (_long(root) - before) / turns}
    for key, times in (("bare", bare), ("hook", hook)):
        measured |= _shares(key, times)
    for at in range(len(APART)):
        times = [_hook(root, _apart(root, session, at, n)) for n in range(max(5, turns // 10))]
        measured |= _shares(f"apart{at}", times)
    _check_yellow(root, session, max(5, turns // 10))
    return measured


def _shares(key: str, times: list[float]) -> dict[str, float]:
    return {f"{key}_p50_ms": percentile(times, 0.5), f"{key}_p95_ms": percentile(times, 0.95)}


def _long(root: Path) -> int:
    """Return how many hooks of a project took the long way."""
    text = (root / ".holdfast" / "intake" / "timings").read_text()
    return text.count(" long ")


def _apart(root: Path, session: str, at: int, number: int) -> bytes:
    if at == 0:
        (root / "package0" / "module0.py").write_text(f"VALUE = {number}\n")
        given = {"command": "make test"}
        told = {"tool_name": "Bash", "tool_input": given, "tool_response": {"stdout": "ok"}}
        return _told(root, "PostToolUse", session, tool_use_id=f"toolu_{session}_b{number}", **told)
    if at == 1:
        return _told(root, "Stop", session, last_assistant_message=f"Done, {number}.")
    if at == 2:
        return _in_yellow(root, f"{session}-yellow-{number}")
    return _told(root, "SessionStart", f"{session}-{number}", source="startup")


def _in_yellow(root: Path, session: str) -> bytes:
    """Decide something in a session that came into yellow, as its transcript says; end its turn."""
    path = Path(f"{root}-home") / ".claude" / "projects" / "-bench" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    usage = {"input_tokens": YELLOW_TOKENS, "output_tokens": 7}
    message = {"id": "m", "content": [{"type": "text", "text": "So be it."}], "usage": usage}
    said = {"type": "assistant", "uuid": session, "sessionId": session, "message": message}
    path.write_text(json.dumps(said) + "\n")
    decided = {"question": f"What in {session}?", "choice": "This", "reasoning": "It fits."}
    with open_ledger(root, session_id=keys.session_id(session)) as ledger:
        ledger.append("decision", decided | {"alternatives": ["That"]})
    return _told(root, "Stop", session, transcript_path=str(path))


def _check_yellow(root: Path, session: str, count: int) -> None:
    """See that the synthesis was really made, each time."""
    wanted = {keys.session_id(f"{session}-yellow-{number}") for number in range(count)}
    with open_ledger(root) as ledger:
        found = {entry.session_id for entry in ledger.read(Selection(type="delta_synced"))}
    made = len(wanted & found)
    if made != count:
        raise CannotMeasureError(f"Of {count} turns in yellow {made} were followed by a synthesis.")


def _crowd(root: Path, events: int) -> dict[str, float]:
    """Let agents work at once, and count what is in the ledger afterwards."""
    sessions = [f"agent-{number}" for number in range(AGENTS)]
    told = {session: payloads(events, root, session) for session in sessions}

    def work(session: str) -> None:
        for payload in told[session]:
            _hook(root, payload)

    started = time.perf_counter()
    with ThreadPoolExecutor(AGENTS) as agents:
        list(agents.map(work, sessions))
    took_s = time.perf_counter() - started
    with open_ledger(root) as ledger:
        found: Counter[tuple[str, str]] = Counter()
        for kind in ("tool_called", "tool_begun"):
            for entry in ledger.read(Selection(type=kind)):
                found[kind, ledger.data(entry)["call"]] += 1
        faults = len(ledger.verify().faults)
    calls = AGENTS * events
    return {
        "lost": calls - len(found),
        "twice": sum(found.values()) - len(found),
        "faults": faults,
        "per_s": calls / took_s,
    }
