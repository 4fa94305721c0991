"""Unlocks: how long a handle may be told."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ledger.ledger import Ledger
from holdfast.stores.store import Items
from holdfast.stores.unlocks import count_unlocked, scope_of, unlocked, unlocked_for
from holdfast.testing.builders import open_memory_ledger


def grant(ledger: Ledger, handle: str, scope: str, session: str | None = None) -> None:
    ledger.append("unlock_granted", {"handle": handle, "scope": scope}, session_id=session)


def end(ledger: Ledger, session: str) -> None:
    ledger.append("session_ended", {"reason": "done"}, session_id=session)


def unlocks(ledger: Ledger) -> Items:
    return ledger.fold().state("unlocks").items


def test_what_nobody_unlocked_may_not_be_told() -> None:
    assert scope_of({}, "h") is None


@pytest.mark.req("O4")
@pytest.mark.parametrize(
    ("first", "second"), [("SCENE", "CAMPAIGN"), ("CAMPAIGN", "SCENE"), ("SESSION", "CAMPAIGN")]
)
def test_the_broader_scope_wins_whichever_came_first(first: str, second: str) -> None:
    ledger = open_memory_ledger(session_id="s")
    grant(ledger, "h", first)
    grant(ledger, "h", second)
    assert scope_of(unlocks(ledger), "h") == "CAMPAIGN"


@pytest.mark.lesson("O5")
@pytest.mark.parametrize("how", ["it ends", "another begins"])
def test_what_was_unlocked_for_the_scene_ends_with_it(how: str) -> None:
    ledger = open_memory_ledger(session_id="s")
    ledger.append("scene_started", {"scene": "one"})
    grant(ledger, "h", "SCENE")
    grant(ledger, "k", "SESSION")
    if how == "it ends":
        ledger.append("scene_ended", {"scene": "one"})
    else:
        ledger.append("scene_started", {"scene": "two"})
    assert dict(unlocked(unlocks(ledger))) == {"k": "SESSION"}


def test_the_end_of_a_scene_that_is_not_going_on_locks_nothing() -> None:
    ledger = open_memory_ledger()
    ledger.append("scene_started", {"scene": "two"})
    grant(ledger, "h", "SCENE")
    ledger.append("scene_ended", {"scene": "one"})
    assert scope_of(unlocks(ledger), "h") == "SCENE"


def test_what_was_unlocked_for_a_session_ends_with_that_session_only() -> None:
    ledger = open_memory_ledger()
    grant(ledger, "h", "SESSION", "a")
    grant(ledger, "h", "SESSION", "b")
    end(ledger, "a")
    assert scope_of(unlocks(ledger), "h") == "SESSION"
    assert list(unlocked_for(unlocks(ledger), "b")) == ["h"]
    end(ledger, "b")
    assert [key for key in unlocks(ledger) if not key.startswith(" ")] == []


def test_a_narrower_grant_outlives_the_broader_one() -> None:
    ledger = open_memory_ledger()
    ledger.append("scene_started", {"scene": "one"})
    grant(ledger, "h", "SESSION", "a")
    grant(ledger, "h", "SCENE", "a")
    end(ledger, "a")
    assert scope_of(unlocks(ledger), "h") == "SCENE"


def test_a_grant_for_a_session_outside_any_is_no_grant() -> None:
    ledger = open_memory_ledger()
    grant(ledger, "h", "SESSION")
    assert scope_of(unlocks(ledger), "h") is None


class Plain:
    """The same rules without lists: every grant by itself."""

    def __init__(self) -> None:
        self.grants: set[tuple[str, str]] = set()
        self.scene: str | None = None

    def take(self, what: str, session: str | None, data: dict[str, Any]) -> None:
        match what:
            case "unlock_granted" if data["scope"] != "SESSION" or session is not None:
                held = session if data["scope"] == "SESSION" else data["scope"]
                self.grants.add((data["handle"], str(held)))
            case "scene_started":
                self._end("SCENE")
                self.scene = data["scene"]
            case "scene_ended" if data["scene"] == self.scene:
                self._end("SCENE")
                self.scene = None
            case "session_ended" if session is not None:
                self._end(session)
            case _:
                pass

    def _end(self, held: str) -> None:
        self.grants = {grant for grant in self.grants if grant[1] != held}


@given(st.integers(0, 10_000), st.integers(0, 40))
def test_grants_hold_as_long_as_they_should(seed: int, length: int) -> None:
    chance = random.Random(seed)
    ledger, plain = open_memory_ledger(), Plain()
    for _ in range(length):
        what = chance.choice(["unlock_granted"] * 4 + ["scene_started", "scene_ended"] * 2)
        what = chance.choice([what, what, "session_ended"])
        session = chance.choice(["a", "b", None])
        data: dict[str, Any] = {"reason": "r"}
        if what == "unlock_granted":
            scope = chance.choice(["SCENE", "SESSION", "CAMPAIGN"])
            data = {"handle": chance.choice("hijk"), "scope": scope}
        elif what.startswith("scene"):
            data = {"scene": chance.choice("12")}
        ledger.append(what, data, session_id=session)
        plain.take(what, session, data)
    items = unlocks(ledger)
    told = dict(unlocked(items))
    assert set(told) == {handle for handle, _ in plain.grants}
    assert len(told) == count_unlocked(items)
    for handle, scope in told.items():
        held = {by for name, by in plain.grants if name == handle}
        broadest = "CAMPAIGN" if "CAMPAIGN" in held else "SESSION" if held & {"a", "b"} else "SCENE"
        assert scope == broadest
