"""The demo's first scenes: a desk fills up, is not wiped too soon, is wiped, and nothing is lost.

What is shown was typed and answered in this run.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from holdfast.cli.demo import agent
from holdfast.cli.demo.step import Step
from holdfast.cli.demo.terminal import Terminal

CODE: Final = '''def total(prices, rate):
    """Add up, then round once."""
    return round(sum(prices) * (1 + rate), 2)
'''
FILE: Final = "prices.py"
PLACE: Final = f"[${{PROJECT_ROOT}}/{FILE}:3]"
CHOICE: Final = "round once, at the end"
INVENTED: Final = f"`return sum(map(round, prices))` {PLACE}"
QUOTE: Final = f"`return round(sum(prices) * (1 + rate), 2)` {PLACE}"
TASK_ID: Final = "pages"
TOKENS_MAX: Final = 100


def clear_the_desk(project: Path) -> Iterator[Step]:
    """Fill the desk, be refused, prove, clear, come back."""
    (project / "pages").mkdir(parents=True)
    (project / FILE).write_text(CODE, encoding="utf-8")
    yield _fill(project)
    [decided] = Terminal(project).quietly("decide", CHOICE, "--because", "cents would add up")
    yield _refuse(project)
    yield _prove(project, decided["seq"])
    yield _clear(project)
    yield _come_back(project)


def _fill(project: Path) -> Step:
    terminal = Terminal(project)
    terminal.quietly("init")
    subprocess.run(
        [sys.executable, "-m", "holdfast.cli.demo.agent", "fill", str(project), "agent-1"],
        env=Terminal.environment(),
        check=True,
    )
    terminal.quietly("task", "add", agent.TASK, "--id", TASK_ID)
    terminal.quietly("task", "start", TASK_ID)
    terminal("log", "-n", "4")
    terminal("attention", agent.CONTEXT)
    [found] = terminal.quietly("attention")
    return Step(
        "An agent works, and its desk fills up",
        f"It converted {agent.HALF} of {agent.ITEMS} pages. Every step is in the ledger;"
        " its context is only a desk, and this one is full.",
        terminal.lines,
        terminal.ok and found["zone"] == "red",
        {"desk_tokens": found["tokens"], "zone": found["zone"]},
    )


def _refuse(project: Path) -> Step:
    terminal = Terminal(project)
    said = terminal.refused("clear")
    [look] = terminal.quietly("clear", "--check", code=1)
    steps = sorted({block["step"] for block in look["blocks"]})
    return Step(
        "The gate refuses to wipe it, and says why",
        "It reads the code and the ledger itself: what is not written down and proved is named,"
        " each with what to do about it.",
        terminal.lines,
        terminal.ok and steps == [1, 7] and CHOICE in said,
        {"blocks": len(look["blocks"])},
    )


def _prove(project: Path, seq: int) -> Step:
    terminal = Terminal(project)
    said = terminal.refused("ground", str(seq), "--evidence", INVENTED)
    terminal("ground", str(seq), "--evidence", QUOTE)
    for name, kind in (("a page", "happy"), ("an empty page", "edge"), ("no page", "error")):
        typed = ("task", "scenario", name, "--type", kind, "--expected", "it says which")
        terminal.quietly(*typed)
        terminal.lines.append(f"$ holdfast {shlex.join(typed)}")
    [look] = terminal.quietly("clear", "--check")
    return Step(
        "Evidence: an invented quote does not pass, a real one does",
        f"A decision rests on words that stand in a file, here {FILE}, and the gate looks there.",
        terminal.lines,
        terminal.ok and "NOT GROUNDED" in said and look["ok"] is True,
        {"grounding_ratio": look["grounding_ratio"]},
    )


def _clear(project: Path) -> Step:
    terminal = Terminal(project)
    said = terminal("clear")
    return Step(
        "Now it may be wiped",
        "What the next one needs is handed over; what was raw output stays in the ledger, whole.",
        terminal.lines,
        terminal.ok and "Nothing is in the way" in said,
        {"cleared": terminal.ok},
    )


def _come_back(project: Path) -> Step:
    """Begin a new chat, which knows nothing but what it is told here."""
    terminal = Terminal(project)
    terminal("session", "start", "--session", "agent-2", "--quiet")
    said = terminal("resume", "--level", "1")
    told: Any = terminal.quietly("resume", "--level", "1")[0]
    desk: int = terminal.quietly("attention", agent.CONTEXT)[0]["tokens"]
    terminal.lines.append(
        f"{told['tokens']} tokens ({told['counter']}) in the place of {desk:,} on the old desk"
    )
    wanted = f"item {agent.HALF + 1}", CHOICE
    ok = terminal.ok and told["tokens"] < TOKENS_MAX and all(one in said for one in wanted)
    return Step(
        f"A new chat is back at work in under {TOKENS_MAX} tokens",
        "It starts from the last known state: the task, what comes next, what was decided and"
        " where that is proved.",
        terminal.lines,
        ok,
        {"back_tokens": told["tokens"], "resumed": said.strip()},
    )
