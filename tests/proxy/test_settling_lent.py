"""What the loop settles is what is settled without one; the parser is never asked there."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from holdfast.proxy import lulls as module
from holdfast.proxy.judging import Judging
from holdfast.proxy.lulls import Lulls
from holdfast.proxy.recording import Recorder
from holdfast.proxy.settling import Settled, Settler
from holdfast.proxy.values import Answered, Asked, Audited, Job, Placed, is_plain
from holdfast.proxy.writing import Writer
from tests.proxy.exchanges import block
from tests.proxy.looping import LONG_S, running
from tests.proxy.staging import NEW, PATH, Said, Stage, called, shown, spelled

HELLO: Said = ("user", "hello")
READ: list[Said] = [("read", "c1"), ("result", f"c1|{shown()}")]
BROKEN = f"```python {PATH}\ndef add(:\n```\n"


class Lent:
    """Lulls of a loop that runs, and its thread."""

    def __init__(self, lulls: Lulls, there: int) -> None:
        self.lulls = lulls
        self.there = there


@pytest.fixture(scope="module")
def lent() -> Iterator[Lent]:
    with pytest.MonkeyPatch.context() as patch, running() as (selector, _, there):
        patch.setattr(module, "PROXY_LEND_S", LONG_S)  # nothing is taken back
        yield Lent(Lulls(selector), there)


def cross(stage: Stage) -> list[Job]:
    """Let some exchanges cross, plain ones and others; return the jobs."""
    tool, arguments = called("write", "c9")
    write = {"type": "tool_use", "id": "c9", "name": tool, "input": arguments}
    histories: list[tuple[str, list[Said]]] = [
        ("a", [HELLO]),
        ("b", [HELLO, *READ, HELLO]),
        ("a", [HELLO, ("model", "ok"), ("user", "go on")]),
        ("c", [HELLO, *READ]),
        ("d", [("user", "take this:\n" + BROKEN)]),
        ("a", [HELLO, ("model", "ok"), ("user", "go on"), ("model", "fine"), ("user", "more")]),
        ("b", [HELLO]),
        ("e", [("write", "c9"), ("failed", "c9|no"), ("user", "well")]),
    ]
    for number, (client, said) in enumerate(histories):
        asked = spelled(f"e{number}", "messages", said, client)
        stage.ask(asked)
        text = {"type": "text", "text": "ok" if number % 3 else block(PATH, f"{NEW}# {number}\n")}
        last = write if number == 5 else text
        stage.answer(asked, last, plain=last is text and bool(number % 3))
    stage.queue.submit(Audited("e0", "a", "m", False, ((f"{PATH}::add", "partial"),)))
    return stage.waiting()


def settle(stage: Stage, jobs: list[Job]) -> list[Settled]:
    """Settle jobs in two batches, so that the second needs what the first remembered."""
    found = []
    for some in (jobs[:9], jobs[9:]):
        settled = stage.settler.settle(some, stage.live)
        stage.recorder._append(settled.drafts, stage.live.size)
        stage.recorder._accept(settled, stage.live.size)
        found.append(settled)
    return found


def flagged(job: Job, plain: bool) -> Job:
    return job if isinstance(job, Audited) else replace(job, plain=plain)


def recorded(stage: Stage) -> list[tuple[str, str]]:
    return [(entry.type, repr(entry.value())) for entry in stage.ledger.read()]


@given(st.lists(st.booleans(), min_size=16, max_size=16))
@settings(max_examples=25, deadline=None)
def test_what_follows_is_the_same_whoever_does_it(lent: Lent, flags: list[bool]) -> None:
    here, there = Stage(), Stage(lent.lulls)
    jobs = cross(here)
    cross(there)
    some = [flagged(job, plain) for job, plain in zip(jobs, [*flags, False], strict=True)]
    expected, actual = settle(here, jobs), settle(there, some)
    assert expected == actual
    assert repr(expected) == repr(actual), "to the order of what is remembered"
    assert recorded(here) == recorded(there)
    assert here.owed == there.owed
    assert len(expected[0].drafts) > 1


def test_the_loop_settles_what_is_plain_and_never_asks_the_parser(lent: Lent) -> None:
    stage = Stage(lent.lulls)
    placed: dict[str, set[int]] = {}

    def place(asked: Asked) -> Placed:
        placed.setdefault(asked.episode, set()).add(threading.get_ident())
        return stage.desk.place(asked)

    stage.settler._place = place
    jobs = cross(stage)
    plain = {job.episode for job in jobs if isinstance(job, Asked) and job.plain}
    both = {
        job.prepared.asked.episode
        for job in jobs
        if isinstance(job, Answered) and job.plain and job.prepared.asked.episode in plain
    }
    stage.settle()
    here = threading.get_ident()
    assert both
    assert all(placed[episode] == {lent.there} for episode in both)
    assert not any(is_plain(job) for job in jobs if isinstance(job, Audited))
    assert set(stage.parser.threads) == {here}
    others = {job.episode for job in jobs if isinstance(job, Asked) and not job.plain}
    assert others
    assert all(here in placed[episode] for episode in others)


def test_an_exchange_that_fails_on_the_loop_is_lost_alone(lent: Lent) -> None:
    stage = Stage()

    def place(asked: Asked) -> Placed:
        if asked.episode == "e1":
            raise ValueError("what was said must not be told")
        return stage.desk.place(asked)

    settler = Settler(
        judge=Judging(),
        parser=stage.parser,
        find=stage.names.find,
        place=place,
        lulls=lent.lulls,
    )
    told: list[str] = []
    writer = Writer(Recorder(stage.ledger, stage.live, settler, lulls=lent.lulls), told.append)
    for number in range(4):
        asked = spelled(f"e{number}", "messages", [HELLO], f"c{number}")
        stage.ask(asked)
        stage.answer(asked, {"type": "text", "text": "ok"}, plain=True)
    jobs = stage.waiting()
    assert all(is_plain(job) for job in jobs)
    with pytest.raises(ValueError, match="must not be told"):
        settler.settle(jobs, stage.live)
    for job in jobs:
        writer.submit(job)
    writer.start()
    assert writer.drained(LONG_S)
    assert writer.close() == 0
    assert (writer.state().lost, told) == (2, ["An exchange could not be recorded: ValueError"])
    found = [e.value()["episode"] for e in stage.ledger.read() if e.type == "episode_recorded"]
    assert found == ["e0", "e2", "e3"]
