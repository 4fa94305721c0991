"""`holdfast scene`: start, end, show."""

from __future__ import annotations

import pytest

from tests.cli.harness import Holdfast

NOWHERE = dict.fromkeys(("campaign", "world", "scene", "title", "mode", "since"))


def test_a_scene_begins_and_ends(holdfast: Holdfast) -> None:
    assert holdfast("scene", "show", "--json").json() == NOWHERE
    done = holdfast("scene", "start", "gate", "--title", "At the gate", "--mode", "talk", "--json")
    assert (done.code, set(done.json())) == (0, {"seq", "id", "hash", "leaf", "redactions"})
    shown = holdfast("scene", "show", "--json").json()
    assert shown == {**NOWHERE, "scene": "gate", "title": "At the gate", "mode": "talk", "since": 0}
    assert "scene     gate: At the gate (since entry 0)" in holdfast("scene", "show").text
    ended = holdfast("scene", "end", "--outcome", "let in", "--json").json()
    assert ended["scene"] == "gate"
    assert holdfast.entries()[1]["data"] == {"scene": "gate", "outcome": "let in"}
    assert holdfast("scene", "show", "--json").json() == {**NOWHERE, "mode": "talk"}


def test_campaign_and_world_are_set_with_the_scene_or_not_at_all(holdfast: Holdfast) -> None:
    holdfast("scene", "start", "gate", "--campaign", "the coast", "--world", "dunes")
    assert [entry["type"] for entry in holdfast.entries()] == ["story_set", "scene_started"]
    shown = holdfast("scene", "show", "--json").json()
    assert (shown["campaign"], shown["world"]) == ("the coast", "dunes")
    assert holdfast("scene", "start", " ", "--campaign", "another").code == 2
    assert len(holdfast.entries()) == 2


def test_a_scene_that_is_not_going_on_does_not_end(holdfast: Holdfast) -> None:
    done = holdfast("scene", "end")
    assert (done.code, holdfast.entries()) == (1, [])
    assert "No scene is going on." in done.err


def test_a_scene_that_is_going_on_does_not_begin(holdfast: Holdfast) -> None:
    holdfast("scene", "start", "gate")
    done = holdfast("scene", "start", "gate")
    assert (done.code, len(holdfast.entries())) == (2, 1)
    assert "going on already" in done.err


def test_another_scene_ends_the_one_before(holdfast: Holdfast) -> None:
    holdfast("scene", "start", "gate", "--mode", "talk")
    done = holdfast("scene", "start", "yard", "--json")
    assert done.json()["over"] == "gate"
    shown = holdfast("scene", "show", "--json").json()
    assert (shown["scene"], shown["mode"]) == ("yard", "talk")


@pytest.mark.req("L20")
def test_after_a_rollback_the_scene_is_the_one_it_was(holdfast: Holdfast) -> None:
    holdfast("scene", "start", "gate")
    holdfast("scene", "start", "yard")
    holdfast("rollback", "0", "--reason", "they never went in")
    assert holdfast("scene", "show", "--json").json()["scene"] == "gate"
    assert holdfast("scene", "end", "--json").json()["scene"] == "gate"
