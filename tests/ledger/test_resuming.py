"""Resuming never invents: what was pending is still required, and nothing was appended."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.ledger.booting import cold_boot
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.resuming import Required, Resumed, resume
from holdfast.stores import story
from holdfast.testing.builders import open_memory_ledger
from tests.ledger.saved import PINS, lines_of, saved, told


def resumed(ledger: Ledger) -> Resumed:
    before = lines_of(ledger)
    found = resume(cold_boot(saved(ledger, "SESSION"), ledger, pins=PINS))
    assert lines_of(ledger) == before
    return found


def opened(kind: str, **more: Any) -> Ledger:
    ledger = open_memory_ledger()
    ledger.append("session_started", {}, session_id="s1")
    data = {"pending": "it", "kind": kind, "prompt": "What do you do?", **more}
    ledger.append("pending_opened", data, session_id="s1")
    return ledger


@pytest.mark.req("O7", "O9")
@pytest.mark.parametrize(
    "kind", ["PENDING_ROLL", "PENDING_CONSENT", "PENDING_HANDOUT", "tool approval", "question"]
)
def test_what_was_pending_at_the_save_is_still_required(kind: str) -> None:
    """SL-G3, its first test, for every kind."""
    found = resumed(opened(kind, details={"dice": "2d6", "target": 0}))
    assert found.required == (
        Required("it", kind, "What do you do?", (), {"dice": "2d6", "target": 0}, 1),
    )
    assert not found.ready


@pytest.mark.req("O7", "O9")
def test_a_chain_of_consent_is_whole_and_begins_anew() -> None:
    """SL-G3, its second test: a step that was taken before the save does not count."""
    ledger = opened("PENDING_CONSENT", steps=["ask", "hear", "repeat"])
    ledger.append("pending_step_taken", {"pending": "it", "step": "ask"}, session_id="s1")
    ledger.append("pending_step_taken", {"pending": "it", "step": "hear"}, session_id="s1")
    found = resumed(ledger)
    assert found.required[0].steps == ("ask", "hear", "repeat")
    waiting: Any = found.booted.pending["it"]
    assert waiting["taken"] == {"ask": "s1", "hear": "s1"}
    assert story.missing_steps(waiting, "s2") == ["ask", "hear", "repeat"]


@pytest.mark.req("O7")
def test_the_session_that_goes_on_has_to_begin_the_chain_again() -> None:
    ledger = opened("PENDING_CONSENT", steps=["ask", "hear"])
    ledger.append("pending_step_taken", {"pending": "it", "step": "ask"}, session_id="s1")
    ledger.append("session_ended", {"reason": "done"}, session_id="s1")
    resumed(ledger)
    ledger.append("session_started", {}, session_id="s1")
    waiting: Any = resumed(ledger).booted.pending["it"]
    assert story.missing_steps(waiting, "s1") == ["ask", "hear"]


@pytest.mark.req("O7")
def test_what_was_settled_is_not_required() -> None:
    ledger = opened("PENDING_ROLL")
    ledger.append("pending_resolved", {"pending": "it", "outcome": "17"}, session_id="s1")
    found = resumed(ledger)
    assert found.required == ()
    assert found.ready


@pytest.mark.req("O7")
def test_several_things_are_required_the_oldest_first() -> None:
    ledger = opened("PENDING_ROLL")
    for name in ("b", "a"):
        ledger.append("pending_opened", {"pending": name, "kind": "question", "prompt": "Well?"})
    assert [one.pending for one in resumed(ledger).required] == ["it", "b", "a"]


@pytest.mark.req("O7")
def test_scene_and_mode_come_back() -> None:
    found = resumed(told(4))
    assert (found.campaign, found.world, found.mode) == ("campaign 1", "the coast", "explore")
    assert (found.scene, found.title) == ("scene-1", "The room 1")
    after = resumed(told())
    assert (after.scene, after.title, after.mode) == (None, None, "explore")
