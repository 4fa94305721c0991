"""The same rules in every dialect, streamed or not; conversations side by side; changed desks."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import Any

import pytest

from holdfast.testing.model_server import (
    ModelServer,
    Reply,
    Said,
    ToolCall,
    Way,
    said_reply,
)
from tests.proxy.running import Chat, Running, fenced

F1 = "def f():\n    return 1\n"
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "completions": "/v1/completions",
    "ollama-chat": "/api/chat",
    "ollama-generate": "/api/generate",
}
WITH_TOOLS = ("chat", "responses", "messages", "ollama-chat")


def spelled(dialect: str, words: str, *, stream: bool) -> bytes:
    """Return a request with odd spelling, which nobody may touch."""
    said: dict[str, Any] = {"role": "user", "content": words}
    body: dict[str, Any] = {"model": "scripted", "stream": stream, "x-unknown": [1.50, "ü"]}
    match dialect:
        case "responses":
            body["input"] = [{**said, "type": "message"}]
        case "completions" | "ollama-generate":
            body["prompt"] = words
        case "messages":
            body |= {"max_tokens": 99, "messages": [said]}
        case _:
            body["messages"] = [said]
    return json.dumps(body, indent=1).encode() + b"\n"


def direct(server: ModelServer, path: str, body: bytes) -> bytes:
    """Ask the model server itself."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    content = connection.getresponse().read()
    connection.close()
    return content


@pytest.mark.req("T19", "T5")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", PATHS)
def test_bytes_pass_unchanged_both_ways_and_what_they_say_is_settled(
    proxy: Running, server: ModelServer, dialect: str, stream: bool
) -> None:
    answer = Said("Here it is.\n\n" + fenced("a.py", F1) + "Done.")
    body = spelled(dialect, "write f", stream=stream)
    server.say(answer, answer)
    expected = direct(server, PATHS[dialect], body)
    came = proxy.ask(PATHS[dialect], body)
    assert came.status == 200
    assert came.body == expected
    assert server.requests[-1].body == body
    assert proxy.state() == {"a.py::f": "AUTHORITATIVE"}
    [episode] = [entry.value() for entry in proxy.entries("episode_recorded")]
    assert episode["dialect"] == dialect
    assert (episode["prompt"], episode["ended"]) == ("write f", "whole")


@pytest.mark.req("T19", "T9")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", [one for one in PATHS if one != "completions"])
def test_hydration_only_adds_at_the_tail(
    proxy: Running, server: ModelServer, dialect: str, stream: bool
) -> None:
    server.say(Said(fenced("a.py", F1)))
    Chat(proxy, server).say("write f")
    proxy.look("/state")
    body = spelled(dialect, "what is a.py::f ?", stream=stream)
    proxy.ask(PATHS[dialect], body)
    sent = server.requests[-1].body
    assert sent != body
    cut = len(body)
    while not sent.startswith(body[:cut]):
        cut -= 1
    assert sent.endswith(body[cut:])
    added = sent[cut : len(sent) - len(body) + cut]
    assert b"Entity: a.py::f" in added
    assert b"what is" not in added
    json.loads(sent)


GONE_ON_WITH = [
    ("/v1/completions", {"prompt": "what is a.py::f ?"}),
    ("/v1/completions", {"prompt": "x = f(", "suffix": ")"}),
    ("/v1/completions", {"prompt": "<|fim_prefix|>x = f(<|fim_suffix|>)<|fim_middle|>"}),
    ("/v1/completions", {"prompt": ["what is f", "and a.py::f"]}),
    ("/api/generate", {"prompt": "x = f(", "suffix": ")"}),
    ("/api/generate", {"prompt": "what is a.py::f ?", "raw": True}),
    ("/api/generate", {"prompt": "<fim_prefix>x = f(<fim_suffix>)<fim_middle>"}),
]


@pytest.mark.req("T9")
@pytest.mark.parametrize(("path", "given"), GONE_ON_WITH)
def test_behind_a_text_that_the_model_goes_on_with_nothing_is_put(
    proxy: Running, server: ModelServer, path: str, given: dict[str, Any]
) -> None:
    server.say(Said(fenced("a.py", F1)))
    Chat(proxy, server).say("write f")
    proxy.look("/state")
    body = json.dumps({"model": "m", "stream": False, **given}).encode()
    proxy.ask(path, body)
    assert server.requests[-1].body == body


@pytest.mark.req("T9", "T19")
@pytest.mark.parametrize(("coding", "shown"), [("br", False), ("x", False), ("identity", True)])
def test_a_body_whose_coding_cannot_be_read_passes_as_it_is_whatever_it_looks_like(
    proxy: Running, server: ModelServer, coding: str, shown: bool
) -> None:
    server.say(Said(fenced("a.py", F1)))
    Chat(proxy, server).say("write f")
    proxy.look("/state")
    body = spelled("chat", "what is a.py::f ?", stream=False)
    proxy.ask(PATHS["chat"], body, headers={"Content-Encoding": coding})
    assert (server.requests[-1].body != body) is shown
    if not shown:
        assert server.requests[-1].header("content-encoding") == coding
    assert proxy.state() == {"a.py::f": "AUTHORITATIVE"}


@pytest.mark.req("T5", "T7")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", WITH_TOOLS)
def test_a_tool_call_that_writes_a_file_counts(
    proxy: Running, server: ModelServer, dialect: str, stream: bool
) -> None:
    call = ToolCall("Write", {"file_path": "a.py", "content": F1})
    server.say(Said("I write it.", calls=(call,)))
    proxy.ask(PATHS[dialect], spelled(dialect, "write f", stream=stream))
    assert proxy.true_text("a.py::f") == F1.rstrip("\n")


@pytest.mark.req("T7", "T12")
def test_a_patch_of_codex_adds_changes_and_deletes(proxy: Running, server: ModelServer) -> None:
    add = "*** Begin Patch\n*** Add File: a.py\n+def f():\n+    return 1\n*** End Patch\n"
    update = (
        "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return 1\n+    return 2\n"
        "*** End Patch\n"
    )
    delete = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n"
    items: list[Any] = [{"type": "message", "role": "user", "content": "make a.py"}]
    states = []
    for number, patch in enumerate((add, update, delete)):
        call = f"call_{number}"
        server.say(Said(calls=(ToolCall("apply_patch", patch, call),)), Said("done"))
        proxy.ask("/v1/responses", {"model": "m", "input": items})
        items += [
            {"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": patch},
            {"type": "custom_tool_call_output", "call_id": call, "output": "Success."},
        ]
        proxy.ask("/v1/responses", {"model": "m", "input": items})
        states.append((proxy.state(), proxy.true_text("a.py::f")))
        items.append({"type": "message", "role": "assistant", "content": "done"})
        items.append({"type": "message", "role": "user", "content": "go on"})
    assert states == [
        ({"a.py::f": "AUTHORITATIVE"}, F1.rstrip("\n")),
        ({"a.py::f": "AUTHORITATIVE"}, "def f():\n    return 2"),
        ({"a.py::f": "TOMBSTONED"}, None),
    ]


@pytest.mark.req("T7", "T11")
def test_what_a_tool_reads_is_what_the_disk_holds(proxy: Running, server: ModelServer) -> None:
    two = F1 + "\n\ndef g():\n    return 2\n"
    numbered = "".join(f"{n:>6}\t{line}\n" for n, line in enumerate(two.splitlines(), start=1))
    shorter = "".join(f"{n:>6}\t{line}\n" for n, line in enumerate(F1.splitlines(), start=1))
    messages: list[Any] = [{"role": "user", "content": "look at a.py"}]
    found = []
    for number, content in enumerate((numbered, shorter)):
        call: dict[str, Any] = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
        call["input"] = {"file_path": "a.py"}
        messages.append({"role": "assistant", "content": [call]})
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": content}
        messages.append({"role": "user", "content": [result]})
        proxy.ask("/v1/messages", {"model": "m", "max_tokens": 9, "messages": messages})
        found.append(proxy.state())
    assert found == [
        {"a.py::f": "AUTHORITATIVE", "a.py::g": "AUTHORITATIVE"},
        {"a.py::f": "AUTHORITATIVE", "a.py::g": "TOMBSTONED"},
    ]


@pytest.mark.req("T19")
@pytest.mark.lesson("T6")
def test_conversations_side_by_side_do_not_mix(proxy: Running, server: ModelServer) -> None:
    def answer(asked: Any) -> Said:
        words = asked.json()["messages"][1]["content"]
        name = words.split()[1]
        return Said(fenced(f"{name}.py", F1.replace("f()", f"{name}()")))

    server.otherwise = answer
    chats = {f"c{number}": Chat(proxy, server) for number in range(8)}

    def talk(name: str) -> None:
        for _ in range(4):
            chats[name].say(f"write {name}")

    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(talk, chats))
    assert set(proxy.state()) == {f"{name}.py::{name}" for name in chats}
    by_conversation: dict[Any, set[Any]] = {}
    for entry in proxy.entries("episode_recorded"):
        data = entry.value()
        by_conversation.setdefault(data["conversation"], set()).add(data["prompt"])
    assert sorted(by_conversation.values(), key=str) == sorted(
        ({f"write {name}"} for name in chats), key=str
    )


@pytest.mark.req("T3")
def test_a_history_that_shrank_or_changed_is_recorded(proxy: Running, server: ModelServer) -> None:
    chat = Chat(proxy, server)
    for words in ("one", "two", "three"):
        chat.say(words)
    del chat.messages[3:]
    chat.say("two, but differently")
    changed: Any
    [changed] = [entry.value() for entry in proxy.entries("desk_changed")]
    assert changed["change"] == "rewound"
    assert changed["lost"] > 0


def test_who_stops_at_the_last_event_sees_at_once_what_it_came_to(
    proxy: Running, server: ModelServer
) -> None:
    """Clients read until the last event and ask on, while the upstream has not hung up."""
    said = said_reply("chat", Said(fenced("a.py", F1)), b'{"stream":true}', Way())
    assert isinstance(said.content, tuple)
    events = (b"".join(said.content), b": bye\n\n")
    server.say(Reply(events, headers=said.headers, way=Way(gated=True, framing="chunked")))
    connection = HTTPConnection("127.0.0.1", proxy.port, timeout=30)
    body = spelled("chat", "write f", stream=True)
    connection.request("POST", PATHS["chat"], body, {"Content-Type": "application/json"})
    server.step()
    response, came = connection.getresponse(), b""
    while not came.endswith(b"data: [DONE]\n\n"):
        came += response.read1()
    looking = HTTPConnection("127.0.0.1", proxy.port, timeout=30)
    bearer = {"Authorization": f"Bearer {proxy.listening.token}"}
    looking.request("GET", "/state", headers=bearer)
    for _ in range(5):
        assert proxy.ask("/health").status == 200  # by then it is being looked at
    server.step()
    shown = json.loads(looking.getresponse().read())
    assert [one["entity"] for one in shown["entities"]] == ["a.py::f"]
    looking.close()
    connection.close()
