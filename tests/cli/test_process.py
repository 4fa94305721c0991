"""The process itself: signals, pipes, a full disk behind stdout, help."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from contextlib import suppress

import click
import pytest

from holdfast.cli.errors import guarded
from holdfast.cli.root import COMMANDS, root
from holdfast.config import DEBUG_VARIABLE
from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast, running

LONG_S = 300
"""Longer than anything takes on a machine that has much else to do."""


def test_an_interrupted_command_says_so_and_records_nothing(holdfast: Holdfast) -> None:
    pipe = holdfast.home / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    room = select.poll()
    room.register(handle, select.POLLOUT)
    with running(holdfast, "record", "metric", "--data", f"@{pipe}", env=holdfast.env()) as waiting:
        try:
            with suppress(BlockingIOError):
                while os.write(handle, b" " * 4096):
                    pass
            assert room.poll(LONG_S * 1000)  # there is room again: it reads
            waiting.send_signal(signal.SIGINT)
        finally:
            # A signal that comes between two system calls is seen after the next one: the read
            # ends here, so that it need not be caught within it.
            os.close(handle)
        _, err = waiting.communicate(timeout=LONG_S)
    assert waiting.returncode == 130
    assert b"Traceback" not in err
    assert holdfast.entries() == []


@pytest.mark.lesson("N5")
@pytest.mark.parametrize("arguments", [["status"], ["verify"], ["log", "--json"]])
def test_a_command_is_one_short_process_and_leaves_none_behind(
    holdfast: Holdfast, arguments: list[str]
) -> None:
    holdfast.record()
    process = subprocess.Popen(
        holdfast.command(*arguments),
        cwd=holdfast.folder,
        env=holdfast.env(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.wait(timeout=60) == 0
    with pytest.raises(ProcessLookupError):  # its group is empty
        os.killpg(process.pid, 0)


def test_a_reader_that_went_away_is_no_error(holdfast: Holdfast) -> None:
    holdfast.record()
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            holdfast.command("log", "--json"),
            cwd=holdfast.folder,
            env=holdfast.env(),
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("debug", ["", "1"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["log", "--json"], ["status"], ["resume"]])
def test_an_output_that_takes_nothing_is_a_plain_error(
    holdfast: Holdfast, arguments: list[str], debug: str, unbuffered: str
) -> None:
    holdfast.record()
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            holdfast.command(*arguments),
            cwd=holdfast.folder,
            env=holdfast.env(**{DEBUG_VARIABLE: debug, "PYTHONUNBUFFERED": unbuffered}),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"holdfast: The output could not be written: No space left on device." in done.stderr
    assert b"unexpected" not in done.stderr
    assert (b"Traceback" in done.stderr) == bool(debug)


@pytest.mark.parametrize("debug", ["", "1"])
def test_an_unexpected_error_is_short_unless_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, debug: str
) -> None:
    monkeypatch.setenv(DEBUG_VARIABLE, debug)

    def fail() -> None:
        raise ZeroDivisionError("by nought")

    assert guarded(fail, as_json=False) == 2
    told = capsys.readouterr().err
    assert "An unexpected error: ZeroDivisionError: by nought." in told
    assert ("Traceback" in told) == bool(debug)


def test_a_file_that_cannot_be_used_is_a_plain_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        raise PermissionError(13, "Permission denied", "/somewhere/a file")

    assert guarded(fail, as_json=True) == 2
    out, err = capsys.readouterr()
    assert "/somewhere/a file could not be read or written: Permission denied." in err
    assert json.loads(out)["error"]["kind"] == "StorageFailed"


def test_a_lock_that_cannot_be_opened_is_a_plain_error(holdfast: Holdfast) -> None:
    # a folder refuses to be opened as a read-only one does, also to those who may do everything
    lock = holdfast.folder / ".holdfast" / "ledger.lock"
    lock.unlink()
    lock.mkdir()
    done = holdfast("record", "decision", "--data", json.dumps(data_for("decision", 1)))
    assert done.code == 2
    assert f"{lock} cannot be opened: Is a directory." in done.err
    assert "unexpected" not in done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example_and_json(bare: Holdfast, name: str) -> None:
    done = bare(name, "--help")
    assert done.code == 0
    assert f"\nExample:\n  holdfast {name}" in done.text
    assert "--json" in done.text


def test_the_table_of_commands_names_what_is_there() -> None:
    context = click.Context(root)
    commands = [root.get_command(context, name) for name in root.list_commands(context)]
    assert [command.callback is not None for command in commands if command] == [True] * len(
        COMMANDS
    )
    assert root.get_command(context, "nope") is None


def test_a_wrong_command_is_answered_with_the_near_one(bare: Holdfast) -> None:
    done = bare("recrod")
    assert done.code == 2
    assert "did you mean 'record'?" in done.err


def test_holdfast_alone_says_what_to_do_next(bare: Holdfast) -> None:
    assert "holdfast init" in bare().text
    bare("init")
    assert "holdfast record" in bare().text
    bare.record()
    assert "holdfast log" in bare().text
    assert bare().code == 0


def test_config_shows_values_and_where_they_come_from(holdfast: Holdfast) -> None:
    holdfast.settings.write_text("[lock]\nwait_s = 3\n")
    shown = {one["key"]: one for one in holdfast("config", "--json", HOLDFAST_SESSION="s").json()}
    assert (shown["lock.wait_s"]["value"], shown["lock.wait_s"]["origin"]) == (3, "project")
    assert (shown["record.session"]["value"], shown["record.session"]["origin"]) == ("s", "env")
    assert shown["record.actor"]["origin"] == "default"
    assert all(one["doc"] for one in shown.values())
    assert "lock.wait_s = 3" in holdfast("config").text


def test_config_path_shows_the_files(holdfast: Holdfast) -> None:
    files = holdfast("config", "path", "--json").json()
    user = holdfast.home / ".config/holdfast/config.toml"
    assert files == {
        "user": str(user),
        ".loa.config.yaml": str(holdfast.folder / ".loa.config.yaml"),
        "project": str(holdfast.settings),
    }
    assert f"{user} (not there)" in holdfast("config", "path").text
