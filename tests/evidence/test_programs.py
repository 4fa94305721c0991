"""Other people's programs: bounded in time and in what they say, and never through a shell."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from holdfast.evidence.programs import Ran, find, run
from holdfast.kernel.errors import CouldNotLook


def python(folder: Path, script: str, *words: str, timeout_s: float = 20.0) -> Ran:
    argv = [sys.executable, "-IS", "-c", script, *words]
    return run(argv, folder=folder, env={"A": "b"}, timeout_s=timeout_s, bytes_max=100_000)


def test_it_returns_what_was_said_and_how_it_ended(tmp_path: Path) -> None:
    script = (
        "import os, sys; print(os.getcwd(), os.environ['A']); sys.stderr.write('e'); sys.exit(3)"
    )
    ran = python(tmp_path, script)
    assert (ran.code, ran.out.decode().split(), ran.err) == (3, [str(tmp_path), "b"], b"e")


def test_no_word_is_taken_for_a_command(tmp_path: Path) -> None:
    ran = python(tmp_path, "import sys; print(sys.argv[1])", "$(touch x); `touch x`")
    assert ran.out == b"$(touch x); `touch x`\n"
    assert list(tmp_path.iterdir()) == []


def test_it_has_nothing_to_read_from(tmp_path: Path) -> None:
    assert python(tmp_path, "print(input())").code == 1


def test_all_of_a_long_answer_arrives(tmp_path: Path) -> None:
    ran = python(tmp_path, "import sys; sys.stdout.write('x' * 90_000); sys.stderr.write('y' * 9)")
    assert (len(ran.out), len(ran.err)) == (90_000, 9)


def test_what_it_leaves_running_is_not_waited_for(tmp_path: Path) -> None:
    script = """
import subprocess, sys
child = [sys.executable, "-IS", "-c", "import os; os.read(os.pipe()[0], 1)"]
print(subprocess.Popen(child, start_new_session=True).pid)
"""
    ran = python(tmp_path, script)  # it would take until the time is over, and then be refused
    assert ran.code == 0
    os.kill(int(ran.out), signal.SIGKILL)


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("import os; os.read(os.pipe()[0], 1)", "did not end within 0.3 s"),
        ("import os; os.close(1); os.close(2); os.read(os.pipe()[0], 1)", "did not end within"),
        ("while True: print('x' * 1000)", "said more than 100,000 bytes"),
    ],
)
def test_one_that_does_not_stop_is_stopped(tmp_path: Path, script: str, why: str) -> None:
    timeout_s = 20.0 if "more" in why else 0.3
    with pytest.raises(CouldNotLook, match=why):
        python(tmp_path, script, timeout_s=timeout_s)


@pytest.mark.parametrize("argv", [["/nowhere/at/all"], ["a\0b"]])
def test_one_that_cannot_be_started_says_so(tmp_path: Path, argv: list[str]) -> None:
    with pytest.raises(CouldNotLook, match="cannot be started"):
        run(argv, folder=tmp_path, env={}, timeout_s=1, bytes_max=1)


# Which program is run


class Machine:
    """Folders of programs on the path, some of them of a project."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.root = folder / "project"
        self.root.mkdir()
        self._monkeypatch = monkeypatch

    def program(self, place: str) -> str:
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return str(path)

    def path(self, *folders: str) -> None:
        self._monkeypatch.setenv("PATH", os.pathsep.join(folders))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_the_first_program_outside_of_the_project_is_found(machine: Machine) -> None:
    machine.program("project/bin/it")
    outside = machine.program("bin/it")
    machine.path(str(machine.root / "bin"), str(machine.folder / "bin"))
    assert find("it", machine.root) == outside
    assert find("other", machine.root) is None


@pytest.mark.parametrize("way", ["folder", "relative", "empty", "link to it", "link in it", "name"])
def test_one_of_the_project_is_passed_over_however_it_is_reached(
    machine: Machine, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.program("project/bin/it")
    monkeypatch.chdir(machine.root / "bin")
    folder = str(machine.root / "bin")
    match way:
        case "relative":
            folder = "../bin"
        case "empty":
            folder = ""
        case "link to it":  # the folder on the path is a link into the project
            (machine.folder / "link").symlink_to(machine.root / "bin")
            folder = str(machine.folder / "link")
        case "link in it":  # the project's link says which program of the machine it is
            real = machine.program("bin/real")
            (machine.root / "bin/it").unlink()
            (machine.root / "bin/it").symlink_to(real)
        case "name":  # a link outside that leads to a file of the project
            (machine.folder / "links").mkdir()
            (machine.folder / "links/it").symlink_to(machine.root / "bin/it")
            folder = str(machine.folder / "links")
        case _:
            pass  # its folder is on the path as it is
    machine.path(folder)
    with pytest.raises(CouldNotLook, match="a file of the project itself"):
        find("it", machine.root)
