"""What looks like news of a file, and is none: each beside what differs from it by a little."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from holdfast.proxy.resolving import Parser
from holdfast.workers import ParseWorker
from tests.proxy.exchanges import ROOT, Chat, Room, block, numbered, text

ADD = "def add(a, b):\n    return a + b\n"
SUB = "def sub(a, b):\n    return a - b\n"
FILE = f"{ADD}\n\n{SUB}"
NEWER = FILE.replace("a + b", "b + a")
BOTH = ["calc.py::add", "calc.py::sub"]


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with ParseWorker() as worker:
        yield worker


@pytest.fixture
def room(parser: Parser) -> Room:
    return Room(parser)


@pytest.fixture
def chat(room: Room) -> Chat:
    chat = Chat(room)
    chat.exchange(block("calc.py", FILE), text("I see"))
    return chat


def read(chat: Chat, result: str, tool: str = "read_file", **arguments: object) -> None:
    call = chat.call(tool, path="calc.py", **arguments)
    chat.exchange("look again", call)
    chat.says(chat.result(call, result), text("I see"))


# Results that are no file


@pytest.mark.lesson("T4")
@pytest.mark.parametrize(
    "result",
    [
        "Error: timeout",
        "Cancelled",
        "# binary",
        "",
        "\n",
        "Permission denied",
        '{"error": "gone"}',
        "The tool was not available at this time.\nPlease look again later.\n",
        "x = 1\n",
    ],
)
def test_a_message_in_place_of_a_file_takes_nothing_away(
    room: Room, chat: Chat, result: str
) -> None:
    read(chat, result)
    assert (sorted(room.state()), room.tombstones()) == (BOTH, [])


@pytest.mark.lesson("T4")
def test_a_file_that_lost_a_definition_on_the_disk_loses_it(room: Room, chat: Chat) -> None:
    read(chat, ADD)
    assert room.tombstones() == ["calc.py::sub"]


@pytest.mark.lesson("T4")
def test_a_few_lines_in_place_of_many_take_nothing_away(room: Room, chat: Chat) -> None:
    each = [f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(20)]
    many = "".join(each)
    chat.exchange(block("calc.py", many), text("I see"))
    read(chat, "".join(each[:3]))
    assert len(room.state()) == 20
    read(chat, "".join(each[:10]))
    assert len(room.state()) == 10


@pytest.mark.parametrize(
    ("result", "arguments"),
    [
        (ADD, {"max_lines": 2}),
        (ADD, {"from_line": 1, "to_line": 2}),
        (ADD, {"revision": "HEAD~3"}),
        (f"```python\n{ADD}```", {}),
        (f"# calc.py (lines 1-2 of 6)\n{ADD}", {}),
    ],
)
@pytest.mark.lesson("T4")
def test_a_part_of_a_file_or_another_revision_is_not_the_file(
    room: Room, chat: Chat, result: str, arguments: dict[str, object]
) -> None:
    read(chat, result, "read_file", **arguments)
    assert (sorted(room.state()), room.tombstones()) == (BOTH, [])


# Results and calls


@pytest.mark.lesson("T4")
@pytest.mark.parametrize(
    ("result", "kept"),
    [
        ("Tool call rejected by user", "a + b"),
        ('{"success": false}', "a + b"),
        ("EACCES: permission denied", "a + b"),
        ("The file calc.py has been updated. Error: 1 warning", "b + a"),
        ('{"success": true}', "b + a"),
    ],
)
def test_a_write_counts_unless_its_result_says_that_it_failed(
    room: Room, chat: Chat, result: str, kept: str
) -> None:
    call = chat.call("Write", file_path="calc.py", content=NEWER)
    chat.exchange("change it", call)
    assert "b + a" in room.state()["calc.py::add"]
    chat.says(chat.result(call, result), text("so be it"))
    assert kept in room.state()["calc.py::add"]


@pytest.mark.lesson("T4")
@pytest.mark.parametrize(("result", "kept"), [("Error: denied", "b + a"), ("ok", "b * a")])
def test_a_call_may_have_the_name_of_an_older_one(
    room: Room, chat: Chat, result: str, kept: str
) -> None:
    first = chat.call("Write", file_path="calc.py", content=NEWER)
    chat.exchange("change it", first)
    again = {**first, "input": {**first["input"], "content": NEWER.replace("b + a", "b * a")}}
    chat.says(chat.result(first, "ok"), again)
    assert "b * a" in room.state()["calc.py::add"]
    chat.says(chat.result(again, result), text("so be it"))
    assert kept in room.state()["calc.py::add"]


def test_files_read_by_calls_of_one_name_are_two(room: Room, chat: Chat) -> None:
    first = chat.call("Read", file_path="a.py")
    chat.exchange("look", first)
    again = {**first, "input": {"file_path": "b.py"}}
    chat.says(chat.result(first, numbered("def fa():\n    return 1\n")), again)
    chat.says(chat.result(again, numbered("def fb():\n    return 1\n")), text("I see"))
    assert {"a.py::fa", "b.py::fb"} == set(room.state()) - set(BOTH)


# Words of the user's that show a change


DIFF = (
    "what does this do?\n```diff\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n"
    " def add(a, b):\n-    return a + b\n+    return b + a\n```\n"
)
SEARCH = (
    "you said this:\n\ncalc.py\n```\n<<<<<<< SEARCH\n    return a + b\n=======\n"
    "    return b + a\n>>>>>>> REPLACE\n```\n"
)
DELETE = "explain\n*** Begin Patch\n*** Delete File: calc.py\n*** End Patch\n"
QUOTED = "> calc.py\n> ```python\n" + "".join(f"> {line}\n" for line in NEWER.splitlines())


@pytest.mark.req("T11")
@pytest.mark.lesson("N14")
@pytest.mark.parametrize("words", [DIFF, SEARCH, DELETE, f"{QUOTED}> ```\nwhy did you?"])
def test_a_change_or_a_quotation_that_the_user_shows_is_not_made(
    room: Room, chat: Chat, words: str
) -> None:
    chat.user(words)
    assert "a + b" in room.state()["calc.py::add"]
    assert room.tombstones() == []


@pytest.mark.req("T11")
def test_a_file_that_the_user_gives_in_a_list_is_the_users(room: Room, chat: Chat) -> None:
    chat.user("1. here\n\n   calc.py\n   ```python\n   " + NEWER.replace("\n", "\n   ") + "```\n")
    assert "b + a" in room.state()["calc.py::add"]


# Answers


@pytest.mark.lesson("T4")
def test_of_several_choices_only_the_first_counts(room: Room, chat: Chat) -> None:
    def choice(index: int, code: str) -> dict[str, object]:
        content = block("calc.py", code)
        return {"index": index, "finish_reason": "stop", "message": {"content": content}}

    asked = room.ask("chat", "d", messages=[{"role": "user", "content": "two, please"}])
    choices = [choice(0, NEWER), choice(1, FILE.replace("a + b", "a * b"))]
    room.answer(asked, {"choices": choices})
    assert "b + a" in room.state()["calc.py::add"]
    asked = room.ask("chat", "d", messages=[{"role": "user", "content": "two more, please"}])
    room.answer(asked, {"choices": [choice(0, "x"), choice(1, FILE.replace("a + b", "a * b"))]})
    assert "b + a" in room.state()["calc.py::add"]


@pytest.mark.lesson("T4")
@pytest.mark.parametrize(
    ("event", "kept"), [(b'{"error":{"message":"x"}}', "a + b"), (b"", "b + a")]
)
def test_an_answer_that_failed_in_its_stream_changes_nothing(
    room: Room, chat: Chat, event: bytes, kept: str
) -> None:
    asked = room.ask("chat", "d", messages=[{"role": "user", "content": "go"}])
    delta = {"choices": [{"index": 0, "delta": {"content": block("calc.py", NEWER)}}]}
    events = [msgspec.json.encode(delta), *filter(None, [event]), b"[DONE]"]
    stream = b"".join(b"data: " + one + b"\n\n" for one in events)
    room.answer(asked, stream, streamed=True)
    assert kept in room.state()["calc.py::add"]


# Folders


@pytest.mark.lesson("T1")
def test_files_of_two_projects_are_two_however_they_are_spelled(parser: Parser) -> None:
    room = Room(parser, None)
    one = Chat(room, "one", ROOT)
    other = Chat(room, "other", ROOT.replace("/app", "/web"))
    write = one.call("Write", file_path="/home/me/app/calc.py", content=FILE)
    one.exchange("write it", write)
    other.exchange(block("calc.py", NEWER), text("I see"))
    one.exchange(block("./calc.py", FILE), text("I see"))
    assert "a + b" in room.state()["/home/me/app/calc.py::add"]
    assert "b + a" in room.state()["/home/me/web/calc.py::add"]
    assert len(room.state()) == 4


@pytest.mark.lesson("T1")
def test_a_prompt_to_be_continued_pastes_nothing(room: Room, chat: Chat) -> None:
    room.ask("completions", "d", prompt="User: hi\n\n" + block("calc.py", NEWER) + "\nUser: now?")
    assert "a + b" in room.state()["calc.py::add"]
    room.ask("ollama-generate", "e", prompt="take this\n\n" + block("calc.py", NEWER))
    assert "b + a" in room.state()["calc.py::add"]
