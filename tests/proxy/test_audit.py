"""The model is asked about its work afterwards; only JSON as asked for counts, and late is late."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.limits import (
    PROXY_AUDIT_CHARS_MAX,
    PROXY_AUDIT_ENTITIES_MAX,
    PROXY_AUDITS_WAITING_MAX,
)
from holdfast.proxy.audit import Ask, Audit, AuditState, Mode, Question, question, read_verdicts
from holdfast.proxy.values import Answered, Asked, Audited, Ended, Job, Prepared, Unsure
from holdfast.wire.events import Dialect

DONE = '[{"entity": "a.py::f", "status": "completed"}]'
KEY = {"authorization": "Bearer of-the-client"}


def unsure(
    *entities: str,
    dialect: Dialect = "chat",
    upstream: str = "local",
    ended: Ended = "whole",
    answer: str = "I wrote it.",
) -> Unsure:
    prepared = Prepared(Asked("e1", dialect, b"{}"), b"{}", "c")
    return Unsure(
        answered=Answered(prepared, 200, b"", "0" * 64, "", True, ended, upstream, KEY),
        conversation="c",
        model="m",
        prompt="write f",
        answer=answer,
        entities=entities or ("a.py::f",),
    )


def answer_in(dialect: Dialect, text: str) -> bytes:
    """Spell an answer that is not streamed."""
    said: dict[str, Any]
    match dialect:
        case "messages":
            said = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
        case "responses":
            part = {"type": "output_text", "text": text}
            item = {"type": "message", "content": [part]}
            said = {"status": "completed", "output": [item]}
        case "ollama-chat":
            said = {"message": {"content": text}, "done": True, "done_reason": "stop"}
        case _:
            said = {
                "choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]
            }
    return json.dumps(said).encode()


class Upstream:
    """Answers with what it is told to, and remembers what it was asked."""

    def __init__(self, text: str = DONE, *, status: int = 200) -> None:
        self.asked: list[Question] = []
        self.text = text
        self.status = status
        self.working = 0
        self.most_working = 0
        self.problem: Exception | None = None
        self.before_answer: Callable[[], object] = dict

    async def __call__(self, asked: Question) -> tuple[int, bytes]:
        self.asked.append(asked)
        self.working += 1
        self.most_working = max(self.working, self.most_working)
        await asyncio.sleep(0)
        self.before_answer()
        self.working -= 1
        if self.problem is not None:
            raise self.problem
        return self.status, answer_in("chat", self.text)


def audited(
    upstream: Ask,
    *offered: Unsure,
    mode: Mode = "auto",
    newest: Callable[[str], str | None] = lambda _: "e1",
    timeout_s: float = 30.0,
) -> tuple[list[Job], AuditState]:
    """Offer answers, and return what was submitted when nothing is asked any more."""
    jobs: list[Job] = []

    async def run() -> AuditState:
        audit = Audit(
            upstream,
            jobs.append,
            newest,
            mode=mode,
            is_local=lambda name: name == "local",
            timeout_s=timeout_s,
        )
        audit.start()
        for one in offered:
            audit.offer(one)
        for _ in range(200):
            await asyncio.sleep(0)
        await audit.stop()
        audit.offer(unsure())  # too late, and no harm
        return audit.state()

    return jobs, asyncio.run(run())


@pytest.mark.req("T13")
def test_a_verdict_in_time_is_submitted() -> None:
    jobs, state = audited(Upstream(), unsure())
    assert jobs == [Audited("e1", "c", "m", False, (("a.py::f", "completed"),))]
    assert (state.asked, state.done, state.late) == (1, 1, 0)


@pytest.mark.req("T13")
def test_a_verdict_is_late_when_a_newer_request_came_before_it() -> None:
    upstream, newest = Upstream(), ["e1"]
    upstream.before_answer = lambda: newest.append("e2")
    jobs, state = audited(upstream, unsure(), newest=lambda _: newest[-1])
    assert jobs == [Audited("e1", "c", "m", True, (("a.py::f", "completed"),))]
    assert (state.done, state.late) == (0, 1)


@pytest.mark.req("T13")
@pytest.mark.parametrize(
    ("mode", "upstream", "count"),
    [
        ("auto", "local", 1),
        ("auto", "paid", 0),
        ("on", "paid", 1),
        ("off", "local", 0),
    ],
)
def test_only_local_upstreams_are_asked_unless_a_setting_says_else(
    mode: Mode, upstream: str, count: int
) -> None:
    asked = Upstream()
    audited(asked, unsure(upstream=upstream), mode=mode)
    assert len(asked.asked) == count


@pytest.mark.parametrize(
    "one",
    [unsure(dialect="completions"), unsure(dialect="ollama-generate"), unsure(ended="cut")],
)
def test_what_cannot_be_judged_is_not_asked_about(one: Unsure) -> None:
    asked = Upstream()
    audited(asked, one)
    assert asked.asked == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "completed",
        "{}",
        "[]",
        '{"entity": "a.py::f"}',
        '{"entity": "a.py::f", "status": "done"}',
        '{"entity": "a.py::other", "status": "completed"}',
        '{"entity": "a.py::f", "status": "completed", "why": "x"}',
        '{"entity": ["a.py::f"], "status": "completed"}',
        f"Here you are: {DONE}",
        f"{DONE} {DONE}",
        f'[{DONE[1:-1]}, {{"entity": "a.py::f", "status": "partial"}}]',
        "\ud800",
    ],
)
@pytest.mark.req("T13")
def test_what_is_not_as_asked_for_counts_for_nothing(text: str) -> None:
    jobs, state = audited(Upstream(text), unsure())
    assert (jobs, state.refused) == ([], 1)


@pytest.mark.parametrize(
    "text",
    [DONE, DONE[1:-1], f"\n{DONE}\n", f"```json\n{DONE}\n```", f"```\n{DONE}\n```\n"],
)
def test_one_object_or_a_list_is_taken_also_in_a_fence(text: str) -> None:
    assert read_verdicts(unsure(), answer_in("chat", text)) == (("a.py::f", "completed"),)


@given(st.binary(max_size=200))
def test_no_answer_breaks_it(body: bytes) -> None:
    assert read_verdicts(unsure(), body) == ()


@pytest.mark.parametrize("dialect", ["chat", "messages", "responses", "ollama-chat"])
def test_every_dialect_is_asked_in_its_own_words(dialect: Dialect) -> None:
    one = unsure(dialect=dialect)
    asked = question(one)
    body = json.loads(asked.body)
    assert (body["model"], body["stream"], asked.key) == ("m", False, KEY)
    assert "a.py::f" in asked.body.decode()
    assert "write f" in asked.body.decode()
    assert read_verdicts(one, answer_in(dialect, DONE)) == (("a.py::f", "completed"),)


def test_what_is_asked_is_bounded() -> None:
    names = tuple(f"a.py::f{place}" for place in range(PROXY_AUDIT_ENTITIES_MAX + 5))
    one = unsure(*names, answer="x" * 10 * PROXY_AUDIT_CHARS_MAX)
    assert len(question(one).body) < 2 * PROXY_AUDIT_CHARS_MAX
    assert "characters left out" in question(one).body.decode()
    last = json.dumps({"entity": names[-1], "status": "completed"})
    assert read_verdicts(one, answer_in("chat", last)) == ()


def test_an_upstream_that_fails_is_counted_and_the_next_is_asked() -> None:
    for upstream in (Upstream(status=500), Upstream()):
        upstream.problem = None if upstream.status == 500 else OSError("gone")
        jobs, state = audited(upstream, unsure(), unsure())
        assert (jobs, state.asked, state.failed) == ([], 2, 2)


def test_an_upstream_that_takes_too_long_is_given_up() -> None:
    async def never(_: Question) -> tuple[int, bytes]:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    jobs, state = audited(never, unsure(), timeout_s=0)
    assert (jobs, state.failed) == ([], 1)


def test_one_is_asked_at_a_time_and_too_many_are_not_asked() -> None:
    upstream = Upstream()
    offered = [unsure()] * (PROXY_AUDITS_WAITING_MAX + 4)
    jobs, state = audited(upstream, *offered)
    assert upstream.most_working == 1
    assert state.asked + state.skipped == len(offered)
    assert (state.skipped, len(jobs)) == (4, state.asked)
