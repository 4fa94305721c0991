"""The demo's crash: the agent is killed in the middle of an append, and goes on where it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec

from holdfast.cli.demo import agent
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal
from holdfast.storage.port import Selection
from holdfast.wiring.looking import open_reader
from holdfast.wiring.places import place_of

KILLS: Final = 4
KILLS_FAST: Final = 1
LIVES: Final = (3, 1, 1, 1, 1, 1, 1, 1)
"""Items that it may begin each time that it is started. A kill that comes too late, after the
receipt, is tried again; together they are all that is left to do."""


class Life(msgspec.Struct):
    """What one process of the agent said before its end."""

    code: int
    acknowledged: list[str]
    in_the_middle: bool
    """Whether it had begun an append that nobody acknowledged."""


def kill(project: Path, *, fast: bool = False) -> Step:
    """Kill the agent while it appends, so many times; then let it finish."""
    terminal = Terminal(project)
    wanted, lives, shown = KILLS_FAST if fast else KILLS, list[Life](), ""
    for begun in LIVES:
        lives.append(_live(project, f"agent-{len(lives) + 3}", begun))
        shown = shown or terminal("resume")
        if sum(life.in_the_middle for life in lives) == wanted:
            break
    lives.append(_live(project, f"agent-{len(lives) + 3}"))
    acknowledged = {one for life in lives for one in life.acknowledged}
    held, items = _held(project)
    killed = sum(life.code == -9 for life in lives)
    middle = sum(life.in_the_middle for life in lives)
    terminal.lines += [
        f"{killed} × kill -9, {middle} of them between the beginning of an append and its receipt",
        f"acknowledged: {len(acknowledged)}, of them in the ledger: {len(acknowledged & held)}",
        f"items {agent.HALF + 1} to {agent.ITEMS}: each recorded once"
        if items == agent.ITEMS - agent.HALF == len(held)
        else f"items recorded: {items}, different ones: {len(held)}",
    ]
    terminal("verify")
    ok = terminal.ok and middle >= wanted and acknowledged <= held
    return Step(
        "kill -9 in the middle of an append: go on at the next item",
        "What was acknowledged is on the disk, what was not is either whole or not there;"
        " the next process reads where the work stands.",
        terminal.lines,
        ok and items == len(held) == agent.ITEMS - agent.HALF and "item " in shown,
        {"kills": killed, "acknowledged": len(acknowledged), "kept": len(acknowledged & held)},
    )


def _live(project: Path, session_id: str, begun: int = 0) -> Life:
    """Run the agent; kill it as soon as it begins that many items, 0 to let it finish."""
    process = subprocess.Popen(
        [sys.executable, "-m", "holdfast.cli.demo.agent", "go-on", str(project), session_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=Terminal.environment(),
        text=True,
    )
    said: list[str] = []
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n" * (begun or agent.ITEMS))
        process.stdin.flush()
        left = begun
        while left and (line := process.stdout.readline()):
            said.append(line)
            left -= line.startswith("begin ")
        if begun:
            process.kill()
        said += process.communicate()[0].splitlines(keepends=True)
    finally:
        process.kill()
        process.wait()
    # The last line of a killed process may be half a line: it acknowledges nothing.
    whole = [line.split() for line in said if line.endswith("\n")]
    acknowledged = [words[1] for words in whole if words[0] == "acknowledged"]
    middle = process.returncode != 0 and bool(whole) and whole[-1][0] == "begin"
    return Life(process.returncode, acknowledged, middle)


def _held(project: Path) -> tuple[set[str], int]:
    """Return the ids of the agent's items in the ledger, and how many entries have them."""
    reader = open_reader(place_of(project).database)
    try:
        found = [
            item
            for item in range(1, agent.ITEMS + 1)
            for _ in reader.read(Selection(id=f"demo-item-{item}"))
        ]
        return {f"demo-item-{item}" for item in found}, len(found)
    finally:
        reader.close()
