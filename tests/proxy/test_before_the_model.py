"""What reaches the model over HTTP: the client's bytes, true code behind them, and nothing else."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import msgspec
import pytest

from holdfast.config import Settings
from holdfast.kernel import tokens
from holdfast.proxy.hydrating import NOTICE
from holdfast.testing.model_server import ModelServer, Said
from tests.proxy.running import Chat, Running, fenced, options

F = "def f():\n    return 1\n"
BLOCK_START = "[CURRENT STATE: AUTHORITATIVE]"


def teach(proxy: Running, server: ModelServer, path: str, text: str) -> None:
    """Let a file be true, by a conversation that is over then."""
    server.say(Said(fenced(path, text)))
    Chat(proxy, server).say(f"write {path}")
    proxy.look("/state")


@pytest.mark.req("T3")
@pytest.mark.lesson("T10")
def test_nothing_of_the_ledger_reaches_another_conversation(
    proxy: Running, server: ModelServer
) -> None:
    server.say(Said(fenced("a.py", F) + "plughsaid"), Said("plughsaid again"))
    chat = Chat(proxy, server)
    chat.say("write f, xyzzyasked")
    chat.say("and more xyzzyasked")
    assert len(proxy.entries("episode_recorded")) == 2
    other = Chat(proxy, server)
    other.say("explain a.py::f, its episodes, its ledger and all entries")
    assert other.seen().count(BLOCK_START) == 1
    body = server.requests[-1].body
    for word in (b"xyzzyasked", b"plughsaid", b"episode_recorded", b"artifact_seen", b"PROPOSED"):
        assert word not in body


@pytest.mark.lesson("N8")
@pytest.mark.req("T9")
def test_over_many_turns_every_byte_of_the_client_stays_where_it_was(
    proxy: Running, server: ModelServer
) -> None:
    teach(proxy, server, "a.py", F)
    chat = Chat(proxy, server)
    for place in range(10):
        chat.messages.append(
            {"role": "user", "content": "explain a.py::f" if place % 3 == 0 else f"and {place}?"}
        )
        sent = json.dumps({"model": "scripted", "messages": chat.messages}).encode()
        answer = proxy.ask("/v1/chat/completions", sent)
        came = server.requests[-1].body
        if place % 3:
            assert came == sent
        else:
            at = came.index(b"\\n\\n" + BLOCK_START.encode())
            added = len(came) - len(sent)
            assert came[:at] + came[at + added :] == sent
            assert sent[at:] == b'"}]}'  # the very end of the newest turn
        chat.messages.append(answer.json()["choices"][0]["message"])


@pytest.mark.lesson("T6")
@pytest.mark.req("T10")
def test_a_notice_is_for_its_own_conversation_among_many_at_once(
    proxy: Running, server: ModelServer
) -> None:
    server.otherwise = lambda asked: Said(
        "```python\ndef g():\n    return 2\n```" if b"sketch" in asked.body[-80:] else "ok"
    )
    chats = [Chat(proxy, server) for _ in range(6)]

    def at_once(text: str) -> None:
        threads = [
            threading.Thread(target=chat.say, args=(text.format(place=place),))
            for place, chat in enumerate(chats)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    at_once("hello from {place}")
    for place, chat in enumerate(chats):
        chat.say("sketch g" if place % 2 else "do nothing")
    proxy.look("/state")
    at_once("go on, {place}")
    for place in range(6):
        [body] = [one.body for one in server.requests if f"go on, {place}".encode() in one.body]
        assert (json.dumps(NOTICE)[1:-1].encode() in body) is bool(place % 2)


@pytest.mark.req("T9")
def test_the_budget_is_a_setting_and_what_it_leaves_out_is_named(
    server: ModelServer, tmp_path: Path
) -> None:
    settings = Settings()
    settings = msgspec.structs.replace(
        settings, proxy=msgspec.structs.replace(settings.proxy, hydrate_tokens=300)
    )
    long = "def long():\n" + "    print('a line of it')\n" * 100
    with Running(options(tmp_path / "l.db", server.url, settings=settings)) as proxy:
        teach(proxy, server, "a.py", f"{F}\n\n{long}")
        chat = Chat(proxy, server)
        chat.say("explain a.py")
        added = chat.seen().removeprefix("explain a.py\n\n")
        assert "Entity: a.py::f\n" in added
        assert added.endswith("[NOT SHOWN: 1 for want of room (a.py::long)]")
        assert tokens.estimate(added) <= 300


@pytest.mark.req("T9")
def test_the_same_question_gets_the_same_bytes_after_a_restart(
    server: ModelServer, tmp_path: Path
) -> None:
    bodies: list[bytes] = []
    for _ in range(2):
        with Running(options(tmp_path / "l.db", server.url)) as proxy:
            if not bodies:
                teach(proxy, server, "a.py", f"{F}\n\nclass C:\n    def m(self):\n        pass\n")
            Chat(proxy, server).say("explain a.py and C.m")
            bodies.append(server.requests[-1].body)
    assert bodies[0] == bodies[1]
    assert b"Entity: a.py::C" in bodies[0]
