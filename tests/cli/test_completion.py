"""Completions: what a shell is given, and what it is answered."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from holdfast.cli.root import COMMANDS
from tests.cli.harness import Holdfast


def complete(holdfast: Holdfast, *words: str, way: str = "bash") -> list[str]:
    """Ask as the shell's function does."""
    env = {
        "_HOLDFAST_COMPLETE": f"{way}_complete",
        "COMP_WORDS": " ".join(("holdfast", *words)),
        "COMP_CWORD": str(len(words)) if way != "fish" else words[-1],
    }
    done = subprocess.run(
        holdfast.command(), env=holdfast.env(**env), capture_output=True, text=True, check=True
    )
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("way", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_us(bare: Holdfast, way: str) -> None:
    done = bare("completion", way)
    assert done.code == 0
    assert f"_HOLDFAST_COMPLETE={way}_complete" in done.text
    assert "holdfast" in done.text


def test_another_shell_is_refused(bare: Holdfast) -> None:
    assert bare("completion", "powershell").code == 2


def test_commands_are_completed(bare: Holdfast) -> None:
    assert complete(bare, "comp") == ["plain,compactions", "plain,completion"]
    assert complete(bare, "nothing-like-it") == []
    assert len(complete(bare, "")) == len(COMMANDS)


def test_options_and_their_values_are_completed(bare: Holdfast) -> None:
    assert "plain,--session" in complete(bare, "log", "--se")
    assert complete(bare, "proxy", "--audit", "o") == ["plain,on", "plain,off"]
    assert complete(bare, "session", "sta") == ["plain,start"]
    assert "plain,--ledger" in complete(bare, "--le")


def test_zsh_and_fish_are_told_what_a_command_is_for(bare: Holdfast) -> None:
    assert complete(bare, "verif", way="zsh") == ["plain", "verify", COMMANDS["verify"]]
    assert complete(bare, "verif", way="fish") == [f"plain,verify\t{COMMANDS['verify']}"]


@pytest.mark.parametrize("imported", ["holdfast.wiring", "holdfast.ledger", "rich"])
def test_completing_a_command_loads_none(bare: Holdfast, imported: str) -> None:
    asked = {"_HOLDFAST_COMPLETE": "bash_complete", "COMP_WORDS": "holdfast ve", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "holdfast"],
        env=bare.env(**asked),
        cwd=bare.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "plain,verify\n"
    assert f" {imported}\n" not in done.stderr


def test_bash_completes_with_it(bare: Holdfast) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    script = bare("completion", "bash").text
    asks = f"""{script}
holdfast() {{ {sys.executable} -m holdfast "$@"; }}
export -f holdfast
env() {{ local -a set=(); while [[ $1 == *=* ]]; do set+=("$1"); shift; done
         command env "${{set[@]}}" {sys.executable} -m holdfast; }}
COMP_WORDS=(holdfast veri) COMP_CWORD=1
_holdfast_completion holdfast
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        [bash, "-c", asks], env=bare.env(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "verify\n"


def test_a_script_can_have_it_as_json(bare: Holdfast) -> None:
    told = bare("completion", "zsh", "--json").json()
    assert told["shell"] == "zsh"
    assert told["script"] + "\n" == bare("completion", "zsh").text
