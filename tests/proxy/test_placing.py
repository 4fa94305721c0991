"""How much of a history is new."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.proxy.placing import Places, turns_behind
from holdfast.proxy.values import Asked
from holdfast.wire.conversations import Seen
from holdfast.wire.requests import Part, Request, Turn

HELLO, MORE = (
    b'{"messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"yes"}%b]}' % end
    for end in (b"", b',{"role":"user","content":"more"}')
)
TURNS = st.lists(st.booleans(), max_size=12)


def request_of(marked: list[bool]) -> Request:
    turns = (Turn((Part("user" if one else "client", "x"),), b"") for one in marked)
    return Request("chat", "m", True, tuple(turns))


@given(TURNS, st.integers(-1, 14))
def test_what_stands_behind_so_many_turns_with_a_mark(marked: list[bool], kept: int) -> None:
    left, passed = kept, 0
    while left > 0 and passed < len(marked):
        left -= marked[passed]
        passed += 1
    expected = len(marked) - passed if left <= 0 else 0
    assert turns_behind(request_of(marked), kept) == expected


@given(TURNS)
def test_the_turns_in_which_the_client_speaks_are_told_from_the_others(marked: list[bool]) -> None:
    request = request_of(marked)
    assert len(request.asides) == marked.count(False)
    assert all(part.speaker == "client" for turn in request.asides for part in turn.parts)


def test_a_request_that_is_settled_leaves_no_trace_but_its_conversation() -> None:
    places = Places()
    first, second = (Asked(name, "chat", body) for name, body in (("e1", HELLO), ("e2", MORE)))
    places.arrive(first)
    conversation = places.place(first).seen.conversation
    places.let_go("e1")
    assert not places._seen
    assert not places._requests
    assert places._requests_bytes == 0
    places.let_go("e1")
    places.arrive(second)
    assert places.place(second).seen == Seen(conversation, "grown", 2, 0)
    assert places.before(second) == ["e1"]
    assert places.newest(conversation) == "e2"
