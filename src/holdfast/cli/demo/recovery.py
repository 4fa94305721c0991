"""The demo's three recoveries. What is shown was typed and answered in this run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from holdfast.cli.demo import agent
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal

QUESTION: Final = "Which algorithm for the layout?"
WHY: Final = "it needs no gradient, and the parameters are continuous"


def recover(folder: Path) -> Iterator[Step]:
    """Lose the context in three ways, and come back each time."""
    project = folder / "recovery"
    (project / "pages").mkdir(parents=True)
    Terminal(project)("init")
    yield _go_on_at_the_next_item(project)
    yield _start_from_the_last_state(project)
    yield _find_an_old_decision(project)


def _go_on_at_the_next_item(project: Path) -> Step:
    code = _work_and_kill(project)
    terminal = Terminal(project)
    said = terminal("resume")
    expected = f"{agent.TASK} {agent.DONE}/{agent.ITEMS}", f"item {agent.DONE + 1}"
    lines = [f"the agent's process ended with {code} (SIGKILL) in the middle of its session"]
    ok = terminal.ok and code == -9 and all(part in said for part in expected)
    title = "The context is gone in the middle of a session: go on at the next item"
    return Step(title, lines + terminal.lines, ok, {"resumed": said.strip()})


def _work_and_kill(project: Path) -> int:
    """Let the agent do its half, and kill it; return how it ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast.cli.demo.agent", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=Terminal.environment(),
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
    finally:
        process.kill()
        process.communicate()
    return process.returncode


def _start_from_the_last_state(project: Path) -> Step:
    terminal = Terminal(project)
    said = terminal("session", "start", "--session", "new-chat")
    found = [line for line in said.splitlines() if line.startswith("Quick Resume: ")]
    ok = terminal.ok and len(found) == 1 and f"item {agent.DONE + 1}" in found[0]
    title = "A new chat: it starts from the last known state"
    return Step(title, terminal.lines, ok, {"quick_resume": "".join(found)})


def _find_an_old_decision(project: Path) -> Step:
    """Decide, decide otherwise, seal it all into an archive, and ask what was decided."""
    terminal = Terminal(project)
    old, new = _decide_twice(terminal)
    terminal("seal", "--keep", "0")
    terminal("search", "algorithm layout", "--type", "decision")
    shown = terminal("show", str(old))
    hits = [hit for hit in terminal.quietly("search", "algorithm layout") if "seq" in hit]
    superseded = {hit["seq"]: hit["superseded"] for hit in hits if hit["seq"] in (old, new)}
    ok = terminal.ok and WHY in shown and superseded == {old: True, new: False}
    title = "An old decision, sealed into an archive: found by its words, whole"
    return Step(title, terminal.lines, ok, {"found": superseded})


def _decide_twice(terminal: Terminal) -> tuple[int, int]:
    first: Any = terminal.quietly("decide", "swarms", "--question", QUESTION, "--because", WHY)[0]
    old = str(first["seq"])
    because = "swarms were slower than a plain grid"
    second: Any = terminal.quietly(
        *("decide", "a grid", "--question", QUESTION, "--because", because, "--supersedes", old)
    )[0]
    return first["seq"], second["seq"]
