"""Changes, renames, failed calls and likeness, reached over HTTP before a scripted model."""

from __future__ import annotations

import pytest

from holdfast.testing.model_server import ModelServer, Said, ToolCall
from tests.proxy.running import Chat, fenced

F1 = "def f():\n    return 1\n"
G1 = "def g():\n    return 1\n"
FILE = f"{F1}\n\n{G1}"

NOTICE = (
    "[STATE NOTICE]\n"
    "The previous output could not be structurally linked to a known entity.\n"
    "It has NOT modified the State Map.\n"
    "[END NOTICE]"
)


def write(path: str, text: str, call: str = "call_1") -> Said:
    """Let the model write a file with a tool."""
    return Said(calls=(ToolCall("Write", {"file_path": path, "content": text}, call),))


def edit(path: str, old: str, new: str, call: str = "call_2") -> Said:
    """Let the model change a file with a tool."""
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    return Said(calls=(ToolCall("Edit", arguments, call),))


# Changes to what is there (T15)


@pytest.mark.req("T7", "T15")
def test_an_edit_of_what_the_model_wrote_is_applied(chat: Chat, server: ModelServer) -> None:
    server.say(write("a.py", FILE), Said("done"), edit("a.py", "return 1\n\n\n", "return 3\n\n\n"))
    chat.say("write it")
    chat.results(("call_1", "ok"))
    chat.say("let f return 3")
    chat.results(("call_2", "ok"))
    assert chat.proxy.true_text("a.py::f") == "def f():\n    return 3"
    assert chat.proxy.true_text("a.py::g") == G1.rstrip("\n")


@pytest.mark.req("T15")
def test_an_edit_of_what_the_model_never_saw_stays_a_proposal(
    chat: Chat, server: ModelServer
) -> None:
    server.say(write("a.py", FILE))
    chat.say("write it")
    chat.proxy.look("/state")
    other = Chat(chat.proxy, server)
    server.say(edit("a.py", "return 1\n\n\n", "return 3\n\n\n"))
    other.say("change the first return value")
    assert chat.proxy.true_text("a.py::f") == F1.rstrip("\n")


@pytest.mark.req("T15")
def test_a_rename_keeps_the_old_name_and_is_flagged(chat: Chat, server: ModelServer) -> None:
    body = "    total = 0\n    for n in range(10):\n        total += n\n    return total\n"
    server.say(Said(fenced("a.py", f"def f():\n{body}")), Said(fenced("a.py", f"def h():\n{body}")))
    chat.say("write f")
    chat.say("rename it")
    assert chat.proxy.state() == {"a.py::f": "AUTHORITATIVE"}
    [flagged] = [move[3] for move in chat.proxy.moves("a.py::h")]
    assert "f" in flagged
    assert "renamed" in flagged


@pytest.mark.req("T15")
def test_an_edit_that_the_client_could_not_carry_out_did_not_happen(
    chat: Chat, server: ModelServer
) -> None:
    server.say(write("a.py", FILE), Said("done"), edit("a.py", "return 1\n\n\n", "return 3\n\n\n"))
    chat.say("write it")
    chat.results(("call_1", "ok"))
    chat.say("let f return 3")
    chat.results(("call_2", "<tool_use_error>String to replace not found</tool_use_error>"))
    assert chat.proxy.true_text("a.py::f") == F1.rstrip("\n")


# Similarity (T14)


@pytest.mark.req("T14", "T5")
def test_a_near_text_without_a_path_aligns_and_changes_nothing(
    chat: Chat, server: ModelServer
) -> None:
    long = (
        "def f(a, b):\n" + "".join(f"    a = a + b * {n}\n" for n in range(30)) + "    return a\n"
    )
    near = long.replace("b * 7", "b * 70")
    server.say(Said(fenced("a.py", long)), Said(f"```python\n{near}```\n"))
    chat.say("write it")
    chat.say("a variation?")
    seen = [entry.value() for entry in chat.proxy.entries("artifact_seen")][-1]
    assert (seen["level"], seen["near"]) == ("INFERRED", "a.py::f")
    assert chat.proxy.true_text("a.py::f") == long.rstrip("\n")
    assert chat.proxy.state() == {"a.py::f": "AUTHORITATIVE"}
    chat.say("hm")
    assert chat.seen().endswith(NOTICE)
