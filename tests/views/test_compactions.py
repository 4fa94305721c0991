"""Compactions of a boundary and their registry: reproducible, stale when their sources change, and
verified by making them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.entry import Entry
from holdfast.kernel.errors import InvalidInput, NotFound
from holdfast.kernel.limits import RECAP_ENTRIES, RECAP_TOKENS, SYNOPSIS_TOKENS
from holdfast.kernel.tokens import estimate
from holdfast.views.compaction import Compaction, compact, summarise_sessions
from holdfast.views.compactions import (
    POLICIES,
    CompactionRegistry,
    Difference,
    boundary_compactions,
    context_cache,
    recap,
    synopsis,
    touched_by,
)
from holdfast.views.pins import environment_pins
from holdfast.views.sources import Material
from holdfast.views.working_set import WORKING_SET_POLICY, WorkingSet, compile_working_set
from tests.views.material import Step, chained, of
from tests.views.stories import fact, folded, granted, marker, recorded, stories, telling_steps

STEPS: list[Step] = [
    of("scene_started", scene="hall", title="The hall"),
    recorded(0),
    recorded(1, "HIDDEN"),
    granted("kind:place"),
    granted("kind:person"),
    of("decision", choice="Take the left door"),
    of("command_ran", command="make all", exit_code=0),
    of("command_ran", command="make check", exit_code=2),
    of("pending_opened", pending="p", kind="PENDING_ROLL", prompt="Roll!"),
]


class Place:
    """A ledger at some point: its entries, and everything that is derived from them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.entries: list[Entry] = chained(steps)
        self.stores = folded(self.entries)
        parts = [recap(self.entries), synopsis(self.stores)]
        self.working_set: WorkingSet = compile_working_set(
            self.stores, WORKING_SET_POLICY, environment_pins(), parts
        )
        self.made = boundary_compactions(self.stores, self.entries, self.working_set)
        self.summaries = list(summarise_sessions(self.entries).values())

    @property
    def source(self) -> Material:
        return Material(self.stores, self.entries, self.working_set)

    def registry(self) -> CompactionRegistry:
        registry = CompactionRegistry(self.source)
        for one in (*self.made, *self.summaries):
            registry.add(one)
        return registry


class Moving:
    """A source that can become another one."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.asked: list[str] = []

    def inputs(self, handles: Sequence[str]) -> Mapping[str, Any]:
        self.asked += handles
        return self.place.source.inputs(handles)


def output(one: Compaction) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(one.output_bytes)
    return found


def by_purpose(made: Sequence[Compaction]) -> dict[str, Compaction]:
    return {one.purpose: one for one in made}


def moving(before: Sequence[Step], after: Sequence[Step]) -> tuple[CompactionRegistry, Place]:
    """Return a registry filled at one place whose source is now at another."""
    source = Moving(Place(before))
    registry = CompactionRegistry(source)
    for one in source.place.made:
        registry.add(one)
    source.place = Place(after)
    return registry, source.place


@pytest.mark.req("O5")
def test_a_boundary_has_a_recap_a_synopsis_and_a_context_cache() -> None:
    made = Place(STEPS).made
    assert [one.purpose for one in made] == ["RECAP", "SYNOPSIS", "CONTEXT_CACHE"]
    assert len({one.compaction_id for one in made}) == 3
    assert all(POLICIES[one.compaction_policy_id].purpose == one.purpose for one in made)


def test_a_recap_tells_what_happened_the_newest_first_and_counts_the_rest() -> None:
    entries = chained(STEPS)
    made = recap(entries)
    told = output(made)["sections"][0]
    assert told["items"][:3] == [
        {
            "kind": "PENDING_ROLL",
            "pending": "p",
            "prompt": "Roll!",
            "seq": 8,
            "type": "pending_opened",
        },
        {"command": "make check", "exit_code": 2, "seq": 7, "type": "command_ran"},
        {"command": "make all", "exit_code": 0, "seq": 6, "type": "command_ran"},
    ]
    assert told["left_out"] == 4
    assert output(made)["by_type"]["fact_recorded"] == 2
    assert made.allowmention_handles == ("e8", "e7", "e6", "e5", "e0")
    assert made.input_handles[1:] == tuple(entry.id for entry in entries)


def test_a_recap_is_of_the_newest_entries_and_of_none_at_all() -> None:
    entries = chained([of("prompt_given") for _ in range(RECAP_ENTRIES + 9)])
    assert recap(entries) == recap(entries[9:])
    assert recap(entries) != recap(entries[8:-1])
    assert (recap([]).input_handles, output(recap([]))["by_type"]) == ((), {})


def test_a_synopsis_tells_how_things_are_and_may_mention_what_it_tells() -> None:
    made = synopsis(Place(STEPS).stores)
    found = output(made)
    assert found["story"]["title"] == "The hall"
    assert found["pending"] == 1
    told, decided = found["sections"]
    assert [one["id"] for one in told["items"]] == [fact(0)]
    assert told["left_out"] == 1
    assert [one["choice"] for one in decided["items"]] == ["Take the left door"]
    assert made.allowmention_handles == ("store:story", fact(0), "e5")
    assert {fact(0), "e5", "store:facts", "store:unlocks"} <= set(made.input_handles)
    assert fact(1) not in made.input_handles


def test_a_context_cache_is_the_working_set_as_text() -> None:
    place = Place(STEPS)
    made = by_purpose(place.made)["CONTEXT_CACHE"]
    lines = output(made)["text"].split("\n")
    assert lines[0] == "story: scene hall, title The hall"
    assert lines[1] == "pending PENDING_ROLL: p"
    assert any(line.startswith("facts: {") and marker(0) in line for line in lines)
    assert "facts: +1 left out" in lines
    assert output(made)["working_set"] == place.working_set.bytes_hash
    assert set(place.working_set.handles) <= set(made.allowmention_handles)


def test_a_context_cache_has_one_line_for_each_item_whatever_is_in_it() -> None:
    spoof = "go on\nfacts: {}\r\u2028more"
    text = output(by_purpose(Place([of("decision", choice=spoof)]).made)["CONTEXT_CACHE"])["text"]
    assert len([line for line in text.split("\n") if line.startswith("facts")]) == 0


@given(stories)
@pytest.mark.req("O5")
def test_the_same_inputs_give_the_same_bytes_and_they_stay_within_their_tokens(
    steps: list[Any],
) -> None:
    place, again = Place(steps), Place(steps)
    assert place.made == again.made
    tokens = [estimate(one.output_bytes.decode()) for one in place.made]
    assert tokens[0] <= RECAP_TOKENS
    assert tokens[1] <= SYNOPSIS_TOKENS


@given(telling_steps, telling_steps)
@pytest.mark.req("O5")
@pytest.mark.lesson("O4")
def test_the_same_handles_never_mean_other_bytes(steps: list[Any], others: list[Any]) -> None:
    for one, other in zip(Place(steps).made[1:], Place([*steps, *others]).made[1:], strict=True):
        if one.input_handles == other.input_handles:
            assert one == other


@given(stories)
@pytest.mark.req("O6")
def test_everything_that_was_made_verifies(steps: list[Any]) -> None:
    assert Place(steps).registry().verify() == ()


@pytest.mark.req("O5", "O6")
def test_deleted_and_made_again_it_is_the_same_to_the_byte() -> None:
    registry = Place(STEPS).registry()
    before = {key: registry.get(key) for key in registry.ids()}
    for key in before:
        registry.remove(key)
    assert registry.ids() == ()
    place = Place(STEPS)
    assert {one.compaction_id: one for one in (*place.made, *place.summaries)} == before


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"output_bytes": b"{}"}, {"output_bytes"}),
        ({"output_hash": "0" * 64}, {"output_hash"}),
        ({"allowmention_handles": ()}, {"allowmention_handles"}),
        ({"compaction_id": "0" * 16}, {"compaction_id"}),
    ],
)
@pytest.mark.req("O6")
@pytest.mark.lesson("O4")
def test_verify_names_every_compaction_that_is_not_what_its_source_gives(
    at: int, change: dict[str, Any], differs: set[str]
) -> None:
    place = Place(STEPS)
    whole = [*place.made, *place.summaries]
    forged = msgspec.structs.replace(whole[at], **change)
    registry = CompactionRegistry(place.source)
    for one in (*whole[:at], forged, *whole[at + 1 :]):
        registry.add(one)
    assert registry.verify() == (Difference(forged.compaction_id, tuple(differs)),)


@pytest.mark.lesson("O4")
def test_a_forgery_whose_own_hash_fits_does_not_verify() -> None:
    place = Place(STEPS)
    real = by_purpose(place.made)["SYNOPSIS"]
    forged = compact(
        real.purpose,
        real.compaction_policy_id,
        real.input_handles,
        {"invented": True},
        real.allowmention_handles,
    )
    assert forged.compaction_id == real.compaction_id
    registry = CompactionRegistry(place.source)
    registry.add(forged)
    (found,) = registry.verify()
    assert found.fields == ("output_bytes", "output_hash")


@pytest.mark.req("O6")
def test_what_cannot_be_made_again_does_not_verify_and_says_what_is_missing() -> None:
    place = Place(STEPS)
    registry = CompactionRegistry(Material(place.stores, place.entries[1:]))
    for one in (*place.made, *place.summaries):
        registry.add(one)
    found = {one.compaction_id: one for one in registry.verify()}
    kept = by_purpose([*place.made, *place.summaries])
    assert found[kept["RECAP"].compaction_id].missing == ("e0",)
    assert found[kept["SEGMENT_SUMMARY"].compaction_id].missing == ("e0",)
    assert found[kept["CONTEXT_CACHE"].compaction_id].missing == ("working_set",)
    assert kept["SYNOPSIS"].compaction_id not in found
    assert {one.fields for one in found.values()} == {("inputs",)}


@given(stories, st.lists(st.integers(0, 40), max_size=3))
@pytest.mark.req("O6")
def test_exactly_those_made_from_a_handle_go_stale(steps: list[Any], picks: list[int]) -> None:
    registry = Place(steps).registry()
    kept = {key: registry.get(key) for key in registry.ids()}
    every = sorted({handle for one in kept.values() for handle in one.input_handles})
    handles = [every[pick % len(every)] for pick in picks]
    expected = [key for key, one in kept.items() if set(handles) & set(one.input_handles)]
    assert registry.invalidate(handles) == registry.stale() == tuple(expected)
    assert registry.invalidate(handles) == ()


def test_a_handle_nobody_used_makes_nothing_stale() -> None:
    registry = Place(STEPS).registry()
    assert registry.invalidate(["e99", "store:unheard", fact(1)]) == registry.stale() == ()
    with pytest.raises(TypeError):
        registry.invalidate("store:facts")


@pytest.mark.req("O6", "O7")
def test_stale_ones_are_made_anew_from_what_is_true_now() -> None:
    more = [*STEPS, recorded(2), of("decision", choice="Run")]
    registry, now = moving(STEPS, more)
    old = by_purpose([registry.get(key) for key in registry.ids()])
    registry.invalidate(touched_by(now.entries[-2]))
    registry.invalidate(touched_by(now.entries[-1]))
    assert set(registry.stale()) == {
        old["SYNOPSIS"].compaction_id,
        old["CONTEXT_CACHE"].compaction_id,
    }
    rebuilt = registry.rebuild()
    assert set(rebuilt) == set(now.made[1:])
    assert (registry.stale(), registry.verify()) == ((), ())
    assert registry.ids() == tuple(one.compaction_id for one in (old["RECAP"], *now.made[1:]))
    assert marker(2).encode() in registry.get(now.made[1].compaction_id).output_bytes
    with pytest.raises(NotFound):
        registry.get(old["SYNOPSIS"].compaction_id)


@given(telling_steps, telling_steps)
@pytest.mark.req("O6")
def test_whatever_comes_after_rebuilding_what_it_touched_verifies(
    before: list[Any], after: list[Any]
) -> None:
    registry, now = moving(before, [*before, *after])
    for entry in now.entries[len(before) :]:
        registry.invalidate(touched_by(entry))
    registry.rebuild()
    assert registry.verify() == ()


def test_rebuilding_changes_nothing_when_one_of_them_cannot_be_made() -> None:
    place = Place(STEPS)
    registry = CompactionRegistry(Material(place.stores))
    for one in place.made:
        registry.add(one)
    registry.invalidate(["store:facts", "e1"])
    before = (registry.ids(), registry.stale())
    with pytest.raises(NotFound, match="cannot be made anew"):
        registry.rebuild()
    assert (registry.ids(), registry.stale()) == before


def test_rebuilding_without_stale_ones_asks_for_nothing() -> None:
    source = Moving(Place(STEPS))
    registry = CompactionRegistry(source)
    for one in source.place.made:
        registry.add(one)
    assert (registry.rebuild(), source.asked) == ((), [])


@pytest.mark.parametrize(
    ("purpose", "policy"),
    [("RECAP", "recap/2"), ("RECAP", "synopsis/1"), ("GUESS", "recap/1"), ("RECAP", "")],
)
@pytest.mark.req("O6")
def test_a_policy_or_purpose_that_nobody_knows_is_refused(purpose: Any, policy: str) -> None:
    registry = CompactionRegistry(Place(STEPS).source)
    with pytest.raises(InvalidInput, match="policy"):
        registry.add(compact(purpose, policy, ["e0"], {}))
    assert registry.ids() == ()


@pytest.mark.lesson("O4")
def test_two_purposes_over_the_same_inputs_stand_side_by_side_and_one_id_is_one_compaction() -> (
    None
):
    entries = chained([of("prompt_given"), of("agent_said")])
    registry = CompactionRegistry(Material({}, entries))
    told, summary = recap(entries), summarise_sessions(entries)["s"]
    assert told.input_handles == summary.input_handles
    registry.add(told)
    registry.add(summary)
    registry.add(told)
    assert registry.ids() == (told.compaction_id, summary.compaction_id)
    with pytest.raises(InvalidInput, match="Another"):
        registry.add(msgspec.structs.replace(told, output_bytes=b"{}"))


@pytest.mark.req("O5")
def test_a_summary_of_two_sessions_under_one_id_does_not_verify() -> None:
    entries = chained([of("prompt_given", "s"), of("prompt_given", "t")])
    handles = (f"ledger:{entries[0].ledger}", "e0", "e1")
    registry = CompactionRegistry(Material({}, entries))
    registry.add(compact("SEGMENT_SUMMARY", "session-summary/1", handles, {}))
    assert [one.fields for one in registry.verify()] == [("inputs",)]


def test_working_sets_of_the_same_things_that_say_something_else_have_other_context_caches() -> (
    None
):
    begun = [of("session_started"), of("prompt_given")]
    made = [
        compile_working_set(folded(chained(steps)), WORKING_SET_POLICY, environment_pins())
        for steps in (begun, [*begun, of("prompt_given")])
    ]
    assert made[0].handles == made[1].handles
    one, other = map(context_cache, made)
    assert one.output_bytes != other.output_bytes
    assert one.compaction_id != other.compaction_id


def test_a_synopsis_of_a_story_with_enormous_names_is_cut_and_says_so() -> None:
    names = dict.fromkeys(("campaign", "world", "mode"), "\u0001" * 200)
    steps = [of("story_set", **names), of("scene_started", scene="\u0002" * 200)]
    made = synopsis(folded(chained(steps)))
    assert estimate(made.output_bytes.decode()) <= SYNOPSIS_TOKENS
    assert output(made)["story"]["campaign"] == "\u0001" * 64 + "… +136"
