"""Requests that clients make beside a conversation: titles, commit messages, those who help.

They go under the conversation's name, or quote it. Neither is its history changed by that, nor did
any user say what stands in them.
"""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.testing.model_server import ModelServer, Said, ToolCall
from tests.proxy.running import Chat, Running, fenced

BOTH = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
HALF = "def f():\n    return 3\n"
SESSION = {"X-Claude-Code-Session-Id": "s-1"}


class Session:
    """A client of messages that asks beside its conversation as well."""

    def __init__(self, proxy: Running) -> None:
        self.proxy = proxy
        self.messages: list[Any] = []

    def say(self, words: str) -> None:
        """Go on with the conversation."""
        self.messages.append({"role": "user", "content": words})
        answer = self.ask("You write code.", self.messages)
        self.messages.append({"role": "assistant", "content": answer["content"]})

    def ask(self, system: str, messages: list[Any], **headers: str) -> Any:
        """Ask anything under the name of the session."""
        body = {"model": "scripted", "max_tokens": 9, "system": system, "messages": messages}
        answer = self.proxy.ask("/v1/messages?beta=true", body, headers=SESSION | headers)
        assert answer.status == 200
        return answer.json()

    def changes(self) -> list[str]:
        """Return what is recorded of its history."""
        return [str(entry.value()["change"]) for entry in self.proxy.entries("desk_changed")]


@pytest.mark.lesson("T6")
def test_what_is_asked_beside_a_conversation_leaves_its_history_as_it_is(proxy: Running) -> None:
    session = Session(proxy)
    session.say("make a.py")
    words = [{"role": "user", "content": "make a.py"}]
    session.ask("Say in three words what this is about.", words)
    session.say("go on")
    session.ask("Say in three words what this is about.", words)
    session.ask(
        "You help.", [{"role": "user", "content": "look"}], **{"x-claude-code-agent-id": "a"}
    )
    count = {"model": "scripted", "messages": words}
    assert proxy.ask("/v1/messages/count_tokens", count, headers=SESSION).status == 200
    session.say("go on")
    assert session.changes() == []
    assert len(proxy.entries("episode_recorded")) == 6


@pytest.mark.lesson("T6")
def test_a_history_that_is_cleared_between_them_is_seen_all_the_same(proxy: Running) -> None:
    session = Session(proxy)
    session.say("make a.py")
    session.say("go on")
    session.ask("Say in three words what this is about.", [{"role": "user", "content": "x"}])
    session.messages = []
    session.say("something else")
    session.say("go on")
    assert session.changes() == ["cleared"]


@pytest.mark.req("T11")
def test_what_a_model_gives_a_helper_to_do_is_no_users_paste(
    proxy: Running, server: ModelServer
) -> None:
    session = Session(proxy)
    server.say(Said(calls=(ToolCall("Write", {"file_path": "a.py", "content": BOTH}),)))
    session.say("make a.py")
    before = proxy.state()
    task = [{"role": "user", "content": f"Review this:\n\n{fenced('a.py', HALF)}"}]
    session.ask("You help.", task, **{"x-claude-code-agent-id": "a"})
    assert proxy.state() == before == {"a.py::f": "AUTHORITATIVE", "a.py::g": "AUTHORITATIVE"}
    assert proxy.true_text("a.py::f") == "def f():\n    return 1"
    session.say(f"No, so:\n\n{fenced('a.py', HALF)}")
    assert proxy.true_text("a.py::f") == HALF.rstrip("\n")


@pytest.mark.req("T11")
@pytest.mark.lesson("N14")
def test_a_chat_that_aider_quotes_for_a_commit_message_is_no_users_paste(
    proxy: Running, server: ModelServer
) -> None:
    chat = Chat(proxy, server)
    server.say(Said(fenced("a.py", BOTH)), Said(fenced("a.py", HALF)))
    chat.say("make a.py")
    chat.say("change f")
    assert proxy.true_text("a.py::f") == "def f():\n    return 1"
    quoted = f"\nUSER: change f\n\nASSISTANT: {fenced('a.py', HALF)}\n# Diffs:\n-x\n+y\n"
    beside = Chat(proxy, server)
    beside.say(quoted)
    assert beside.seen() == quoted
    assert proxy.true_text("a.py::f") == "def f():\n    return 1"
    assert proxy.entries("episode_recorded")[-1].value()["prompt"] == ""
