"""`holdfast at` and `holdfast diff`: what was true at any entry, and what changed between two."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.stores import STORES, Fold
from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast

NAMES = [store.name for store in STORES]


@pytest.fixture
def told(holdfast: Holdfast) -> Holdfast:
    holdfast("session", "start", "--session", "s1")
    holdfast("decide", "tabs", "--because", "small", "--id", "d-tabs")
    holdfast("fact", "add", "place", "--text", "the gate is shut")
    holdfast("decide", "spaces", "--because", "even", "--supersedes", "d-tabs", "--id", "d-spaces")
    holdfast("scene", "start", "gate")
    return holdfast


def folded(holdfast: Holdfast, size: int) -> Fold:
    """Fold by hand, from what `log` prints."""
    from holdfast.kernel import entry as entries

    fold = Fold()
    for line in holdfast("log", "--json").out.splitlines()[:size]:
        fold.apply(entries.read(line))
    return fold


@pytest.mark.req("X2")
def test_every_store_at_every_entry_is_its_canonical_bytes(told: Holdfast) -> None:
    for seq in range(5):
        fold = folded(told, seq + 1)
        for name in NAMES:
            assert told("at", str(seq), name, "--json").out == fold.state(name).dump() + b"\n"
        answer = told("at", str(seq), "--json").json()
        assert answer["seq"] == seq
        digests = {name: one["digest"] for name, one in answer["stores"].items()}
        assert digests == fold.digests()


@pytest.mark.req("X2")
def test_it_is_the_same_without_what_is_kept(told: Holdfast) -> None:
    before = told("at", "3", "decisions", "--json").out
    for file in (told.folder / ".holdfast").glob("views.db*"):
        file.unlink()
    assert told("at", "3", "decisions", "--json").out == before


def test_for_people_it_shows_items_or_how_many_there_are(told: Holdfast) -> None:
    rows = [line.split()[0] for line in told("at", "4").text.splitlines()]
    assert rows == NAMES
    shown = told("at", "2", "facts").text
    assert "the gate is shut" in shown
    empty = told("at", "0", "facts")
    assert (empty.text, empty.err) == ("", "The store held nothing.\n")


@pytest.mark.lesson("N15")
def test_a_store_with_many_items_says_how_many_more_there_are(holdfast: Holdfast) -> None:
    for n in range(60):
        holdfast.record("work_opened", n)
    done = holdfast("at", "59", "open_work")
    assert "10 more items, by key, after these" in done.err
    assert len(json.loads(holdfast("at", "59", "open_work", "--json").out)["items"]) == 60


@pytest.mark.parametrize("seq", ["-1", "5", "99999999999999999999", "-99"])
def test_an_entry_that_is_not_there_is_a_no(told: Holdfast, seq: str) -> None:
    for args in (("at", seq), ("at", seq, "facts"), ("diff", seq, "1"), ("diff", "1", seq)):
        done = told(*args, "--json")
        assert (done.code, done.json()["error"]["kind"]) == (1, "NotFound"), done.err
        assert f"There is no entry {int(seq)}." in done.err
        assert "The ledger holds entries 0 to 4." in done.err


def test_an_empty_ledger_has_no_entry_to_look_at(holdfast: Holdfast) -> None:
    done = holdfast("at", "0")
    assert done.code == 1
    assert "The ledger is empty." in done.err


@pytest.mark.parametrize(
    "args", [("at", "1", "nope"), ("diff", "0", "1", "--store", "nope"), ("at", "1", "-x")]
)
def test_a_store_that_is_not_there_is_a_no(told: Holdfast, args: tuple[str, ...]) -> None:
    done = told(*args)
    assert done.code == 1
    assert "There is no store called" in done.err
    assert "Known: facts, unlocks" in done.err


@pytest.mark.parametrize("args", [("at", "x"), ("at",), ("diff", "1"), ("diff", "a", "b")])
def test_what_is_no_number_is_misuse(told: Holdfast, args: tuple[str, ...]) -> None:
    assert told(*args).code == 2


@pytest.mark.req("X2")
def test_the_difference_says_what_came_went_and_became_another(told: Holdfast) -> None:
    answer = told("diff", "1", "4", "--json").json()
    assert (answer["from"], answer["to"]) == (1, 4)
    decisions = answer["stores"]["decisions"]
    assert list(decisions["added"]) == ["d-spaces"]
    assert decisions["changed"] == {"d-tabs": {"superseded_by": [None, "d-spaces"]}}
    [fact] = answer["stores"]["facts"]["added"].values()
    assert fact["payload"] == '"the gate is shut"'
    assert answer["stores"]["story"]["added"]["place"]["scene"] == "gate"
    assert "unlocks" not in answer["stores"]
    back = told("diff", "4", "1", "--json").json()["stores"]["decisions"]
    assert list(back["removed"]) == ["d-spaces"]
    assert back["changed"] == {"d-tabs": {"superseded_by": ["d-spaces", None]}}


@pytest.mark.req("X2")
def test_what_stands_beside_another_on_a_list_did_not_change(told: Holdfast) -> None:
    told("fact", "add", "place", "--text", "the yard is empty")
    facts = told("diff", "4", "5", "--json").json()["stores"]["facts"]
    assert (len(facts["added"]), facts["removed"], facts["changed"]) == (1, {}, {})


def test_the_difference_is_told_to_people(told: Holdfast) -> None:
    lines = told("diff", "1", "4").text.splitlines()
    assert "decisions: 2 changed" in lines
    assert "  + d-spaces  spaces" in lines
    assert "  ~ d-tabs  superseded_by: - -> d-spaces" in lines
    only = told("diff", "1", "4", "--store", "decisions").text
    assert "facts" not in only
    assert told("diff", "3", "3").text == "nothing\n"


@pytest.mark.lesson("N15")
def test_a_long_difference_says_how_much_more_there_is(holdfast: Holdfast) -> None:
    for n in range(61):
        holdfast.record("work_opened", n)
    assert "and 10 more after these" in holdfast("diff", "0", "60").text


@pytest.mark.req("L20", "X2")
def test_a_rollback_is_part_of_what_was_true(told: Holdfast) -> None:
    before: Any = told("at", "1", "decisions", "--json").out
    told("rollback", "1", "--reason", "tabs after all")
    assert told("at", "5", "decisions", "--json").out == before
    assert told("at", "4", "decisions", "--json").out != before


def test_a_damaged_entry_is_not_skipped(told: Holdfast) -> None:
    from tests.cli.harness import forge

    told("record", "metric", "--data", json.dumps(data_for("metric")))
    forge(told, 5, '"type":"metric"', '"type":"mitric"')
    for file in (told.folder / ".holdfast").glob("views.db*"):
        file.unlink()
    assert told("at", "5", "facts").code == 2
    assert told("at", "4", "facts").code == 0
