"""A ledger that is shared over MCP: by whom it can be read, and that nothing else can be done."""

from __future__ import annotations

import base64
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from holdfast.wiring.mcp.opening import Served
from holdfast.wiring.opening import make_ledger
from holdfast.wiring.places import Place, place_of
from holdfast.wiring.serving_mcp import sharing_of
from tests.mcp.serving import (
    TIMEOUT_S,
    asked,
    command,
    environment,
    former,
    listening,
    over_http,
    over_stdio,
)

HEAD = "holdfast://sync/head"
JOB: list[tuple[str, dict[str, Any]]] = [
    ("list_resources", {}),
    ("list_resource_templates", {}),
    ("list_tools", {}),
    ("read_resource", {"uri": HEAD}),
    ("read_resource", {"uri": "holdfast://sync/entries?first=0&stop=9"}),
    ("read_resource", {"uri": "holdfast://entries"}),
    ("call_tool", {"name": "decide", "arguments": {"what": "x", "because": "y"}}),
]


def holdfast(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "holdfast", "-C", str(folder), *words],
        env=environment(folder.parent),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


@pytest.fixture
def theirs(project: Path) -> Path:
    """A project with three decisions."""
    for number in range(3):
        assert holdfast(project, "decide", f"Way {number}", "--because", "so").returncode == 0
    return project


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    folder = tmp_path / "ours"
    folder.mkdir()
    make_ledger(place_of(folder))
    return folder


def entries(folder: Path) -> list[Any]:
    return [json.loads(line) for line in holdfast(folder, "log", "--json").stdout.splitlines()]


def check_answers(answers: list[Any], theirs: Path) -> None:
    resources, templates, tools, head, page, other, called = answers
    assert [one["uri"] for one in resources["resources"]] == [HEAD]
    assert len(templates["resourceTemplates"]) == 3
    assert tools.get("tools", []) == []
    told = json.loads(base64.b64decode(head["contents"][0]["blob"]))
    assert told["size"] == 3
    lines = base64.b64decode(page["contents"][0]["blob"])
    assert lines.decode() == holdfast(theirs, "log", "--json").stdout
    assert other["contents"] == []
    assert "error" in called


async def do_job(client: Client) -> list[Any]:
    answers: list[Any] = []
    for method, arguments in JOB:
        try:
            answer = await getattr(client, method)(**arguments)
        except Exception as error:
            answers.append({"error": str(error)})
        else:
            answers.append(answer.model_dump(mode="json", by_alias=True, exclude_none=True))
    return answers


@pytest.mark.req("L20")
def test_a_shared_ledger_is_read_by_both_generations_and_cannot_be_written(theirs: Path) -> None:
    before = entries(theirs)
    check_answers(asked(over_stdio(theirs, "--share"), do_job), theirs)
    job = {
        "command": command(theirs, "--share"),
        "environment": environment(theirs.parent),
        "calls": JOB,
    }
    _, version, name, answers = former(job)
    assert (version, name) == ("2025-11-25", "holdfast")
    check_answers(answers, theirs)
    assert entries(theirs) == before


@pytest.mark.req("L20")
def test_sync_merges_a_shared_ledger_through_a_command(theirs: Path, ours: Path) -> None:
    peer = shlex.join(command(theirs, "--share"))
    done = holdfast(ours, "sync", "--mcp", peer, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["outcome"], answer["new"], answer["folded"]) == ("merged", 3, True)
    [merged] = entries(ours)
    assert merged["data"]["source"] == f"mcp: {peer}"
    shown = holdfast(ours, "--peer", answer["ledger"], "log", "--json")
    assert shown.stdout == holdfast(theirs, "log", "--json").stdout
    assert holdfast(ours, "--peer", answer["ledger"], "verify").returncode == 0
    again = json.loads(holdfast(ours, "sync", "--mcp", peer, "--json").stdout)
    assert (again["outcome"], len(entries(ours))) == ("same", 1)


@pytest.mark.req("L20")
def test_sync_merges_a_shared_ledger_that_listens(theirs: Path, ours: Path) -> None:
    with listening(theirs, "--share") as told:
        token = place_of(theirs).peers / "sync.token"
        assert token.read_text().strip() == told["token"]
        check_answers(asked(over_http(told), do_job), theirs)
        done = holdfast(ours, "sync", "--mcp", told["listening"], "--token", f"@{token}", "--json")
        assert json.loads(done.stdout)["outcome"] == "merged", done.stderr
        refused = holdfast(ours, "sync", "--mcp", told["listening"], "--token", "wrong")
        assert refused.returncode == 2
        assert "did not answer as it should" in refused.stderr
    assert len(entries(ours)) == 1


@pytest.mark.req("L20")
def test_a_server_that_does_not_share_tells_no_other_ledger(theirs: Path, ours: Path) -> None:
    done = holdfast(ours, "sync", "--mcp", shlex.join(command(theirs)))
    assert done.returncode == 2
    assert "mcp --share" in done.stderr
    assert entries(ours) == []


@pytest.mark.req("L20")
def test_a_peer_that_contradicts_itself_over_mcp_is_refused(
    theirs: Path, ours: Path, tmp_path: Path
) -> None:
    import shutil

    twin = tmp_path / "twin"
    shutil.copytree(theirs, twin)
    holdfast(theirs, "decide", "Left", "--because", "so")
    holdfast(twin, "decide", "Right", "--because", "so")
    assert holdfast(ours, "sync", "--mcp", shlex.join(command(theirs, "--share"))).returncode == 0
    done = holdfast(ours, "sync", "--mcp", shlex.join(command(twin, "--share")), "--json")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["outcome"]) == (1, "refused")
    assert answer["contradiction"]["seq"] == 3
    assert [one["type"] for one in entries(ours)] == ["peer_merged", "peer_refused"]


def test_what_goes_wrong_behind_it_is_an_error_of_the_protocol(place: Place, project: Path) -> None:
    place.database.unlink()
    server = sharing_of(Served(place, project, project))

    async def ask(client: Client) -> str:
        with pytest.raises(Exception, match="no ledger"):
            await client.read_resource(HEAD)
        return "told"

    assert asked(server, ask) == "told"
