"""Sessions across real processes: one identity, two agents, holders that die, racing hooks."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.cli.harness import Holdfast

CALL = json.dumps({"tool": "Bash", "detail": "make test"})

AGENT = """
import subprocess, sys
for line in sys.stdin:
    done = subprocess.run([sys.executable, "-m", "holdfast", *line.split()], capture_output=True)
    sys.stdout.write(done.stdout.decode().strip().splitlines()[0] if done.stdout else "-")
    sys.stdout.write(f" {done.returncode}\\n")
    sys.stdout.flush()
"""
"""A process that runs the commands it is told, and answers with what they print."""


class Agent:
    def __init__(self, holdfast: Holdfast, **env: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", AGENT],
            cwd=holdfast.folder,
            env=holdfast.env(**env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> tuple[str, int]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        said, _, code = self.process.stdout.readline().rpartition(" ")
        return said, int(code)

    def start(self, *words: str) -> Any:
        said, code = self.run("session", "start", "--json", *words)
        assert code == 0
        return json.loads(said)

    def record(self, *words: str) -> Any:
        said, code = self.run("record", "agent_said", "--data", '{"text":"hm"}', "--json", *words)
        return json.loads(said)["seq"] if code == 0 else None


@contextmanager
def agent(holdfast: Holdfast, **env: str) -> Iterator[Agent]:
    one = Agent(holdfast, **env)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()


def session_of(holdfast: Holdfast, seq: int) -> Any:
    return holdfast("show", str(seq), "--json").json()["session_id"]


@pytest.mark.lesson("P9")
@pytest.mark.req("P9")
def test_separate_processes_share_the_session_that_one_of_them_started(
    holdfast: Holdfast,
) -> None:
    started = holdfast.process("session", "start", "--json").json()["session_id"]
    holdfast.process("record", "tool_called", "--data", CALL)
    holdfast.process("decide", "tabs", "--because", "they are fewer")
    holdfast.process("checkpoint", "--next", "format it")
    assert {entry["session_id"] for entry in holdfast.entries()} == {started}
    assert len(holdfast.entries()) == 4


@pytest.mark.lesson("P9")
def test_the_environment_carries_it_too(holdfast: Holdfast) -> None:
    holdfast.process("session", "start", "--session", "other")
    for command in (
        ("record", "tool_called", "--data", CALL),
        ("checkpoint", "--next", "format it"),
    ):
        assert holdfast.process(*command, HOLDFAST_SESSION="mine").code == 0
    assert [entry["session_id"] for entry in holdfast.entries()] == ["other", "mine", "mine"]


@pytest.mark.lesson("P9")
def test_a_session_started_through_a_shell_belongs_to_who_runs_the_shell(
    holdfast: Holdfast,
) -> None:
    command = shlex.join(holdfast.command("session", "start", "--session", "s1"))
    # a shell of its own, which is gone when the command is
    subprocess.run(
        ["sh", "-c", f"{command}; true"], cwd=holdfast.folder, env=holdfast.env(), check=True
    )
    [entry] = holdfast.entries()
    assert entry["data"]["holder"]["pid"] == os.getpid()


def test_two_agents_of_one_name_stay_apart_by_their_processes(holdfast: Holdfast) -> None:
    with agent(holdfast) as one, agent(holdfast) as two:
        mine, theirs = one.start()["session_id"], two.start()["session_id"]
        found = [session_of(holdfast, a.record()) for a in (one, two, two, one)]
    assert found == [mine, theirs, theirs, mine]


def test_nobody_else_writes_into_either_without_saying_so(holdfast: Holdfast) -> None:
    with agent(holdfast) as one, agent(holdfast) as two, agent(holdfast) as three:
        one.start("--session", "s1")
        two.start("--session", "s2")
        assert three.record() is None
        assert session_of(holdfast, three.record("--session", "s2")) == "s2"


def test_a_killed_holder_is_noticed_by_the_next_start(holdfast: Holdfast) -> None:
    with agent(holdfast, HOLDFAST_ACTOR="a") as one, agent(holdfast, HOLDFAST_ACTOR="b") as two:
        one.start("--session", "s1")
        assert two.start("--session", "s2") == {"session_id": "s2", "parent": None}
        one.process.send_signal(signal.SIGKILL)
        one.process.wait()
        with agent(holdfast, HOLDFAST_ACTOR="c") as three:
            assert three.start("--session", "s3") == {
                "session_id": "s3",
                "parent": "s1",
                "crashed": ["s1"],
            }
    crashed = holdfast.entries("--type", "session_ended")
    assert [(e["session_id"], e["data"], e["actor"]["kind"]) for e in crashed] == [
        ("s1", {"reason": "crashed"}, "holdfast")
    ]


def test_a_holder_that_died_and_was_not_asked_for_counts_as_dead(holdfast: Holdfast) -> None:
    zombie = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        pid = str(zombie.pid)
        assert holdfast("session", "start", "--session", "s1", "--holder-pid", pid).code == 0
        zombie.kill()
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)  # it is over, and still there
        done = holdfast("session", "start", "--session", "s2", "--actor", "another", "--json")
        assert done.json()["crashed"] == ["s1"]
    finally:
        zombie.communicate()


def test_an_entry_after_a_presumed_crash_takes_it_back(holdfast: Holdfast) -> None:
    with agent(holdfast) as one:
        one.start("--session", "s1")
        one.start("--session", "s2")  # the same holder: s1 is closed
        one.record("--session", "s1")
        listed = holdfast("session", "list", "--json").text.splitlines()
    assert [json.loads(line)["state"] for line in listed] == ["open", "open"]


@pytest.mark.lesson("P10")
@pytest.mark.req("P9")
def test_five_hook_processes_make_one_checkpoint(holdfast: Holdfast) -> None:
    holdfast.process("session", "start", "--session", "s1")
    for _ in range(5):
        assert holdfast.process("record", "tool_called", "--data", CALL).code == 0
    kinds = [entry["type"] for entry in holdfast.entries()]
    assert kinds == ["session_started", *["tool_called"] * 5, "checkpoint"]
    assert holdfast.entries()[-1]["session_id"] == "s1"
    assert holdfast.entries()[-1]["data"]["quick_resume"].startswith("called Bash 5x")


@pytest.mark.lesson("P10")
@pytest.mark.parametrize(("racing", "expected"), [(4, 0), (8, 1)])
def test_racing_hook_processes_make_one_checkpoint(
    holdfast: Holdfast, racing: int, expected: int
) -> None:
    holdfast.process("session", "start", "--session", "s1")
    crew = [
        subprocess.Popen(
            holdfast.command("record", "tool_called", "--data", CALL, "--json"),
            cwd=holdfast.folder,
            env=holdfast.env(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(racing)
    ]
    answers = [process.communicate(timeout=60) for process in crew]
    assert [process.returncode for process in crew] == [0] * racing, answers
    assert all(set(json.loads(out)) == {*_KEYS} for out, _ in answers)
    assert len(holdfast.entries("--type", "tool_called")) == racing
    assert len(holdfast.entries("--type", "checkpoint")) == expected
    assert holdfast("verify").code == 0


_KEYS = ("seq", "id", "hash", "leaf", "redactions")
