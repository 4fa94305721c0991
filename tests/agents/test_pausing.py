"""A pause is a file that every hook asks for first; what comes meanwhile is counted, not kept."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest

from holdfast.agents import pausing
from holdfast.agents.values import AgentName
from tests.agents.hooks import Project


def test_nothing_is_paused_where_there_is_no_file(tmp_path: Path) -> None:
    assert pausing.paused_by(str(tmp_path), "s1") is None
    assert pausing.pauses(str(tmp_path)) == []


def test_a_pause_of_all_holds_for_every_session_and_one_of_a_session_for_that(
    tmp_path: Path,
) -> None:
    marker = tmp_path / pausing.PAUSED
    marker.write_text("session s1\n")
    assert pausing.paused_by(str(tmp_path), "s1") == "session s1"
    assert pausing.paused_by(str(tmp_path), "s2") is None
    assert pausing.paused_by(str(tmp_path), None) is None
    marker.write_text("session s1\nall\n")
    assert pausing.paused_by(str(tmp_path), "s2") == "all"
    assert pausing.paused_by(str(tmp_path), None) == "all"


def test_a_marker_that_cannot_be_read_pauses_all(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / pausing.PAUSED).symlink_to(tmp_path / "elsewhere")
    assert pausing.paused_by(str(tmp_path), "s1") == "all"


def test_what_comes_meanwhile_is_counted_by_pause(tmp_path: Path) -> None:
    folder = str(tmp_path)
    pausing.count(folder, "all")  # without a folder the count is lost, and nothing fails
    (tmp_path / pausing.FOLDER).mkdir()
    for _ in range(3):
        pausing.count(folder, "all")
    pausing.count(folder, "session ../../x")
    assert (pausing.counted(folder, "all"), pausing.counted(folder, "session ../../x")) == (3, 1)
    assert [path.parent for path in tmp_path.rglob("unrecorded-*")] == [
        tmp_path / pausing.FOLDER
    ] * 2
    pausing.forget(folder, "all")
    pausing.forget(folder, "all")
    assert pausing.counted(folder, "all") == 0


def test_nothing_is_counted_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / pausing.FOLDER).symlink_to(tmp_path / "elsewhere")
    pausing.count(str(tmp_path), "all")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    ("value", "private"), [("1", True), ("yes", True), ("0", False), ("", False)]
)
def test_private_mode_is_a_variable(value: str, private: bool) -> None:
    assert pausing.is_private({"HOLDFAST_PRIVATE": value}) is private
    assert pausing.is_private({}) is False


def test_it_is_said_at_the_beginning_of_a_session_where_an_agent_shows_it() -> None:
    for words in (pausing.PRIVATE_SAID, pausing.PAUSED_SAID):
        said = ast.literal_eval(pausing.notice("claude-code", "SessionStart", words))
        assert said == {"systemMessage": words.replace('"', "'")}
    assert pausing.notice("claude-code", "Stop", "x") == ""
    assert pausing.notice("cursor", "SessionStart", "x") == ""


@pytest.mark.req("X7")
def test_the_person_sees_it_when_a_session_starts(project: Project) -> None:
    """By the process that the agent starts: what it printed must have left it when it ends."""
    told = project.told("SessionStart", source="startup")
    private = project.hook(told, env={"HOLDFAST_PRIVATE": "1"})
    assert json.loads(private.out) == {"systemMessage": pausing.PRIVATE_SAID}
    (project.folder / pausing.PAUSED).write_text("all\n")
    paused = project.hook(told)
    assert json.loads(paused.out) == {"systemMessage": pausing.PAUSED_SAID}
    assert project.hook(project.told("Stop")).out == ""


_OTHERS: list[tuple[AgentName, dict[str, object]]] = [
    ("cursor", {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c1"}),
    ("cursor", {"hook_event_name": "beforeSubmitPrompt", "conversation_id": "c1", "session_id": 1}),
    ("opencode", {"hook_event_name": "chat.message", "input": {"sessionID": "c1"}}),
    ("opencode", {"hook_event_name": "chat.message", "session_id": "c1", "input": None}),
]


@pytest.mark.lesson("N6")
@pytest.mark.parametrize(("agent", "told"), _OTHERS)
def test_a_session_is_paused_by_whatever_name_its_agent_tells_it(
    project: Project, agent: AgentName, told: dict[str, object]
) -> None:
    project.start()
    (project.folder / pausing.PAUSED).write_text("session c1\n")
    project.hook(told | {"prompt": "unwanted words"}, agent=agent)
    assert pausing.counted(str(project.folder), "session c1") == 1
    assert project.holds("unwanted words") == []
    project.hook(told | {"prompt": "unwanted words"}, agent=agent, env={"HOLDFAST_PRIVATE": "1"})
    assert len(pausing.private_since(str(project.folder), "c1")) == 1


def test_what_cannot_be_read_may_be_of_a_session_that_is_paused(project: Project) -> None:
    project.start()
    marker = project.folder / pausing.PAUSED
    marker.write_text("session s1\n")
    project.hook(b'{"session_id": "s1", "prompt": "unwanted words')
    assert project.holds("unwanted words") == []
    assert pausing.counted(str(project.folder), "session s1") == 1
    marker.unlink()
    project.hook(b'{"session_id": "s1", "prompt": "torn words')
    assert "line_quarantined" in project.types()


def test_a_marker_that_is_a_pipe_pauses_all_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / pausing.PAUSED)
    # someone who writes there keeps a mistake from standing still for ever
    keeper = os.open(tmp_path / pausing.PAUSED, os.O_RDWR | os.O_NONBLOCK)
    os.write(keeper, b"session s9\n")
    try:
        assert pausing.paused_by(str(tmp_path), "s1") == "all"
    finally:
        os.close(keeper)
