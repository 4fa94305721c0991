"""The process itself: signals, pipes, a full disk behind stdout, help, the demo."""

from __future__ import annotations

import os
import signal
import subprocess

import click
import pytest

from holdfast.cli.root import COMMANDS, root
from holdfast.config import DEBUG_VARIABLE
from tests.cli.harness import Holdfast


def test_an_interrupted_command_says_so_and_records_nothing(holdfast: Holdfast) -> None:
    pipe = holdfast.home / "pipe"
    os.mkfifo(pipe)
    waiting = subprocess.Popen(
        holdfast.command("record", "metric", "--data", f"@{pipe}"),
        cwd=holdfast.folder,
        env=holdfast.env(),
        stderr=subprocess.PIPE,
    )
    with pipe.open("wb"):  # opens when the process reads
        waiting.send_signal(signal.SIGINT)
        _, err = waiting.communicate(timeout=30)
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
def test_an_unexpected_error_is_short_unless_asked_for(holdfast: Holdfast, debug: str) -> None:
    holdfast.record()
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            holdfast.command("log", "--json"),
            cwd=holdfast.folder,
            env=holdfast.env(**{DEBUG_VARIABLE: debug}),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"OSError: [Errno 28]" in done.stderr
    assert (b"Traceback" in done.stderr) == bool(debug)


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
    assert files == {"user": str(user), "project": str(holdfast.settings)}
    assert f"{user} (not there)" in holdfast("config", "path").text


def test_the_demo_ends_by_itself_and_keeps_its_promises(bare: Holdfast) -> None:
    done = bare.process("demo", "--json", TMPDIR=str(bare.home))
    facts = done.json()
    assert done.code == 0
    assert facts["ok"] is True
    assert 40 <= facts["acknowledged"] == facts["kept"] <= facts["entries"]
    assert facts["secret_found_in"] == []
    assert facts["tampered"] in facts["named"]
    assert list(bare.home.iterdir()) == []


def test_the_demo_is_plain_without_a_terminal(bare: Holdfast) -> None:
    done = bare("demo")
    assert done.code == 0
    assert "killed with SIGKILL" in done.text
    assert "[REDACTED:" in done.text
    assert "the bytes are not those that were sealed" in done.text
    assert "\x1b" not in done.text
