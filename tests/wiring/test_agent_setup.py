"""Which files an install writes, and that a project has no say in what a user's install writes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from holdfast.agents.setups import Commands
from holdfast.agents.values import AGENTS, AgentName
from holdfast.kernel.errors import InvalidInput
from holdfast.wiring import agent_setup
from holdfast.wiring.agent_setup import commands_of, setup_of, used_here
from holdfast.wiring.places import Place, place_of
from tests.agents.setups import COMMANDS

HOSTILE = """
[record]
actor = "evil"
[agents]
command = "/tmp/evil"
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    root = tmp_path / "project"
    (root / ".holdfast").mkdir(parents=True)
    return place_of(root)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("agent", AGENTS)
def test_no_file_of_a_project_changes_what_a_user_gets(
    place: Place, tmp_path: Path, agent: AgentName, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet, beset = tmp_path / "quiet", tmp_path / "beset"
    for home in (quiet, beset):
        home.mkdir()
    setup_of(agent, "user", None, env={}, home=quiet).install()
    assert place.project is not None
    (place.folder / "config.toml").write_text(HOSTILE)
    (place.folder / "agents").mkdir()
    (place.folder / "agents" / f"{agent}.json").write_text('{"files": {"x": {"written": "y"}}}')
    for name in ("holdfast", "msgspec", "mcp"):
        (place.project / f"{name}.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(place.project)
    setup_of(agent, "user", place, env={}, home=beset).install()
    agents_files = {
        path: content for path, content in tree(beset).items() if "share/holdfast" not in path
    }
    assert agents_files == {
        path: content for path, content in tree(quiet).items() if "share/holdfast" not in path
    }
    assert str(place.project) not in "".join(map(repr, agents_files.values()))


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_installed_names_absolute_paths_that_are_there(agent: AgentName) -> None:
    commands = commands_of(agent)
    assert commands.hook[0] == sys.executable
    assert Path(commands.hook[2]).is_file()
    assert commands.events
    assert commands.mcp is None or commands.mcp[1] == "-I"


def test_without_its_packages_no_server_is_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_setup, "find_spec", lambda _: None)
    assert agent_setup.mcp_command() is None


def test_a_ledger_that_stands_alone_belongs_to_no_project(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no project"):
        setup_of("codex", "project", Place(tmp_path / "x.db"), commands=COMMANDS)


def test_a_home_folder_is_no_project(place: Place) -> None:
    with pytest.raises(InvalidInput, match="home folder"):
        setup_of("codex", "project", place, commands=COMMANDS, home=place.project)


def test_each_worktree_remembers_for_itself(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "worktree"
    other.mkdir()
    for root in (None, other):
        setup_of("codex", "project", place, root=root, commands=COMMANDS, home=tmp_path).install()
    assert len(list((place.folder / "agents").iterdir())) == 2
    setup_of("codex", "project", place, root=other, commands=COMMANDS, home=tmp_path).remove()
    assert list(other.iterdir()) == []
    assert place.project is not None
    assert (place.project / ".codex/hooks.json").exists()


def test_the_agents_that_somebody_uses_have_a_folder_at_home(tmp_path: Path) -> None:
    assert used_here({}, tmp_path) == []
    for folder in (".claude", ".config/opencode"):
        (tmp_path / folder).mkdir(parents=True)
    assert used_here({}, tmp_path) == ["claude-code", "opencode"]


def test_a_python_that_lies_in_the_project_is_not_for_all_others(
    place: Place, tmp_path: Path
) -> None:
    assert place.project is not None
    own = Commands((f"{place.project}/.venv/bin/python", *COMMANDS.hook[1:]), None, ("Stop",))
    with pytest.raises(InvalidInput, match="is part of the project"):
        setup_of("codex", "user", place, commands=own, env={}, home=tmp_path)
    setup_of("codex", "user", None, commands=own, env={}, home=tmp_path)
    setup_of("codex", "user", place, commands=own, env={}, home=place.project)
    setup_of("codex", "project", place, commands=own, env={}, home=tmp_path)


def test_what_is_remembered_is_not_written_through_a_link(place: Place, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (place.folder / "agents").symlink_to(tmp_path / "elsewhere")
    setup = setup_of("codex", "project", place, commands=COMMANDS, env={}, home=tmp_path)
    with pytest.raises(InvalidInput, match="is a link"):
        setup.install()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert place.project is not None
    assert [path.name for path in place.project.iterdir()] == [".holdfast"]
