"""Working sets: the same bytes for the same stores, within their budget, and of facts only those
that may be told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel import canonical
from holdfast.kernel.errors import InvalidInput
from holdfast.kernel.limits import WORKING_SET_TOKENS_FLOOR, WORKING_SET_TOKENS_MAX
from holdfast.kernel.tokens import estimate
from holdfast.stores.store import Items
from holdfast.views.compaction import compact
from holdfast.views.compactions import context_cache, recap, synopsis
from holdfast.views.pins import environment_pins
from holdfast.views.working_set import (
    WORKING_SET_POLICY,
    Policy,
    WorkingSet,
    compile_working_set,
    mentionable,
    policy_of,
)
from tests.views.material import chained, of
from tests.views.stories import (
    Account,
    fact,
    folded,
    granted,
    marker,
    recorded,
    stores_of,
    stories,
    telling_steps,
)

PINS = environment_pins()
LARGE = Policy(tokens=WORKING_SET_TOKENS_MAX, item_tokens=WORKING_SET_TOKENS_MAX)

budgets = st.integers(WORKING_SET_TOKENS_FLOOR, 6000)


def compiled(stores: Mapping[str, Items], **numbers: Any) -> WorkingSet:
    return compile_working_set(stores, Policy(**numbers), PINS)


def items_of(working_set: WorkingSet, section: str) -> list[dict[str, Any]]:
    found = {one["name"]: one["items"] for one in working_set.value()["sections"]}
    items: list[dict[str, Any]] = found[section]
    return items


@pytest.mark.req("O4", "O11")
def test_a_working_set_is_canonical_and_says_its_policy_pins_and_hash() -> None:
    made = compile_working_set(stores_of([of("decision")]), WORKING_SET_POLICY, PINS)
    value = made.value()
    assert canonical.encode(value) == made.canonical_bytes
    assert value["pins"] == dict(made.pins_snapshot) == PINS
    assert policy_of(value["policy"]) == WORKING_SET_POLICY
    assert len(made.bytes_hash) == 64
    with pytest.raises(TypeError):
        made.pins_snapshot["hash"] = "md5"  # type: ignore[index]


def test_it_tells_what_holds_and_what_is_open_the_newest_first() -> None:
    steps = [
        of("story_set", campaign="The coast", world="sea", mode="explore"),
        of("scene_started", scene="hall", title="The hall"),
        of("session_started", title="First evening"),
        of("decision", choice="left", subject="way"),
        of("decision", choice="right", supersedes=["e3"]),
        of("decision", choice="run", cites=["e3"]),
        of("work_opened", work="w1", title="Look"),
        of("work_opened", work="w2", title="Listen"),
        of("work_closed", work="w1"),
        of("pending_opened", pending="p", kind="PENDING_ROLL", prompt="Roll!", steps=["a"]),
    ]
    made = compiled(stores_of(steps))
    assert made.value()["story"] == {
        "campaign": "The coast",
        "mode": "explore",
        "scene": "hall",
        "title": "The hall",
        "world": "sea",
    }
    assert made.value()["pending"] == {"by_kind": {"PENDING_ROLL": ["p"]}, "left_out": 0}
    assert [one["choice"] for one in items_of(made, "decisions")] == ["run", "right"]
    assert items_of(made, "decisions")[0]["rests_on_superseded"] == 1
    assert [one["work"] for one in items_of(made, "open_work")] == ["w2"]
    assert [one["title"] for one in items_of(made, "sessions")] == ["First evening"]
    assert items_of(made, "pending")[0]["prompt"] == "Roll!"
    assert made.handles == ("pending:p", "e5", "e4", "work:w2", "session:s")
    assert set(made.left_out.values()) == {0}


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([recorded(0), granted(fact(0))], True),
        ([recorded(0), granted("kind:place")], True),
        ([granted(fact(0)), recorded(0, "OPEN", "APPROXIMATE")], True),
        ([recorded(0)], False),
        ([recorded(0), granted(fact(1))], False),
        ([recorded(0), granted("kind:person")], False),
        ([recorded(0, "HIDDEN"), granted(fact(0))], False),
        ([recorded(0, "OPEN", "LOCKED"), granted(fact(0))], False),
        ([recorded(0), granted(fact(0)), recorded(0, "HIDDEN")], False),
        ([recorded(0), granted("kind:place"), recorded(2, supersedes=0)], False),
        ([recorded(0), granted(fact(0)), of("fact_withdrawn", fact=fact(0))], False),
        ([recorded(0), granted(fact(0), "SCENE"), of("scene_started", scene="x")], False),
        ([recorded(0), granted(fact(0), "SESSION"), of("session_ended")], False),
    ],
)
@pytest.mark.req("O4", "O11")
@pytest.mark.lesson("O5")
def test_a_fact_is_told_only_if_it_is_so_open_not_locked_and_unlocked(
    steps: list[Any], told: bool
) -> None:
    stores = stores_of(steps)
    assert mentionable(stores, fact(0)) is told
    assert (marker(0).encode() in compiled(stores).canonical_bytes) is told
    assert (fact(0).encode() in compiled(stores).canonical_bytes) is told


def test_only_facts_are_mentionable() -> None:
    stores = stores_of([recorded(0), granted("kind:place")])
    for handle in ("kind:place", " current", "e0", "0" * 32, ""):
        assert not mentionable(stores, handle)


@given(telling_steps)
@pytest.mark.req("O4", "O5", "O11")
def test_no_word_of_another_fact_is_anywhere_and_every_mentionable_one_is_in_a_large_set(
    steps: list[Any],
) -> None:
    entries = chained(steps)
    stores = folded(entries)
    told = Account(steps).may_be_told
    parts = [recap(entries), synopsis(stores)]
    small = compile_working_set(stores, Policy(tokens=2000), PINS, parts)
    large = compile_working_set(stores, LARGE, PINS, parts)
    shown = [one.canonical_bytes for one in (small, large)]
    shown += [one.output_bytes for one in (*parts, context_cache(small), context_cache(large))]
    for n in range(8):
        if n not in told:
            assert not any(marker(n).encode() in one for one in shown)
            assert not any(fact(n).encode() in one for one in shown)
    assert {n for n in range(8) if marker(n).encode() in large.canonical_bytes} == told
    assert {n for n in range(8) if mentionable(stores, fact(n))} == told
    assert {n for n in range(8) if marker(n).encode() in parts[1].output_bytes} == told


def test_an_old_fact_that_was_unlocked_by_its_id_is_found_behind_many_new_ones() -> None:
    later = [of("fact_recorded", kind="noise", payload=n) for n in range(20)]
    stores = stores_of([recorded(0), *later, granted(fact(0))])
    made = compiled(stores, facts=5)
    assert [one["id"] for one in items_of(made, "facts")] == [fact(0)]
    assert made.left_out["facts"] == 20


@given(stories, budgets)
@pytest.mark.req("O11")
def test_the_budget_is_never_exceeded_and_the_frame_is_always_there(
    steps: list[Any], tokens: int
) -> None:
    entries = chained(steps)
    stores = folded(entries)
    parts = [recap(entries), synopsis(stores)]
    made = compile_working_set(stores, Policy(tokens=tokens), PINS, parts)
    assert made.tokens == estimate(made.canonical_bytes.decode()) <= tokens
    value = made.value()
    assert {"pending", "pins", "policy", "sections", "story"} <= set(value)
    assert all(one["left_out"] >= 0 for one in value["sections"])
    whole = compile_working_set(stores, LARGE, PINS, parts).value()
    for part, of_whole in zip(value["sections"], whole["sections"], strict=True):
        count = len(part["items"]) + part["left_out"]
        assert count == len(of_whole["items"]) + of_whole["left_out"]


@given(stories, budgets, budgets)
@pytest.mark.req("O11")
def test_a_larger_budget_gives_the_same_items_and_perhaps_more(
    steps: list[Any], tokens: int, others: int
) -> None:
    stores = stores_of(steps)
    small = compiled(stores, tokens=min(tokens, others))
    large = compiled(stores, tokens=max(tokens, others))
    if "cut_to_chars" in small.value():
        return
    assert "cut_to_chars" not in large.value()
    for name in ("pending", "facts", "decisions", "open_work", "sessions", "compactions"):
        first = items_of(small, name)
        assert items_of(large, name)[: len(first)] == first


@given(stories, st.randoms(use_true_random=False))
@pytest.mark.req("O4", "O11")
def test_the_order_in_which_items_came_to_stand_in_a_store_does_not_matter(
    steps: list[Any], random: Any
) -> None:
    stores = stores_of(steps)
    shuffled = {}
    for name in sorted(stores, reverse=True):
        pairs = list(stores[name].items())
        random.shuffle(pairs)
        shuffled[name] = dict(pairs)
    pins = dict(reversed(PINS.items()))
    again = compile_working_set(shuffled, Policy(tokens=3000), pins, [synopsis(shuffled)])
    made = compile_working_set(stores, Policy(tokens=3000), PINS, [synopsis(stores)])
    assert (again.canonical_bytes, again.handles) == (made.canonical_bytes, made.handles)
    assert context_cache(again) == context_cache(made)


_PROGRAM = """
from tests.views.material import chained, of
from tests.views.stories import folded, granted, recorded
from holdfast.views.compactions import boundary_compactions, recap, synopsis
from holdfast.views.pins import environment_pins
from holdfast.views.working_set import WORKING_SET_POLICY, compile_working_set
steps = [recorded(n) for n in range(6)] + [granted("kind:place"), of("decision"), of("work_opened")]
steps += [of("pending_opened", pending=name) for name in ("a", "b", "c")]
entries = chained(steps)
stores = folded(entries)
made = compile_working_set(
    stores, WORKING_SET_POLICY, environment_pins(), [recap(entries), synopsis(stores)]
)
print(made.bytes_hash, boundary_compactions(stores, entries, made))
"""


@pytest.mark.req("O5", "O11")
def test_another_hash_seed_gives_the_same_bytes() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(printed) == 1
    assert printed != {b""}


def test_what_is_pending_keeps_its_ids_and_kinds_when_nothing_else_fits() -> None:
    opened = [
        of("pending_opened", pending=f"ask-{n}", kind="PENDING_CONSENT", prompt="Do you? " * 90)
        for n in range(100)
    ]
    value = compiled(stores_of(opened), tokens=2000).value()
    named = value["pending"]["by_kind"]["PENDING_CONSENT"]
    assert named == [f"ask-{n}" for n in range(100)]
    assert value["pending"]["left_out"] == 0
    assert value["sections"][0]["left_out"] > 0


def test_names_of_what_is_pending_are_cut_before_any_is_left_out_and_both_are_said() -> None:
    opened = [of("pending_opened", pending=f"{n:03}" + "long" * 40) for n in range(100)]
    value = compiled(stores_of(opened), tokens=2500).value()
    named = value["pending"]["by_kind"][
        "PENDING_" + "… +4" if value["cut_to_chars"] == 8 else "PENDING_ROLL"
    ]
    assert len(named) == 100
    assert value["cut_to_chars"] < 64
    assert all("… +" in name for name in named)
    crowd = [of("pending_opened", pending=f"{n:03}" + "long" * 40) for n in range(250)]
    fewer = compiled(stores_of(crowd), tokens=2000).value()
    (newest,) = fewer["pending"]["by_kind"].values()
    assert newest[-1].startswith("249")
    assert 0 < len(newest) == 250 - fewer["pending"]["left_out"] < 250


def test_an_item_too_large_is_cut_where_its_section_cuts_and_says_how_much() -> None:
    steps = [
        of("fact_recorded", kind="place", payload="p" * 5000),
        granted("kind:place"),
        of("pending_opened", prompt="word " * 140, steps=["a", "b"], details={"x": "word " * 180}),
    ]
    made = compiled(stores_of(steps), item_tokens=300)
    (told,) = items_of(made, "facts")
    assert told["payload"] + "p" * (told["payload_chars_cut"] - 1) + '"' == '"' + "p" * 5000 + '"'
    (waiting,) = items_of(made, "pending")
    assert (len(waiting["prompt"]), waiting["prompt_chars_cut"]) == (160, 540)
    assert waiting["details_chars_cut"] == len('{"x":""}') + 900 - 160
    assert waiting["steps_left_out"] == 2


def test_a_decision_too_large_for_its_budget_is_left_out_and_counted() -> None:
    steps = [of("decision", choice="short"), of("decision", choice="word " * 30)]
    made = compiled(stores_of(steps), item_tokens=40)
    assert [one["choice"] for one in items_of(made, "decisions")] == ["short"]
    assert made.left_out["decisions"] == 1


@pytest.mark.req("O5")
@pytest.mark.lesson("O4")
def test_a_compaction_contributes_its_allowed_handles_and_without_any_nothing() -> None:
    stores = stores_of([recorded(0), recorded(2, "HIDDEN"), recorded(1), granted("kind:place")])
    inputs = ["e0", fact(0), fact(1), fact(2), "kind:place", "kind:person", "9" * 32]
    silent = compact("RECAP", "p/1", inputs, {"words": "never shown"})
    speaking = compact("RECAP", "p/2", inputs, {"words": "never shown"}, inputs)
    locked = compact("RECAP", "p/3", inputs, {}, [fact(1), fact(2)])
    made = compile_working_set(stores, WORKING_SET_POLICY, PINS, [silent, speaking, locked])
    (told,) = items_of(made, "compactions")
    assert told == {
        "handles": ["e0", fact(0), "kind:place"],
        "id": speaking.compaction_id,
        "policy": "p/2",
        "purpose": "RECAP",
    }
    assert made.left_out["compactions"] == 0
    assert b"never shown" not in made.canonical_bytes
    none = compile_working_set(stores, WORKING_SET_POLICY, PINS, [silent, locked])
    assert none.canonical_bytes == compiled(stores).canonical_bytes


def test_handles_beyond_the_room_for_one_compaction_are_counted() -> None:
    handles = [f"entry-{n}-of-many" for n in range(300)]
    one = compact("RECAP", "p/1", handles, {}, handles)
    made = compile_working_set(stores_of([]), WORKING_SET_POLICY, PINS, [one])
    (told,) = items_of(made, "compactions")
    assert told["handles"] == handles[: len(told["handles"])]
    assert len(told["handles"]) + told["handles_left_out"] == 300


def test_other_stores_give_other_bytes() -> None:
    made = {
        compiled(stores_of(steps)).bytes_hash
        for steps in ([], [of("decision")], [of("work_opened")], [of("decision", choice="no")])
    }
    assert len(made) == 4


def test_pins_alone_that_exceed_the_budget_are_refused() -> None:
    pins = {f"pin-{n}": "value" for n in range(2000)}
    with pytest.raises(InvalidInput, match="too few"):
        compile_working_set(stores_of([]), Policy(tokens=2000), pins)


def test_a_working_set_looks_at_few_of_very_many_facts() -> None:
    class Counting(dict[str, Any]):
        asked = 0

        def get(self, key: str, default: Any = None) -> Any:
            self.asked += 1
            return super().get(key, default)

        def __getitem__(self, key: str) -> Any:
            self.asked += 1
            return super().__getitem__(key)

        def __iter__(self) -> Any:
            raise AssertionError("all items were gone through")

    stores = dict(stores_of([recorded(n % 8) for n in range(8)]))
    many = stores_of([of("fact_recorded", kind="k", payload=n) for n in range(3000)])
    counting = Counting(many["facts"])
    compile_working_set({**stores, "facts": counting}, Policy(facts=50), PINS)
    assert 0 < counting.asked < 120
