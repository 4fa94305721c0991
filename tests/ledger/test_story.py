"""Services that move the story: what they refuse they refuse before anything is recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from holdfast.index.views import Views
from holdfast.kernel.errors import Damaged, InvalidInput, NotFound
from holdfast.ledger.facts import Facts, NewFact
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.now import items_now
from holdfast.ledger.pinning import Pinning
from holdfast.ledger.rollback import Rollback
from holdfast.ledger.story import Story
from holdfast.testing.builders import open_memory_ledger


@pytest.fixture
def ledger() -> Ledger:
    return open_memory_ledger(session_id="s1")


@pytest.fixture
def views() -> Iterator[Views]:
    with Views(":memory:") as opened:
        yield opened


@pytest.fixture
def story(ledger: Ledger, views: Views) -> Story:
    return Story(ledger, views)


@pytest.mark.req("O7")
def test_a_chain_is_resolved_only_by_the_session_that_took_every_step(
    ledger: Ledger, story: Story
) -> None:
    story.open("consent", "May it go on?", pending="c", steps=("a", "b", "a"))
    story.take_step("c", "a")
    with pytest.raises(InvalidInput, match="c still needs: b"):
        story.resolve("c", "yes")
    story.take_step("c", "b")
    ledger.session_id = "s2"
    with pytest.raises(InvalidInput, match="c still needs: a, b"):
        story.resolve("c", "yes")
    assert story.take_step("c", "b")[1].missing == ["a"]
    ledger.session_id = "s1"
    with pytest.raises(InvalidInput, match="c still needs: b"):
        story.resolve("c", "yes")  # the newest session that took a step is the one that counts
    story.take_step("c", "b")
    assert story.resolve("c", "yes")[1].pending == "c"
    assert story.pending() == []


def test_what_is_refused_leaves_no_entry(ledger: Ledger, story: Story) -> None:
    for attempt in (
        lambda: story.resolve("nope", "x"),
        lambda: story.take_step("nope", "x"),
        lambda: story.end_scene(),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert ledger.head().size == 0


def test_the_beginning_of_a_name_has_to_be_of_one(story: Story) -> None:
    for n in range(7):
        story.open("roll", "Roll.", pending=f"roll-{n}")
    assert story.find("roll-3").pending == "roll-3"
    with pytest.raises(InvalidInput, match=r"7 names begin with 'roll': .* and 2 more"):
        story.find("roll")


def test_nothing_is_decided_on_what_cannot_be_read(ledger: Ledger) -> None:
    class Behind:
        def fold_up(self, _reader: object) -> int:
            return 0

    ledger.append("milestone_reached", {"title": "one"})
    views: Views = Behind()  # type: ignore[assignment]
    with pytest.raises(Damaged, match="Entry 0 cannot be read"):
        items_now(ledger.reader, views, "story")


def test_the_beginning_of_a_fact_has_to_be_of_one(
    ledger: Ledger, views: Views, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = Facts(ledger, views)
    said = {facts.add(NewFact("place", f"room {n}")).fact for n in range(40)}
    shared = next(key[:1] for key in said if sum(one[0] == key[0] for one in said) > 1)
    with pytest.raises(InvalidInput, match="Several facts begin with"):
        facts.withdraw(shared, "x")
    monkeypatch.setattr("holdfast.ledger.facts.PREFIX_HEX_MIN", 1)
    assert facts.unlock(shared, "CAMPAIGN")[1] == shared  # too short to stand for a fact


@pytest.mark.req("L20")
def test_a_rollback_beyond_the_head_is_refused(ledger: Ledger, views: Views) -> None:
    back = Rollback(ledger, views)
    for seq in (0, -1, 5):
        with pytest.raises(NotFound, match="The ledger is empty"):
            back.go_back(seq, "x")
    ledger.append("milestone_reached", {"title": "one"})
    with pytest.raises(NotFound, match="entries 0 to 0"):
        back.go_back(1, "x")
    assert back.go_back(0, "x").difference.stores == ()


@pytest.mark.lesson("O1")
def test_pins_are_those_of_the_environment_and_never_of_a_save(ledger: Ledger) -> None:
    pinning = Pinning(ledger, {"a": "2"}, [{"a": "1", "gone": "x"}])
    assert [(pin.pin, pin.value, pin.saved) for pin in pinning.all()] == [
        ("a", "2", "1"),
        ("gone", "absent", "x"),
    ]
    revised = pinning.revise("a", "meant")
    assert (revised.before, revised.after) == ("1", "2")
    with pytest.raises(InvalidInput, match="revises a from 1 to 2 already"):
        pinning.revise("a", "meant")
    with pytest.raises(NotFound, match="no pin 'b'"):
        pinning.revise("b", "meant")
