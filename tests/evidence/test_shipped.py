"""What is shipped for agents: every command in it exists, every script runs, the wheel holds it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from holdfast.cli.root import root
from holdfast.evidence.shipped import Shipped, shipped, strays, wanted
from holdfast.kernel.errors import CouldNotLook

REPO = Path(__file__).parents[2]
PROTOCOLS = {
    "session-continuity",
    "synthesis-checkpoint",
    "jit-retrieval",
    "attention-budget",
    "grounding-enforcement",
    "structured-memory",
}
SCRIPTS = ("synthesis-checkpoint.sh", "grounding-check.sh", "self-heal-state.sh")
PLACEHOLDERS = {"N": "3", "M": "5", "W": "200000", "$@": "--json", "…": "x"}
"""What stands for a value in the texts, and a value that can stand there."""


def texts() -> dict[str, str]:
    return {one.path: one.content.decode() for one in shipped()}


def commands_in(text: str) -> Iterator[str]:
    """Yield every command line of a text: in backticks, in a block of shell, in a script."""
    joined = text.replace("\\\n", " ")
    yield from re.findall(r"`(holdfast(?: [^`]*)?)`", re.sub(r"```.*?```", "", joined, flags=re.S))
    for block in re.findall(r"```sh\n(.*?)```", joined, flags=re.S):
        yield from (line for line in block.splitlines() if line.startswith("holdfast"))
    yield from re.findall(r"^exec (holdfast .*)$", joined, flags=re.M)


def problem_with(line: str) -> str | None:
    """Return why a command line is refused, None if it is not."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(line)[1:]]
    command: click.Command = root
    context = click.Context(root, info_name="holdfast", **root.context_settings)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        found = command.get_command(context, name)
        if found is None:
            return f"there is no command {name!r}"
        command, context = found, click.Context(found, parent=context, info_name=name)
    if not words:
        return None  # only named, not spelled out
    try:
        command.make_context(command.name, words, parent=context.parent)
    except click.ClickException as error:
        return error.format_message()
    return None


LINES = sorted({(path, line) for path, text in texts().items() for line in commands_in(text)})


@pytest.mark.req("L17")
@pytest.mark.parametrize(("path", "line"), LINES)
def test_every_command_in_the_texts_can_be_run_as_it_stands(path: str, line: str) -> None:
    assert problem_with(line) is None, f"{path}: {line}"


@pytest.mark.parametrize(
    "line",
    [
        "holdfast nothing",
        "holdfast task nothing",
        "holdfast decide x --becuase y",
        "holdfast task update ID --status sleeping",
        "holdfast attention --tokens many",
        "holdfast decide x",
    ],
)
def test_a_command_that_cannot_be_run_is_noticed(line: str) -> None:
    assert problem_with(line) is not None


def test_commands_are_found_wherever_they_stand() -> None:
    text = (
        "a `holdfast a` b\n```sh\nholdfast b \\\n  --c\n```\nexec holdfast d\n```\nholdfast e\n```"
    )
    assert [" ".join(line.split()) for line in commands_in(text)] == [
        "holdfast a",
        "holdfast b --c",
        "holdfast d",
    ]


@pytest.mark.req("L17")
def test_the_commands_that_a_session_is_made_of_are_all_taught() -> None:
    taught = {line.split()[1] for _, line in LINES if len(line.split()) > 1}
    assert taught >= {
        *("session", "resume", "task", "decide", "ground", "ghost", "fork", "pivot", "attention"),
        *("clear", "heal", "show", "search", "integrity", "evidence", "notes", "outline"),
    }


@pytest.mark.req("L17")
def test_every_promised_file_is_there() -> None:
    assert {Path(path).stem for path in texts() if "/protocols/" in path} == PROTOCOLS
    others = {path for path in texts() if "/protocols/" not in path}
    assert others == {
        ".claude/commands/ride.md",
        ".claude/skills/holdfast/SKILL.md",
        *(f".claude/scripts/{name}" for name in SCRIPTS),
    }


@pytest.mark.req("L1")
def test_the_truth_hierarchy_stands_in_the_protocol_in_its_order() -> None:
    text = texts()[".claude/protocols/session-continuity.md"]
    listed = re.findall(r"^\d\. (.*)$", text.split("## Truth hierarchy")[1].split("## ")[0], re.M)
    for line, word in zip(
        listed,
        ("Code", "user", "Tasks", "NOTES.md", "trajectory", "PRD", "Legacy", "context window"),
        strict=True,
    ):
        assert word in line


@pytest.mark.req("L17")
def test_ride_takes_up_first_and_recommends_a_clear_at_three_quarters() -> None:
    text = texts()[".claude/commands/ride.md"]
    order = [
        text.index(f"`holdfast {part}")
        for part in (
            "session start",
            "resume --level 1",
            "task ready",
            "attention",
            "clear --check",
        )
    ]
    assert order == sorted(order)
    assert "At 75 % of the budget recommend a clear" in text


@pytest.mark.parametrize("path", sorted(path for path in texts() if path.endswith(".md")))
def test_the_texts_are_clean(path: str) -> None:
    text = texts()[path]
    assert text.endswith("\n")
    assert "\t" not in text
    assert "TODO" not in text


@pytest.mark.req("L17")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_plain_sh_and_calls_one_command(name: str) -> None:
    text = texts()[f".claude/scripts/{name}"]
    assert text.startswith("#!/bin/sh\n")
    assert "set -eu\n" in text
    checked = subprocess.run(["sh", "-n"], input=text.encode(), capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, b"")
    assert len(text.split("exec holdfast ")) == 2


@pytest.mark.req("L17")
@pytest.mark.parametrize("code", [0, 1, 2])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_passes_arguments_and_exit_codes_through(
    tmp_path: Path, name: str, code: int
) -> None:
    stand_in = tmp_path / "holdfast"
    stand_in.write_text(f'#!/bin/sh\nprintf "%s|" "$@"\nexit {code}\n')
    stand_in.chmod(0o755)
    script = tmp_path / name
    script.write_text(texts()[f".claude/scripts/{name}"])
    done = subprocess.run(
        ["sh", str(script), "--json", "two words"],
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.endswith("--json|two words|")


def test_overrides_stand_in_and_strays_are_named(tmp_path: Path) -> None:
    (tmp_path / "protocols").mkdir()
    (tmp_path / "protocols/jit-retrieval.md").write_text("mine")
    (tmp_path / "protocols/jit.md").write_text("misspelt")
    mine = [one for one in wanted(tmp_path) if one.source == "override"]
    assert mine == [Shipped(".claude/protocols/jit-retrieval.md", b"mine", "override")]
    assert strays(tmp_path) == ["protocols/jit.md"]
    assert strays(tmp_path / "none") == []


def test_an_override_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "protocols").mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "protocols/jit-retrieval.md").symlink_to(tmp_path / "secret")
    with pytest.raises(CouldNotLook, match="links are not followed"):
        wanted(tmp_path)


@pytest.mark.req("L17")
def test_the_wheel_holds_every_file(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-c", BUILD, str(tmp_path)], cwd=REPO, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(tmp_path / built.stdout.split()[-1]) as wheel:
        names = set(wheel.namelist())
    expected = {f"holdfast/evidence/installed/{one.path.partition('/')[2]}" for one in shipped()}
    assert expected <= names
    assert "holdfast/code/symbols.json" in names


BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
