"""`holdfast agents`: shows what it writes, keeps what is there, can be undone, notices the dead."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
import pytest

from holdfast.agents import intake
from holdfast.agents.values import AGENTS
from holdfast.cli.commands.agents import agreed
from holdfast.ledger.sources import system_clock
from tests.agents.setups import Place
from tests.cli.harness import Holdfast

SETTINGS = ".claude/settings.local.json"


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".holdfast" not in path.parts
    }


def note(holdfast: Holdfast, agent: str, at_us: int) -> None:
    """Leave what a hook process leaves."""
    folder = holdfast.folder / ".holdfast"
    (folder / "intake").mkdir(exist_ok=True)
    intake.note_timing(str(folder), agent, "Stop", 12.0, "long", at_us)


@pytest.mark.req("X4")
def test_install_shows_the_difference_and_a_dry_run_writes_nothing(holdfast: Holdfast) -> None:
    shown = holdfast("agents", "install", "claude-code", "--dry-run")
    assert (shown.code, tree(holdfast.folder)) == (0, {})
    done = holdfast("agents", "install", "claude-code")
    assert done.code == 0
    path = holdfast.folder / SETTINGS
    for text in (shown.text, done.text):
        assert f"+++ {path}" in text
        assert '+    "SessionStart": [' in text
    assert f"write         {path}" in shown.text
    assert f"written       {path}" in done.text
    assert set(tree(holdfast.folder)) == {SETTINGS, ".claude/commands/clear.md", ".mcp.json"}
    again = holdfast("agents", "install", "claude-code", "--json").json()
    [found] = again["agents"]
    assert {one["action"] for one in found["files"]} == {"unchanged"}


@pytest.mark.req("X4")
def test_all_agents_at_once_and_the_project_is_as_it_was(holdfast: Holdfast) -> None:
    (holdfast.folder / ".gemini").mkdir()
    (holdfast.folder / ".gemini/settings.json").write_text('{"theme":"x"}')
    before = tree(holdfast.folder)
    assert holdfast("agents", "install", *AGENTS).code == 0
    status = holdfast("agents", "status", "--json").json()
    assert [one["agent"] for one in status["agents"]] == list(AGENTS)
    assert {one["installed"][0]["state"] for one in status["agents"]} == {"installed"}
    removed = holdfast("agents", "remove", *AGENTS)
    assert removed.code == 0
    assert tree(holdfast.folder) == before
    assert "as it was" in removed.text
    assert "Nothing of codex is installed" in holdfast("agents", "remove", "codex").err


def test_your_own_settings_need_no_project(bare: Holdfast) -> None:
    done = bare("agents", "install", "claude-code", "--scope", "user")
    assert done.code == 0
    assert tree(bare.folder) == {}
    assert "hook_entry.py" in (bare.home / ".claude/settings.json").read_text()
    assert "claude mcp add --scope user holdfast --" in done.err
    assert bare("agents", "remove", "claude-code", "--scope", "user").code == 0
    assert not (bare.home / ".claude").exists()


def test_a_project_without_a_ledger_is_told_how_to_make_one(bare: Holdfast) -> None:
    refused = bare("agents", "install", "claude-code")
    assert (refused.code, tree(bare.folder)) == (2, {})
    assert "holdfast init" in refused.err
    assert bare("agents", "install", "copilot").code == 2
    assert bare("agents", "install").code == 2


def test_a_file_with_comments_is_left_and_what_to_paste_is_printed(holdfast: Holdfast) -> None:
    path = holdfast.folder / SETTINGS
    path.parent.mkdir()
    path.write_text('{"a": 1} // mine\n')
    done = holdfast("agents", "install", "claude-code")
    assert done.code == 1
    assert f"left alone    {path} (it is not plain JSON" in done.text
    assert '"SessionStart": [' in done.err
    assert path.read_text() == '{"a": 1} // mine\n'


@pytest.mark.lesson("N6")
def test_a_hook_whose_interpreter_vanished_is_noticed(holdfast: Holdfast) -> None:
    for agent in ("claude-code", "opencode"):
        holdfast("agents", "install", agent)
    gone = str(holdfast.home / "gone/python")
    for name in (SETTINGS, ".opencode/plugins/holdfast.js"):
        path = holdfast.folder / name
        path.write_text(path.read_text().replace(sys.executable, gone))
    for agent in ("claude-code", "opencode"):
        status = holdfast("agents", "status", agent)
        assert status.code == 1
        assert f"its hook (project) needs {gone}, which is gone" in status.text
    checks = {one["name"]: one for one in holdfast("doctor", "--json").json()}
    assert checks["agent claude-code"]["ok"] is False
    assert "holdfast agents install claude-code" in checks["agent claude-code"]["remedy"]
    holdfast("agents", "install", "claude-code")
    assert holdfast("agents", "status", "claude-code").code == 0


@pytest.mark.lesson("N6")
def test_an_agent_that_works_and_tells_nothing_is_noticed(holdfast: Holdfast) -> None:
    holdfast("agents", "install", "claude-code")
    quiet = holdfast("agents", "status", "claude-code", "--json")
    assert (quiet.code, quiet.json()["agents"][0]["silent"]) == (0, False)
    name = "".join(char if char.isalnum() else "-" for char in str(holdfast.folder))
    folder = holdfast.home / ".claude/projects" / name
    folder.mkdir(parents=True)
    (folder / "x.jsonl").write_text('{"version":"2.1.325"}\n')
    os.utime(folder / "x.jsonl", ns=(0, 10**18))
    dead = holdfast("agents", "status", "claude-code", "--json")
    [found] = dead.json()["agents"]
    assert (dead.code, found["silent"], found["version"]) == (1, True, "2.1.325")
    note(holdfast, "claude-code", 10**15 - 3600_000_000)
    assert holdfast("agents", "status", "claude-code").code == 1
    note(holdfast, "claude-code", 10**15 - 60_000_000)
    heard = holdfast("agents", "status", "claude-code")
    assert heard.code == 0
    assert "last event Stop" in heard.text
    assert "p50 12 ms, p95 12 ms" in heard.text


@pytest.mark.lesson("N6")
def test_status_says_when_an_agent_was_last_heard_of(holdfast: Holdfast) -> None:
    assert holdfast("status", "--json").json()["agents"] == {}
    note(holdfast, "codex", 10**15)
    assert "agent     codex, last heard of" in holdfast("status").text
    assert holdfast("status", "--json").json()["agents"]["codex"]["last_event"] == "Stop"


def test_problems_of_hooks_are_told_by_status_and_by_the_doctor(holdfast: Holdfast) -> None:
    (holdfast.folder / ".holdfast/intake").mkdir(exist_ok=True)
    folder = str(holdfast.folder / ".holdfast")
    intake.note_problem(folder, "codex Stop: the disk is full \x1b[2J", 10**15)
    checks = {one["name"]: one for one in holdfast("doctor", "--json").json()}
    assert checks["hooks"]["ok"] is True
    intake.note_problem(folder, "codex Stop: the disk is full \x1b[2J", system_clock())
    checks = {one["name"]: one for one in holdfast("doctor", "--json").json()}
    assert checks["hooks"]["ok"] is False
    shown = holdfast("agents", "status").text
    assert "codex Stop: the disk is full" in shown
    assert "\x1b" not in shown


def test_what_an_agent_cannot_do_is_said(holdfast: Holdfast) -> None:
    assert "cannot     `/clear` cannot be held back" in holdfast("agents", "status").text


def test_the_plugin_is_written_where_nothing_else_is(bare: Holdfast) -> None:
    done = bare("agents", "plugin", bare.home / "plugin", "--json")
    assert done.code == 0
    assert "hooks/hooks.json" in done.json()["files"]
    assert "written" in bare("agents", "plugin", bare.home / "plugin").text
    assert bare("agents", "plugin", bare.home).code == 2


def test_init_says_how_agents_record_by_themselves(bare: Holdfast) -> None:
    (bare.home / ".codex").mkdir()
    first = bare("init")
    assert "holdfast agents install codex" in first.err
    assert "holdfast import codex" in first.err
    assert "holdfast agents" not in bare("init").err
    assert tree(bare.folder) == {}


def test_install_asks_whoever_is_there_and_nobody_in_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refuse(question: str, **_: object) -> bool:
        asked.append(question)
        return False

    setup = Place(tmp_path).project("codex")
    planned = [(setup, setup.plan())]
    monkeypatch.setattr(click, "confirm", refuse)
    assert agreed(planned, yes=False) is True
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert agreed(planned, yes=True) is True
    assert asked == []
    assert agreed(planned, yes=False) is False
    assert asked == ["Write this?"]
    setup.install()
    assert agreed([(setup, setup.plan())], yes=False) is True


@pytest.mark.lesson("N10")
def test_status_and_doctor_say_how_far_changed_files_are_looked_for(holdfast: Holdfast) -> None:
    holdfast("agents", "install", "claude-code")
    assert "files        nobody looked for changed files yet" in holdfast("agents", "status").text
    found = {one["name"]: one for one in holdfast("doctor", "--json").json()}
    assert found["changed files"]["ok"]


def test_nothing_is_promised_of_an_install_that_is_not_whole(holdfast: Holdfast) -> None:
    own = holdfast.folder / ".claude/commands/clear.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    done = holdfast("agents", "install", "claude-code")
    assert done.code == 1
    assert "/clear now passes the gate" not in done.text + done.err
