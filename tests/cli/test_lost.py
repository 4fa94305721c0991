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
        *("kind", "text", "seq", "id", "fate", "exit_code", "missing", "instead", "brought_back"),
    }
    assert [one["brought_back"] for one in items] == [None] * 3


def _give(holdfast: Holdfast) -> int:
    data = {
        "agent": "claude-code",
        "event": "SessionStart",
        "source": "compact",
        "text": "- exit 2: make check\n\x1b[2J",
        "tokens": 1234,
        "counter": "holdfast-2",
        "of_session": "work-1",
        "left_out": {"commands": 7},
    }
    with opened(holdfast.folder, session="work-1") as project:
        return project.ledger.append("context_given", data).seq


@pytest.mark.req("X4")
def test_what_was_given_back_is_told_with_its_time_tokens_and_entry(compacted: Holdfast) -> None:
    assert "Nothing is recorded that the agent was given after it." in compacted("lost").text
    seq = _give(compacted)
    found = compacted("lost")

    assert f"make check (exit 2)  [back by #{seq}]" in found.text
    assert "given (compact) in 1,234 tokens by holdfast-2; no room for 7 commands" in found.text
    assert f": `holdfast show {seq}`." in found.text
    assert "1 of the 2 came back." in found.text
    assert "\x1b" not in found.text
    items = [json.loads(line) for line in compacted("lost", "--json").out.splitlines()]
    back = [one["brought_back"] for one in items]
    assert back[0] is back[2] is None
    assert {name: back[1][name] for name in ("seq", "how", "source", "tokens", "counter")} == {
        "seq": seq,
        "how": "kept",
        "source": "compact",
        "tokens": 1234,
        "counter": "holdfast-2",
    }


def test_the_log_and_show_have_the_words_that_were_given(compacted: Holdfast) -> None:
    seq = _give(compacted)

    assert "to claude-code (compact), 1234 tokens: - exit 2: make check" in compacted("log").text
    shown = compacted("show", str(seq), "--json").json()
    assert shown["data"]["text"].startswith("- exit 2: make check")


def test_nobody_can_record_that_something_was_given(holdfast: Holdfast) -> None:
    data = '{"agent":"a","event":"e","text":"t","tokens":1,"counter":"c"}'
    found = holdfast("record", "context_given", "--data", data)

    assert found.code == 2
    assert "holdfast hook AGENT" in found.err


def test_an_earlier_compaction_is_named_by_its_number(compacted: Holdfast) -> None:
    with opened(compacted.folder, session="work-1") as project:
        first = project.ledger.head().size - 1
        data = {"agent": "claude-code", "summary": "`make check` ended with exit code 2."}
        project.ledger.append("context_compacted", data)

    assert "2 of 3 items gone" in compacted("lost", "--at", str(first)).text
    assert f"Entry {first + 1}:" in compacted("lost").text
    assert compacted("lost", "--at", "1").code == 1
    assert compacted("lost", "work-1", "--at", str(first)).code == 2


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
