"""The names of happenings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdfast.agents import keys

HOOK = "<analysis>thinking</analysis>\n<summary>They asked\n\nfor things.</summary>"
TRANSCRIPT = (
    "This session is being continued from a previous conversation.\n\n<system-reminder>\nx\n"
    "</system-reminder>\nSummary:\nThey asked\nfor things.\n\nIf you need specific details from "
    "before compaction, read the file.\nContinue the conversation from where it left off."
)


def test_a_summary_has_one_name_however_it_is_framed() -> None:
    names = {keys.compacted("claude-code", "s", "t", told) for told in (HOOK, TRANSCRIPT)}
    assert len(names) == 1
    assert keys.core_of(TRANSCRIPT) == "They asked for things."


def test_a_summary_that_was_given_no_tags_has_one_name_too() -> None:
    """The model need not do as it was asked; then the transcript has no heading for it."""
    bare = TRANSCRIPT.replace("Summary:\n", "")
    told = (
        bare,
        "They asked for things.",
        bare.replace("<system-reminder>\nx\n</system-reminder>\n", ""),
    )
    assert {keys.core_of(one) for one in told} == {"They asked for things."}


def test_other_words_another_turn_or_another_time_is_another_name() -> None:
    names = [
        keys.compacted("claude-code", "s", "t", HOOK),
        keys.compacted("claude-code", "s", "t", HOOK.replace("things", "others")),
        keys.compacted("claude-code", "s", "u", HOOK),
        keys.compacted("claude-code", "s", "t", HOOK, 2),
        keys.compacted("claude-code", "r", "t", HOOK),
        keys.compacted("codex", "s", "t", HOOK),
    ]
    assert len(set(names)) == len(names)


def test_what_a_helper_says_is_not_what_its_agent_says() -> None:
    assert keys.said("claude-code", "s", "t", "Fine.") != keys.said(
        "claude-code", "s", "t", "Fine.", worker="w"
    )


def test_parts_of_a_happening_have_ids_of_their_own() -> None:
    key = keys.tool_end("codex", "s", "call_1")
    assert keys.entry_id(key) == keys.entry_id(key)
    assert keys.entry_id(key) != keys.entry_id(key, keys.COMMAND)


def test_an_id_that_is_no_name_becomes_one() -> None:
    assert keys.session_id("abc") == "abc"
    for odd in ("", " a", "a\nb", "x" * 300, "\ud800"):
        assert len(keys.session_id(odd)) == 32


@pytest.mark.parametrize("make", [keys.tool_begin, keys.tool_end])
def test_an_id_that_a_server_gives_again_is_another_call_in_another_turn(
    make: Callable[..., str],
) -> None:
    again = "functions.Bash:0"
    named = {make("claude-code", "s", again, turn, worker) for turn, worker in _TURNS}
    assert len(named) == len(_TURNS)
    assert make("claude-code", "s", again, "t1", None) == make("claude-code", "s", again, "t1")


@pytest.mark.parametrize("call", ["toolu_01A09q90qw90lq91", "call_AbCdEfGhIjKlMnOpQrStUvWx"])
def test_an_id_of_chance_is_one_call_whoever_tells_of_it(call: str) -> None:
    named = {keys.tool_end("claude-code", "s", call, turn, worker) for turn, worker in _TURNS}
    assert len(named) == 1


_TURNS = (("t1", None), ("t2", None), ("t1", "w"), (None, None))
