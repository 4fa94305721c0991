"""A command is run as it was named: no shell, no input, bounded output, and it ends."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

import pytest

from holdfast.evidence.running import Ran, run
from holdfast.kernel.errors import CouldNotLook
from holdfast.kernel.limits import CHECK_OUTPUT_BYTES_MAX


def python(folder: Path, code: str, timeout_s: float = 60) -> Ran:
    return run([sys.executable, "-c", code], folder=folder, timeout_s=timeout_s)


def ends(pid: int) -> bool:
    """Wait for a process of somebody else: one that was killed may take a moment to be gone."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    poll = select.poll()
    poll.register(process, select.POLLIN)
    over = bool(poll.poll(10_000))
    os.close(process)
    return over


def test_it_passes_with_exit_code_0_and_no_other(tmp_path: Path) -> None:
    assert python(tmp_path, "").passed
    ran = python(tmp_path, "raise SystemExit(3)")
    assert (ran.exit_code, ran.passed) == (3, False)


def test_a_signal_is_no_pass(tmp_path: Path) -> None:
    ran = python(tmp_path, "import os; os.kill(os.getpid(), 15)")
    assert (ran.exit_code, ran.passed) == (-15, False)


def test_both_streams_are_kept(tmp_path: Path) -> None:
    ran = python(tmp_path, "import sys; print('out', flush=True); print('err', file=sys.stderr)")
    assert ran.output == "out\nerr\n"


def test_there_is_no_shell_and_no_input(tmp_path: Path) -> None:
    ran = run(
        [sys.executable, "-c", "import sys; print(sys.argv[1:])", "$HOME; *"], folder=tmp_path
    )
    assert ran.output == "['$HOME; *']\n"
    assert python(tmp_path, "import sys; print(repr(sys.stdin.read()))").output == "''\n"


def test_it_runs_in_the_folder(tmp_path: Path) -> None:
    assert python(tmp_path, "import os; print(os.getcwd())").output == f"{tmp_path}\n"


@pytest.mark.lesson("N15")
def test_of_long_output_the_end_is_kept_and_the_rest_counted(tmp_path: Path) -> None:
    ran = python(tmp_path, f"print('a' * {CHECK_OUTPUT_BYTES_MAX}); print('the end')")
    first, _, rest = ran.output.partition("\n")
    assert first == "… the first 9 bytes are left out"
    assert rest.endswith("a\nthe end\n")
    assert len(rest) == CHECK_OUTPUT_BYTES_MAX


def test_bytes_that_are_no_text_do_not_stop_it(tmp_path: Path) -> None:
    ran = python(tmp_path, r"import os; os.write(1, b'\xff\xfe')")
    assert (ran.passed, ran.output) == (True, "\ufffd\ufffd")


def test_what_takes_too_long_is_ended_with_whatever_it_started(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)\n"
        "pathlib.Path('pid').write_text(str(child.pid))\n"
        "print('started', flush=True)\n"
        "child.wait()\n"
    )
    ran = python(tmp_path, code, timeout_s=3)
    assert (ran.exit_code, ran.passed) == (None, False)
    assert ran.output.endswith("… ended after 3 s")
    assert ends(int((tmp_path / "pid").read_text()))


def test_what_closes_its_output_and_goes_on_is_waited_for(tmp_path: Path) -> None:
    code = "import os; os.close(1); os.close(2); os._exit(7)"
    assert python(tmp_path, code).exit_code == 7


def test_a_child_that_keeps_the_output_open_does_not_keep_us(tmp_path: Path) -> None:
    """The command ends at once; what it left behind ends when its own input does."""
    code = (
        "import os, sys\n"
        "r, w = os.pipe()\n"
        "if os.fork():\n"
        "    print('done', flush=True); os._exit(0)\n"
        "os.close(w)\n"
        "open('pid', 'w').write(str(os.getpid()))\n"
        "import select; select.select([], [], [], 20)\n"
    )
    ran = python(tmp_path, code, timeout_s=15)
    assert (ran.exit_code, ran.output) == (0, "done\n")
    pid = tmp_path / "pid"
    if pid.exists() and pid.read_text():
        os.kill(int(pid.read_text()), 9)


@pytest.mark.parametrize("name", ["no-such-program", "/", "a\0b"])
def test_what_cannot_be_started_was_not_run(tmp_path: Path, name: str) -> None:
    with pytest.raises(CouldNotLook, match="could not be started"):
        run([name], folder=tmp_path)
