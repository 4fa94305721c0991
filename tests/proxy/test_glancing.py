"""A request that names nothing goes up before it is read; what it brings is settled anyway."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import PROXY_READ_BYTES_MAX, PROXY_WORDS_CHARS_MAX
from holdfast.proxy.desk import Desk
from holdfast.proxy.names import Names
from holdfast.proxy.values import Answered, Asked, Prepared
from holdfast.testing.model_server import ModelServer, Said
from holdfast.wire.answer import Answer
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Unreadable, newest_words, read_request
from tests.proxy.desks import DIALECTS, FakeMap, FakeQueue, asked
from tests.proxy.running import Chat, Running, fenced, options

ENTITIES = ["src/a.py::Store.get", "src/a.py::load", "src/b.py::load", "run::main", "k.json::name"]
WORDS = st.sampled_from(
    ["load", "Store.get", "get", "a.py", "src/a.py", "./src/a.py", "src\\a.py", "a.py:3", "run",
     "name", "k.json", "src/b.py::load", "/x/src/a.py", "words", "5.", "::", "é", "main", ""]
)  # fmt: skip
ROOTS = st.sampled_from([None, "/x", "/x/src", "src", ""])


class Setting:
    def __init__(self, *names: str) -> None:
        self.known = FakeMap(dict.fromkeys(names or ("a.py::add",), "def add(): ..."))
        self.queue = FakeQueue()
        self.desk = Desk(self.known, self.known.names, self.queue)

    def glance(self, request: Asked) -> bool:
        return asyncio.run(self.desk.glance(request))


@given(st.lists(WORDS, max_size=6), ROOTS, ROOTS)
def test_what_may_name_nothing_names_nothing_wherever_its_speaker_works(
    words: list[str], root: str | None, project: str | None
) -> None:
    names, text = Names(ENTITIES, project=project), " ".join(words)
    if not names.may_find(text):
        assert names.find(text, root) == []


@pytest.mark.parametrize("text", ["Store.get", "load", "a.py", "src/a.py:3", "run", "b.py::load"])
def test_what_names_something_may(text: str) -> None:
    assert Names(ENTITIES).may_find(f"what of {text}?")


def test_everyday_words_may_not() -> None:
    assert not Names(ENTITIES).may_find("And what about the case that nothing is given, turn 5.")


@pytest.mark.parametrize("dialect", [*DIALECTS, "completions"])
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), st.text()), max_size=5))
def test_the_newest_words_are_those_of_the_whole_request(
    dialect: Dialect, turns: list[tuple[str, str]]
) -> None:
    body = asked("e", *turns, dialect=dialect).body
    assert newest_words(dialect, body) == read_request(dialect, body).newest_words()


@pytest.mark.parametrize("body", [b"", b"{", b'{"messages": 3}', b"\xff", b"[" * 100_000])
def test_there_are_no_newest_words_in_what_is_no_request(body: bytes) -> None:
    with pytest.raises(Unreadable):
        newest_words("chat", body)


@pytest.mark.req("T9")
def test_only_what_is_certain_goes_up_unread() -> None:
    assert Setting().glance(asked("e1", ("user", "hello")))
    assert not Setting().glance(asked("e1", ("user", "what does add do?")))
    assert not Setting().glance(Asked("e1", "chat", b"no request"))
    assert not Setting().glance(asked("e1", ("user", "x" * PROXY_READ_BYTES_MAX)))
    assert not Setting().glance(asked("e1", ("user", "x" * (PROXY_WORDS_CHARS_MAX + 1))))
    empty = Setting()
    empty.known.entities.clear()  # the writer's thread reads it, then
    assert not empty.glance(asked("e1", ("user", "hello")))


@pytest.mark.req("T9")
def test_nothing_is_certain_while_code_is_settled_or_a_notice_waits() -> None:
    pending = Setting()
    pending.queue.submit(asked("e0", ("user", "```python\ndef other(): ...\n```")))
    assert not pending.glance(asked("e1", ("user", "hello")))
    pending.queue.settled = 1
    assert pending.glance(asked("e1", ("user", "hello")))
    pending.desk.owe_notice("c")
    assert not pending.glance(asked("e1", ("user", "hello")))


@pytest.mark.req("T9")
def test_what_went_up_unread_is_handed_over_once_and_says_whether_anybody_has_to_wait() -> None:
    setting = Setting()
    plain, bringing = (
        asked("e1", ("user", "hello")),
        asked("e2", ("user", "`b.py`\n\n```python\ndef f(): ...\n```")),
    )
    for request in (plain, plain, bringing):
        setting.desk.note(request)
    told = [(job.episode, job.plain) for job in setting.queue.jobs if isinstance(job, Asked)]
    assert told == [("e1", True), ("e2", False)]


def exchange(request: Asked, *, plain: bool) -> Answered:
    heard = Answer()
    prepared = Prepared(request, request.body, "")
    return Answered(
        prepared, 200, b"content", "0" * 64, "", True, "whole", "up", heard=heard, plain=plain
    )


@pytest.mark.req("T16")
def test_what_waits_to_be_recorded_does_so_without_its_bytes() -> None:
    setting, request = Setting(), asked("e1", ("user", "hello"))
    setting.desk.note(request)
    (job,) = setting.queue.jobs
    light = setting.desk.lighten(exchange(request, plain=True))
    setting.desk.let_go("e1")  # nothing else is needed of what was kept
    for told in (job, light.prepared.asked):
        assert isinstance(told, Asked)
        assert (told.body, told.episode, told.dialect) == (b"", "e1", "chat")
        assert setting.desk.place(told).request == read_request("chat", request.body)
        assert setting.desk.place(told).seen.change == "new"
    assert (light.content, light.prepared.body, light.content_hash) == (b"", b"", "0" * 64)
    assert light.plain
    assert light.prepared.asked.plain == request.plain


@pytest.mark.parametrize("why", ["it may bring code", "it was not placed", "it is long"])
def test_what_may_be_read_again_keeps_its_bytes(why: str) -> None:
    setting = Setting()
    words = "x" * PROXY_READ_BYTES_MAX if why == "it is long" else "hello"
    request = asked("e1", ("user", words))
    if why != "it was not placed":
        asyncio.run(setting.desk.ready(request))
    answered = exchange(request, plain=why != "it may bring code")
    assert setting.desk.lighten(answered) is answered


def test_what_cannot_be_placed_is_handed_over_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, request = Setting(), asked("e1", ("user", "hello"))

    def place(_: Asked) -> None:
        raise RuntimeError

    monkeypatch.setattr(setting.desk._places, "place", place)
    with pytest.raises(RuntimeError):
        setting.desk.note(request)
    assert setting.queue.jobs == [request]


@pytest.mark.req("T9", "T19")
def test_what_was_pasted_without_a_name_is_known_to_the_next_request(
    proxy: Running, server: ModelServer
) -> None:
    Chat(proxy, server).say(fenced("a.py", "def one():\n    return 1\n"))
    assert proxy.state() == {"a.py::one": "AUTHORITATIVE"}
    chat = Chat(proxy, server)
    chat.say(fenced("b.py", "def two():\n    return 2\n"))  # names nothing that is known
    assert "CURRENT STATE" not in chat.seen()
    assert proxy.state()["b.py::two"] == "AUTHORITATIVE"
    other = Chat(proxy, server)
    other.say("what does two do?")
    assert "Entity: b.py::two\n" in other.seen()


@pytest.mark.req("T19")
def test_exchanges_are_recorded_in_their_order_whether_read_before_or_behind(
    proxy: Running, server: ModelServer
) -> None:
    Chat(proxy, server).say(fenced("a.py", "def one():\n    return 1\n"))
    proxy.look("/state")
    for words in ("hello", "what does one do?", "thank you"):
        server.say(Said("words"))
        Chat(proxy, server).say(words)
    recent = proxy.look("/recent")["episodes"]
    assert len(recent) == 4
    assert [one["entities"] for one in recent].count(["a.py::one"]) >= 1


def test_one_whose_upstream_is_gone_is_recorded(tmp_path: Path) -> None:
    with ExitStack() as there:
        server = there.enter_context(ModelServer())
        with Running(options(tmp_path / "ledger.db", server.url)) as proxy:
            Chat(proxy, server).say(fenced("a.py", "def one():\n    return 1\n"))
            assert proxy.state()
            there.close()
            body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]})
            assert proxy.ask("/v1/chat/completions", body.encode()).status == 502
            assert len(proxy.look("/recent")["episodes"]) == 2
