"""What hooks left is summed, and a command that cannot run any more is noticed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from holdfast.agents import heartbeat, intake
from holdfast.agents.heartbeat import Heard, Problem
from holdfast.agents.traces import Trace, trace
from tests.agents.setups import COMMANDS, Place

ENV: dict[str, str] = {}


def test_nothing_was_heard_where_nothing_is(tmp_path: Path) -> None:
    assert heartbeat.heard(tmp_path) == {}
    assert heartbeat.problems(tmp_path) == []


def test_times_are_summed_by_agent_and_torn_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "intake").mkdir()
    folder = str(tmp_path)
    for n in range(1, 101):
        intake.note_timing(folder, "codex", "Stop", float(n), "short", 1000 + n)
    intake.note_timing(folder, "cursor", "stop", 5.0, "long", 7)
    with (tmp_path / "intake" / intake.TIMINGS).open("a") as file:
        file.write("codex Stop\ncodex Stop x short 9999999\n")
    assert heartbeat.heard(tmp_path) == {
        "codex": Heard(100, "Stop", 1100, 51.0, 96.0),
        "cursor": Heard(1, "stop", 7, 5.0, 5.0),
    }


def test_problems_are_listed_oldest_first(tmp_path: Path) -> None:
    (tmp_path / "intake").mkdir()
    intake.note_problem(str(tmp_path), "one\nthing", 1)
    intake.note_problem(str(tmp_path), "another", 2)
    assert heartbeat.problems(tmp_path) == [Problem(1, "one thing"), Problem(2, "another")]


@pytest.mark.lesson("N6")
def test_a_command_whose_interpreter_or_program_vanished_is_noticed(tmp_path: Path) -> None:
    program, site = tmp_path / "holdfast" / "hook_entry.py", tmp_path / "site"
    program.parent.mkdir()
    program.write_text("")
    argv = [sys.executable, "-IS", str(program), "codex", "--site", str(site)]
    assert heartbeat.missing_in(argv) == str(site)
    site.mkdir()
    assert heartbeat.missing_in(argv) is None
    program.unlink()
    assert heartbeat.missing_in(argv) == str(program)
    assert heartbeat.missing_in([str(tmp_path / "python"), *argv[1:]]) == str(tmp_path / "python")
    assert heartbeat.missing_in([str(site)]) == str(site)
    assert heartbeat.missing_in([]) == "the command"


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "cursor"])
def test_the_installed_command_is_read_back_from_an_agents_files(
    tmp_path: Path, agent: str
) -> None:
    setup = Place(tmp_path).project(agent)  # type: ignore[arg-type]
    setup.install()
    assert heartbeat.commands_in(setup.documents()) == [list(COMMANDS.hook)]


@pytest.mark.parametrize(
    "document", [None, [], {}, {"hooks": 1}, {"hooks": {"a": 1, "b": [1, {"hooks": 2}, {}]}}]
)
def test_files_of_any_shape_are_looked_through(document: object) -> None:
    assert heartbeat.commands_in([document]) == []


def test_a_command_that_no_shell_could_read_is_taken_whole() -> None:
    command = "x 'holdfast/hook_entry.py"
    assert heartbeat.commands_in([{"hooks": {"a": [{"command": command}]}}]) == [[command]]


@pytest.mark.lesson("N6")
def test_claude_code_leaves_a_transcript_by_project(tmp_path: Path) -> None:
    root = tmp_path / "my.project"
    name = "".join(char if char.isalnum() else "-" for char in str(root))
    folder = tmp_path / ".claude" / "projects" / name
    folder.mkdir(parents=True)
    assert trace("claude-code", root, ENV, tmp_path) == Trace()
    for number, version in enumerate(("2.1.1", "2.1.325")):
        path = folder / f"{number}.jsonl"
        path.write_text(f'{{"type":"user","version":"{version}"}}\n')
        os.utime(path, ns=(0, (number + 1) * 1_000_000))
    assert trace("claude-code", root, ENV, tmp_path) == Trace(2000, "2.1.325")
    assert trace("claude-code", tmp_path / "other", ENV, tmp_path) == Trace()
    assert trace("claude-code", root, {"CLAUDE_CONFIG_DIR": "/nowhere"}, tmp_path) == Trace()


def test_codex_names_the_project_in_its_rollouts(tmp_path: Path) -> None:
    for day, cwd in (("14", "/a"), ("15", "/b"), ("16", "/c\\d")):
        folder = tmp_path / ".codex" / "sessions" / "2026" / "11" / day
        folder.mkdir(parents=True)
        payload = {"cwd": cwd, "cli_version": f"0.{day}.0"}
        path = folder / "rollout-x.jsonl"
        path.write_text(json.dumps({"payload": payload}, separators=(",", ":")) + "\n")
        os.utime(path, ns=(0, int(day) * 1000))
    assert trace("codex", Path("/b"), ENV, tmp_path) == Trace(15, "0.15.0")
    assert trace("codex", Path("/c\\d"), ENV, tmp_path) == Trace(16, "0.16.0")
    assert trace("codex", Path("/x"), ENV, tmp_path) == Trace()


def test_other_agents_leave_nothing_that_could_be_told(tmp_path: Path) -> None:
    assert trace("cursor", tmp_path, ENV, tmp_path) == Trace()
