"""Holders: a process is known again, and known to be gone, but nothing is claimed unseen."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from holdfast.kernel.types import Holder
from holdfast.ledger import processes
from holdfast.ledger.processes import SystemProcesses, caller

SYSTEM = SystemProcesses()


@pytest.fixture(params=["proc", "ps"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Look through /proc where there is one, and through ps as on systems that have none."""
    if request.param == "ps":
        monkeypatch.setattr(processes, "_has_proc", lambda: False)
    return str(request.param)


def child() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def test_a_process_is_known_again(way: str) -> None:
    del way
    mine = SYSTEM.holder(os.getpid())
    assert mine is not None
    assert mine == SYSTEM.holder(os.getpid())
    assert not SYSTEM.is_gone(mine)


def test_the_line_leads_from_this_process_to_its_ancestors(way: str) -> None:
    del way
    line = [holder.pid for holder in SYSTEM.line()]
    assert line[:2] == [os.getpid(), os.getppid()]
    assert len(set(line)) == len(line)


def test_a_process_that_ended_is_gone(way: str) -> None:
    del way
    process = child()
    holder = SYSTEM.holder(process.pid)
    assert holder is not None
    assert not SYSTEM.is_gone(holder)
    process.communicate()
    assert SYSTEM.is_gone(holder)
    assert SYSTEM.holder(process.pid) is None


def test_one_that_ended_and_was_not_asked_for_is_gone_too(way: str) -> None:
    del way
    process = child()
    holder = SYSTEM.holder(process.pid)
    assert holder is not None
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert SYSTEM.is_gone(holder)
    process.communicate()


def test_another_process_with_the_same_number_is_not_the_same(way: str) -> None:
    del way
    assert SYSTEM.is_gone(Holder(os.getpid(), "another boot:1"))


def test_what_cannot_be_looked_at_is_not_called_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_look", lambda _pid: None)
    assert not SYSTEM.is_gone(Holder(os.getpid(), "anything"))
    assert SYSTEM.line() == []


@pytest.mark.parametrize("pid", [0, -1, 2**40])
def test_a_number_that_no_process_has_is_answered_all_the_same(pid: int) -> None:
    assert SYSTEM.holder(pid) is None


@pytest.mark.parametrize(
    ("arguments", "one_command"),
    [
        (["sh", "-c", "x"], True),
        (["/bin/bash", "-lc", "x"], True),
        (["-zsh"], False),
        (["bash"], False),
        (["bash", "script.sh", "-c"], False),
        (["bash", "--norc"], False),
        (["python", "-c", "x"], False),
        (["/usr/bin/timeout", "5", "x"], True),
        ([], False),
    ],
)
def test_a_shell_for_one_command_is_told_from_others(
    arguments: list[str], one_command: bool
) -> None:
    assert processes._runs_one_command(arguments) is one_command


def test_the_caller_is_looked_for_behind_such_shells() -> None:
    script = "from holdfast.ledger.processes import caller; print(caller())"
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -c "{script}"; true'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == os.getpid()
    assert caller() > 0
