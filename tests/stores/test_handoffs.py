"""The store of handoffs: an offer waits for whom it is for, and is answered once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.ledger.ledger import Ledger
from holdfast.stores import handoffs
from holdfast.stores.store import Items
from holdfast.testing.builders import data_for, open_memory_ledger


def items_of(ledger: Ledger) -> Items:
    return ledger.fold().state("handoffs").items


def offer(ledger: Ledger, to: str, name: str, **more: Any) -> None:
    ledger.append("handoff_offered", {"to": to, "title": f"See to {name}", **more}, id=name)


def answer(ledger: Ledger, name: str, word: str = "accepted", by: str = "codex") -> None:
    ledger.append("handoff_answered", {"handoff": name, "answer": word, "by": by})


def waiting(ledger: Ledger, agent: str | None = None, session: str | None = None) -> list[str]:
    return [one["id"] for one in handoffs.open_for(items_of(ledger), agent, session)]


@pytest.mark.req("L20")
def test_an_offer_waits_for_its_agent_and_for_its_session_and_for_nobody_else() -> None:
    ledger = open_memory_ledger(session_id="s1")
    for to, name in (("codex", "a"), ("s2", "b"), ("codex", "c"), ("gemini", "d")):
        offer(ledger, to, name)
    assert waiting(ledger, "codex", "s2") == ["c", "b", "a"]
    assert waiting(ledger, "codex") == ["c", "a"]
    assert waiting(ledger, None, "s2") == ["b"]
    assert waiting(ledger, "cursor", "s9") == []
    assert [one["id"] for one in handoffs.open_now(items_of(ledger), 2)] == ["d", "c"]
    assert handoffs.count(items_of(ledger), handoffs.OPEN) == 4


def test_one_that_is_for_an_agent_called_like_its_session_comes_once() -> None:
    ledger = open_memory_ledger()
    offer(ledger, "codex", "a")
    assert waiting(ledger, "codex", "codex") == ["a"]


@pytest.mark.req("L20")
def test_the_first_answer_counts_and_no_other_changes_anything() -> None:
    ledger = open_memory_ledger()
    offer(ledger, "codex", "a")
    answer(ledger, "a", "accepted", "codex")
    before = ledger.fold().digests()["handoffs"]
    answer(ledger, "a", "declined", "gemini")
    assert ledger.fold().digests()["handoffs"] == before
    one = handoffs.offer_of(items_of(ledger), "a")
    assert one is not None
    assert (one["answer"], one["by"], one["answered"]) == ("accepted", "codex", 1)
    assert waiting(ledger, "codex") == []


def test_an_answer_to_what_nobody_offered_changes_nothing() -> None:
    ledger = open_memory_ledger()
    offer(ledger, "codex", "a")
    before = ledger.fold().digests()["handoffs"]
    answer(ledger, "nothing")
    answer(ledger, "to codex")  # the name of a list, but for its blank
    assert ledger.fold().digests()["handoffs"] == before


def test_long_texts_and_lists_are_cut_and_say_so() -> None:
    ledger = open_memory_ledger()
    steps = [f"step {number}" for number in range(30)]
    offer(ledger, "codex", "a", note="n" * 40_000, next_steps=steps)
    one = handoffs.offer_of(items_of(ledger), "a")
    assert one is not None
    assert len(one["note"]) == 64
    assert (one["next_steps"][19], one["next_steps"][20]) == ("step 19", "… +10")
    assert len(one["next_steps"]) == 21


@given(st.lists(st.tuples(st.sampled_from("oad"), st.integers(0, 4)), max_size=20))
def test_what_waits_is_what_a_plain_dict_says(steps: list[tuple[str, int]]) -> None:
    ledger = open_memory_ledger()
    expected: dict[str, str | None] = {}
    for act, number in steps:
        name = f"offer-{number}"
        if act == "o" and name not in expected:
            ledger.append("handoff_offered", data_for("handoff_offered", number), id=name)
            expected[name] = None
        elif act != "o":
            word = "accepted" if act == "a" else "declined"
            answer(ledger, name, word)
            if name in expected:
                expected[name] = expected[name] or word
    items = items_of(ledger)
    open_ones = [name for name, word in expected.items() if word is None]
    assert waiting(ledger, "codex") == open_ones[::-1]
    found = {name: handoffs.offer_of(items, name) for name in expected}
    assert {name: one and one["answer"] for name, one in found.items()} == expected
