"""Conversations are kept apart, and a history that shrank or changed is seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.wire.conversations import Conversations, Seen
from holdfast.wire.requests import Request, read_request


def request(*texts: str, **fields: Any) -> Request:
    """A conversation in which user and model take turns."""
    messages = [
        {"role": "assistant" if place % 2 else "user", "content": text}
        for place, text in enumerate(texts)
    ]
    return read_request("chat", json.dumps({"messages": messages, **fields}).encode())


def changes(*requests: Request) -> list[str]:
    conversations = Conversations()
    return [conversations.see(one).change for one in requests]


def test_a_history_that_grows_is_one_conversation() -> None:
    conversations = Conversations()
    first = conversations.see(request("a"))
    second = conversations.see(request("a", "b", "c"))
    again = conversations.see(request("a", "b", "c"))
    assert first.conversation == second.conversation == again.conversation
    assert [first.change, second.change, again.change] == ["new", "grown", "repeated"]
    assert (second.kept, second.lost) == (1, 0)


@pytest.mark.lesson("T6")
def test_two_conversations_at_once_never_mix() -> None:
    conversations = Conversations()
    one = conversations.see(request("fix a.py")).conversation
    two = conversations.see(request("fix b.py")).conversation
    assert one != two
    assert conversations.see(request("fix a.py", "done", "more")).conversation == one
    assert conversations.see(request("fix b.py", "done", "more")).conversation == two


def test_the_same_first_words_are_no_conversation() -> None:
    conversations = Conversations()
    one = conversations.see(request("hello", "hi", "fix a.py")).conversation
    assert conversations.see(request("hello", "good day", "fix b.py")).conversation != one


def test_going_back_some_turns_is_a_rewind() -> None:
    assert changes(request("a", "b", "c", "d", "e"), request("a", "b", "x")) == ["new", "rewound"]


def test_what_headers_call_it_counts_more_than_the_history() -> None:
    conversations = Conversations()
    conversations.see(request("a", "b", "c"), "s-1")
    assert conversations.see(request("z"), "s-1") == Seen("s-1", "cleared", 0, 3)
    assert conversations.see(request("a", "b", "c"), "s-2").change == "new"


def test_a_summary_in_the_place_of_old_turns_is_a_compaction() -> None:
    conversations = Conversations()
    conversations.see(request("a", "b", "c", "d", "e"), "s")
    seen = conversations.see(request("summary of all that", "d", "e"), "s")
    assert (seen.change, seen.lost) == ("compacted", 5)


def test_marks_about_caching_and_reminders_do_not_change_a_history() -> None:
    def body(*contents: list[dict[str, Any]]) -> Request:
        messages = [{"role": "user", "content": content} for content in contents]
        return read_request("messages", json.dumps({"messages": messages}).encode())

    marked = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    plain = {"type": "text", "text": "a"}
    later = {"type": "text", "text": "b"}
    assert changes(body([marked, reminder]), body([plain], [later])) == ["new", "grown"]


def test_only_so_many_are_remembered() -> None:
    conversations = Conversations(conversations_max=2)
    for name in ("s-1", "s-2", "s-3"):
        conversations.see(request("a", "b", "c"), name)
    assert conversations.see(request("a", "b", "c"), "s-3").change == "repeated"
    assert conversations.see(request("a", "b", "c"), "s-1").change == "new"
