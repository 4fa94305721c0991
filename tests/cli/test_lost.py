"""`holdfast lost`: what a compaction dropped, for a person and for scripts."""

from __future__ import annotations

import json

import pytest

from tests.clearing import opened
from tests.cli.harness import Holdfast


@pytest.fixture
def compacted(holdfast: Holdfast) -> Holdfast:
    """A project whose session was compacted."""
    with opened(holdfast.folder, session="work-1") as project:
        project.ledger.append("prompt_given", {"text": "Never push to main"})
        project.ledger.append("command_ran", {"command": "make check", "exit_code": 2})
        project.ledger.append("command_ran", {"command": "echo \x1b[2J", "exit_code": None})
        data = {"agent": "claude-code", "trigger": "manual", "summary": "Never push to main."}
        project.ledger.append("context_compacted", data)
    return holdfast


@pytest.mark.req("X4")
@pytest.mark.lesson("N1")
def test_what_was_dropped_is_named_by_its_entry(compacted: Holdfast) -> None:
    found = compacted("lost")

    assert found.code == 0
    assert "Session work-1 was compacted (manual)." in found.text
    assert "make check (exit 2)" in found.text
    assert "Never push" not in found.text
    assert "2 of 3 items gone: 2 commands." in found.text
    assert "\x1b" not in found.text


def test_all_shows_what_is_still_there_too(compacted: Holdfast) -> None:
    found = compacted("lost", "--all")

    assert "kept" in found.text
    assert "Never push to main" in found.text


def test_scripts_get_one_item_a_line_each_with_its_entry(compacted: Holdfast) -> None:
    found = compacted("lost", "work", "--json")
    items = [json.loads(line) for line in found.out.splitlines()]

    assert [(one["kind"], one["fate"]) for one in items] == [
        ("constraint", "kept"),
        ("command", "dropped"),
        ("command", "dropped"),
    ]
    shown = compacted("show", str(items[1]["seq"]), "--json").json()
    assert (shown["id"], shown["data"]["command"]) == (items[1]["id"], "make check")
    assert set(items[0]) == {
        *("kind", "text", "seq", "id", "fate", "exit_code", "missing", "instead"),
    }


def test_a_session_that_was_not_compacted_says_so_and_ends_with_1(holdfast: Holdfast) -> None:
    assert holdfast("session", "start", "--session", "s").code == 0

    found = holdfast("lost", "s")
    assert (found.code, found.text) == (1, "")
    assert "No compaction and no clear was recorded of session s." in found.err


def test_a_session_that_is_not_there_is_not_found(compacted: Holdfast) -> None:
    assert compacted("lost", "nobody").code == 1


def test_a_project_may_ask_for_strict_compactions_and_not_switch_them_off(
    holdfast: Holdfast,
) -> None:
    holdfast.settings.write_text("[agents]\nblock_compaction = true\n")
    assert "agents.block_compaction" in holdfast("config").text

    holdfast.settings.write_text("[agents]\nblock_compaction = false\n")
    found = holdfast("config")
    assert (found.code, found.text) == (2, "")
    assert "only the user's own settings can" in found.err
