"""Requests read behind what is known are the same as those that are read from the beginning."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import WIRE_HISTORIES_SILENT_MAX
from holdfast.wire import histories
from holdfast.wire.events import Dialect
from holdfast.wire.histories import Histories
from holdfast.wire.requests import Request, Unreadable, read_request


def chat(*contents: str, **others: Any) -> bytes:
    messages = [{"role": "user", "content": content} for content in contents]
    return json.dumps({"model": "m", **others, "messages": messages, "stream": True}).encode()


TEXTS = st.lists(st.sampled_from(["a", 'b"}]', "messages", '"messages":[', "é\\n"]), max_size=5)


@given(st.lists(st.tuples(TEXTS, st.booleans()), max_size=8))
def test_every_request_is_read_as_if_it_were_the_first(requests: list[tuple[Any, bool]]) -> None:
    known = Histories(most=3)
    for texts, spaced in requests:
        body = chat(*texts)
        if not spaced:
            body = json.dumps(json.loads(body), separators=(",", ":")).encode()
        expected = read_request("chat", body)
        assert known.newest_words("chat", body) == expected.newest_words()
        assert known.newest_words("chat", chat("x", *texts)) == (["x", *texts])[-1]
        assert known.read("chat", body) == expected


@given(st.lists(st.lists(st.sampled_from("ucs"), max_size=6), max_size=8))
def test_what_follows_from_the_turns_is_told_as_if_it_were_the_first(
    requests: list[list[str]],
) -> None:
    known = Histories(most=3)
    told = {"u": "words", "c": "<system-reminder>\nnote\n</system-reminder>", "s": "rules"}
    roles = {"u": "user", "c": "user", "s": "system"}
    for turns in requests:
        messages = [{"role": roles[one], "content": told[one]} for one in turns]
        body = json.dumps({"messages": messages}).encode()
        request = known.read("chat", body)
        assert request.marks == tuple(turn.mark for turn in request.turns if turn.mark)
        assert request.asides == tuple(turn for turn in request.turns if turn.aside)
        assert len(request.asides) == len(turns) - turns.count("u")


def test_what_was_looked_at_for_its_words_is_read_once(read: list[int]) -> None:
    known = Histories()
    known.read("chat", chat("a", "b", "c"))
    grown = chat("a", "b", "c", "d", "e")
    assert known.newest_words("chat", grown) == "e"
    assert known.read("chat", grown) == read_request("chat", grown)
    assert read == [3, 2]


def test_what_was_looked_at_may_be_forgotten_before_it_is_read() -> None:
    known = Histories(most=1)
    known.read("chat", chat("a", "b", "c"))
    grown = chat("a", "b", "c", "d")
    assert known.newest_words("chat", grown) == "d"
    assert known.newest_words("chat", chat("a", "b", "c", "other")) == "other"
    known.read("chat", chat("x"))
    assert known.read("chat", grown) == read_request("chat", grown)
    assert known.newest_words("chat", grown) == "d"
    known._looked, looked = None, known._looked
    known.read("chat", chat("x"))
    known._looked = looked  # of a history that is not known any longer
    assert known.read("chat", grown) == read_request("chat", grown)


def test_the_newest_words_may_stand_in_what_is_known() -> None:
    known = Histories()
    messages = [{"role": "user", "content": "words"}, {"role": "assistant", "content": "yes"}]
    known.read("chat", json.dumps({"messages": messages}).encode())
    messages += [{"role": "tool", "tool_call_id": "c", "content": "result"}]
    assert known.newest_words("chat", json.dumps({"messages": messages}).encode()) == "words"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many turns were read each time."""
    counts: list[int] = []

    def counted(dialect: Dialect, body: bytes) -> Request:
        request = read_request(dialect, body)
        counts.append(len(request.turns))
        return request

    monkeypatch.setattr(histories, "read_request", counted)
    return counts


def test_only_what_is_behind_a_known_history_is_read(read: list[int]) -> None:
    known = Histories()
    known.read("chat", chat("a", "b", "c"))
    known.read("chat", chat("a", "b", "c", "d", "e"))
    known.read("chat", chat("a", "b", "other"))
    assert read == [3, 2, 1]


def test_conversations_that_begin_alike_do_not_push_each_other_out(read: list[int]) -> None:
    known = Histories()
    for name in ("x", "y"):
        known.read("chat", chat("system", f"task {name}", *"abcdef"))
    for name in ("x", "y", "x"):
        known.read("chat", chat("system", f"task {name}", *"abcdef", name))
    assert sum(read) == 16 + 1 + 1 + 0


@pytest.mark.parametrize(
    "body",
    [
        b'{"messages":[{"role":"user","content":"a"}],"messages":[]}',
        b'{"messages":[{"role":"user","content":"a"}],"messages":[{"role":"user","content":"b"}]}',
        b'{"metadata":{"messages":[{"role":"user","content":"a"}]},"messages":[]}',
    ],
)
def test_a_field_that_is_there_twice_is_not_mistaken(body: bytes) -> None:
    known = Histories()
    known.read("chat", b'{"messages":[{"role":"user","content":"a"}]}')
    known.read("chat", b'{"metadata":{"messages":[{"role":"user","content":"a"}]},"messages":[]}')
    assert known.read("chat", body) == read_request("chat", body)


def test_what_cannot_be_read_stays_unreadable_behind_a_known_history() -> None:
    known = Histories()
    known.read("chat", b'{"messages":[{"role":"user","content":"a"}]}')
    for broken in (
        b'{"messages":[{"role":"user","content":"a"}',
        b'{"messages":[{"role":"user","content":"a"},',
        b'{"messages":[{"role":"user","content":"a"}}',
        b'{"messages":[{"role":"user","content":"a"}{}]}',
    ):
        with pytest.raises(Unreadable):
            known.read("chat", broken)
        with pytest.raises(Unreadable):
            known.newest_words("chat", broken)


def test_a_conversation_that_went_silent_is_forgotten(read: list[int]) -> None:
    known = Histories()
    known.read("chat", chat("a", "b"))
    for place in range(WIRE_HISTORIES_SILENT_MAX):
        known.read("chat", chat("x", *map(str, range(place))))
    read.clear()
    known.read("chat", chat("a", "b", "c"))
    assert read == [3]


def test_no_more_is_kept_than_there_is_room_for(read: list[int]) -> None:
    body = chat("a", "b")
    known = Histories(bytes_max=len(body))
    known.read("chat", body)
    known.read("chat", chat("c", "d"))
    known.read("chat", body)
    assert read == [2, 2, 2]
