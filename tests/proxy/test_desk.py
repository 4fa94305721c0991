"""What goes up is the client's bytes, and behind them what the newest human words name."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import (
    PROXY_READ_BYTES_MAX,
    PROXY_SETTLED_BYTES_MAX,
    PROXY_WORDS_CHARS_MAX,
)
from holdfast.proxy import placing
from holdfast.proxy.desk import Desk
from holdfast.proxy.hydrating import NOTICE
from holdfast.proxy.values import Asked, Prepared
from holdfast.wire import histories
from holdfast.wire.events import Dialect
from holdfast.wire.requests import Request, read_request
from tests.proxy.desks import DIALECTS, FakeMap, FakeQueue, asked, body_of

ADD = "def add(a, b):\n    return a + b"


class Setting:
    """A desk with a State Map and a queue in memory."""

    def __init__(self, **texts: str) -> None:
        self.known = FakeMap({f"a.py::{name}": text for name, text in texts.items()})
        self.queue = FakeQueue()
        self.desk = Desk(self.known, self.known.names, self.queue)

    def ask(self, request: Asked) -> Prepared:
        async def ask() -> Prepared:
            await self.desk.ready(request)
            return self.desk.prepare(request)

        return asyncio.run(ask())


def said(prepared: Prepared) -> str:
    """Return all texts of a request as the upstream reads it."""
    return json.dumps(json.loads(prepared.body), ensure_ascii=False)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Bodies that were read."""
    found: list[bytes] = []

    def read(dialect: Dialect, body: bytes) -> Request:
        found.append(body)
        return read_request(dialect, body)

    monkeypatch.setattr(histories, "read_request", read)
    return found


@pytest.mark.req("T9")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_named_entity_is_put_at_the_tail_in_every_dialect(dialect: Dialect) -> None:
    setting = Setting(add=ADD)
    request = asked("e1", ("user", "what does add do?"), dialect=dialect)
    prepared = setting.ask(request)
    assert prepared.hydrated == ("a.py::add",)
    assert prepared.added.startswith("[CURRENT STATE: AUTHORITATIVE]\nEntity: a.py::add\n")
    assert json.dumps(prepared.added)[1:-1] in prepared.body.decode()
    assert set(json.loads(prepared.body)) == set(json.loads(request.body))


@pytest.mark.lesson("N8")
@pytest.mark.lesson("T10")
def test_nothing_named_means_not_a_byte_more() -> None:
    setting = Setting(add=ADD)
    for place, text in enumerate(("hello", "adding", "b.py::add2", "")):
        request = asked(f"e{place}", ("user", text))
        assert setting.ask(request).body is request.body


@pytest.mark.req("T9")
def test_what_the_newest_human_said_counts_through_a_tool_loop() -> None:
    setting = Setting(add=ADD)
    turns = [("user", "fix add"), ("assistant", "reading"), ("tool", "nothing")]
    for end in (1, 3):
        assert setting.ask(asked(f"e{end}", *turns[:end])).hydrated == ("a.py::add",)
    turns += [("assistant", "done"), ("user", "thanks")]
    assert setting.ask(asked("e5", *turns)).hydrated == ()


@pytest.mark.lesson("T10")
def test_what_the_model_or_a_tool_names_is_not_hydrated() -> None:
    setting = Setting(add=ADD)
    turns = [("user", "go on"), ("assistant", "add"), ("tool", "a.py::add"), ("system", "add")]
    assert setting.ask(asked("e1", *turns)).added == ""


@pytest.mark.req("T9")
def test_what_the_client_sent_itself_is_not_sent_again() -> None:
    setting = Setting(add=ADD)
    turns = [("user", f"```python a.py\n{ADD}\n```"), ("assistant", "ok"), ("user", "fix add")]
    assert setting.ask(asked("e1", *turns)).added == ""
    assert setting.ask(asked("e2", *turns[1:])).hydrated == ("a.py::add",)


@pytest.mark.lesson("N8")
def test_the_tail_of_one_request_is_not_in_the_next() -> None:
    setting = Setting(add=ADD)
    turns = [("user", "fix add")]
    for place in range(0, 6, 2):
        request = asked(f"e{place}", *turns)
        prepared = setting.ask(request)
        added = json.dumps(f"\n\n{prepared.added}")[1:-1].encode()
        before, after = prepared.body.split(added)
        assert before + after == request.body
        assert turns[-1][1].encode() in before[-10:]
        turns += [("assistant", "ok"), ("user", "fix add")]


@given(
    st.sampled_from(DIALECTS),
    st.lists(st.tuples(st.sampled_from(["user", "tool"]), st.text(max_size=20)), max_size=4),
)
def test_the_clients_bytes_stay_and_only_one_piece_is_put_in(
    dialect: Dialect, turns: list[tuple[str, str]]
) -> None:
    setting = Setting(add=ADD)
    body = body_of(dialect, *turns, ("user", "add"))
    prepared = setting.ask(Asked("e", dialect, body))
    again = Setting(add=ADD).ask(Asked("e", dialect, body))
    assert prepared == again
    start = next(
        (
            at
            for at, (one, other) in enumerate(zip(body, prepared.body, strict=False))
            if one != other
        ),
        len(body),
    )
    length = len(prepared.body) - len(body)
    assert length > 0
    cut = [prepared.body[:at] + prepared.body[at + length :] for at in range(start + 1)]
    assert body in cut


# Nothing is read for nothing


def test_as_long_as_nothing_is_known_a_request_is_not_even_read(reads: list[bytes]) -> None:
    setting = Setting()
    request = asked("e1", ("user", "hello"))
    prepared = setting.ask(request)
    assert (prepared.body, prepared.conversation, reads) == (request.body, "", [])
    assert setting.queue.jobs == [request]


def test_a_request_is_read_once_by_the_loop_and_whoever_settles_it(reads: list[bytes]) -> None:
    setting = Setting(add=ADD)
    request = asked("e1", ("user", "add"))
    prepared = setting.ask(request)
    assert setting.desk.place(request).seen.conversation == prepared.conversation
    assert len(reads) == 1


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"messages": 3}', b"\xff"])
def test_what_cannot_be_read_passes_as_it_is(body: bytes) -> None:
    setting = Setting(add=ADD)
    request = Asked("e1", "chat", body)
    assert setting.ask(request).body is body
    assert setting.desk.place(request).request is None
    assert setting.desk.state().unread == 1


LONG = "x" * PROXY_READ_BYTES_MAX


@pytest.mark.req("T9")
def test_a_request_that_is_too_long_is_not_read_on_the_loop(
    reads: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    later: list[bytes] = []

    def read(dialect: Dialect, body: bytes) -> Request:
        later.append(body)
        return read_request(dialect, body)

    monkeypatch.setattr(placing, "read_request", read)
    setting = Setting(add=ADD)
    long = asked("e1", ("tool", LONG), ("user", "add"))
    assert setting.ask(long) == Prepared(long, long.body, "")
    assert setting.desk.state().long == 1
    # nor is it for a request that comes behind it
    short = asked("e2", ("user", "add"))
    assert setting.ask(short).hydrated == ("a.py::add",)
    assert (reads, later) == ([short.body], [])
    assert setting.queue.jobs[0] == long
    # whoever settles it does read it, and places it once
    placed = setting.desk.place(long)
    assert placed.request is not None
    assert placed.request.newest_words() == "add"
    assert setting.desk.place(long).seen == placed.seen
    assert setting.desk.newest(placed.seen.conversation) == "e1"


def test_a_request_that_is_just_not_too_long_is_read_and_shown() -> None:
    setting = Setting(add=ADD)
    room = PROXY_READ_BYTES_MAX - len(body_of("chat", ("tool", ""), ("user", "add")))
    request = asked("e1", ("tool", "x" * room), ("user", "add"))
    assert setting.ask(request).hydrated == ("a.py::add",)
    assert setting.desk.state().long == 0


def test_a_request_that_is_far_too_long_is_not_read_at_all() -> None:
    setting = Setting(add=ADD)
    request = asked("e1", ("user", "x" * PROXY_SETTLED_BYTES_MAX))
    assert setting.ask(request).body is request.body
    assert setting.desk.place(request).request is None
    assert (setting.desk.state().long, setting.desk.state().unread) == (1, 1)


def test_until_a_long_request_is_placed_it_may_be_the_newest_of_any_conversation() -> None:
    setting = Setting(add=ADD)
    known = setting.ask(asked("e1", ("user", "add"))).conversation
    assert setting.desk.newest(known) == "e1"
    long = asked("e2", ("user", LONG))
    setting.ask(long)
    assert setting.desk.newest(known) == "e2"
    setting.desk.place(long)
    assert setting.desk.newest(known) == "e1"


def test_very_long_words_are_searched_at_both_ends_and_that_is_counted() -> None:
    setting = Setting(add=ADD, sub=ADD, mul=ADD)
    much = "x " * (PROXY_WORDS_CHARS_MAX // 2)
    request = asked("e1", ("user", f"add {much} sub {much} mul"))
    assert setting.ask(request).hydrated == ("a.py::add", "a.py::mul")
    assert setting.desk.state().words_cut == 1
    few = Setting(add=ADD, sub=ADD, mul=ADD)
    assert len(few.ask(asked("e1", ("user", "add sub mul"))).hydrated) == 3
    assert few.desk.state().words_cut == 0


def test_where_there_is_no_place_nothing_is_added_and_that_is_counted() -> None:
    setting = Setting(add=ADD)
    request = asked("e1", ("user", "add"), ("assistant", "def"))
    prepared = setting.ask(request)
    assert (prepared.body, prepared.added, prepared.hydrated) == (request.body, "", ())
    assert setting.desk.state().no_place == 1


# Conversations


@pytest.mark.lesson("T6")
def test_requests_are_placed_in_the_order_they_came_whoever_asks_first() -> None:
    setting = Setting()
    first = asked("e1", ("user", "one"))
    second = asked("e2", ("user", "one"), ("assistant", "ok"), ("user", "two"))
    for request in (first, second):
        setting.ask(request)
    assert setting.desk.place(second).seen.change == "grown"
    assert setting.desk.place(first).seen.change == "new"
    assert setting.desk.place(first) == setting.desk.place(first)
    assert setting.desk.newest(setting.desk.place(first).seen.conversation) == "e2"


@pytest.mark.lesson("T6")
def test_many_threads_place_the_same_requests_the_same() -> None:
    requests = [
        asked(f"e{place}", *[("user", f"word {turn}") for turn in range(place + 1)])
        for place in range(40)
    ]
    setting = Setting()
    for request in requests:
        setting.ask(request)
    found: list[list[str]] = []

    def place() -> None:
        found.append([setting.desk.place(request).seen.change for request in reversed(requests)])

    threads = [threading.Thread(target=place) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["grown"] * 39 + ["new"]] * 4


def test_a_request_waits_for_what_was_said_before_in_its_own_conversation_only() -> None:
    setting = Setting(add=ADD)
    turns = [("user", "one"), ("assistant", "ok"), ("user", "two")]
    setting.ask(asked("e1", *turns[:1]))
    setting.ask(asked("other", ("user", "something else")))
    assert setting.queue.waited == []
    setting.ask(asked("e2", *turns))
    assert setting.queue.waited == [1]


def test_the_same_request_again_waits_for_nothing() -> None:
    setting = Setting(add=ADD)
    for episode in ("e1", "e2"):
        setting.ask(asked(episode, ("user", "```a.py\nadd\n```")))
    assert setting.queue.waited == [1]  # the first, for the code that it brings itself


@pytest.mark.parametrize(
    ("turns", "waits"),
    [
        ([("user", "fix add\n```\nlog\n```")], False),  # code, but of no file that is named
        ([("user", "fix add in a.py")], False),
        ([("user", "fix add\n```a.py\ndef add(): ...\n```")], True),
        ([("user", "fix add"), ("assistant", "wait"), ("tool", "a.py: def add(): ...")], True),
        ([("tool", "a.py"), ("user", "fix add")], True),
        ([("tool", "a.py"), ("user", "one"), ("user", "two"), ("user", "fix add")], False),
    ],
)
def test_a_request_waits_for_itself_when_it_may_change_what_it_names(
    turns: list[tuple[str, str]], waits: bool
) -> None:
    setting = Setting(add=ADD)
    setting.ask(asked("e1", *turns))
    assert setting.queue.waited == [1] * waits


def test_what_was_settled_while_a_request_waited_is_shown() -> None:
    setting = Setting()
    turns = [("user", "one"), ("assistant", "ok"), ("user", "fix add")]
    setting.ask(asked("e1", *turns[:1]))

    def settle() -> None:
        setting.known.put("a.py::add", ADD)
        setting.queue.settle()

    setting.queue.on_wait = settle
    assert setting.ask(asked("e2", *turns)).hydrated == ("a.py::add",)


def test_code_that_is_not_settled_in_time_is_not_contradicted() -> None:
    setting = Setting(add=ADD)
    setting.known.put("b.py::other", "other = 1")
    paste = "fix add and other:\n```python a.py\ndef add(a, b, c): ...\n```"
    prepared = setting.ask(asked("e1", ("user", paste)))
    assert prepared.hydrated == ("b.py::other",)
    assert "[NOT SHOWN: 1 being settled just now (a.py::add)]" in prepared.added
    assert setting.desk.state().unsettled == 1


def test_words_about_a_file_are_no_code_of_it() -> None:
    setting = Setting(add=ADD)
    setting.ask(asked("e1", ("user", "hello")))
    prepared = setting.ask(asked("e2", ("user", "hello"), ("user", "fix add in a.py")))
    assert setting.desk.state().unsettled == 1
    assert prepared.hydrated == ("a.py::add",)


def test_a_request_that_the_desk_fails_at_is_settled_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setting = Setting(add=ADD)

    def fail(*_: object) -> list[str]:
        raise RuntimeError

    monkeypatch.setattr(setting.desk._names, "find", fail)
    request = asked("e1", ("user", "fix add in a.py"))
    with pytest.raises(RuntimeError):
        setting.ask(request)
    assert setting.queue.jobs == [request]


def test_a_queue_without_room_does_not_change_what_goes_up() -> None:
    setting = Setting(add=ADD)
    setting.queue.room = 0
    assert setting.ask(asked("e1", ("user", "add"))).hydrated == ("a.py::add",)
    empty = Setting()
    empty.queue.room = 0
    request = asked("e1", ("user", "add"))
    assert empty.ask(request).body is request.body
    empty.queue.room = 1
    again = asked("e2", ("user", "add"))
    empty.ask(again)
    assert empty.desk.place(again).seen.change == "new"  # the other was not kept for anybody
    assert empty.desk.place(request).seen.change == "repeated"


# Notices


@pytest.mark.req("T10")
def test_the_notice_goes_with_the_next_request_of_its_conversation_once() -> None:
    setting = Setting()
    turns = [("user", "one"), ("assistant", "code"), ("user", "two"), ("assistant", "x")]
    first, other = asked("e1", *turns[:1]), asked("o1", ("user", "other"))
    for request in (first, other):
        assert not setting.ask(request).notice
    setting.desk.owe_notice(setting.desk.place(first).seen.conversation)
    setting.queue.settle()
    assert not setting.ask(asked("o2", ("user", "other"), ("user", "more"))).notice
    told = setting.ask(asked("e2", *turns[:3]))
    assert (told.notice, told.added) == (True, NOTICE)
    again = setting.ask(asked("e3", *turns[:3]))  # the client tries again
    assert again.body == told.body
    assert not setting.ask(asked("e4", *turns, ("user", "three"))).notice


@pytest.mark.req("T10")
def test_the_notice_stands_behind_what_is_shown() -> None:
    setting = Setting(add=ADD)
    first = asked("e1", ("user", "hello"))
    setting.ask(first)
    setting.desk.owe_notice(setting.desk.place(first).seen.conversation)
    setting.queue.settle()
    added = setting.ask(asked("e2", ("user", "hello"), ("user", "add"))).added
    assert added.endswith(f"[END CURRENT STATE]\n\n{NOTICE}")


def test_a_notice_that_had_no_place_is_said_with_the_next_request() -> None:
    setting = Setting()
    begun = body_of("chat", ("user", "one"), ("assistant", "begun"))
    setting.desk.owe_notice("c")
    assert not setting.ask(Asked("e1", "chat", begun, "c")).notice
    assert setting.ask(Asked("e2", "chat", body_of("chat", ("user", "one")), "c")).notice


def test_a_notice_that_is_no_longer_owed_is_not_said() -> None:
    setting = Setting()
    first = asked("e1", ("user", "one"))
    setting.ask(first)
    conversation = setting.desk.place(first).seen.conversation
    setting.desk.owe_notice(conversation)
    setting.desk.owe_notice(conversation, False)
    assert not setting.ask(asked("e2", ("user", "one"), ("user", "two"))).notice


def test_what_a_request_brings_itself_is_no_notice_for_it() -> None:
    setting = Setting(add=ADD)
    request = asked("e1", ("user", "add:\n```a.py\ndef add(:\n```"))

    def settle() -> None:
        setting.desk.owe_notice(setting.desk.place(request).seen.conversation)
        setting.queue.settle()

    setting.queue.on_wait = settle
    assert not setting.ask(request).notice
    assert setting.ask(
        asked("e2", ("user", "add:\n```a.py\ndef add(:\n```"), ("user", "now"))
    ).notice


@pytest.mark.parametrize(
    ("turns", "plain"),
    [
        ((("user", "hello there"),), True),
        ((("user", "hello"), ("assistant", "```python\nx = 1\n```"), ("user", "go on")), True),
        ((("user", "take this:\n```python\nx = 1\n```"),), False),
        ((("user", "what does add do?"),), False),
        ((("user", "I have *added these files to the chat*:\n\nb.py\n"), ("user", "go on")), False),
    ],
)
def test_nobody_has_to_wait_for_a_request_that_brings_nothing(
    turns: tuple[tuple[str, str], ...], plain: bool
) -> None:
    setting = Setting(add=ADD)
    setting.ask(asked("e1", *turns))
    assert [job.plain for job in setting.queue.jobs if isinstance(job, Asked)] == [plain]


def test_a_request_with_new_results_of_tools_may_bring_something() -> None:
    setting = Setting(add=ADD)
    call = {"id": "1", "function": {"name": "Read", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "x = 1"},
    ]
    body = {"model": "m", "messages": messages}
    setting.ask(Asked("e1", "chat", json.dumps(body).encode()))
    messages += [{"role": "assistant", "content": "seen"}, {"role": "user", "content": "thanks"}]
    setting.ask(Asked("e2", "chat", json.dumps(body).encode()))
    assert [job.plain for job in setting.queue.jobs if isinstance(job, Asked)] == [False, True]
