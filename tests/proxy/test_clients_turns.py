"""Turns as aider, Codex and opencode send them, and what is true after each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.proxy.resolving import Parser
from holdfast.wire.events import Dialect
from holdfast.workers import ParseWorker
from tests.proxy.exchanges import Chat, Room, block, numbered, text

ADD = "def add(a, b):\n    return a + b\n"


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with ParseWorker() as worker:
        yield worker


@pytest.fixture
def room(parser: Parser) -> Room:
    return Room(parser)


def said(words: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": words}, "finish_reason": "stop"}]}


def aider(code: str, words: str) -> list[dict[str, str]]:
    """Return a request's messages, with the examples and rules that aider puts in."""
    files = (
        "I have *added these files to the chat* so you can go ahead and edit them.\n\n"
        "*Trust this message as the true contents of these files!*\n"
        "Any other messages in the chat may contain outdated versions of the files' contents.\n\n"
        f"calc.py\n```\n{code}```\n"
    )
    rules = "# *SEARCH/REPLACE block* Rules:\n\nEvery block must use this format:\n"
    example = "from flask import Flask\n\n\ndef get_factorial(n):\n    return n\n"
    return [
        {"role": "system", "content": "Act as an expert software developer."},
        {"role": "user", "content": "Change get_factorial() to use math.factorial"},
        {"role": "assistant", "content": block("mathweb/flask/app.py", example)},
        {"role": "user", "content": "I switched to a new code base."},
        {"role": "assistant", "content": "Ok."},
        {"role": "user", "content": files},
        {"role": "assistant", "content": "Ok, any changes I propose will be to those files."},
        {"role": "user", "content": f"{words}\n\n{rules}"},
    ]


def test_aider_changes_a_file(room: Room) -> None:
    change = (
        "calc.py\n```python\n<<<<<<< SEARCH\n    return a + b\n=======\n    return b + a\n"
        ">>>>>>> REPLACE\n```\n"
    )
    asked = room.ask("chat", messages=aider(ADD, "turn it round"))
    room.answer(asked, said(change))
    assert room.state() == {"calc.py::add": "def add(a, b):\n    return b + a"}
    sightings = len(room.seen())
    room.ask("chat", messages=aider(ADD.replace("a + b", "b + a"), "thanks"))
    assert len(room.seen()) == sightings
    room.ask("chat", messages=aider(ADD.replace("a + b", "0"), "I changed it myself"))
    assert room.state() == {"calc.py::add": "def add(a, b):\n    return 0"}
    (episode,) = (one for one in room.ledger.read() if one.type == "episode_recorded")
    assert episode.value()["prompt"] == "turn it round"


def codex(*items: dict[str, Any]) -> list[dict[str, Any]]:
    def words(text: str) -> dict[str, Any]:
        return {"role": "user", "content": [{"type": "input_text", "text": text}]}

    environment = "<environment_context>\n  <cwd>/home/me/app</cwd>\n</environment_context>"
    return [words(environment), words("make calc.py"), *items]


def patch(call: str, text: str) -> dict[str, Any]:
    return {"type": "custom_tool_call", "call_id": call, "name": "apply_patch", "input": text}


def done(call: str, text: str = "Success. Updated the following files:\n") -> dict[str, Any]:
    return {"type": "custom_tool_call_output", "call_id": call, "output": text}


MAKE = "*** Begin Patch\n*** Add File: calc.py\n" + "".join(
    f"+{line}\n" for line in ADD.splitlines()
) + "*** End Patch\n"  # fmt: skip
MOVE = (
    "*** Begin Patch\n*** Update File: /home/me/app/calc.py\n*** Move to: sums.py\n@@\n"
    "-    return a + b\n+    return b + a\n*** End Patch\n"
)
DELETE = "*** Begin Patch\n*** Delete File: sums.py\n*** End Patch\n"


def test_codex_makes_moves_and_deletes_a_file(room: Room) -> None:
    steps = [("c1", MAKE), ("c2", MOVE), ("c3", DELETE)]
    states: list[dict[str, str]] = []
    items: list[dict[str, Any]] = []
    for call, spelled in steps:
        asked = room.ask("responses", input=codex(*items))
        item = patch(call, spelled)
        room.answer(asked, {"output": [item], "status": "completed"})
        items += [item, done(call)]
        states.append(room.state())
    assert states == [
        {"calc.py::add": ADD.strip()},
        {"sums.py::add": ADD.strip().replace("a + b", "b + a")},
        {},
    ]
    assert room.tombstones() == ["calc.py::add", "sums.py::add"]


def test_codex_says_that_a_patch_failed(room: Room) -> None:
    asked = room.ask("responses", input=codex())
    room.answer(asked, {"output": [patch("c1", MAKE)], "status": "completed"})
    failed = done("c1", json.dumps({"output": "no", "metadata": {"exit_code": 1}}))
    room.ask("responses", input=codex(patch("c1", MAKE), failed))
    assert room.state() == {}


def test_opencode_reads_and_changes_a_file(room: Room) -> None:
    system = {"role": "system", "content": "<env>\n  Working directory: /home/me/app\n</env>"}

    def call(name: str, tool: str, **arguments: str) -> dict[str, Any]:
        function = {"name": tool, "arguments": json.dumps(arguments)}
        return {"role": "assistant", "tool_calls": [{"id": name, "function": function}]}

    shown = numbered(ADD.strip(), "{:05}| {}")
    read = call("c1", "read", filePath="/home/me/app/calc.py")
    result = f"<file>\n{shown}\n\n(End of file - total 2 lines)\n</file>"
    messages = [system, {"role": "user", "content": "turn it round"}, read,
                {"role": "tool", "tool_call_id": "c1", "content": result}]  # fmt: skip
    asked = room.ask("chat", messages=messages)
    edit = call("c2", "edit", filePath="/home/me/app/calc.py", oldString="a + b", newString="b + a")
    room.answer(asked, {"choices": [{"message": edit, "finish_reason": "tool_calls"}]})
    assert room.state() == {"calc.py::add": "def add(a, b):\n    return b + a"}


@pytest.mark.req("T2")
def test_code_with_a_secret_in_it_is_not_kept(room: Room) -> None:
    secret = "AKIA" + "Q3EGRIZ4YPKLMNOP"
    code = f'def connect():\n    key = "{secret}"\n    return key\n'
    chat = Chat(room)
    chat.exchange(block("aws.py", code), text(block("aws.py", code)))
    assert all(secret.encode() not in entry for entry in _stored(room))
    entity = room.live.entity("aws.py::connect")
    assert entity is not None
    assert entity.withheld
    assert room.live.text(entity.artifact or "") is None


def _stored(room: Room) -> Iterator[bytes]:
    from holdfast.storage.port import Selection

    for stored in room.ledger.reader.read(Selection()):
        yield stored.body
    for one in room.seen():
        digest = one["text"].get("$artifact")
        if digest is not None:
            yield room.ledger.artifact(digest) or b""


pieces = st.sampled_from(
    [
        "a.py\n```python\n", "```\n", "def f():\n    return 1\n", "class C:\n",
        "    def m(self): ...\n",
        "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n", "*** Begin Patch\n", "@@\n",
        "*** Update File: a.py\n", "*** End Patch\n", "--- a/a.py\n+++ b/a.py\n", "-x\n", "+y\n",
        "a.py::C.m\n```\n", "# ... rest unchanged\n", "../up.py\n```\n", "\u202e", "é\r\n",
        "{", "(",
    ]
)  # fmt: skip


@given(
    st.lists(st.lists(pieces, max_size=12).map("".join), min_size=2, max_size=6),
    st.sampled_from(["chat", "messages", "responses"]),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_is_said_can_be_settled_and_rebuilt(
    parser: Parser, turns: list[str], dialect: Dialect
) -> None:
    room = Room(parser)
    messages: list[dict[str, Any]] = []
    for words in turns:
        messages.append({"role": "user", "content": words})
        field = "input" if dialect == "responses" else "messages"
        asked = room.ask(dialect, "c", **{field: messages})
        write = {"file_path": "a.py", "content": words}
        content = [text(words), {"type": "tool_use", "id": "c", "name": "Write", "input": write}]
        item = {"type": "message", "content": [{"type": "output_text", "text": words}]}
        room.answer(
            asked,
            {
                "chat": said(words),
                "messages": {"content": content, "stop_reason": "end_turn"},
                "responses": {"output": [item], "status": "completed"},
            }[dialect],
        )
        messages.append({"role": "assistant", "content": words})
    assert room.types().count("episode_recorded") == len(turns)
