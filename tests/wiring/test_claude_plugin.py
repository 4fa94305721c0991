"""The plugin folder is whole, names this machine's commands, and is never written over others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.agents.setups import Commands
from holdfast.kernel.errors import InvalidInput
from holdfast.wiring.claude_plugin import plugin_files, write_plugin
from tests.agents.setups import COMMANDS, HOOK, MCP


@pytest.mark.req("L17", "X4")
def test_it_has_hooks_server_skill_commands_and_what_a_validator_wants(tmp_path: Path) -> None:
    folder = tmp_path / "plugin"
    written = write_plugin(folder, COMMANDS)
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == sorted(
        path for path in [*written, ".claude-plugin"] if path != "LICENSE"
    )
    assert {"commands/ride.md", "commands/clear.md", "skills/holdfast/SKILL.md"} < set(written)
    hooks = json.loads((folder / "hooks/hooks.json").read_text())["hooks"]
    assert list(hooks) == ["SessionStart", "Stop"]
    [handler] = hooks["Stop"][0]["hooks"]
    assert [handler["command"], *handler["args"]] == list(HOOK)
    server = json.loads((folder / ".mcp.json").read_text())["mcpServers"]["holdfast"]
    assert [server["command"], *server["args"]] == list(MCP)
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert len((folder / "README.md").read_text().split()) > 40


def test_it_reads_its_own_protocols_and_not_a_projects(tmp_path: Path) -> None:
    files = plugin_files(COMMANDS)
    assert not [path for path, content in files.items() if b".claude/protocols" in content]
    ride = files["commands/ride.md"].decode()
    assert "${CLAUDE_PLUGIN_ROOT}/protocols/" in ride
    for name in ("session-continuity", "attention-budget"):
        assert f"protocols/{name}.md" in files


def test_without_the_packages_of_mcp_there_is_no_server() -> None:
    assert ".mcp.json" not in plugin_files(Commands(HOOK, None, ("Stop",)))


def test_writing_it_again_brings_what_is_new(tmp_path: Path) -> None:
    write_plugin(tmp_path, COMMANDS)
    write_plugin(tmp_path, Commands(("/new/python", *HOOK[1:]), MCP, ("Stop",)))
    assert "/new/python" in (tmp_path / "hooks/hooks.json").read_text()


def test_a_folder_of_others_is_refused_and_stays(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InvalidInput, match="something else"):
        write_plugin(tmp_path, COMMANDS)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("manifest", ["[]", "{", '{"name": "other"}'])
def test_another_plugin_is_refused(tmp_path: Path, manifest: str) -> None:
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / ".claude-plugin/plugin.json").write_text(manifest)
    with pytest.raises(InvalidInput, match="something else"):
        write_plugin(tmp_path, COMMANDS)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "plugin", tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    with pytest.raises(InvalidInput, match="is a link"):
        write_plugin(folder, COMMANDS)
    folder.unlink()
    write_plugin(folder, COMMANDS)
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(elsewhere / "x")
    with pytest.raises(InvalidInput, match="holds a link"):
        write_plugin(folder, COMMANDS)
    assert list(elsewhere.iterdir()) == []
