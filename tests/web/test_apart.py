"""Work beside the server: bounded in time, one thing at a time, and gone with who asked for it."""

from __future__ import annotations

import os
import select
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.kernel.errors import CouldNotLook, NotFound
from holdfast.kernel.limits import WEB_BLOCKS_MAX
from holdfast.wiring.places import place_of
from holdfast.wiring.web_apart import Apart, Question
from holdfast.wiring.web_gate import Gate, Look, waits_s
from tests.web.seeding import seed
from tests.web.serving import web

ENOUGH_S = 60.0


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return seed(tmp_path_factory.mktemp("project"), 120)


def _apart(project: Path, idle_s: float = 0.0) -> Apart:
    return Apart(place_of(project), what="look", remedy="Do it by hand.", idle_s=idle_s)


def _ended(pid: int) -> bool:
    """Wait until a process has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], ENOUGH_S)[0])
    finally:
        os.close(handle)


def test_it_answers_and_is_gone(project: Path) -> None:
    apart = _apart(project)
    told = msgspec.json.decode(apart.ask(Question("gate"), ENOUGH_S))
    assert told["ok"] is False
    assert told["count"] == len(told["blocks"]) <= WEB_BLOCKS_MAX
    assert apart.pid is None


def test_it_stays_for_the_next_question_until_nobody_asks_for_a_while(project: Path) -> None:
    apart = _apart(project, idle_s=ENOUGH_S)
    apart.ask(Question("at", "10"), ENOUGH_S)
    first = apart.pid
    assert first is not None
    with pytest.raises(NotFound, match="no entry 5,000"):
        apart.ask(Question("at", "5000"), ENOUGH_S)
    assert apart.pid == first, "a refusal is an answer"
    apart.close()
    assert _ended(first)
    with pytest.raises(CouldNotLook, match="the server ends"):
        apart.ask(Question("at", "10"), ENOUGH_S)

    brief = _apart(project, idle_s=0.001)
    brief.ask(Question("at", "10"), ENOUGH_S)
    assert (pid := brief.pid) is None or _ended(pid)


def test_what_takes_too_long_is_ended_and_told_so(project: Path) -> None:
    apart = _apart(project)
    with pytest.raises(CouldNotLook, match=r"Could not look: it took longer than 0\.01 s") as told:
        apart.ask(Question("gate"), 0.01)
    assert told.value.remedy == "Do it by hand."
    assert apart.pid is None
    assert apart.ask(Question("gate"), ENOUGH_S), "the next one is not too late"


def test_what_fails_in_it_is_told_and_ends_nothing(project: Path) -> None:
    apart = _apart(project, idle_s=ENOUGH_S)
    with pytest.raises(CouldNotLook, match="KeyError"):
        apart.ask(Question("nothing like it"), ENOUGH_S)
    apart.ask(Question("at", "10"), ENOUGH_S)
    apart.close()


def test_it_ends_with_the_server_however_that_ends(tmp_path: Path) -> None:
    seed(tmp_path, 50)
    with web(tmp_path) as site:
        site.page("at/10")
        [child] = _children(site.pid)
        os.kill(site.pid, 9)
        assert _ended(child)


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(one) for task in tasks for one in (task / "children").read_text().split()]


class _Slow:
    """Stands for the process: answers when it is told to."""

    def __init__(self) -> None:
        self.asked = 0
        self.may = threading.Event()
        self.answers: list[Any] = []

    def ask(self, question: Question, limit_s: float) -> msgspec.Raw:
        assert question.job == "gate"
        self.asked += 1
        assert self.may.wait(ENOUGH_S)
        self.may.clear()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return msgspec.Raw(msgspec.json.encode(answer))


class _Gate:
    """A gate whose looks end when the test says so, by a clock that the test moves."""

    def __init__(self) -> None:
        self.slow = _Slow()
        self.now_s = 100.0
        stands_for: Any = self.slow
        self.gate = Gate(stands_for, clock=lambda: self.now_s)

    def finish(self, answer: Any, took_s: float = 1.0) -> None:
        self.now_s += took_s
        self.slow.answers.append(answer)
        looking = [one for one in threading.enumerate() if "_look" in one.name]
        self.slow.may.set()
        for one in looking:
            one.join(ENOUGH_S)


def test_whoever_asks_for_the_gate_never_waits_and_starts_one_look_only() -> None:
    one = _Gate()
    for _ in range(5):
        told = one.gate.told(head=7)
        assert told["state"] == "looking"
        assert told["looking_s"] is not None
    one.finish({"ok": True, "count": 0, "blocks": []})
    told = one.gate.told(head=7)
    assert (told["state"], told["looking_s"], told["as_of"], told["ok"]) == (
        "looked",
        None,
        7,
        True,
    )
    assert one.slow.asked == 1


def test_an_old_answer_is_shown_while_it_is_looked_again() -> None:
    one = _Gate()
    one.gate.told(head=7)
    one.finish({"ok": True, "count": 0, "blocks": []})
    assert one.gate.told(head=8)["next_s"] == 10.0, "it is kept for a while"
    one.now_s += 11
    told = one.gate.told(head=8)
    assert (told["state"], told["as_of"], told["looking_s"]) == ("looked", 7, 0.0)
    one.finish({"ok": False, "count": 2, "blocks": []})
    assert one.gate.told(head=8)["as_of"] == 8


def test_a_gate_that_could_not_look_passes_nothing() -> None:
    one = _Gate()
    one.gate.told(head=7)
    one.finish(CouldNotLook("Could not look: it took longer than 120 s.", remedy="By hand."))
    told = one.gate.told(head=7)
    assert told["state"] == "could not look"
    assert told["problem"]["remedy"] == "By hand."
    assert "ok" not in told
    assert "count" not in told


@pytest.mark.parametrize(
    ("took_s", "head", "age_s", "expected_s"),
    [
        (0.5, 8, 0.0, 10.0),
        (0.5, 8, 10.0, 0.0),
        (0.5, 7, 10.0, 50.0),
        (0.5, 7, 60.0, 0.0),
        (40.0, 8, 10.0, 190.0),
        (40.0, 7, 100.0, 100.0),
    ],
)
def test_the_longer_a_look_takes_the_longer_the_next_one_waits(
    took_s: float, head: int, age_s: float, expected_s: float
) -> None:
    last = Look(7, 0.0, took_s, {})
    assert waits_s(last, head, took_s + age_s) == expected_s


def test_much_is_taken_into_the_views_by_another_process(tmp_path: Path) -> None:
    seed(tmp_path, 6_000)
    with web(tmp_path) as site:
        stream = site.events("/events")
        seen: set[int] = set()
        for _, told in stream:
            seen.update(_children(site.pid))
            if not told["behind"]:
                break
        stream.close()
        assert seen, "there was one"
        assert all(_ended(one) for one in seen)
        assert site.page("search?q=parser")["hits"]
