"""`holdfast checkpoint`, and the ones that come by themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast

CALL = json.dumps({"tool": "Read", "detail": "a.py"})


def last(holdfast: Holdfast) -> Any:
    return holdfast.entries("--type", "checkpoint")[-1]["data"]


@pytest.mark.req("P2")
def test_a_checkpoint_has_the_fields_of_the_protocol(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast.record("file_change", 0, path="a.py", action="create")
    holdfast.record("file_change", 1, path="c.json")
    for n in range(3):
        holdfast.record("decision", n)
    answer = holdfast.process(
        *("checkpoint", "--task", "Session 0.2 items 1-5", "--completed", "5", "--total", "12"),
        *("--next", "Continue with item 6", "--json"),
        *("--resume", "Working on append-only state, 5/12 done"),
    )
    assert answer.code == 0
    assert set(answer.json()) == {"seq", "id", "hash", "leaf", "redactions"}
    fields = last(holdfast)
    assert {name: fields[name] for name in data_for("checkpoint")} == {
        "task": "Session 0.2 items 1-5",
        "completed": 5,
        "total": 12,
        "files_created": ["a.py"],
        "files_modified": ["c.json"],
        "decisions_made": 3,
        "next_action": "Continue with item 6",
        "quick_resume": "Working on append-only state, 5/12 done",
    }


@pytest.mark.lesson("P8")
def test_nothing_completed_yet_is_recorded(holdfast: Holdfast) -> None:
    done = holdfast("checkpoint", "--task", "parser", "--completed", "0", "--total", "3")
    assert done.code == 0
    assert (last(holdfast)["completed"], last(holdfast)["quick_resume"]) == (0, "parser 0/3")


@pytest.mark.lesson("P12")
def test_the_resume_is_made_from_facts(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast.record("file_change", 7)
    command = {"command": "pytest -q", "exit_code": 1, "output": "== 2 failed, 5 passed in 1s =="}
    holdfast("record", "command_ran", "--data", json.dumps(command))
    holdfast("record", "agent_said", "--data", json.dumps({"text": "The lexer drops tabs."}))
    assert holdfast("checkpoint", "--task", "the lexer").code == 0
    resume = last(holdfast)["quick_resume"]
    for fact in ("the lexer", "pytest -q (exit 1)", "src/part_7.py", "2 failed, 5 passed"):
        assert fact in resume


@pytest.mark.lesson("P12")
@pytest.mark.parametrize("text", ["", "  ", "Phase: unknown, Call: 52"])
def test_a_resume_that_says_nothing_is_refused(holdfast: Holdfast, text: str) -> None:
    done = holdfast("checkpoint", "--resume", text)
    assert done.code == 2
    assert "says nothing" in done.err
    assert holdfast.entries() == []


@pytest.mark.lesson("P12")
def test_a_checkpoint_of_nothing_is_refused_and_says_what_is_missing(holdfast: Holdfast) -> None:
    done = holdfast("checkpoint", "--completed", "0", "--json")
    assert done.code == 2
    assert done.json()["error"]["kind"] == "InvalidInput"
    assert "--task, --next or --resume" in done.err
    assert holdfast.entries() == []


@pytest.mark.parametrize("given", [("--completed", "-1"), ("--total", "many")])
def test_a_count_that_is_none_is_refused(holdfast: Holdfast, given: tuple[str, str]) -> None:
    assert holdfast("checkpoint", "--task", "x", *given).code == 2
    assert holdfast.entries() == []


def test_it_covers_what_came_since_the_last_one(holdfast: Holdfast) -> None:
    for n in range(3):
        holdfast.record("file_change", n)
        holdfast("checkpoint", "--next", f"item {n}")
    files = [e["data"]["files_modified"] for e in holdfast.entries("--type", "checkpoint")]
    assert files == [[f"src/part_{n}.py"] for n in range(3)]


@pytest.mark.req("P9")
def test_the_setting_says_after_how_many_calls_one_is_made(holdfast: Holdfast) -> None:
    holdfast.settings.write_text("[checkpoint]\nevery_calls = 2\n")
    for _ in range(4):
        holdfast("record", "tool_called", "--data", CALL)
    assert len(holdfast.entries("--type", "checkpoint")) == 2
    holdfast.settings.write_text("[checkpoint]\nevery_calls = 0\n")
    for _ in range(6):
        holdfast("record", "tool_called", "--data", CALL)
    assert len(holdfast.entries("--type", "checkpoint")) == 2


def test_a_retried_call_makes_the_checkpoint_that_a_crash_prevented(holdfast: Holdfast) -> None:
    holdfast.settings.write_text("[checkpoint]\nevery_calls = 0\n")
    for n in range(5):
        holdfast("record", "tool_called", "--data", CALL, "--id", f"call-{n}")
    holdfast.settings.write_text("[checkpoint]\nevery_calls = 5\n")
    assert holdfast("record", "tool_called", "--data", CALL, "--id", "call-4").code == 0
    assert len(holdfast.entries("--type", "checkpoint")) == 1
