"""Installing keeps what is there, is done once however often it is asked for, and can be undone."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents.installing import Setup
from holdfast.agents.values import AGENTS, AgentName
from holdfast.kernel.errors import CouldNotLook
from tests.agents.setups import COMMANDS, HOOK, MCP, NEWER, Place

SETTINGS = ".claude/settings.local.json"
MINE = """{
    // no comment here
    "permissions": {"allow": ["Bash(ls:*)"]},
    "hooks": {
        "Stop": [ { "hooks": [ {"type": "command", "command": "mine.sh"} ] } ]
    }
}""".replace("    // no comment here\n", "")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def actions(steps: list[Any]) -> list[str]:
    return [step.action for step in steps]


def files(setup: Setup) -> dict[str, str]:
    return {edit.path: (setup.root / edit.path).read_text() for edit in setup.edits}


@pytest.mark.req("X4")
@pytest.mark.parametrize("agent", AGENTS)
def test_a_project_is_as_it_was_after_remove(place: Place, agent: AgentName) -> None:
    place.write("README.md", "hello\n")
    before = place.tree()
    setup = place.project(agent)
    assert setup.state()[0] == "absent"
    assert set(actions(setup.install())) == {"write"}
    assert setup.state() == ("installed", [])
    assert place.tree() != before
    assert set(actions(setup.remove())) == {"remove"}
    assert place.tree() == before
    assert not place.memory.exists()
    assert setup.remove() == []


@pytest.mark.parametrize("agent", AGENTS)
def test_installing_twice_is_installing_once(place: Place, agent: AgentName) -> None:
    setup = place.project(agent)
    setup.install()
    once, remembered = place.tree(), place.memory.read_bytes()
    assert set(actions(setup.install())) == {"unchanged"}
    assert (place.tree(), place.memory.read_bytes()) == (once, remembered)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_planned_is_what_is_done_and_planning_writes_nothing(
    place: Place, agent: AgentName
) -> None:
    setup = place.project(agent)
    planned = setup.plan()
    assert place.tree() == {}
    assert setup.install() == planned
    assert all(step.diff.startswith("--- /dev/null\n+++ ") for step in planned)


@pytest.mark.parametrize("agent", AGENTS)
def test_another_interpreter_takes_the_place_of_the_old_one(place: Place, agent: AgentName) -> None:
    place.project(agent).install()
    newer = place.project(agent, NEWER)
    assert newer.state()[0] == "outdated"
    newer.install()
    text = "".join(files(newer).values())
    assert "/opt/py4/bin/python" in text
    assert "/opt/py/bin/python" not in text
    assert "SessionStart" not in text
    newer.remove()
    assert place.tree() == {}


def test_the_hooks_of_others_stay_and_the_file_comes_back_byte_for_byte(place: Place) -> None:
    target = place.write(SETTINGS, MINE)
    target.chmod(0o600)
    setup = place.project("claude-code")
    [step, *_] = setup.install()
    assert step.action == "update"
    assert "mine.sh" not in [line for line in step.diff.splitlines() if line.startswith("-")]
    found = json.loads(target.read_text())
    assert found["permissions"] == {"allow": ["Bash(ls:*)"]}
    mine, ours = found["hooks"]["Stop"]
    assert mine["hooks"][0]["command"] == "mine.sh"
    assert ours["hooks"][0]["command"] == HOOK[0]
    assert target.stat().st_mode & 0o777 == 0o600
    assert actions(setup.remove()) == ["restore", "remove", "remove"]
    assert target.read_text() == MINE
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("agent", ["claude-code", "gemini", "cursor", "opencode"])
@pytest.mark.parametrize("blank", ["", "\n\n"])
def test_an_empty_file_is_installed_into_and_comes_back_empty(
    place: Place, agent: AgentName, blank: str
) -> None:
    setup = place.project(agent)
    paths = [edit.path for edit in setup.edits if edit.path.endswith(".json")]
    for path in paths:
        place.write(path, blank)
    before = place.tree()
    assert "left" not in actions(setup.install())
    assert setup.state() == ("installed", [])
    setup.remove()
    assert place.tree() == before


def test_a_file_that_was_edited_since_loses_only_our_part(place: Place) -> None:
    target = place.write(SETTINGS, MINE)
    setup = place.project("claude-code")
    setup.install()
    target.write_text(target.read_text().replace("Bash(ls:*)", "Bash(cat:*)"))
    [step, *_] = setup.remove()
    assert (step.action, step.note) == ("strip", "it was edited since; only our part was taken out")
    assert target.read_text() == MINE.replace("ls", "cat")


def test_what_was_there_before_the_first_install_outlives_the_second(place: Place) -> None:
    target = place.write(SETTINGS, MINE)
    place.project("claude-code").install()
    place.project("claude-code", NEWER).install()
    assert actions(place.project("claude-code", NEWER).remove())[0] == "restore"
    assert target.read_text() == MINE


def test_an_edit_between_two_installs_is_kept_by_remove(place: Place) -> None:
    target = place.write(SETTINGS, MINE)
    setup = place.project("claude-code")
    setup.install()
    target.write_text(target.read_text().replace("ls", "cat"))
    place.project("claude-code", NEWER).install()
    assert actions(setup.remove())[0] == "restore"
    assert target.read_text() == MINE.replace("ls", "cat")


def test_a_hook_of_ours_inside_a_group_of_somebody_elses_goes_alone(place: Place) -> None:
    handler = {"type": "command", "command": HOOK[0], "args": list(HOOK[1:]), "timeout": 60}
    theirs = {"type": "command", "command": "mine.sh"}
    document = {"hooks": {"Stop": [{"matcher": "x", "hooks": [theirs, handler]}]}}
    target = place.write(SETTINGS, json.dumps(document, indent=2))
    place.project("claude-code").remove()
    left = {"hooks": {"Stop": [{"matcher": "x", "hooks": [theirs]}]}}
    assert target.read_text() == json.dumps(left, indent=2)


def test_without_memory_our_part_is_still_found(place: Place) -> None:
    target = place.write(SETTINGS, MINE)
    setup = place.project("claude-code")
    setup.install()
    place.memory.unlink()
    assert set(actions(setup.remove())) == {"strip", "remove"}
    assert target.read_text() == MINE
    assert not (place.root / ".claude/commands/clear.md").exists()


def test_a_crash_before_the_files_are_written_is_finished_by_the_next_install(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(SETTINGS, MINE)
    before = place.tree()
    setup = place.project("claude-code")

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Setup, "_write", crash)
        with pytest.raises(KeyboardInterrupt):
            setup.install()
    assert (place.tree(), setup.state()[0]) == (before, "absent")
    setup.install()
    setup.remove()
    assert place.tree() == before


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1} // mine', "not plain JSON"),
        ("[]", "no JSON object"),
        ('{"hooks": []}', "hooks is no object"),
        ('{"hooks": [1]}', "`hooks` in it is no object"),
        ('{"hooks": {"Stop": "x"}}', "a list or an object is expected"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_and_what_to_paste_is_said(
    place: Place, text: str, why: str
) -> None:
    target = place.write(SETTINGS, text)
    [step, *_] = place.project("claude-code").install()
    assert step.action == "left"
    assert why in step.note
    assert json.loads(step.paste)["hooks"]["Stop"]
    assert target.read_text() == text


@pytest.mark.parametrize("content", [b"\xff\xfe", b"{" + b" " * (5 << 20) + b"}"])
def test_bytes_that_are_no_text_or_too_many_are_left(place: Place, content: bytes) -> None:
    target = place.write(SETTINGS, "")
    target.write_bytes(content)
    assert actions(place.project("claude-code").install())[0] == "left"
    assert target.read_bytes() == content


@pytest.mark.parametrize("linked", [SETTINGS, ".claude"])
def test_nothing_is_written_through_a_link(place: Place, tmp_path: Path, linked: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "settings.local.json").write_text("{}")
    target = place.root / linked
    target.parent.mkdir(parents=True, exist_ok=True)
    target.symlink_to(elsewhere if linked == ".claude" else elsewhere / "settings.local.json")
    [step, *_] = place.project("claude-code").install()
    assert (step.action, "is a link" in step.note) == ("left", True)
    assert [one.name for one in elsewhere.iterdir()] == ["settings.local.json"]
    assert (elsewhere / "settings.local.json").read_text() == "{}"
    place.project("claude-code").remove()
    assert (elsewhere / "settings.local.json").read_text() == "{}"


def test_a_command_of_the_same_name_that_is_not_ours_stays(place: Place) -> None:
    theirs = place.write(".claude/commands/clear.md", "my own\n")
    setup = place.project("claude-code")
    assert actions(setup.install()) == ["write", "left", "write"]
    assert setup.state()[0] == "blocked"
    setup.remove()
    assert theirs.read_text() == "my own\n"


def test_an_edited_file_of_ours_is_left_by_install_and_by_remove(place: Place) -> None:
    setup = place.project("claude-code")
    setup.install()
    edited = place.write(".claude/commands/clear.md", "changed\n")
    assert actions(setup.install())[1] == "left"
    assert actions(setup.remove()) == ["remove", "left", "remove"]
    assert edited.read_text() == "changed\n"


def test_a_server_of_the_same_name_that_is_not_ours_stays(place: Place) -> None:
    text = '{"mcpServers": {"holdfast": {"command": "other"}}}'
    target = place.write(".mcp.json", text)
    steps = place.project("claude-code").install()
    assert (steps[2].action, "not ours" in steps[2].note) == ("left", True)
    place.project("claude-code").remove()
    assert target.read_text() == text


def test_a_table_that_is_not_ours_stays(place: Place) -> None:
    text = '[mcp_servers.holdfast]\ncommand = "other"\n'
    target = place.write(".codex/config.toml", text)
    assert actions(place.project("codex").install()) == ["write", "left"]
    place.project("codex").remove()
    assert target.read_text() == text


@pytest.mark.parametrize("text", ['model = "x"', 'model = "x"\n', "# mine\n[a]\nb = 1\n\n\n", "\n"])
def test_toml_of_others_comes_back_byte_for_byte(place: Place, text: str) -> None:
    target = place.write(".codex/config.toml", text)
    setup = place.project("codex")
    setup.install()
    found = tomllib.loads(target.read_text())
    assert found["mcp_servers"]["holdfast"] == {"command": MCP[0], "args": list(MCP[1:])}
    place.memory.unlink()
    setup.remove()
    assert target.read_text() == text


def test_what_is_written_behind_our_table_stays_a_line_of_its_own(place: Place) -> None:
    target = place.write(".codex/config.toml", "a = 1")
    setup = place.project("codex")
    setup.install()
    target.write_text(f"{target.read_text()}[b]\nc = 2\n")
    setup.remove()
    assert target.read_text() == "a = 1\n[b]\nc = 2\n"


def test_toml_that_is_none_or_cannot_take_a_table_is_left(place: Place) -> None:
    for text in ("a = ", 'mcp_servers = {x = {command = "y"}}\n'):
        target = place.write(".codex/config.toml", text)
        assert actions(place.project("codex").install())[1] == "left"
        assert target.read_text() == text


@pytest.mark.parametrize("agent", AGENTS)
def test_your_own_settings_are_as_they_were_after_remove(place: Place, agent: AgentName) -> None:
    setup = place.user(agent)
    assert set(actions(setup.install())) == {"write"}
    assert place.tree() == {}
    assert setup.state()[0] == "installed"
    setup.remove()
    assert list(place.home.iterdir()) == []


@pytest.mark.parametrize(
    ("agent", "variable"), [("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")]
)
def test_an_agents_own_folder_can_be_elsewhere(
    place: Place, tmp_path: Path, agent: AgentName, variable: str
) -> None:
    folder = tmp_path / "there"
    setup = place.user(agent, **{variable: str(folder)})
    setup.install()
    assert {path.name for path in folder.iterdir()} <= {
        "settings.json",
        "hooks.json",
        "config.toml",
    }
    assert list(place.home.iterdir()) == []


def test_claude_code_runs_no_shell_and_git_keeps_its_worktrees(place: Place) -> None:
    setup = place.project("claude-code")
    setup.install()
    hooks = json.loads(files(setup)[SETTINGS])["hooks"]
    assert list(hooks) == ["SessionStart", "Stop"]
    [handler] = hooks["Stop"][0]["hooks"]
    assert [handler["command"], *handler["args"]] == list(HOOK)
    assert json.loads(files(setup)[".mcp.json"])["mcpServers"]["holdfast"]["args"] == list(MCP[1:])


@pytest.mark.parametrize("agent", ["codex", "gemini", "cursor"])
def test_a_path_with_a_blank_is_one_word_for_a_shell(place: Place, agent: AgentName) -> None:
    setup = place.project(agent)
    setup.install()
    [text] = [text for text in files(setup).values() if "hook_entry" in text]
    item = json.loads(text)["hooks"]["Stop"][0]
    handler = item["hooks"][0] if "hooks" in item else item
    assert shlex.split(handler["command"]) == list(HOOK)


def test_the_plugin_of_opencode_names_its_command(place: Place) -> None:
    setup = place.project("opencode")
    setup.install()
    assert setup.own_commands() == [list(COMMANDS.hook)]


def test_a_memory_that_is_none_could_not_be_looked_at(place: Place) -> None:
    place.memory.parent.mkdir()
    place.memory.write_text("{")
    with pytest.raises(CouldNotLook):
        place.project("codex").install()
    assert place.tree() == {}


def test_a_memory_that_lies_removes_no_folder_of_others(place: Place) -> None:
    (place.root / "empty").mkdir()
    setup = place.project("codex")
    setup.install()
    text = place.memory.read_text().replace('".codex"', '".codex", "empty", "../home"')
    place.memory.write_text(text)
    setup.remove()
    assert place.tree() == {"empty": None}
    assert place.home.is_dir()
