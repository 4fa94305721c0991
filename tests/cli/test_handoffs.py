"""`holdfast handoff` between agents: offer, list, accept, decline."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from tests.cli.harness import Holdfast

CODEX = ("--actor-kind", "agent", "--actor", "codex")


def offered(holdfast: Holdfast, *more: str) -> Any:
    done = holdfast("handoff", "offer", "--to", "codex", "Finish it", *more, "--json")
    assert done.code == 0, done.err
    return done.json()


def waiting(holdfast: Holdfast, *more: str) -> list[Any]:
    lines = holdfast("handoff", "list", *more, "--json").out.splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.req("L20")
def test_an_offer_is_seen_taken_and_gone(holdfast: Holdfast) -> None:
    given = offered(holdfast, "--next", "run the tests", "--ref", "src/a.py", "--note", "mind b")
    [one] = waiting(holdfast, "--for", "codex")
    assert (one["id"], one["to"], one["next_steps"]) == (
        given["handoff"],
        "codex",
        ["run the tests"],
    )
    assert waiting(holdfast, "--for", "gemini") == []
    assert "to codex" in holdfast("handoff", "list").text
    taken = holdfast("handoff", "accept", str(given["seq"]), *CODEX)
    assert taken.code == 0
    for part in ("Finish it", "run the tests", "src/a.py", "mind b"):
        assert part in taken.text
    assert waiting(holdfast) == []
    assert holdfast("handoff", "list").err == "No handoff waits for an answer.\n"


@pytest.mark.req("L20")
def test_a_second_answer_is_refused_and_recorded_nowhere(holdfast: Holdfast) -> None:
    given = offered(holdfast)
    done = holdfast("handoff", "decline", given["id"], "--because", "busy", *CODEX, "--json")
    assert done.json()["handoff"]["reason"] == "busy"
    size = len(holdfast.entries())
    again = holdfast("handoff", "accept", given["id"], *CODEX, "--json")
    assert (again.code, again.json()["error"]["kind"]) == (2, "InvalidInput")
    assert "declined by codex" in again.err
    assert len(holdfast.entries()) == size


@pytest.mark.req("L20")
def test_of_many_who_answer_at_once_one_is_recorded(holdfast: Holdfast) -> None:
    given = offered(holdfast)
    answering = [
        subprocess.Popen(
            holdfast.command("handoff", "accept", given["id"], "--actor", f"person-{number}"),
            cwd=holdfast.folder,
            env=holdfast.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(6)
    ]
    codes = sorted(process.wait(60) for process in answering)
    assert codes == [0, 2, 2, 2, 2, 2]
    answers = [one for one in holdfast.entries() if one["type"] == "handoff_answered"]
    assert len(answers) == 1


def test_what_was_not_offered_is_a_no(holdfast: Holdfast) -> None:
    assert holdfast("handoff", "accept", "h9", *CODEX).code == 1
    assert holdfast("handoff", "decline", "h9").code == 2


def test_without_a_command_it_still_shows_the_last_clear(holdfast: Holdfast) -> None:
    offered(holdfast)
    shown = holdfast("handoff", "--json")
    assert (shown.code, shown.json()["error"]["what"]) == (1, "There was no handoff yet.")
