"""The journey of somebody who clears instead of compacting, on a real repository with real code."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holdfast as package
from tests.clearing import in_git
from tests.cli.harness import Holdfast, Result
from tests.journeys import killed_attention
from tests.journeys.killed_clear import MOMENTS

PACKAGE = Path(package.__file__).parent


class Journey:
    """A repository that holds the kernel of this very package, and somebody at work in it."""

    def __init__(self, tmp_path: Path) -> None:
        folder, home = tmp_path / "project", tmp_path / "home"
        shutil.copytree(PACKAGE / "kernel", folder / "src", ignore=shutil.ignore_patterns("__py*"))
        home.mkdir()
        in_git(folder)
        self.run = Holdfast(folder, home)
        self.folder = folder
        self.task = ""

    def done(self, *args: str, stdin: bytes = b"") -> Result:
        """Run a command that has to succeed."""
        found = self.run(*args, stdin=stdin)
        assert found.code == 0, (args, found.text, found.err)
        return found

    def json(self, *args: str) -> Any:
        return self.done(*args, "--json").json()

    def quote(self, path: str, words: str) -> str:
        """Cite the first line of a file that holds some words, as it is."""
        lines = (self.folder / path).read_text().splitlines()
        number = next(number for number, line in enumerate(lines, 1) if words in line)
        return f"`{lines[number - 1].strip()}` [${{PROJECT_ROOT}}/{path}:{number}]"

    def begin(self) -> None:
        """Start a session with a task that is planned and a decision that is grounded."""
        self.done("init")
        self.done("session", "start", "--session", "sess-1", "--title", "tree heads")
        self.task = self.json("task", "add", "Sign the tree head")["task"]
        self.done("task", "start", self.task)
        self.work(3)

    def work(self, count: int) -> None:
        """Run commands whose output fills a context."""
        for number in range(count):
            output = "\n".join(f"tests/test_{number}.py::test_{n} PASSED" for n in range(150))
            data = {"command": f"pytest -q {number}", "exit_code": 0, "output": output}
            self.done("record", "command_ran", "--data", json.dumps(data))

    def grounded(self) -> None:
        """Make a decision that rests on code."""
        cited = self.quote("src/hashing.py", "def leaf_hash")
        self.done(
            "decide", "Hash leaves with a prefix", "--because", "RFC 6962", "--evidence", cited
        )

    def grounded_again(self) -> None:
        """Make the next decision, which rests on code too."""
        cited = self.quote("src/hashing.py", "def node_hash")
        self.done("decide", "Sign size and root", "--because", "both count", "--evidence", cited)

    def finished(self) -> None:
        """Have everything that a clear needs."""
        self.begin()
        self.grounded()
        self.done("task", "update", self.task, "--next", "sign what `root()` returns")
        self.plan()

    def plan(self) -> None:
        for kind in ("happy", "edge", "error"):
            said = ("--type", kind, "--expected", "it verifies", "--task", self.task)
            self.done("task", "scenario", f"the {kind} case", *said)

    def blocks(self) -> list[Any]:
        """Look, and return what is in the way."""
        found = self.run("clear", "--check", "--json")
        answer = found.json()
        assert found.code == (0 if answer["ok"] else 1)
        blocks: list[Any] = answer["blocks"]
        return blocks

    def types(self) -> list[str]:
        return [entry["type"] for entry in self.run.entries()]

    def trajectory(self, phase: str) -> list[Any]:
        """Return the lines of the trajectory with a phase; each has to parse alone."""
        files = sorted((self.folder / ".holdfast" / "trajectory").glob("*.jsonl"))
        lines = [json.loads(line) for path in files for line in path.read_bytes().splitlines()]
        return [line for line in lines if line["phase"] == phase]

    def ended(self, script: str, point: int, *args: str) -> int:
        """Run a command in a process that is killed at a moment; return how it ended."""
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name(script)), str(point), *args],
            cwd=self.folder,
            env=self.run.env(PYTHONPATH=str(PACKAGE.parent)),
            capture_output=True,
            check=False,
            timeout=60,
        )
        return done.returncode


@pytest.fixture
def journey(tmp_path: Path) -> Journey:
    return Journey(tmp_path)


@pytest.mark.req("L3")
@pytest.mark.req("L5")
@pytest.mark.req("L15")
def test_start_work_yellow_orange_blocked_fixed_cleared_resumed(journey: Journey) -> None:
    journey.begin()
    journey.grounded()

    # yellow: written down by itself, nothing cleared
    assert journey.json("attention", "--tokens", "5200")["zone"] == "yellow"
    assert "Hash leaves with a prefix" in (journey.folder / "NOTES.md").read_text()
    assert len(journey.trajectory("delta_sync")) == 1

    # five causes and more at once
    journey.run("decide", "Keep the frontier in memory", "--because", "it is small")
    relative = "`def node_hash(left: bytes, right: bytes) -> bytes:` [src/hashing.py:1]"
    journey.run("decide", "Hash nodes alike", "--because", "RFC 6962", "--evidence", relative)
    journey.done("ghost", "Ed25519 signatures")
    said = ("--about", "src/hashing.py::leaf_hash", "--because", "it is shorter")
    forked = journey.run("decide", "Do not hash leaves with a prefix", *said, "--assumption")
    assert forked.code == 1, forked.text
    journey.run.record("search_ran", query="hash", result_count=127, scope="code")

    # orange: the checkpoint runs, fails, and is told
    orange = journey.json("attention", "--tokens", "10400")
    assert orange["message"] == "Context is filling. Consider /clear when ready."
    blocks = journey.blocks()
    assert {block["step"] for block in blocks} == {1, 2, 3, 4, 5, 7}
    blocked = journey.run("clear")
    assert blocked.code == 1
    assert "Cannot clear: 2 decisions lack grounded citations." in blocked.text
    assert "[UNVERIFIED GHOST] Ed25519 signatures" in blocked.text
    assert journey.types()[-1] == "gate_ran"
    assert "handoff_made" not in journey.types()

    # fixed one by one, and each is gone from the list
    left = {block["step"] for block in blocks}
    for step, fix in fixes(journey):
        fix()
        left -= {step}
        assert {block["step"] for block in journey.blocks()} == left
    assert left == set()

    # cleared: what is printed is what the next session sees
    cleared = journey.done("clear")
    assert journey.types()[-3:] == ["gate_ran", "handoff_made", "session_ended"]
    assert "sign what `root()` returns" in cleared.text
    assert [line["passed"] for line in journey.trajectory("synthesis_checkpoint")][-1] is True
    assert len(journey.trajectory("session_handoff")) == 1

    # a new process, a new session: resumed at the next step
    assert journey.run.process("session", "start", "--session", "sess-2", "-q").code == 0
    resumed = journey.run.process("resume", "--level", "1", "--json")
    assert resumed.code == 0, resumed.err
    capsule = resumed.json()
    assert capsule["tokens"] <= 100
    assert "sign what `root()` returns" in capsule["text"]
    assert capsule["text"] in cleared.text, cleared.text
    assert journey.json("session", "show", "sess-2")["parent"] == "sess-1"
    assert journey.json("task", "show", journey.task)["next_steps"] == [
        "sign what `root()` returns"
    ]

    # and on with it
    journey.grounded_again()
    handoffs = journey.json("task", "show", journey.task)["handoffs"]
    assert [one["session_id"] for one in handoffs] == ["sess-1"]
    assert journey.done("verify").code == 0


def fixes(journey: Journey) -> list[tuple[int, Any]]:
    """Return what settles each step, by its number."""

    def ground() -> None:
        decisions = [one for one in journey.run.entries() if one["type"] == "decision"]
        frontier, nodes = decisions[1]["seq"], decisions[2]["seq"]
        journey.done("ground", str(frontier), "--assumption")
        cited = journey.quote("src/hashing.py", "def node_hash")
        journey.done("ground", str(nodes), "--evidence", cited)

    def verify() -> None:
        journey.done("ghost", "Ed25519 signatures", "--manual", "--because", "read src/hashing.py")

    def rule() -> None:
        [fork] = [block for block in journey.blocks() if block["step"] == 3]
        name = fork["reason"].split()[2]
        ruling = ("--ruling", "agent wrong", "--because", "the RFC says so", "--assumption")
        journey.done("fork", "resolve", name, *ruling)

    def say_next() -> None:
        journey.done("task", "update", journey.task, "--next", "sign what `root()` returns")

    def pivot() -> None:
        said = ("--failed", "one place hashes", "--refined", "only hashing.py does")
        journey.done("pivot", "--reason", "too broad", *said)

    return [(1, ground), (2, verify), (3, rule), (4, say_next), (5, pivot), (7, journey.plan)]


@pytest.mark.req("L15")
@pytest.mark.parametrize("point", range(MOMENTS))
def test_killed_between_any_two_steps_a_clear_is_done_again_and_said_once(
    journey: Journey, point: int
) -> None:
    journey.finished()
    assert journey.ended("killed_clear.py", point, "clear") == -signal.SIGKILL
    said = journey.types()
    assert said.count("gate_ran") == said.count("handoff_made") == said.count("session_ended")

    cleared = journey.run.process("clear")
    assert cleared.code == 0, cleared.err
    assert "sign what `root()` returns" in cleared.text
    types = journey.types()
    for kind in ("gate_ran", "handoff_made", "session_ended"):
        assert types.count(kind) == 1, kind
    handoff = journey.json("handoff")
    assert handoff["next_steps"] == ["sign what `root()` returns"]
    check_notes(journey, handoff["notes_refs"])
    assert len(journey.trajectory("session_handoff")) == 1
    assert journey.done("verify").code == 0
    assert journey.done("boot", handoff["save"]).code == 0


def check_notes(journey: Journey, refs: list[str]) -> None:
    """See that the lines a handoff names hold what it handed over."""
    lines = (journey.folder / "NOTES.md").read_text().splitlines()
    spans = [ref.rpartition(":")[2].split("-") for ref in refs]
    named = ["\n".join(lines[int(first) - 1 : int(last)]) for first, last in spans]
    assert any("Hash leaves with a prefix" in text for text in named)


def test_every_moment_is_reached(journey: Journey) -> None:
    """A moment that is never reached kills nobody, and would prove nothing."""
    journey.finished()
    assert journey.ended("killed_clear.py", MOMENTS, "clear") == 0


@pytest.mark.req("L5")
@pytest.mark.parametrize("point", range(len(killed_attention.MOMENTS)))
@pytest.mark.parametrize(("zone", "tokens"), [("yellow", "6000"), ("orange", "11000")])
def test_killed_while_a_zone_is_answered_the_next_count_answers_it_once(
    journey: Journey, point: int, zone: str, tokens: str
) -> None:
    journey.finished()
    (journey.folder / "NOTES.md").unlink()
    count = ("attention", "--tokens", tokens)
    killed = journey.ended("killed_attention.py", point, *count)
    checks = killed_attention.MOMENTS[point] == "_check"
    assert killed == (0 if checks and zone == "yellow" else -signal.SIGKILL)
    assert journey.types().count("attention_measured") == 1
    for _ in range(2):
        assert journey.json(*count)["zone"] == zone
    types = journey.types()
    assert types.count("attention_measured") == 1
    assert types.count("delta_synced") == 1
    assert types.count("gate_ran") == (1 if zone == "orange" else 0)
    assert "Hash leaves with a prefix" in (journey.folder / "NOTES.md").read_text()
