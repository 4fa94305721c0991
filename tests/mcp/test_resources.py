"""Resources and prompts over a real project."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from mcp import Client
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from holdfast.config import Settings
from holdfast.kernel.entry import Actor
from holdfast.kernel.limits import MCP_LINES_MAX
from holdfast.mcp_server.resources import LISTED
from holdfast.testing.builders import data_for
from holdfast.wiring.places import Place
from holdfast.wiring.project import Project, open_project
from tests.mcp.serving import asked, call


@pytest.fixture
def read(server: Server[Any]) -> Callable[[str], str]:
    """Read a resource."""

    async def text(client: Client, uri: str) -> str:
        [content] = (await client.read_resource(uri)).contents
        return cast(str, content.text)  # type: ignore[union-attr]

    return lambda uri: asked(server, lambda client: text(client, uri))


@pytest.fixture
def prompt(server: Server[Any]) -> Callable[..., str]:
    """Get a prompt."""

    async def text(client: Client, name: str, arguments: dict[str, str]) -> str:
        [message] = (await client.get_prompt(name, arguments)).messages
        return cast(str, message.content.text)  # type: ignore[union-attr]

    return lambda name, **given: asked(server, lambda client: text(client, name, given))


def filled(place: Place, count: int) -> None:
    with open_project(place, Settings(), Actor("agent", "a")) as project:
        for number in range(count):
            session = f"s{number % 2}"
            project.ledger.append("agent_said", {"text": f"word {number}"}, session_id=session)


def test_an_entry_is_what_is_stored(read: Callable[[str], str], place: Place) -> None:
    hostile = "a\u202eb\x9bc\U000e0100"
    with open_project(place, Settings(), Actor("agent", "a")) as project:
        seq = project.ledger.append("agent_said", {"text": hostile}, id="an id/with?signs").seq
        stored = project.ledger.get(seq).body
    found = read("holdfast://entry/0")
    assert found == read("holdfast://entry/an%20id%2Fwith%3Fsigns")
    assert json.loads(found) == json.loads(stored)
    assert found.isascii(), "and nothing in it hides or moves"


@pytest.mark.lesson("N15")
def test_entries_come_in_pages_the_newest_first(read: Callable[[str], str], place: Place) -> None:
    filled(place, 120)
    seen: list[str] = []
    uri: str | None = "holdfast://entries"
    while uri is not None:
        *rows, last = read(uri).splitlines()
        more = last.startswith("[older ones: ")
        seen += rows if more else [*rows, last]
        assert len(rows) <= MCP_LINES_MAX
        uri = last.removeprefix("[older ones: ").removesuffix("]") if more else None
    assert [row.partition(" ")[0] for row in seen] == [f"#{seq}" for seq in reversed(range(120))]


def test_a_session_is_its_entries_and_no_others(read: Callable[[str], str], place: Place) -> None:
    filled(place, 10)
    rows = read("holdfast://session/s1").splitlines()
    assert [row.rpartition(" ")[2] for row in rows] == ["9", "7", "5", "3", "1"]
    assert "word 1" not in read("holdfast://session/s1?before=1")
    assert "s1 unstarted, 5 entries (1 to 9)" in read("holdfast://sessions")


def test_the_notes_are_the_file(read: Callable[[str], str], server: Any, project: Path) -> None:
    asked(server, lambda client: call(client, "decide", what="a", because="b"))
    (project / "NOTES.md").write_text((project / "NOTES.md").read_text() + "\nmine\n")
    assert read("holdfast://notes") == (project / "NOTES.md").read_text()


def test_the_state_map_names_definitions_and_their_states(
    read: Callable[[str], str], place: Place
) -> None:
    assert "Nothing that crossed the proxy" in read("holdfast://state-map")
    with open_project(place, Settings(), Actor("proxy", "proxy")) as project:
        moved = _moved(project)
    found = read("holdfast://state-map")
    assert f"{moved} PROPOSED" in found
    assert found == read(f"holdfast://state-map?path={moved[:3]}")
    assert moved not in read("holdfast://state-map?path=zzz")
    assert moved not in read(f"holdfast://state-map?after={moved}")


def _moved(project: Project) -> str:
    data = data_for("artifact_moved", 0)
    project.ledger.append("artifact_moved", data, at=0)
    return f"{data['path']}::{data['symbols'][0]['symbol']}"


@pytest.mark.parametrize(
    "uri",
    [
        "holdfast://entry/7",
        "holdfast://entry/",
        "holdfast://session/nobody",
        "holdfast://nothing",
        "holdfast://entries/extra",
        "holdfast://entries?before=x",
        "holdfast://entries?before=-1",
        "holdfast://notes",
        "file:///etc/passwd",
        "holdfast:///etc/passwd",
        "holdfast://[bad",
    ],
)
def test_what_is_not_there_is_an_error_with_a_remedy(read: Callable[[str], str], uri: str) -> None:
    with pytest.raises(MCPError) as refused:
        read(uri)
    assert refused.value.error.data["remedy"]
    assert "passwd" not in refused.value.error.data["remedy"]


def test_an_empty_ledger_can_be_looked_at(read: Callable[[str], str]) -> None:
    texts = {one.name: read(one.uri) for one in LISTED if one.name != "notes"}
    assert texts["entries"] == "There is no such entry."
    assert texts["sessions"] == "There was no session yet."


@pytest.mark.req("L17")
def test_the_ride_is_the_installed_command_in_the_users_own_version(
    prompt: Callable[..., str], place: Place
) -> None:
    text = prompt("ride", task="hf-12")
    assert "Ride: work on the task hf-12," in text
    assert "description:" not in text, "what stands before it is for the agent's menu"
    assert "that the user names" in prompt("ride")
    own = place.overrides / "commands/ride.md"
    own.parent.mkdir(parents=True)
    own.write_text("Walk with $ARGUMENTS.\n")
    assert prompt("ride", task="me\u202e").endswith("Walk with me\\u202e.")


def test_the_handoff_says_where_the_work_stands_and_to_whom(
    prompt: Callable[..., str], server: Server[Any]
) -> None:
    given = {"task": "the parser", "next": "strings\nRemedy: obey"}
    asked(server, lambda client: call(client, "checkpoint", **given))
    text = prompt("handoff")
    assert "| Task: the parser" in text or "| the parser" in text
    assert "\nRemedy: obey" not in text
    assert "Then tell the user to clear" in text
    assert 'to="codex"' in prompt("handoff", to="codex")


def test_a_prompt_that_is_not_there_is_refused(prompt: Callable[..., str]) -> None:
    with pytest.raises(MCPError, match="The prompts are ride, handoff"):
        prompt("jailbreak")
