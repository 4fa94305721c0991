"""Nobody waits for a request that brings nothing; whoever says so of one must be right."""

from __future__ import annotations

import asyncio
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.kernel.limits import PROXY_READ_BYTES_MAX
from holdfast.proxy.desk import Desk
from holdfast.proxy.ingest import first_may_bring
from holdfast.proxy.values import Asked
from holdfast.proxy.writing import Writer
from holdfast.wire.events import Dialect
from holdfast.wire.requests import read_request
from tests.proxy.desks import FakeMap
from tests.proxy.exchanges import block
from tests.proxy.staging import NEW, PATH, Said, Stage, answered, called, shown, spelled

DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
CALLING: tuple[Dialect, ...] = ("chat", "messages", "responses", "ollama-chat")
"""Dialects in which tools can be called."""

HELLO: Said = ("user", "hello")
OK: Said = ("model", "ok")
PASTE: Said = ("user", "take this:\n" + block(PATH, NEW))
FILES: Said = ("user", f"I have *added these files to the chat* now.\n\n{PATH}\n```\n{NEW}```\n")
READ_ONLY: Said = (
    "user",
    f"Here are some READ ONLY files, provided for your reference.\n\n{PATH}\n```\n{NEW}```\n",
)
SUMMARY: Said = (
    "user",
    f"This session is being continued from a previous conversation\n{block(PATH, NEW)}",
)
REMINDER: Said = ("user", f"<system-reminder>\n{block(PATH, NEW)}\n</system-reminder>")
CLINES: Said = ("user", f"[read_file for '{PATH}'] Result:\n{NEW}")
READ: list[Said] = [("read", "c1"), ("result", f"c1|{shown()}")]
WROTE: list[Said] = [("write", "c2"), ("result", "c2|ok")]
FAILED: list[Said] = [("write", "c3"), ("failed", "c3|no")]
STRANGE: list[Said] = [("result", f"gone|{shown()}")]

SAID: list[Said] = [
    HELLO, OK, PASTE, FILES, READ_ONLY, SUMMARY, REMINDER, CLINES, *READ, *WROTE, *FAILED, *STRANGE,
    ("model", block(PATH, NEW)), ("system", block(PATH, NEW)), ("user", "thanks"), ("user", ""),
    ("failed", f"c1|{shown()}"), ("user", "diff --git a/x b/x\n"), ("user", "a --- b"),
]  # fmt: skip


def bring_nothing(stage: Stage) -> None:
    """Settle what waits, and see that nothing follows from it."""
    before, state, owed = stage.size(), stage.state(), dict(stage.owed)
    stage.settle()
    assert (stage.size(), stage.state(), stage.owed) == (before, state, owed)
    assert stage.parser.threads == []


# The first of a conversation


@pytest.mark.parametrize("dialect", CALLING)
@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ([HELLO], True),
        ([], True),
        ([HELLO, OK, *READ, OK, HELLO], True),
        ([HELLO, *READ, HELLO], True),
        ([HELLO, *READ, OK], True),
        ([HELLO, *WROTE, *FAILED, OK, HELLO], True),
        ([PASTE, OK, HELLO], True),
        ([SUMMARY, HELLO], True),
        ([HELLO, ("model", block(PATH, NEW)), HELLO], True),
        ([("system", block(PATH, NEW)), HELLO], True),
        ([HELLO, *READ], False),
        ([HELLO, *FAILED], False),
        ([HELLO, ("read", "c1"), ("write", "c2"), ("result", f"c1|{shown()}")], False),
        ([HELLO, *READ, ("system", "hook")], False),
        ([HELLO, *READ, REMINDER], False),
        ([HELLO, OK, PASTE], False),
        ([PASTE, OK], False),
        ([FILES, OK, HELLO], False),
        ([HELLO, OK, READ_ONLY, OK, HELLO], False),
    ],
)
def test_of_the_history_that_a_first_request_brings_only_its_end_is_new(
    dialect: Dialect, said: list[Said], plain: bool
) -> None:
    stage = Stage()
    assert stage.is_plain(spelled("e1", dialect, said)) == plain
    if plain:
        bring_nothing(stage)


@pytest.mark.parametrize("said", [[HELLO, *FAILED], [HELLO, *READ], [HELLO, PASTE], [FILES]])
def test_what_is_not_plain_does_bring_something(said: list[Said]) -> None:
    stage = Stage()
    before = stage.size()
    if said[-1][0] == "failed":  # of a write that seems to be made
        stage.ask(spelled("e0", "messages", [("user", block(PATH, f"{NEW}# c3\n"))]))
        stage.settle()
        before = stage.size()
    assert not stage.is_plain(spelled("e1", "messages", said))
    stage.settle()
    assert stage.size() > before


@given(st.lists(st.sampled_from(SAID), max_size=7), st.sampled_from(DIALECTS), st.booleans())
@settings(max_examples=150, deadline=None)
@example([HELLO, *READ, HELLO], "chat", True)
@example([PASTE], "completions", False)
@example([PASTE], "ollama-generate", False)
def test_what_brings_nothing_as_the_first_of_a_conversation_changes_nothing(
    said: list[Said], dialect: Dialect, named: bool
) -> None:
    stage = Stage()
    asked = spelled("e1", dialect, said, "somebody" if named else None)
    may_bring = first_may_bring(read_request(dialect, asked.body))
    plain = stage.is_plain(asked)
    assert not (plain and may_bring)
    if not may_bring:
        bring_nothing(stage)


# One of which something came before


def begin(stage: Stage, said: list[Said], client: str | None) -> None:
    """Let a conversation begin in which the model calls a tool, whose result did not come yet."""
    first = spelled("e1", "messages", said, client)
    stage.ask(first)
    tool, arguments = called("write", "c2")
    stage.answer(first, {"type": "tool_use", "id": "c2", "name": tool, "input": arguments})
    stage.settle()
    stage.parser.threads.clear()


LATER: list[Said] = [HELLO, OK, HELLO, *READ, OK, HELLO, OK]


@pytest.mark.parametrize("client", [None, "somebody"])
@pytest.mark.parametrize(
    ("before", "change", "said"),
    [
        (LATER[:3], "grown", [*LATER[:3], *WROTE, HELLO]),
        (LATER[:3], "repeated", LATER[:3]),
        (LATER, "rewound", [*LATER[:2], ("user", "no"), *FAILED, HELLO]),
        (LATER[:3], "compacted", [HELLO, OK, SUMMARY, *FAILED, ("user", "go on")]),
    ],
)
def test_results_in_the_middle_of_what_is_no_first_request_may_be_new(
    client: str | None, before: list[Said], change: str, said: list[Said]
) -> None:
    stage = Stage()
    begin(stage, before, client)
    asked = spelled("e2", "messages", said, client)
    assert not stage.is_plain(asked)
    assert stage.desk.place(asked).seen.change == change


def test_a_history_that_begins_anew_under_an_old_name_is_a_first_request() -> None:
    stage = Stage()
    begin(stage, [HELLO, OK, HELLO], "somebody")
    asked = spelled("e2", "messages", [("user", "something else")], "somebody")
    assert stage.is_plain(asked)
    assert stage.desk.place(asked).seen.change == "new"
    bring_nothing(stage)


def test_no_request_is_the_first_while_a_long_one_is_not_placed() -> None:
    stage = Stage()
    begun = spelled("e1", "messages", [HELLO, OK, ("user", "x" * PROXY_READ_BYTES_MAX)], "somebody")
    stage.ask(begun)
    tool, arguments = called("write", "c2")
    stage.answer(begun, {"type": "tool_use", "id": "c2", "name": tool, "input": arguments})
    said: list[Said] = [HELLO, OK, ("write", "c2"), ("failed", "c2|no"), ("user", "go on")]
    asked = spelled("e2", "messages", said, "somebody")
    assert not stage.is_plain(asked)
    assert stage.desk.place(asked).seen.change == "new"
    stage.settle()
    stage.parser.threads.clear()
    assert stage.is_plain(spelled("e3", "messages", [HELLO, *READ, HELLO], "somebody else"))
    bring_nothing(stage)


@given(
    st.lists(st.sampled_from(SAID), max_size=4),
    st.integers(0, 4),
    st.lists(st.sampled_from(SAID), max_size=4),
    st.sampled_from([None, "somebody"]),
)
@settings(max_examples=150, deadline=None)
@example([HELLO], 1, [("write", "c2"), ("user", "never mind")], "somebody")
@example([HELLO], 1, [("write", "c2"), ("failed", "c2|no"), ("user", "go on")], "somebody")
def test_nothing_that_is_plain_needs_the_parser(
    before: list[Said], kept: int, said: list[Said], client: str | None
) -> None:
    stage = Stage()
    begin(stage, before, client)
    if stage.is_plain(spelled("e2", "messages", [*before[:kept], *said], client)):
        stage.settle()
        assert stage.parser.threads == []


# Whether anybody waits


class Waiting(Writer):
    """Notes who waits; nothing is ever settled."""

    def __init__(self) -> None:
        super().__init__(lambda _: None, print)
        self.waited: list[int] = []

    async def reached(self, ticket: int, timeout_s: float) -> bool:
        self.waited.append(ticket)
        return False


@pytest.mark.parametrize("dialect", CALLING)
@pytest.mark.parametrize(("end", "waited"), [([OK, HELLO], []), ([], [1])])
def test_the_second_request_waits_only_when_the_first_ended_with_results(
    dialect: Dialect, end: list[Said], waited: list[int]
) -> None:
    known, queue = FakeMap({"other.py::sub": "def sub(): ..."}), Waiting()
    desk = Desk(known, known.names, queue)
    said = [HELLO, OK, *READ, *WROTE, *FAILED, OK, HELLO, *READ, *end]

    async def ask(asked: Asked) -> None:
        await desk.ready(asked)
        desk.prepare(asked)

    first = spelled("e1", dialect, said)
    asyncio.run(ask(first))
    queue.submit(answered(first, {"type": "text", "text": "fine"}, plain=True))
    assert queue.waited == []
    asyncio.run(ask(spelled("e2", dialect, [*said, ("model", "fine"), ("user", "go on")])))
    assert queue.waited == waited
