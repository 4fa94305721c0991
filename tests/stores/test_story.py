"""The story: the scene that is going on, and what still waits for somebody."""

from typing import Any

import pytest

from holdfast.ledger.ledger import Ledger
from holdfast.stores.store import Items
from holdfast.stores.story import count_pending, missing_steps, pending, place
from holdfast.testing.builders import open_memory_ledger


def story(ledger: Ledger) -> Items:
    return ledger.fold().state("story").items


def wait_for(ledger: Ledger, name: str, kind: str = "PENDING_ROLL", **fields: Any) -> None:
    ledger.append("pending_opened", {"pending": name, "kind": kind, "prompt": "Roll.", **fields})


@pytest.mark.req("O4")
def test_the_place_is_what_was_said_of_it_last() -> None:
    ledger = open_memory_ledger()
    assert set(place(story(ledger)).values()) == {None}
    ledger.append("story_set", {"campaign": "north", "world": "ice"})
    ledger.append("scene_started", {"scene": "gate", "title": "At the gate", "mode": "talk"})
    ledger.append("story_set", {"mode": "fight"})
    assert place(story(ledger)) == {
        "campaign": "north",
        "mode": "fight",
        "scene": "gate",
        "seq": 1,
        "title": "At the gate",
        "world": "ice",
    }


def test_a_scene_that_is_over_leaves_the_campaign_and_the_mode() -> None:
    ledger = open_memory_ledger()
    ledger.append("story_set", {"campaign": "north"})
    ledger.append("scene_started", {"scene": "gate", "mode": "talk"})
    ledger.append("scene_ended", {"scene": "another"})
    assert place(story(ledger))["scene"] == "gate"
    ledger.append("scene_ended", {"scene": "gate"})
    now = place(story(ledger))
    assert (now["scene"], now["campaign"], now["mode"]) == (None, "north", "talk")


@pytest.mark.req("O7")
def test_what_is_pending_stays_until_it_is_resolved() -> None:
    ledger = open_memory_ledger(session_id="s")
    wait_for(ledger, "p", details={"dice": "2d6", "bonus": 0.5})
    wait_for(ledger, "q", kind="approval")
    waiting = pending(story(ledger))
    assert list(waiting) == ["p", "q"]
    assert waiting["p"] == {
        "details": '{"bonus":0.5,"dice":"2d6"}',
        "kind": "PENDING_ROLL",
        "prompt": "Roll.",
        "seq": 0,
        "session": "s",
        "steps": [],
        "taken": {},
    }
    ledger.append("pending_resolved", {"pending": "p", "outcome": "7"})
    assert list(pending(story(ledger))) == ["q"]
    assert count_pending(story(ledger)) == 1


def test_a_long_prompt_is_kept_word_for_word() -> None:
    ledger = open_memory_ledger()
    wait_for(ledger, "p", prompt="Roll. " * 2000)
    assert pending(story(ledger))["p"]["prompt"] == "Roll. " * 2000


def consent(ledger: Ledger, steps: list[str], session: str) -> None:
    for step in steps:
        ledger.append("pending_step_taken", {"pending": "c", "step": step}, session_id=session)


@pytest.mark.req("O7")
def test_a_chain_of_consent_must_be_gone_through_in_one_session() -> None:
    ledger = open_memory_ledger()
    wait_for(ledger, "c", kind="PENDING_CONSENT", steps=["ask", "explain", "agree"])
    consent(ledger, ["ask", "explain"], "a")
    waiting = pending(story(ledger))["c"]
    assert missing_steps(waiting, "a") == ["agree"]
    assert missing_steps(waiting, "b") == ["ask", "explain", "agree"]
    consent(ledger, ["ask"], "b")
    assert missing_steps(pending(story(ledger))["c"], "a") == ["ask", "agree"]


@pytest.mark.req("O7")
def test_a_session_that_is_started_again_begins_the_chain_anew() -> None:
    ledger = open_memory_ledger()
    wait_for(ledger, "c", kind="PENDING_CONSENT", steps=["ask", "agree"])
    consent(ledger, ["ask"], "a")
    ledger.append("session_started", {}, session_id="b")
    assert missing_steps(pending(story(ledger))["c"], "a") == ["agree"]
    ledger.append("session_started", {}, session_id="a")
    assert missing_steps(pending(story(ledger))["c"], "a") == ["ask", "agree"]


def test_opened_a_second_time_it_begins_anew() -> None:
    ledger = open_memory_ledger()
    wait_for(ledger, "c", steps=["ask"])
    consent(ledger, ["ask"], "a")
    wait_for(ledger, "c", prompt="Again.", steps=["ask"])
    waiting = pending(story(ledger))
    assert (waiting["c"]["prompt"], waiting["c"]["taken"]) == ("Again.", {})
    assert list(waiting) == ["c"]


def test_what_is_not_pending_cannot_be_stepped_or_resolved() -> None:
    ledger = open_memory_ledger()
    wait_for(ledger, "p", steps=["ask"])
    before = story(ledger)
    ledger.append("pending_step_taken", {"pending": "x", "step": "ask"})
    ledger.append("pending_step_taken", {"pending": "p", "step": "unheard of"})
    ledger.append("pending_resolved", {"pending": "x", "outcome": "o"})
    assert story(ledger) == before
