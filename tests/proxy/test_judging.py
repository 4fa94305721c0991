"""Whole texts and changes: what becomes authoritative, what waits, and what leaves no trace."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.kernel.types import LEGAL
from holdfast.proxy.values import Piece
from tests.proxy.world import PATH, World, rebuilt

TWO = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
BETTER = "def a():\n    return 10\n\n\ndef b():\n    return 2\n"
ONE = "def a():\n    return 10\n"
BROKEN = "def a():\n    return (1\n\n\ndef b():\n    return 2\n"
ELIDED = "def a():\n    x = 1\n    # ... rest unchanged\n\n\ndef b():\n    return 2\n"
CLASS = "class C:\n    def a(self):\n        return 1\n\n    def b(self):\n        return 2\n"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def settled(world: World) -> World:
    """A world where the user gave two functions."""
    world.user(TWO)
    return world


# A model's whole text


@pytest.mark.req("T4", "T7")
def test_a_new_file_of_a_model_is_authoritative_by_parity(world: World) -> None:
    ruling = world.tell(TWO)
    assert (f"{PATH}::a", f"{PATH}::b") == ruling.promoted
    assert world.text("a") == "def a():\n    return 1"
    assert world.is_file(TWO)
    assert not ruling.notice
    raised = [one for one in world.moves() if one["after"] == "AUTHORITATIVE"]
    assert [one["grant"] for one in raised] == ["parity"]


@pytest.mark.req("T6", "T7")
def test_a_better_text_supersedes_the_current_one_and_leaves_the_rest_alone(
    settled: World,
) -> None:
    before = settled.entity("b")
    ruling = settled.tell(BETTER)
    assert settled.text("a") == "def a():\n    return 10"
    assert before == settled.entity("b")
    assert set(ruling.promoted) == {f"{PATH}::a", f"{PATH}::b"}
    states = [(one["before"], one["after"]) for one in settled.moves()[2:]]
    assert states == [
        (None, "PROPOSED"),
        ("AUTHORITATIVE", "SUPERSEDED"),
        ("PROPOSED", "AUTHORITATIVE"),
    ]


@pytest.mark.req("T8")
def test_a_whole_text_that_loses_a_definition_changes_nothing(settled: World) -> None:
    ruling = settled.tell(ONE)
    assert ruling.promoted == ()
    assert settled.text("a") == "def a():\n    return 1"
    assert settled.state("b") == "AUTHORITATIVE"
    assert settled.is_file(TWO)
    assert settled.reasons() == {"it no longer defines b"}
    assert [one.sound for one in settled.entity("a").proposals] == [False]
    assert not ruling.notice, "it is linked to its entity, so the notice would not be true"


@pytest.mark.req("T7", "T8")
def test_a_lost_method_leaves_a_sound_proposal_but_a_lost_function_does_not(world: World) -> None:
    world.user(CLASS)
    world.tell("class C:\n    def a(self):\n        return 1\n\n    c = d = e = 1, 2, 3\n")
    assert [one.sound for one in world.entity("C").proposals] == [True]
    assert world.state("C.b") == "AUTHORITATIVE"


@pytest.mark.req("T8")
@pytest.mark.parametrize(("share", "state"), [(0.5, False), (0.01, True)])
def test_a_text_that_collapses_waits_unless_the_share_allows_it(share: float, state: bool) -> None:
    world = World(share)
    long = "def a():\n" + "".join(f"    x{n} = {n} + {n}\n" for n in range(50))
    world.user(long)
    world.tell("def a():\n    return 1\n")
    assert (world.text("a") == "def a():\n    return 1") is state
    if not state:
        assert any("syntax nodes are left" in reason for reason in world.reasons())
        assert [one.sound for one in world.entity("a").proposals] == [False]


@pytest.mark.req("T7")
@pytest.mark.lesson("T3")
@pytest.mark.parametrize("text", [BROKEN, ELIDED])
def test_what_has_errors_or_is_left_out_waits_and_the_sound_rest_is_taken(
    settled: World, text: str
) -> None:
    settled.tell(text.replace("return 2", "return 20"))
    assert settled.text("a") == "def a():\n    return 1"
    assert [one.sound for one in settled.entity("a").proposals] == [False]
    if text is ELIDED:  # errors may hide what comes behind them
        assert settled.text("b") == "def b():\n    return 20"
        assert settled.is_file(None)


@pytest.mark.req("T15")
def test_a_model_s_rename_is_flagged_and_the_old_name_kept(settled: World) -> None:
    long = TWO.replace("return 1", "return 'long enough to be known by', 1, 2, 3")
    settled.user(long)
    settled.tell(long.replace("def a", "def renamed"))
    assert settled.state("a") == "AUTHORITATIVE"
    assert settled.state("renamed") == "PROPOSED"
    [reason] = settled.reasons()
    assert reason == "renamed a → renamed, not confirmed: the old name is kept"


@pytest.mark.req("T15")
def test_a_rename_is_flagged_where_the_whole_text_is_not_known(settled: World) -> None:
    settled.user("def a():\n    return 3\n", symbol="a")
    settled.take(settled.judging.judge(settled.map, settled.piece(None, deletes=False)))
    settled.ledger.append("disk_truth", {"path": PATH, "symbol": "b", "reason": "changed"})
    settled.map.catch_up(settled.ledger.reader)
    assert settled.is_file(None)
    settled.tell("def other():\n    return 3\n\n\ndef b():\n    return 2\n")
    assert settled.state("a") == "AUTHORITATIVE"
    assert any("renamed a → other" in reason for reason in settled.reasons())


@pytest.mark.req("T7")
@pytest.mark.parametrize(
    ("field", "value"),
    [("complete", False), ("whole", False)],
)
def test_what_is_not_all_of_a_file_waits(settled: World, field: str, value: Any) -> None:
    settled.tell(BETTER, **{field: value})
    assert settled.text("a") == "def a():\n    return 1"
    assert [one.sound for one in settled.entity("a").proposals] == [False]


def test_a_text_that_is_what_is_true_already_moves_nothing(settled: World) -> None:
    ruling = settled.tell(TWO)
    assert [draft.type for draft in ruling.drafts] == ["artifact_seen"]
    assert set(ruling.promoted) == {f"{PATH}::a", f"{PATH}::b"}


# Paths and levels


@pytest.mark.req("T5", "T7")
@pytest.mark.lesson("T1")
@pytest.mark.parametrize("path", [None, "/home/../up.py", "../up.py", "a::b.py", "b:", "x" * 1001])
@pytest.mark.parametrize("speaker", ["model", "user", "tool"])
def test_without_a_path_that_can_be_used_nothing_is_confirmed(
    world: World, path: str | None, speaker: Any
) -> None:
    ruling = world.tell(TWO, path, speaker=speaker)
    [seen] = ruling.drafts
    assert seen.data["level"] == "UNRESOLVED"
    assert ruling.promoted == ruling.proposed == ()
    assert ruling.notice is (speaker != "tool")
    assert b"entity" not in world.map.dump()


@pytest.mark.lesson("T1")
def test_two_files_with_one_symbol_are_two_entities(world: World) -> None:
    world.tell("def a():\n    return 1\n", "one.py")
    world.tell("def a():\n    return 2\n", "two.py")
    assert world.text("a", "one.py") == "def a():\n    return 1"
    assert world.text("a", "two.py") == "def a():\n    return 2"


@pytest.mark.lesson("T2")
def test_every_definition_is_an_entity_and_methods_carry_their_class(world: World) -> None:
    two = CLASS + CLASS.replace("class C", "class D").replace("return 1", "return 9")
    world.tell(two)
    assert world.map.symbols(PATH) == ("C", "C.a", "C.b", "D", "D.a", "D.b")
    assert world.text("D.a") == "def a(self):\n        return 9"


@pytest.mark.req("T5")
def test_what_is_only_inferred_waits_and_can_never_be_vouched_for(settled: World) -> None:
    ruling = settled.tell(BETTER, level="INFERRED", by="patterns")
    assert ruling.notice
    assert settled.text("a") == "def a():\n    return 1"
    assert [one.sound for one in settled.entity("a").proposals] == [False]
    assert settled.judging.grant(settled.map, f"{PATH}::a", "e9", "verification").drafts == ()


@pytest.mark.req("T14")
def test_what_is_alike_waits_for_the_entity_it_resembles(settled: World) -> None:
    text = "def a():\n    return 1  # nearly\n"
    ruling = settled.tell(text, None, level="INFERRED", by="similarity", near=f"{PATH}::a")
    assert ruling.proposed == (f"{PATH}::a",)
    assert settled.text("a") == "def a():\n    return 1"


@pytest.mark.req("T14")
@pytest.mark.parametrize("near", [f"{PATH}::gone", "src/other.py::a", None])
@pytest.mark.parametrize("path", [None, "src/new.py"])
def test_what_is_alike_makes_no_entity(settled: World, near: str | None, path: str | None) -> None:
    before = settled.map.dump()
    ruling = settled.tell("def q(): pass\n", path, level="INFERRED", by="similarity", near=near)
    assert [draft.type for draft in ruling.drafts] == ["artifact_seen"]
    assert before == settled.map.dump()
    assert ruling.notice


@pytest.mark.req("T15")
def test_what_is_unresolved_is_noted_and_changes_nothing(settled: World) -> None:
    before = settled.map.dump()
    ruling = settled.tell(BETTER, level="UNRESOLVED", by="none")
    assert before == settled.map.dump()
    assert ruling.notice
    assert [seen.type for seen in ruling.drafts] == ["artifact_seen"]


def test_a_name_that_is_too_long_is_not_cut_but_refused(world: World) -> None:
    ruling = world.tell(f"def {'x' * 600}(): pass\n")
    assert "a name in it is too long" in ruling.drafts[0].data["reason"]
    assert len(ruling.drafts) == 1


# Deltas


@pytest.mark.req("T7")
def test_a_change_of_the_current_text_is_taken(settled: World) -> None:
    settled.change(BETTER)
    assert settled.text("a") == "def a():\n    return 10"
    assert settled.is_file(BETTER)


@pytest.mark.req("T15")
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"saw_base": False}, "the model had not seen what it changes"),
        ({"base": "ab" * 32}, "it changes a text that is not the current one"),
        ({"base": None}, "it changes a text that is not the current one"),
    ],
)
def test_a_change_of_what_was_not_seen_or_is_not_current_waits(
    settled: World, fields: dict[str, Any], why: str
) -> None:
    settled.change(BETTER, **fields)
    assert settled.text("a") == "def a():\n    return 1"
    assert settled.is_file(TWO)
    assert settled.reasons() == {why}
    assert [one.sound for one in settled.entity("a").proposals] == [False]


@pytest.mark.req("T12")
def test_a_change_that_takes_a_definition_away_tombstones_it(settled: World) -> None:
    ruling = settled.change(ONE)
    assert settled.state("b") == "TOMBSTONED"
    assert settled.text("a") == "def a():\n    return 10"
    assert settled.is_file(ONE)
    assert ruling.promoted == (f"{PATH}::a",)
    assert settled.moves()[-1]["reason"] == "the change takes away all of it"


@pytest.mark.req("T12")
def test_a_change_that_takes_a_class_away_tombstones_what_stands_in_it(world: World) -> None:
    world.user(TWO + "\n\n" + CLASS)
    world.change(TWO)
    assert [world.state(name) for name in ("C", "C.a", "C.b", "a")] == [
        "TOMBSTONED",
        "TOMBSTONED",
        "TOMBSTONED",
        "AUTHORITATIVE",
    ]


@pytest.mark.req("T15")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def b", "def other"),  # the head alone changes
        ("def b():\n    return 2", "def other():\n    return 2  # now"),
        ("def b():\n", "x = 1\n"),  # its body goes on under another name
    ],
)
def test_a_change_that_brings_a_definition_back_under_another_name_waits(
    world: World, old: str, new: str
) -> None:
    text = TWO.replace("return 2", "return 2\n    y = 'something'\n    z = 'more of it'")
    world.user(text)
    changed = text.replace(old, new)
    assert changed != text
    world.change(changed)
    assert world.state("b") == "AUTHORITATIVE"
    assert world.state("other") in ("PROPOSED", None)
    assert world.is_file(text)


def test_a_change_that_puts_another_definition_in_its_place_tombstones_it(world: World) -> None:
    world.user(TWO)
    world.change(TWO.replace("def b():\n    return 2", "def c(x):\n    print(x, file=None)"))
    assert (world.state("b"), world.state("c")) == ("TOMBSTONED", "AUTHORITATIVE")


def test_a_change_that_leaves_errors_takes_nothing_away(settled: World) -> None:
    settled.change("def a():\n    return (1\n")
    assert settled.state("b") == "AUTHORITATIVE"


@pytest.mark.req("T12")
def test_a_deleted_file_is_tombstoned(settled: World) -> None:
    settled.tell(None, deletes=True, form="delete")
    assert (settled.state("a"), settled.state("b")) == ("TOMBSTONED", "TOMBSTONED")
    assert settled.is_file(None)
    assert settled.map.symbols(PATH) == ()


def test_a_deletion_that_was_cut_off_deletes_nothing(settled: World) -> None:
    settled.tell(None, deletes=True, complete=False)
    assert settled.state("a") == "AUTHORITATIVE"


def test_deleting_what_nobody_knows_moves_nothing(world: World) -> None:
    ruling = world.tell(None, deletes=True)
    assert [draft.type for draft in ruling.drafts] == ["artifact_seen"]


def test_a_file_that_gets_another_path_is_new_there(settled: World) -> None:
    settled.tell(BETTER, "src/new.py", delta=True, base=settled.map.file(PATH), form="patch")
    settled.tell(None, deletes=True, form="patch")
    assert settled.text("a", "src/new.py") == "def a():\n    return 10"
    assert settled.state("a") == "TOMBSTONED"


# The user


@pytest.mark.req("T11")
@pytest.mark.parametrize("fields", [{}, {"delta": True, "saw_base": False}])
def test_the_user_s_text_wins_at_once_and_what_it_omits_is_tombstoned(
    world: World, fields: dict[str, Any]
) -> None:
    world.tell(TWO)
    ruling = world.user(ONE, **fields)
    assert world.text("a") == "def a():\n    return 10"
    assert world.state("b") == "TOMBSTONED"
    assert not ruling.notice
    raised = [one for one in world.moves() if one["after"] == "AUTHORITATIVE"]
    assert raised[-1]["grant"] == "write-head"
    assert world.is_file(ONE)


@pytest.mark.req("T11")
def test_the_user_s_rename_is_the_user_s_word(settled: World) -> None:
    settled.user(TWO.replace("def a", "def renamed"))
    assert (settled.state("a"), settled.state("renamed")) == ("TOMBSTONED", "AUTHORITATIVE")


@pytest.mark.req("T11", "T10")
@pytest.mark.parametrize(
    ("text", "fields"), [(BROKEN, {}), (ELIDED, {}), (BETTER, {"complete": False})]
)
def test_a_broken_or_shortened_paste_waits_with_a_notice(
    settled: World, text: str, fields: dict[str, Any]
) -> None:
    before = settled.text("a"), settled.text("b"), settled.map.file(PATH)
    ruling = settled.user(text.replace("return 2", "return 20"), **fields)
    assert before == (settled.text("a"), settled.text("b"), settled.map.file(PATH))
    assert ruling.notice
    assert ruling.proposed
    found = [one for name in "ab" for one in settled.entity(name).proposals]
    assert found
    assert not any(one.sound for one in found)


def test_a_paste_that_defines_nothing_takes_nothing_away(settled: World) -> None:
    ruling = settled.user("print('here')\n")
    assert settled.state("a") == settled.state("b") == "AUTHORITATIVE"
    assert ruling.notice


# What was read


@pytest.mark.req("T12")
def test_the_disk_is_true_whatever_it_lost(settled: World) -> None:
    ruling = settled.read("def b():\n    return 2\n")
    assert (settled.state("a"), settled.state("b")) == ("TOMBSTONED", "AUTHORITATIVE")
    assert settled.is_file("def b():\n    return 2\n")
    assert not ruling.notice


def test_a_read_file_that_lost_nothing_is_taken_by_parity_else_by_no_grant(world: World) -> None:
    world.read(TWO)
    world.read(ONE)
    raised = [one["grant"] for one in world.moves() if one["after"] == "AUTHORITATIVE"]
    assert raised == ["parity", None]


def test_what_cannot_be_parsed_on_disk_waits_and_nothing_is_missed(settled: World) -> None:
    settled.read("def a():\n    return (1\n")
    assert settled.state("b") == "AUTHORITATIVE"
    assert settled.text("a") == "def a():\n    return 1"
    assert settled.is_file("def a():\n    return (1\n")


@pytest.mark.parametrize("fields", [{"whole": False}, {"complete": False}])
def test_a_part_that_was_read_moves_nothing(settled: World, fields: dict[str, Any]) -> None:
    before = settled.map.dump()
    settled.read(ONE, **fields)
    assert before == settled.map.dump()


# What is stale


def test_what_somebody_saw_changed_is_stale_until_it_is_given_again(settled: World) -> None:
    settled.ledger.append("disk_truth", {"path": PATH, "reason": "another commit"})
    settled.map.catch_up(settled.ledger.reader)
    assert settled.entity("a").stale
    assert settled.is_file(None)
    settled.read(TWO)
    assert not settled.entity("a").stale
    assert settled.is_file(TWO)


# Always


def test_a_ruling_says_what_it_replaced(settled: World) -> None:
    old = settled.entity("a")
    ruling = settled.change(ONE)
    replaced = {one.symbol: one.artifact for one in ruling.replaced}
    assert replaced == {"a": old.artifact, "b": settled.entity("b").artifact}
    assert ruling.settled[0][0] == PATH


@pytest.mark.req("T4")
def test_the_live_map_is_what_the_ledger_gives(settled: World) -> None:
    settled.tell(BETTER)
    settled.change(ONE.replace("10", "11"))
    settled.user(CLASS, "src/c.py")
    settled.episodes(3)
    assert settled.map.dump() == rebuilt(settled)
    assert {(one["before"], one["after"]) for one in settled.moves()} <= LEGAL


@pytest.mark.req("T2")
def test_the_artifact_of_an_entity_is_in_the_vault_under_its_hash(settled: World) -> None:
    digest = settled.entity("a").artifact or ""
    assert settled.ledger.artifact(digest) == b"def a():\n    return 1"


def test_a_text_with_a_secret_is_not_kept_and_says_so(world: World) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    world.user(f"def a():\n    return '{secret}'\n\n\ndef b():\n    return 2\n")
    entity = world.entity("a")
    assert entity.state == "AUTHORITATIVE"
    assert entity.withheld
    assert world.ledger.artifact(entity.artifact or "") is None
    assert not world.entity("b").withheld


def test_a_file_with_very_many_definitions_is_moved_in_portions(world: World) -> None:
    world.tell("".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(200)))
    assert len(world.map.symbols(PATH)) == 200
    assert max(len(one["symbols"]) for one in world.moves()) == 64
    assert world.map.dump() == rebuilt(world)


def test_judging_changes_nothing_by_itself(settled: World) -> None:
    piece: Piece = settled.piece(BETTER)
    before = settled.map.dump()
    first = settled.judging.judge(settled.map, piece)
    assert first == settled.judging.judge(settled.map, piece)
    assert before == settled.map.dump()


@pytest.mark.lesson("T3")
def test_a_text_that_no_longer_parses_gives_nothing_not_even_what_seems_new(world: World) -> None:
    good = "def a(context):\n    found = context\n    return found\n\n\ndef b():\n    return 2\n"
    world.user(good)
    ruling = world.tell(good.replace("a(", "a((").replace("return 2", "return 20"))
    assert ruling.promoted == ()
    assert world.text("b") == "def b():\n    return 2"
    assert world.state("found") in (None, "PROPOSED")
    assert world.is_file(good)


def test_a_text_that_the_grammar_never_knew_all_of_is_looked_at_piece_by_piece(
    world: World,
) -> None:
    text = "export interface A<out T> {\n  a: T;\n}\nexport function f() {\n  return 1;\n}\n"
    world.read(text, "a.ts")
    world.tell(text.replace("return 1", "return 2"), "a.ts")
    assert world.text("f", "a.ts") == "export function f() {\n  return 2;\n}"
