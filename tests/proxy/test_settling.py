"""From what crosses to what is true: each rule, reached as a client and a model would reach it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from holdfast.proxy.resolving import Parser
from holdfast.workers import ParseWorker
from tests.proxy.exchanges import Chat, Room, block, numbered, text

ADD = "def add(a, b):\n    return a + b\n"
SUB = "def sub(a, b):\n    return a - b\n"
FILE = f"{ADD}\n\n{SUB}"
PATH = "/home/me/app/calc.py"


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with ParseWorker() as worker:
        yield worker


@pytest.fixture
def room(parser: Parser) -> Room:
    return Room(parser)


@pytest.fixture
def chat(room: Room) -> Chat:
    return Chat(room)


def show(chat: Chat, code: str = FILE, path: str = PATH) -> None:
    """Let the model read a file."""
    call = chat.call("Read", file_path=path)
    chat.exchange("look", call)
    chat.says(chat.result(call, numbered(code)), text("I see"))


def bodies(room: Room) -> dict[str, str]:
    return {name: code.rpartition("\n")[2].strip() for name, code in room.state().items()}


# The user


@pytest.mark.req("T11")
def test_what_the_user_pastes_is_true_before_the_model_answers(room: Room, chat: Chat) -> None:
    chat.user("use this\n" + block("calc.py", FILE))
    assert room.state() == {"calc.py::add": ADD.strip(), "calc.py::sub": SUB.strip()}
    assert room.types() == ["artifact_seen", "artifact_moved", "artifact_moved", "file_settled"]


@pytest.mark.lesson("T6")
def test_a_paste_counts_once_however_often_its_turn_is_sent(room: Room, chat: Chat) -> None:
    asked = chat.user(block("calc.py", FILE))
    write = chat.call("Write", file_path=PATH, content=FILE.replace("a + b", "b + a"))
    chat.says(asked, write)
    assert bodies(room)["calc.py::add"] == "return b + a"
    chat.says(chat.result(write, "written"), text("done"))
    room.ask("messages", "c", messages=chat.messages[:-1], system=chat.system)
    assert bodies(room)["calc.py::add"] == "return b + a"
    chat.user("no, again:\n" + block("calc.py", FILE))
    assert bodies(room)["calc.py::add"] == "return a + b"


@pytest.mark.lesson("T6")
def test_a_request_that_is_sent_again_pastes_nothing_again(room: Room, chat: Chat) -> None:
    chat.user(block("calc.py", FILE) + block("broken.py", "def f(:\n    return\n"))
    before = room.types()
    room.ask("messages", "c", messages=chat.messages, system=chat.system)
    assert room.types() == before


@pytest.mark.lesson("T6")
@pytest.mark.req("T11")
def test_a_request_that_is_sent_again_pastes_what_is_no_longer_so(room: Room, chat: Chat) -> None:
    asked = chat.user(block("calc.py", FILE))
    write = chat.call("Write", file_path=PATH, content=FILE.replace("a + b", "b + a"))
    room.answer(asked, {"content": [write], "stop_reason": "tool_use"})
    assert bodies(room)["calc.py::add"] == "return b + a"
    # The client did not go on from that answer: it asks for another one.
    room.ask("messages", "c", messages=chat.messages, system=chat.system)
    assert bodies(room)["calc.py::add"] == "return a + b"


@pytest.mark.lesson("N14")
def test_after_a_restart_old_turns_are_not_new(room: Room, chat: Chat) -> None:
    asked = chat.user(block("calc.py", FILE))
    write = chat.call("Write", file_path=PATH, content=FILE.replace("a + b", "b + a"))
    chat.says(asked, write)
    # Nothing is remembered of it, as if the proxy had been started anew.
    other = Chat(room, "elsewhere")
    other.messages = list(chat.messages)
    other.result(write, "written")
    assert bodies(room)["calc.py::add"] == "return b + a"


@pytest.mark.lesson("N14")
def test_a_summary_with_old_code_in_it_overrules_nothing(room: Room, chat: Chat) -> None:
    chat.user(block("calc.py", FILE))
    old = block("calc.py", FILE.replace("a + b", "0"))
    chat.messages = []
    chat.user(f"This session is being continued from a previous conversation.\n\n{old}")
    assert bodies(room)["calc.py::add"] == "return a + b"
    assert [one["speaker"] for one in room.seen()] == ["user"]


@pytest.mark.lesson("T9")
def test_nothing_is_ever_executed(
    room: Room, chat: Chat, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    chat.user("hello")  # the parser's child is there before it is forbidden

    def refuse(*_: object, **__: object) -> object:
        raise AssertionError("something was to be executed")

    for name in ("system", "popen", "execv", "execve", "fork", "posix_spawn"):
        monkeypatch.setattr(f"os.{name}", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    shell = f"touch {tmp_path}/owned"
    bash = chat.call("Bash", command=shell)
    asked = chat.user(f"```bash\n{shell}\n```\n```sh run.sh\n{shell}\n```\n$ {shell}\n")
    chat.says(
        asked, text(f"```bash\n{shell}\n```\n```python\nimport os; os.system('{shell}')\n```"), bash
    )
    chat.result(bash, f"$ {shell}\n```bash\n{shell}\n```")
    import pathlib

    assert not (pathlib.Path(str(tmp_path)) / "owned").exists()
    assert room.state() == {}


# Tools


@pytest.mark.lesson("N14")
def test_a_file_that_was_read_is_what_the_disk_holds(room: Room, chat: Chat) -> None:
    show(chat)
    assert bodies(room) == {"calc.py::add": "return a + b", "calc.py::sub": "return a - b"}
    show(chat, ADD)
    assert bodies(room) == {"calc.py::add": "return a + b"}
    assert room.tombstones() == ["calc.py::sub"]


def test_a_file_that_is_shown_again_as_it_is_known_is_no_news(room: Room, chat: Chat) -> None:
    show(chat)
    before = len(room.seen())
    show(chat)
    assert len(room.seen()) == before


@pytest.mark.lesson("T1")
def test_absolute_and_relative_spellings_are_one_entity(room: Room, chat: Chat) -> None:
    show(chat)
    other = Chat(room, "aider", system="")
    other.user(block("calc.py", FILE.replace("a + b", "b + a")))
    assert bodies(room) == {"calc.py::add": "return b + a", "calc.py::sub": "return a - b"}


@pytest.mark.lesson("T1")
def test_a_file_outside_of_the_folder_is_called_by_its_whole_path(room: Room, chat: Chat) -> None:
    chat.exchange("write", chat.call("Write", file_path="/home/me/other/calc.py", content=ADD))
    chat.exchange("write", chat.call("Write", file_path="../calc.py", content=ADD))
    chat.exchange("write", chat.call("Write", file_path="/home/me/app/../calc.py", content=ADD))
    assert sorted(room.state()) == ["/home/me/other/calc.py::add"]


@pytest.mark.lesson("T1")
def test_one_symbol_in_two_files_is_two_entities(room: Room, chat: Chat) -> None:
    chat.user(block("a.py", ADD) + "\n" + block("b.py", ADD.replace("+", "-")))
    assert bodies(room) == {"a.py::add": "return a + b", "b.py::add": "return a - b"}


# The model


def test_a_whole_file_that_loses_nothing_is_promoted(room: Room, chat: Chat) -> None:
    chat.exchange("make it", chat.call("Write", file_path=PATH, content=FILE))
    mul = "\n\ndef mul(a, b):\n    return a * b\n"
    chat.exchange("more", text(block("calc.py", FILE + mul)))
    assert sorted(room.state()) == ["calc.py::add", "calc.py::mul", "calc.py::sub"]
    assert room.owed == {"c": False}


def test_a_change_of_what_was_read_is_promoted(room: Room, chat: Chat) -> None:
    show(chat)
    edit = chat.call("Edit", file_path=PATH, old_string="a + b", new_string="b + a")
    chat.exchange("turn it round", edit)
    assert bodies(room)["calc.py::add"] == "return b + a"


@pytest.mark.req("T15")
def test_a_change_of_what_was_never_shown_waits(room: Room, chat: Chat) -> None:
    show(chat)
    other = Chat(room, "other")
    other.exchange(
        "turn it round", other.call("Edit", file_path=PATH, old_string="a + b", new_string="0")
    )
    assert bodies(room)["calc.py::add"] == "return a + b"
    entity = room.live.entity("calc.py::add")
    assert entity is not None
    assert len(entity.proposals) == 1


def test_what_was_put_before_the_model_was_seen(room: Room, chat: Chat) -> None:
    show(chat)
    other = Chat(room, "other")
    edit = other.call("Edit", file_path=PATH, old_string="a + b", new_string="b + a")
    other.exchange("change calc.py::add", edit, hydrated=("calc.py::add",))
    assert bodies(room)["calc.py::add"] == "return b + a"


@pytest.mark.parametrize("change", ["cleared", "compacted"])
def test_what_was_read_before_a_wipe_is_seen_no_longer(room: Room, chat: Chat, change: str) -> None:
    show(chat)
    chat.messages = chat.messages[-1:] if change == "compacted" else []
    edit = chat.call("Edit", file_path=PATH, old_string="a + b", new_string="0")
    chat.exchange("go on", edit)
    assert bodies(room)["calc.py::add"] == "return a + b"
    chat.user("and on")
    assert room.types().count("desk_changed") == 1
    (entry,) = (one for one in room.ledger.read() if one.type == "desk_changed")
    assert entry.value()["change"] == change


def test_several_changes_of_one_answer_build_on_each_other(room: Room, chat: Chat) -> None:
    show(chat)
    first = chat.call("Edit", file_path=PATH, old_string="a + b", new_string="a + b + 1")
    second = chat.call("Edit", file_path=PATH, old_string="+ 1", new_string="+ 2")
    chat.exchange("twice", first, second)
    assert bodies(room)["calc.py::add"] == "return a + b + 2"


def test_jobs_that_are_settled_together_see_each_other(room: Room, chat: Chat) -> None:
    room.together = True
    show(chat)
    chat.exchange("x", chat.call("Edit", file_path=PATH, old_string="a + b", new_string="b + a"))
    assert room.state() == {}
    room.flush()
    assert bodies(room)["calc.py::add"] == "return b + a"


def test_after_a_change_that_was_not_taken_later_ones_wait_until_the_file_is_read(
    room: Room, chat: Chat
) -> None:
    show(chat)
    lost = chat.call("Write", file_path=PATH, content=ADD)  # the client has it now
    chat.exchange("shorter", lost)
    edit = chat.call("Edit", file_path=PATH, old_string="a - b", new_string="b - a")
    chat.exchange("and turn it", edit)
    assert bodies(room) == {"calc.py::add": "return a + b", "calc.py::sub": "return a - b"}
    show(chat, ADD.replace("a + b", "b + a"))
    assert bodies(room) == {"calc.py::add": "return b + a"}
    chat.exchange("back", chat.call("Edit", file_path=PATH, old_string="b + a", new_string="a + b"))
    assert bodies(room) == {"calc.py::add": "return a + b"}


def test_a_call_that_failed_did_nothing(room: Room, chat: Chat) -> None:
    show(chat)
    mul = "\n\ndef mul(a, b):\n    return a * b\n"
    write = chat.call("Write", file_path=PATH, content=FILE.replace("a + b", "b + a") + mul)
    chat.exchange("more", write)
    assert len(room.state()) == 3
    chat.result(write, "The user doesn't want to proceed with this tool use.", failed=True)
    assert bodies(room) == {"calc.py::add": "return a + b", "calc.py::sub": "return a - b"}
    edit = chat.call("Edit", file_path=PATH, old_string="a + b", new_string="b + a")
    chat.exchange("then so", edit)
    assert bodies(room)["calc.py::add"] == "return b + a"


@pytest.mark.lesson("T6")
def test_a_call_that_still_stands_in_a_history_that_was_shortened_is_waited_for(
    room: Room, chat: Chat
) -> None:
    show(chat)
    edit = chat.call("Edit", file_path=PATH, old_string="a + b", new_string="b + a")
    chat.exchange("turn it", edit)
    chat.messages = chat.messages[-2:]
    chat.result(edit, "no", failed=True)
    assert room.types().count("desk_changed") == 1
    assert bodies(room)["calc.py::add"] == "return a + b"
    assert "disk_truth" not in room.types()


def test_a_call_that_did_what_it_should_stays(room: Room, chat: Chat) -> None:
    write = chat.call("Write", file_path=PATH, content=FILE)
    chat.exchange("more", write)
    chat.result(write, "File created successfully")
    assert sorted(room.state()) == ["calc.py::add", "calc.py::sub"]


def test_an_answer_that_broke_off_changes_nothing(room: Room, chat: Chat) -> None:
    asked = chat.user("go")
    body = {"type": "message", "content": [text(block("calc.py", FILE))], "stop_reason": None}
    room.answer(asked, body, ended="cut")
    assert room.state() == {}
    assert [one["level"] for one in room.seen()] == ["CONFIRMED"]


def test_a_call_that_failed_leaves_no_doubt(room: Room, chat: Chat) -> None:
    show(chat)
    lost = chat.call("Write", file_path=PATH, content=ADD)
    chat.exchange("shorter", lost)
    chat.says(chat.result(lost, "no", failed=True), text("so be it"))
    chat.exchange("x", chat.call("Edit", file_path=PATH, old_string="a + b", new_string="b + a"))
    assert bodies(room) == {"calc.py::add": "return b + a", "calc.py::sub": "return a - b"}


@pytest.mark.parametrize(("status", "ended"), [(500, "whole"), (0, "failed")])
def test_a_refusal_of_the_upstream_is_recorded_and_says_nothing(
    room: Room, chat: Chat, status: int, ended: str
) -> None:
    body = {"content": [text(block("calc.py", FILE))], "stop_reason": "end_turn"}
    room.answer(chat.user("go"), body, status=status, ended=ended)  # type: ignore[arg-type]
    (entry,) = list(room.ledger.read())
    value = entry.value()
    assert (value["status"], value["ended"], value["prompt"]) == (status, ended, "go")


def test_an_answer_in_a_coding_that_nobody_reads_is_counted(room: Room, chat: Chat) -> None:
    room.answer(chat.user("go"), b"x", encoding="br")
    (entry,) = list(room.ledger.read())
    assert entry.value()["unread"] == 1


def test_a_request_that_cannot_be_read_is_recorded_all_the_same(room: Room) -> None:
    asked = room.ask("messages", messages=3)
    room.answer(asked, {"content": [], "stop_reason": "end_turn"})
    (entry,) = list(room.ledger.read())
    assert entry.type == "episode_recorded"


def test_any_name_of_a_conversation_can_be_recorded(room: Room) -> None:
    for name in ("x" * 500, " a\nb ", "\ud800"):
        asked = room.ask("chat", name, messages=[{"role": "user", "content": "hello"}])
        room.answer(asked, {"choices": []})
    assert room.types() == ["episode_recorded"] * 3


# Notices, verification, audits


@pytest.mark.req("T10")
def test_the_notice_is_owed_after_what_could_not_be_linked(room: Room, chat: Chat) -> None:
    chat.exchange("write", text(f"```python\n{ADD}```\n"))
    assert room.owed == {"c": True}
    chat.exchange("where?", text(block("calc.py", ADD)))
    assert room.owed == {"c": False}
    chat.exchange("thanks", text("welcome"))
    assert room.owed == {"c": False}


@pytest.mark.req("T11")
def test_the_notice_is_owed_after_a_paste_that_is_broken(room: Room, chat: Chat) -> None:
    chat.user(block("calc.py", "def add(a, b:\n    return\n"))
    assert (room.owed, room.state()) == ({"c": True}, {})


def lose_inner(chat: Chat) -> str:
    """Let a model's text wait for authority and nothing else; return the entity."""
    outer = "def outer(a):\n    def inner():\n        return a\n    return inner() + 1 + a\n"
    show(chat, outer)
    flat = "def outer(a):\n    total = a + 1 + a\n    return total\n"
    write = chat.call("Write", file_path=PATH, content=flat)
    chat.exchange("flatten it", write, hydrated=("calc.py::outer",))
    return "calc.py::outer"


@pytest.mark.req("T7")
@pytest.mark.lesson("T6")
def test_who_goes_on_with_what_was_shown_verifies_it(room: Room, chat: Chat) -> None:
    entity = lose_inner(chat)
    other = Chat(room, "other")
    other.user("now change calc.py::outer")  # saw nothing: another conversation
    assert "total" not in room.state()[entity]
    chat.user("now change calc.py::outer again")
    assert "total" in room.state()[entity]


@pytest.mark.req("T7")
@pytest.mark.parametrize(
    "words",
    [
        "now something else",
        "change calc.py::outer to\n" + block("calc.py::outer", "def outer(a):\n    return 5\n"),
        "change calc.py::outer to\n" + block("calc.py::outer", "def outer(a):\n    return (5\n"),
        "change calc.py::outer to\n" + block("calc.py", "def outer(a:\n    return 5\n"),
        "change calc.py::outer to\n```python\ndef outer(a):\n    return 5\n```\n",
    ],
)
def test_who_does_not_name_it_or_gives_another_text_verifies_nothing(
    room: Room, chat: Chat, words: str
) -> None:
    entity = lose_inner(chat)
    chat.user(words)
    assert "total" not in room.state()[entity]


@pytest.mark.req("T13")
def test_an_audit_gives_authority_in_time_and_takes_it_late_or_not(room: Room, chat: Chat) -> None:
    entity = lose_inner(chat)
    (unsure,) = room.unsure
    assert (unsure.entities, unsure.prompt, unsure.model) == ((entity,), "flatten it", "m")
    episode = unsure.answered.prepared.asked.episode
    room.audit(episode, True, **{entity: "completed"})
    assert "total" not in room.state()[entity]
    room.audit(episode, False, **{entity: "completed"})
    assert "total" in room.state()[entity]
    room.audit(episode, True, **{entity: "partial"})
    assert "total" in room.state()[entity]
    assert room.types().count("audit_done") == 3


@pytest.mark.req("T13")
def test_an_audit_that_says_partial_takes_the_proposal_away(room: Room, chat: Chat) -> None:
    entity = lose_inner(chat)
    episode = room.unsure[0].answered.prepared.asked.episode
    room.audit(episode, True, **{entity: "partial"})
    room.audit(episode, False, **{entity: "completed"})
    assert "total" not in room.state()[entity]


# Settling itself


def test_settling_twice_gives_the_same_and_remembers_nothing(room: Room, chat: Chat) -> None:
    show(chat)
    asked = chat.user(block("calc.py", FILE.replace("a + b", "b + a")))
    once = room.settler.settle([asked], room.live)
    again = room.settler.settle([asked], room.live)
    assert once.drafts == again.drafts


@pytest.mark.lesson("T6")
def test_conversations_do_not_mix(room: Room) -> None:
    one, other = Chat(room, "one"), Chat(room, "other")
    show(one)
    asked, asked_too = one.user("a"), other.user("b")
    edit = other.call("Edit", file_path=PATH, old_string="a + b", new_string="0")
    other.says(asked_too, edit)
    one.says(asked, one.call("Edit", file_path=PATH, old_string="a - b", new_string="b - a"))
    assert bodies(room)["calc.py::add"] == "return a + b"


def test_what_is_live_is_what_the_ledger_gives(room: Room, chat: Chat) -> None:
    from holdfast.proxy.state import LiveMap

    lose_inner(chat)
    chat.exchange("x", text(block("calc.py", FILE)))
    rebuilt = LiveMap(room.ledger.artifact)
    rebuilt.catch_up(room.ledger.reader)
    assert rebuilt.dump() == room.live.dump()


@pytest.mark.req("T5")
def test_who_saw_a_file_and_wrote_one_definition_of_it_knows_the_file_then(
    room: Room, chat: Chat
) -> None:
    show(chat)
    asked = chat.user("turn add round")
    snippet = block("calc.py::add", "def add(a, b):\n    return b + a\n")
    chat.says(asked, text(snippet))
    asked = chat.user("and sub")
    chat.says(asked, chat.call("Edit", file_path=PATH, old_string="a - b", new_string="b - a"))
    assert bodies(room)["calc.py::add"] == "return b + a"
    assert bodies(room)["calc.py::sub"] == "return b - a"
