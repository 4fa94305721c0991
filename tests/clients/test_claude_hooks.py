"""The real Claude Code with hooks installed: what it does is recorded, what is private is not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing.model_server import Said
from tests.clients.hooked import Hooked, hooked
from tests.clients.test_claude import QUIET, done, use

pytestmark = pytest.mark.clients

VERSION = "2.1.325"


def ask(place: Hooked, claude: Path, words: str, *more: str, **env: str) -> str:
    """Let Claude Code do one thing."""
    options = ("--allowedTools", "Read,Edit,Write,Bash", *more)
    given = QUIET | {"ANTHROPIC_BASE_URL": place.server.url} | env
    return place.run(claude, "-p", words, *options, env=given)


def numbered() -> Any:
    """Return a script that answers with a number, so that each answer can be told apart."""
    said = iter(range(1, 1000))
    return lambda _: Said(f"Answer {next(said)}.")


@pytest.mark.req("X4")
def test_one_install_and_a_session_is_recorded(programs: Path, tmp_path: Path) -> None:
    made = tmp_path / "project" / "made.py"
    steps = [
        use("Write", "toolu_1", file_path=str(made), content="x = 1\n"),
        use("Bash", "toolu_2", command="echo hello > out.txt; echo done", description="say it"),
    ]

    def script(body: Any) -> Said:
        return steps[done(body)] if done(body) < len(steps) else Said("All done.")

    with hooked(tmp_path, script) as place:
        before = place.tree()
        place.holdfast("agents", "install", "claude-code")
        assert "All done." in ask(place, programs / "claude", "make made.py")
        data = {entry["type"]: entry["data"] for entry in place.entries()}
        assert data["prompt_given"]["text"] == "make made.py"
        assert data["command_ran"]["exit_code"] == 0
        changed = [entry["data"]["path"] for entry in place.entries("file_change")]
        assert changed == ["made.py", "out.txt"]
        assert {"session_started", "tool_called", "agent_said", "session_ended"} < place.types()
        status = place.status("claude-code")
        assert (status["version"], status["faults"]) == (VERSION, [])
        assert status["heard"]["last_event"] == "SessionEnd"
        place.holdfast("agents", "remove", "claude-code")
        for name in ("made.py", "out.txt"):
            (place.project / name).unlink()
        assert place.tree() == before


def test_installed_twice_over_it_is_recorded_once(programs: Path, tmp_path: Path) -> None:
    with hooked(tmp_path, numbered()) as place:
        for scope in ("project", "user"):
            place.holdfast("agents", "install", "claude-code", "--scope", scope)
        ask(place, programs / "claude", "hello")
        for type_name in ("session_started", "prompt_given", "agent_said", "session_ended"):
            assert len(place.entries(type_name)) == 1, type_name


def test_what_is_paused_or_private_is_not_recorded_then_or_later(
    programs: Path, tmp_path: Path
) -> None:
    claude = programs / "claude"
    with hooked(tmp_path, numbered()) as place:
        place.holdfast("agents", "install", "claude-code")
        ask(place, claude, "first words")
        place.holdfast("pause")
        ask(place, claude, "unheard words", "--continue")
        place.holdfast("pause", "--off")
        ask(place, claude, "third words", "--continue")
        ask(place, claude, "secret words", "--continue", HOLDFAST_PRIVATE="1")
        ask(place, claude, "fifth words", "--continue")
        place.holdfast("import", "claude-code")
        told = json.dumps(place.entries())
        for words in ("first", "third", "fifth"):
            assert f"{words} words" in told
        for words in ("unheard words", "secret words", "Answer 2.", "Answer 4."):
            assert words not in told
        files = [path for path in place.project.rglob("*") if path.is_file()]
        assert not [path for path in files if b"unheard words" in path.read_bytes()]
        assert not [path for path in files if b"secret words" in path.read_bytes()]


@pytest.mark.req("L17")
def test_clear_is_held_back_by_the_gate_in_a_project(programs: Path, tmp_path: Path) -> None:
    with hooked(tmp_path, numbered()) as place:
        place.holdfast("agents", "install", "claude-code")
        ask(place, programs / "claude", "hello")
        asked = len(place.server.requests)
        told = ask(place, programs / "claude", "/clear", "--continue")
        assert "Nothing was cleared." in told
        assert "test scenarios" in told
        assert len(place.server.requests) == asked
        [gate] = place.entries("gate_ran")
        assert gate["data"]["passed"] is False


@pytest.mark.req("L17", "X4")
def test_its_own_validator_accepts_the_plugin_and_its_hooks_fire(
    programs: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "plugin"
    with hooked(tmp_path, numbered()) as place:
        place.holdfast("agents", "plugin", str(folder))
        told = place.run(programs / "claude", "plugin", "validate", "--strict", folder)
        assert "Validation passed" in told
        (folder / "hooks" / "hooks.json").write_text('{"hooks": {"Stop": {}}}')
        with pytest.raises(AssertionError, match="Validation failed"):
            place.run(programs / "claude", "plugin", "validate", "--strict", folder)
        place.holdfast("agents", "plugin", str(folder))
        ask(place, programs / "claude", "hello", "--plugin-dir", str(folder))
        assert [one["data"]["text"] for one in place.entries("prompt_given")] == ["hello"]
        ask(place, programs / "claude", "/holdfast:ride", "--plugin-dir", str(folder))
        assert str(folder / "protocols") in json.dumps(place.server.requests[-1].json())


@pytest.mark.lesson("N6")
def test_a_hook_that_is_dead_is_found_by_what_the_client_leaves(
    programs: Path, tmp_path: Path
) -> None:
    with hooked(tmp_path, numbered()) as place:
        place.holdfast("agents", "install", "claude-code")
        path = place.project / ".claude/settings.local.json"
        path.write_text(path.read_text().replace("hook_entry.py", "hook_entry.py.gone"))
        ask(place, programs / "claude", "hello")
        assert place.entries() == []
        with pytest.raises(AssertionError, match="it worked here, and its hook told nothing"):
            place.holdfast("agents", "status", "claude-code")


def test_the_mcp_server_is_known_and_answers(programs: Path, tmp_path: Path) -> None:
    with hooked(tmp_path, numbered()) as place:
        place.holdfast("agents", "install", "claude-code")
        approved = {"enabledMcpjsonServers": ["holdfast"]}
        (place.home / ".claude").mkdir()
        (place.home / ".claude/settings.json").write_text(json.dumps(approved))
        told = place.run(programs / "claude", "mcp", "list", env=QUIET)
        assert "Connected" in told


def test_nothing_is_left_running(programs: Path, tmp_path: Path) -> None:
    with hooked(tmp_path, numbered()) as place:
        place.holdfast("agents", "install", "claude-code")
        ask(place, programs / "claude", "hello")
        listed = subprocess.run(
            ["ps", "-eo", "args"], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        assert not [line for line in listed.splitlines() if str(place.project) in line]
