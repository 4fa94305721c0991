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


# Real shells, where they are: their tests are named after them; where one is absent, what it would
# be given is looked at instead, and the test's name says so.
SHELLS = [
    pytest.param(way, id=way if shutil.which(way) else f"{way}-is-absent-so-its-text-is-looked-at")
    for way in ("bash", "zsh", "fish")
]


def in_shell(holdfast: Holdfast, way: str, typed: str) -> list[str] | None:
    """Type words and a TAB in a real shell; return what it offers, None where there is none."""
    shell = shutil.which(way)
    if shell is None:
        return None
    bin_folder = holdfast.home / "bin"
    bin_folder.mkdir(parents=True, exist_ok=True)
    (bin_folder / "holdfast").write_text(f'#!/bin/sh\nexec {sys.executable} -m holdfast "$@"\n')
    (bin_folder / "holdfast").chmod(0o755)
    (holdfast.home / f"holdfast.{way}").write_bytes(holdfast("completion", way).out)
    env = holdfast.env(
        PATH=f"{bin_folder}:/usr/bin:/bin", TERM="dumb", TYPED=typed, ZDOTDIR=str(holdfast.home)
    )
    asks = _ASKS[way].replace("SCRIPT", str(holdfast.home / f"holdfast.{way}"))
    done = subprocess.run(
        [shell, *_PLAINLY[way], "-c", asks],
        env=env, cwd=holdfast.folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


_PLAINLY = {"bash": ("--norc",), "zsh": ("-f",), "fish": ("--no-config",)}
_ASKS = {
    "bash": """
source SCRIPT
read -ra COMP_WORDS <<< "$TYPED"
[[ $TYPED == *' ' ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_holdfast_completion holdfast
printf '%s\\n' "${COMPREPLY[@]}"
# what bash does by itself when the function has nothing to say
[[ ${#COMPREPLY[@]} == 0 && $(complete -p holdfast) == *'-o default'* ]] &&
    compgen -f -- "${COMP_WORDS[$COMP_CWORD]}"
""",
    # zsh completes in its editor alone: so it is run in a terminal of its own, and typed into
    "zsh": """
zmodload zsh/zpty
zpty -b inner zsh -f -i
zpty -w inner "autoload -Uz compinit; compinit -u -D; source SCRIPT; PS1=; unsetopt prompt_sp"
zpty -w inner "bindkey -e; setopt no_auto_menu; zstyle ':completion:*' list-grouped no"
zpty -w inner "ready() { print -r -- '<rea''dy>' }; ready"
zpty -r inner seen '*<ready>*'
zpty -w -n inner "$TYPED"$'\\t'
zpty -w -n inner $'\\C-a: \\C-e\\n'
zpty -w inner "ready"
zpty -r inner seen '*<ready>*'
print -r -- "$seen"
zpty -d inner
""",
    "fish": """
source SCRIPT
complete -C "$TYPED"
""",
}


@pytest.mark.parametrize("way", SHELLS)
def test_a_real_shell_completes_a_command(bare: Holdfast, way: str) -> None:
    offered = in_shell(bare, way, "holdfast veri")
    if offered is None:
        assert f"_HOLDFAST_COMPLETE={way}_complete" in bare("completion", way).text
    else:
        assert "verify" in " ".join(offered)
        assert "version" not in " ".join(offered)


@pytest.mark.parametrize("way", SHELLS)
def test_a_real_shell_completes_an_option(bare: Holdfast, way: str) -> None:
    offered = in_shell(bare, way, "holdfast log --se")
    if offered is None:
        assert "holdfast" in bare("completion", way).text
    else:
        assert "--session" in " ".join(offered)


@pytest.mark.parametrize("way", SHELLS)
def test_a_real_shell_offers_files_where_we_have_nothing_to_say(bare: Holdfast, way: str) -> None:
    (bare.folder / "a-story.txt").write_text("once")
    offered = in_shell(bare, way, "holdfast tokens a-st")
    if offered is None:
        files = {"bash": "-o default", "zsh": "_path_files -f", "fish": "__fish_complete_path"}
        assert files[way] in bare("completion", way).text
    else:
        assert "a-story.txt" in " ".join(offered)


@pytest.mark.parametrize("way", SHELLS[1:])
def test_a_real_shell_tells_all_of_a_description(bare: Holdfast, way: str) -> None:
    """`List, verify and rebuild` was cut at its comma in fish."""
    offered = in_shell(bare, way, "holdfast comp")
    if offered is None:
        assert 'string split "," $completion' not in bare("completion", way).text
    else:
        assert COMMANDS["compactions"] in " ".join(offered)


def test_a_tab_in_bash_changes_no_variable_of_the_users(bare: Holdfast) -> None:
    bin_folder = bare.home / "bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "holdfast").write_text(f'#!/bin/sh\nexec {sys.executable} -m holdfast "$@"\n')
    (bin_folder / "holdfast").chmod(0o755)
    typed = """
type=mine value=mine completion=mine response=mine
COMP_WORDS=(holdfast veri) COMP_CWORD=1
_holdfast_completion holdfast
echo "$COMPREPLY $type $value $completion $response"
"""
    done = subprocess.run(
        ["bash", "--norc", "-c", bare("completion", "bash").text + typed],
        env=bare.env(PATH=f"{bin_folder}:/usr/bin:/bin"),
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "verify mine mine mine mine\n"


def test_a_script_can_have_it_as_json(bare: Holdfast) -> None:
    told = bare("completion", "zsh", "--json").json()
    assert told["shell"] == "zsh"
    assert told["script"] + "\n" == bare("completion", "zsh").text
