"""Both generations of the official client, against the real server, over stdio and over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from holdfast.mcp_server.tools import TOOLS
from tests.mcp.serving import (
    asked,
    command,
    environment,
    former,
    listening,
    over_http,
    over_stdio,
)

QUOTE = "`def take(self)` [${PROJECT_ROOT}/src/queue.py:2]"
JOB: list[tuple[str, dict[str, Any]]] = [
    ("list_tools", {}),
    ("list_resources", {}),
    ("list_resource_templates", {}),
    ("list_prompts", {}),
    (
        "call_tool",
        {
            "name": "decide",
            "arguments": {"what": "take the first", "because": "order", "evidence": [QUOTE]},
        },
    ),
    ("call_tool", {"name": "recall", "arguments": {"query": "first"}}),
    ("call_tool", {"name": "decide", "arguments": {"what": "half of it"}}),
    ("read_resource", {"uri": "holdfast://entry/0"}),
    ("read_resource", {"uri": "holdfast://entry/99"}),
    ("get_prompt", {"name": "handoff", "arguments": {}}),
]


def check_answers(answers: list[Any]) -> None:
    tools, resources, templates, prompts, decided, recalled, refused, entry, none, prompt = answers
    assert [tool["name"] for tool in tools["tools"]] == list(TOOLS)
    assert len(resources["resources"]) == 4
    assert len(templates["resourceTemplates"]) == 4
    assert [one["name"] for one in prompts["prompts"]] == ["ride", "handoff"]
    assert "Grounded" in decided["content"][0]["text"]
    assert "| " in recalled["content"][0]["text"]
    assert (decided["isError"], refused["isError"]) == (False, True)
    assert refused["content"][0]["text"].splitlines()[2].startswith("Remedy: It needs what")
    assert '"choice":"take the first"' in entry["contents"][0]["text"]
    assert "Remedy: " in none["error"]
    assert "take the first" in prompt["messages"][0]["content"]["text"]


async def do_job(client: Client) -> list[Any]:
    answers: list[Any] = []
    for method, arguments in JOB:
        try:
            answer = await getattr(client, method)(**arguments)
        except Exception as error:
            answers.append({"error": str(error)})
        else:
            answers.append(answer.model_dump(mode="json", by_alias=True, exclude_none=True))
    assert client.server_info is not None
    assert client.server_info.name == "holdfast"
    return [client.protocol_version, answers]


@pytest.mark.req("X4")
def test_the_new_client_is_served_over_stdio(project: Path) -> None:
    version, answers = asked(over_stdio(project), do_job)
    assert version == "2026-07-28"
    check_answers(answers)


@pytest.mark.req("X4")
def test_the_former_client_is_served_over_stdio(project: Path) -> None:
    job = {
        "command": command(project),
        "environment": environment(project.parent),
        "calls": JOB,
    }
    package, version, name, answers = former(job)
    assert package.startswith("1.")
    assert (version, name) == ("2025-11-25", "holdfast")
    check_answers(answers)


@pytest.mark.req("X4")
def test_both_clients_are_served_over_http_by_one_server(project: Path) -> None:
    with listening(project) as told:
        job = {"url": told["listening"], "token": told["token"], "calls": JOB}
        _, version, name, answers = former(job)
        assert (version, name) == ("2025-11-25", "holdfast")
        check_answers(answers)

        version, [_, _, _, _, decided, *_] = asked(over_http(told), do_job)
        assert version == "2026-07-28"
        assert "Decided before: take the first (entry 0, agent)" in decided["content"][0]["text"]
