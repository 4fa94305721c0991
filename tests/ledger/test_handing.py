"""Handing work over: offered to somebody, answered once, by whom it is for or by a person."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from holdfast.index.views import Views
from holdfast.kernel.entry import Actor, ActorKind
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.ledger.handing import Handing
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.redaction import Redactor
from holdfast.storage.memory import MemoryEngine
from holdfast.testing.builders import KEY, LEDGER
from holdfast.testing.clock import FixedClock, FixedIds


@pytest.fixture
def engine() -> MemoryEngine:
    return MemoryEngine(LEDGER)


@pytest.fixture
def views() -> Iterator[Views]:
    with Views(":memory:") as opened:
        yield opened


class Crew:
    """Agents and people at one ledger."""

    def __init__(self, engine: MemoryEngine, views: Views) -> None:
        self.engine = engine
        self._views = views
        self._number = 0

    def __call__(self, name: str, session: str | None = None, kind: ActorKind = "agent") -> Handing:
        self._number += 1_000_000
        ledger = Ledger(
            self.engine,
            redactor=Redactor(KEY),
            actor=Actor(kind, name),
            session_id=session,
            clock=FixedClock(),
            ids=FixedIds(self._number),
        )
        return Handing(ledger, self._views)


@pytest.fixture
def crew(engine: MemoryEngine, views: Views) -> Crew:
    return Crew(engine, views)


@pytest.mark.req("L20")
def test_what_is_offered_to_an_agent_is_taken_by_it_once(crew: Crew) -> None:
    given = crew("claude-code", "s1").offer("codex", "Finish it", next_steps=("test",), task="t1")
    [waits] = crew("codex").waiting("codex")
    assert (waits.id, waits.giver, waits.session, waits.task) == (
        given.id,
        "claude-code",
        "s1",
        "t1",
    )
    receipt, taken = crew("codex", "s2").accept(given.id)
    assert (taken.answer, taken.by, taken.answered) == ("accepted", "codex", receipt.seq)
    assert crew("codex").waiting() == []
    size = crew.engine.head().size
    again, _ = crew("codex", "s2").accept(given.id)
    assert (again.seq, again.duplicate) == (receipt.seq, True)
    with pytest.raises(InvalidInput, match="was accepted by codex"):
        crew("codex").decline(given.id, "no")
    assert crew.engine.head().size == size


@pytest.mark.req("L20")
def test_whoever_it_is_not_for_cannot_answer_but_a_person_can(crew: Crew) -> None:
    given = crew("claude-code").offer("codex", "Finish it")
    with pytest.raises(InvalidInput, match="is for codex, not for gemini"):
        crew("gemini").accept(given.id)
    assert len(crew("codex").waiting("codex")) == 1
    _, declined = crew("someone", kind="user").decline(given.id, "not now")
    assert (declined.answer, declined.by, declined.reason) == ("declined", "someone", "not now")


def test_a_session_answers_for_itself(crew: Crew) -> None:
    given = crew("claude-code", "s1").offer("s2", "Finish it")
    with pytest.raises(InvalidInput, match="is for s2"):
        crew("claude-code", "s3").accept(given.id)
    assert crew("claude-code", "s2").accept(given.id)[1].by == "s2"


def test_two_who_answer_at_once_are_recorded_as_one(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both looked before either wrote: the id that both give lets one of them in."""
    given = crew("claude-code").offer("codex", "Finish it")
    first, second = crew("codex"), crew("someone", kind="user")
    found, now = first.find(given.id), first.find
    looks = iter([found])
    monkeypatch.setattr(first, "find", lambda key: next(looks, None) or now(key))
    second.decline(given.id, "not now")
    with pytest.raises(InvalidInput, match="was declined by someone"):
        first.accept(given.id)
    types = [body.body for body in crew.engine.read()]
    assert sum(b'"handoff_answered"' in body for body in types) == 1


def test_an_entry_that_took_the_answers_id_does_not_keep_it_from_being_answered(
    crew: Crew,
) -> None:
    giver = crew("claude-code")
    given = giver.offer("codex", "Finish it", id="h1")
    note = {"name": "n", "value": 1, "threshold": 1, "passed": True, "components": {}}
    giver._ledger.append("metric", note, id="h1-answered")
    assert crew("codex").accept(given.id)[1].answer == "accepted"


def test_it_is_found_by_its_number_or_the_beginning_of_its_id_while_it_waits(crew: Crew) -> None:
    giver = crew("claude-code")
    for name in ("part-one", "part-two"):
        giver.offer("codex", name, id=name)
    assert giver.find("1").id == "part-two"
    assert giver.find("part-o").id == "part-one"
    with pytest.raises(InvalidInput, match="Several handoffs begin with 'part'"):
        giver.find("part")
    for key in ("", "nothing", " open"):
        with pytest.raises(NotFound, match="No handoff"):
            giver.find(key)
    crew("codex").accept("part-o")
    with pytest.raises(NotFound):
        giver.find("part-o")
    assert giver.find("part-one").answer == "accepted"


def test_what_says_nothing_is_refused(crew: Crew) -> None:
    codex = crew("codex")
    with pytest.raises(InvalidInput):
        codex.offer(" ", "Finish it")
    with pytest.raises(InvalidInput):
        codex.offer("codex", " ")
    given = codex.offer("codex", "Finish it")
    with pytest.raises(InvalidInput, match="without a reason"):
        codex.decline(given.id, " ")
