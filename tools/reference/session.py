"""The commands that the JSON reference is made of: some work in a small project, told in order."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from holdfast.wiring.opening import open_ledger

CART: Final = """\
class Cart:
    def total(self):
        return round(sum(self.prices), 2)
"""

_AT_CART: Final = "`return round(sum(self.prices), 2)` [${PROJECT_ROOT}/cart.py:3]"


_FIELD: Final = re.compile(r"\{([a-z -]*):(\w+)\}")


def _nothing(_: Path) -> None:
    pass


@dataclass(frozen=True)
class Step:
    """One command. Without a name it only prepares what comes after."""

    name: str | None
    typed: str
    codes: tuple[int, ...] = (0,)
    lines: bool = False
    before: Callable[[Path], None] = _nothing

    def filled(self, answers: Mapping[str, Any]) -> str:
        """Return what is typed, with `{step:field}` taken from what an earlier step printed."""
        return _FIELD.sub(lambda found: str(answers[found[1]][found[2]]), self.typed)


def _step(
    words: str,
    rest: str = "",
    *,
    codes: tuple[int, ...] = (0,),
    lines: bool = False,
    before: Callable[[Path], None] = _nothing,
) -> Step:
    typed = " ".join(filter(None, ("holdfast", words, "--json", rest)))
    return Step(words, typed, codes, lines, before)


def _quiet(typed: str, before: Callable[[Path], None] = _nothing) -> Step:
    return Step(None, f"holdfast {typed} --json", (0, 1), before=before)


def _write_cart(project: Path) -> None:
    (project / "cart.py").write_text(CART)


def _write_issues(project: Path) -> None:
    issue = {"id": "bd-1", "title": "Print a receipt", "status": "open", "priority": 2}
    (project / "issues.jsonl").write_text(json.dumps(issue) + "\n")


def _write_prism(project: Path) -> None:
    folder = project.parent / "prism"
    folder.mkdir()
    (folder / "STATE_LOG.jsonl").write_text("not an entry\n")


def _other_project(project: Path) -> None:
    with open_ledger(project.parent / "other") as ledger:
        ledger.append("session_ended", {"reason": "their work"})


def _compact(project: Path) -> None:
    """Tell what an agent's hook tells when its context was replaced by a summary."""
    payload = {
        "hook_event_name": "PostCompact",
        "session_id": "s1",
        "cwd": str(project),
        "trigger": "auto",
        "compact_summary": "We worked on the cart.",
    }
    hook = [sys.executable, "-m", "holdfast", "hook", "claude-code"]
    subprocess.run(hook, input=json.dumps(payload).encode(), check=True, capture_output=True)


def _write_output(project: Path) -> None:
    lines = "a line of some log\n" * 3_000
    output = {"command": "make", "exit_code": 0, "output": lines}
    (project / "output.json").write_text(json.dumps(output))


_WORK: Final = (
    _step("init", before=_write_cart),
    _step("session start", "--session s1 --title 'the cart'"),
    _step("session list", lines=True),
    _step("task add", "'Round the totals' --id hf-1"),
    _step("task ready", lines=True),
    _step("task start", "hf-1"),
    _step("task scenario", "'one price' --type happy --expected 'two digits' --task hf-1"),
    _step("task update", "hf-1 --next 'round in pay()'"),
    _step("task show", "hf-1"),
    _step("task list", lines=True),
    _step("task import", "issues.jsonl", before=_write_issues),
    _step("task export", "tasks.jsonl"),
    _step("task close", "bd-1 --reason 'not now'"),
    _step("decide", f"'the cart rounds' --because 'it knows the currency' --evidence '{_AT_CART}'"),
    _step("ground", "{decide:seq}"),
    _quiet("decide 'Keep carts in Redis' --because 'it is fast' --about 'cart store'"),
    _step(
        "fork check",
        "'Carts are not in Redis' --about 'cart store' --actor-kind agent",
        codes=(1,),
    ),
    _step("fork list", codes=(1,), lines=True),
    _step("fork show", "{fork list:fork}"),
    _step("fork resolve", "{fork list:fork} --ruling 'agent wrong' --because 'it runs'"),
    _step("evidence file-exists", "'${PROJECT_ROOT}/cart.py' --for {decide:seq}"),
    _step("evidence grep", "'def total' '${PROJECT_ROOT}/cart.py' --for {decide:seq}"),
    _step("evidence run", "--for {decide:seq} -- true"),
    _step("evidence test", "--for {decide:seq} -- true"),
    _step("record", "command_ran --data @output.json", before=_write_output),
)

_READING: Final = (
    _step("log", "-n 2", lines=True),
    _step("show", "{decide:seq}"),
    _step("search", "rounds", lines=True),
    _step("ghost", "'gift cards' --manual --because 'read cart.py'"),
    _step(
        "pivot",
        "--reason 'too broad' --results 214 --failed 'the name is rare' --refined 'in src/api'",
    ),
    _step("notes"),
    _step("outline", "cart.py"),
    _step("tokens", "cart.py"),
    _step("fact add", "rule --text 'prices are in cents'"),
    _step("fact list", lines=True),
    _step("scene start", "checkout --campaign 'the shop' --mode build"),
    _step("scene show"),
    _step("fact unlock", "chapter-2 --scope scene"),
    _step("fact withdraw", "{fact add:fact} --reason 'they are in euros'"),
    _step("pending open", "approval 'Deploy the checkout?' --id deploy --step reviewed"),
    _step("pending list", lines=True),
    _step("pending step", "deploy reviewed"),
    _step("pending resolve", "deploy --outcome yes"),
    _step("milestone", "'the cart is done'"),
    _step("attention", "--tokens 6200"),
    _step("checkpoint", "--task 'the cart' --completed 3 --total 8 --next 'round in pay()'"),
    _step("resume"),
    _step("clear", "--check", codes=(1,)),
    _step("lost", lines=True, before=_compact),
)

_PROOF: Final = (
    _step("handoff offer", "'Finish the receipt' --to codex --next 'print it'"),
    _step("handoff list", lines=True),
    _step("handoff accept", "{handoff offer:seq} --actor codex"),
    _quiet("handoff offer 'Write the news' --to codex"),
    _step("handoff decline", "{:seq} --because 'no time' --actor codex"),
    _step("save"),
    _step("boot"),
    _step("at", "{decide:seq}"),
    _step("diff", "{decide:seq} {ghost:seq}"),
    _step("rollback", "{checkpoint:seq} --reason 'tried it'"),
    _step("export", "entries.jsonl"),
    _step("pin list", lines=True),
    _step("pin revise", "tokens --to other/1 --reason 'another counter'"),
    _step("scene end"),
    _step("session end"),
    _step("session show", "s1"),
    _step("restore", "s1", lines=True),
    _step("seal", "--keep 2"),
    _step("compactions list", lines=True),
    _step("compactions verify", codes=(0, 1)),
    _step("compactions rebuild"),
    _step("verify"),
    _step("metrics"),
    _step("heal"),
    _step("doctor", codes=(0, 1)),
    _step("backup", "../copy.db"),
    _step("erase", "{record:seq} --yes --reason 'a customer asked'"),
)

_AROUND: Final = (
    _step("sync", "../other", before=_other_project),
    _step("import", "prism ../prism", codes=(0, 1), before=_write_prism),
    _step("agents install", "claude-code --yes"),
    _step("agents status", codes=(0, 1)),
    _step("agents trust"),
    _step("agents plugin", "../plugin"),
    _step("agents remove", "claude-code"),
    _step("pause", "--because 'a customer'"),
    _step("protocols install"),
    _step("protocols status"),
    _step("integrity", codes=(0, 1)),
    _step("protocols remove"),
    _step("config"),
    _step("config path"),
    _step("status"),
)

STEPS: Final = (*_WORK, *_READING, *_PROOF, *_AROUND)

WITHOUT: Final = {
    "completion": "it has none: what it prints is a script",
    "demo": "one object when it is over",
    "hook": "only a command line that cannot be used; the answer has the agent's own form",
    "mcp": "only errors; the server speaks JSON-RPC, and with `--http` it first prints where it "
    "listens, its ledger and its token",
    "proxy": "one object when it listens: where, its ledger, and the token of the diagnostics",
    "up": "one object when both listen",
    "web": "one object when it listens: `listening`, `url`, `token`",
}
