"""Sources of compactions: what an entry touches, and what is in hand."""

from __future__ import annotations

from holdfast.views.sources import Material, touched_by
from tests.views.material import chained, of


def test_the_handles_an_entry_touches_are_itself_and_the_stores_that_take_its_type() -> None:
    withdrawn, prompt = chained([of("fact_withdrawn"), of("prompt_given")])
    assert set(touched_by(withdrawn)) == {"e0", "working_set", "store:facts", "store:sessions"}
    assert set(touched_by(prompt)) == {"e1", "working_set", "store:sessions"}


def test_a_rollback_touches_the_stores_that_go_back() -> None:
    (back,) = chained([of("rolled_back", to=0)])
    assert {"store:facts", "store:unlocks", "store:story", "store:decisions"} <= set(
        touched_by(back)
    )


def test_what_is_not_in_hand_is_left_out() -> None:
    entries = chained([of("prompt_given")])
    source = Material({"facts": {}}, entries)
    found = source.inputs(["e0", "e1", "store:facts", "store:story", "working_set"])
    assert found == {"e0": entries[0], "store:facts": {}}
