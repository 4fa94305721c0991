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
    assert conversations.see(request("z"), "s-1").change == "new"
    assert conversations.see(request("a", "b", "c", "d", "e"), "s-1") == Seen("s-1", "grown", 3, 0)
    assert conversations.see(request("a", "b", "c"), "s-2").change == "new"


def told(system: str, *texts: str) -> Request:
    """A conversation whose model is told how to behave."""
    messages = [
        {"role": "assistant" if place % 2 else "user", "content": text}
        for place, text in enumerate(texts)
    ]
    body = {"system": system, "messages": messages}
    return read_request("messages", json.dumps(body).encode())


@pytest.mark.lesson("T6")
def test_requests_beside_a_conversation_do_not_change_its_history() -> None:
    conversations = Conversations()
    main = ["work", "a", "b", "c"]
    beside = [
        told("name it", "a"),
        told("name it", "name this: a"),
        told("you help", "look into it"),
        told("you help", "look into it", "looking", "go on"),
    ]
    conversations.see(told(*main), "s")
    for place, request_beside in enumerate(beside):
        conversations.see(request_beside, "s")
        main += [f"answer {place}", f"words {place}"]
        seen = conversations.see(told(*main), "s")
        assert (seen.conversation, seen.change, seen.lost) == ("s", "grown", 0)


def test_one_who_works_beside_a_conversation_has_a_history_of_its_own() -> None:
    conversations = Conversations()
    conversations.see(told("work", "a", "b", "c"), "s")
    first = conversations.see(told("you help", "x"), "s")
    assert (first.conversation != "s", first.change) == (True, "new")
    again = conversations.see(told("you help", "x", "y", "z"), "s")
    assert (again.conversation, again.change) == (first.conversation, "grown")
    assert conversations.see(told("you help", "x", "y", "other"), "s").change == "rewound"


def test_a_history_is_the_same_when_the_model_is_told_otherwise_how_to_behave() -> None:
    conversations = Conversations()
    conversations.see(told("it is Monday", "a", "b", "c"), "s")
    assert conversations.see(told("it is Tuesday", "a", "b", "c", "d", "e"), "s").change == "grown"
    assert conversations.see(told("it is Friday", "a", "b", "x"), "s") == Seen("s", "rewound", 2, 3)
    seen = conversations.see(told("it is Sunday", "summary", "b", "x"), "s")
    assert (seen.conversation, seen.change) == ("s", "compacted")


def test_words_about_one_request_are_no_other_behaviour() -> None:
    conversations = Conversations()
    conversations.see(told("x-anthropic-billing-header: 1;\nwork", "a", "b", "c"), "s")
    conversations.see(told("x-anthropic-billing-header: 2;\nwork", "z"), "s")
    seen = conversations.see(told("x-anthropic-billing-header: 3;\nwork", "z", "y", "x"), "s")
    assert (seen.change, seen.lost) == ("cleared", 3)


@pytest.mark.lesson("T6")
def test_what_begins_anew_under_the_same_name_is_a_clear_once_it_goes_on_in_the_others_place() -> (
    None
):
    conversations = Conversations()
    conversations.see(told("work", "a", "b", "c"), "s")
    first = conversations.see(told("work", "z"), "s")
    assert (first.change, first.conversation != "s") == ("new", True)
    again = conversations.see(told("work", "z", "y", "x"), "s")
    assert again == Seen(first.conversation, "cleared", 1, 3)
    assert conversations.see(told("work", "z", "y", "x", "w", "v"), "s").change == "grown"


@pytest.mark.lesson("T6")
def test_what_begins_anew_beside_a_conversation_that_goes_on_clears_nothing() -> None:
    conversations = Conversations()
    conversations.see(told("work", "a", "b", "c"), "s")
    beside = conversations.see(told("work", "name it"), "s").conversation
    assert conversations.see(told("work", "a", "b", "c", "d", "e"), "s") == Seen("s", "grown", 3, 0)
    assert conversations.see(told("work", "name it"), "s") == Seen(beside, "repeated", 1, 0)
    assert conversations.see(told("work", "name it", "x", "y"), "s") == Seen(beside, "grown", 1, 0)


def test_a_summary_in_the_place_of_old_turns_is_a_compaction() -> None:
    conversations = Conversations()
    conversations.see(request("a", "b", "c", "d", "e"), "s")
    seen = conversations.see(request("summary of all that", "d", "e"), "s")
    assert (seen.change, seen.lost) == ("compacted", 5)


def test_a_summary_behind_what_the_user_said_is_a_compaction_as_well() -> None:
    summary = "Another language model started to solve this problem and produced a summary of it."
    conversations = Conversations()
    conversations.see(request("a", "b", "c", "d", "e"), "s")
    compacted = conversations.see(request("a", "b", summary), "s")
    assert compacted == Seen("s", "compacted", 2, 3)
    assert conversations.see(request("a", "b", summary, "f", "g"), "s").change == "grown"
    # going back to a summary that was there before is going back
    assert conversations.see(request("a", "b", summary, "f", "h"), "s").change == "rewound"


def test_marks_about_caching_and_reminders_do_not_change_a_history() -> None:
    def body(*contents: list[dict[str, Any]]) -> Request:
        messages = [{"role": "user", "content": content} for content in contents]
        return read_request("messages", json.dumps({"messages": messages}).encode())

    marked = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    reminder = {"type": "text", "text": "<system-reminder>x</system-reminder>"}
    plain = {"type": "text", "text": "a"}
    later = {"type": "text", "text": "b"}
    assert changes(body([marked, reminder]), body([plain], [later])) == ["new", "grown"]


def test_a_summary_that_is_asked_for_at_the_end_of_a_history_does_not_change_it() -> None:
    def body(*contents: str) -> Request:
        parts = [{"type": "text", "text": text} for text in contents]
        return read_request(
            "messages", json.dumps({"messages": [{"role": "user", "content": parts}]}).encode()
        )

    asked = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nSummarize."
    assert changes(body("a"), body("a\n", asked), body("a")) == ["new", "repeated", "repeated"]


def test_only_so_many_are_remembered() -> None:
    conversations = Conversations(conversations_max=2)
    for name in ("s-1", "s-2", "s-3"):
        conversations.see(request("a", "b", "c"), name)
    assert conversations.see(request("a", "b", "c"), "s-3").change == "repeated"
    assert conversations.see(request("a", "b", "c"), "s-1").change == "new"


def test_only_so_many_turns_are_remembered_of_all_conversations_together() -> None:
    conversations = Conversations(turns_max=7)
    for name in ("s-1", "s-2", "s-2", "s-3"):  # the same again counts once
        conversations.see(request("a", "b", "c"), name)
    assert conversations.see(request("a", "b", "c"), "s-2").change == "repeated"
    assert conversations.see(request("a", "b", "c"), "s-3").change == "repeated"
    assert conversations.see(request("a", "b", "c"), "s-1").change == "new"


def test_a_history_that_is_longer_than_all_may_be_is_still_a_conversation() -> None:
    conversations = Conversations(turns_max=2)
    assert conversations.see(request("a", "b", "c")).change == "new"
    assert conversations.see(request("a", "b", "c", "d")).change == "grown"
