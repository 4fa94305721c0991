"""`holdfast fact`: what is so, what is no longer so, and what may be told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.stores.facts import fact_id
from tests.cli.harness import Holdfast, Result


def add(holdfast: Holdfast, text: str, *args: str) -> Any:
    done = holdfast("fact", "add", "place", "--text", text, "--json", *args)
    assert done.code == 0, done.err
    return done.json()


def facts(holdfast: Holdfast, *args: str) -> list[Any]:
    lines = holdfast("fact", "list", "--json", *args).out.splitlines()
    return [json.loads(line) for line in lines]


def refused(holdfast: Holdfast, *args: str) -> Result:
    size = len(holdfast.entries())
    done = holdfast("fact", *args)
    assert done.code != 0
    assert len(holdfast.entries()) == size
    return done


@pytest.mark.req("O4")
def test_a_fact_is_known_by_its_kind_and_payload(holdfast: Holdfast) -> None:
    said = add(holdfast, "the gate is shut")
    assert said["fact"] == fact_id("place", "the gate is shut")
    data = '{"age": 61, "name": "the warden"}'
    other = holdfast("fact", "add", "person", "--data", data, "--hidden", "--json").json()
    assert other["fact"] == fact_id("person", {"name": "the warden", "age": 61})
    assert [(one["fact"], one["visibility"]) for one in facts(holdfast)] == [
        (other["fact"], "HIDDEN"),
        (said["fact"], "OPEN"),
    ]
    assert facts(holdfast)[0]["payload"] == {"name": "the warden", "age": 61}


def test_what_is_said_again_is_the_same_fact(holdfast: Holdfast) -> None:
    first = add(holdfast, "the gate is shut")
    done = holdfast("fact", "add", "place", "--text", "the gate is shut")
    assert "It was said before" in done.err
    assert first["fact"] in done.text
    assert len(facts(holdfast)) == 1
    assert (facts(holdfast)[0]["seq"], facts(holdfast)[0]["again"]) == (0, 1)


def test_the_id_of_another_entry_is_not_taken_for_a_fact(holdfast: Holdfast) -> None:
    holdfast("decide", "tabs", "--because", "small", "--id", "taken")
    done = holdfast("fact", "add", "place", "--text", "x", "--id", "taken", "--json")
    assert (done.code, done.json()["differs"]) == (1, True)
    first = add(holdfast, "the gate is shut", "--id", "f1")
    again = add(holdfast, "the gate is shut", "--id", "f1")
    assert again == {**first, "duplicate": True}
    assert len(facts(holdfast)) == 1


def test_a_secret_in_a_fact_is_not_kept_and_the_id_is_of_what_is(holdfast: Holdfast) -> None:
    secret = "ghp_" + "a1B2" * 9
    said = add(holdfast, f"the word is {secret}")
    assert said["redactions"] == 1
    assert [one["fact"] for one in facts(holdfast)] == [said["fact"]]
    assert secret not in holdfast("fact", "list").text


def test_a_superseded_fact_is_kept_and_not_listed_as_so(holdfast: Holdfast) -> None:
    old = add(holdfast, "the gate is shut")["fact"]
    new = add(holdfast, "the gate is open", "--supersedes", old[:8], "--because", "0")["fact"]
    assert [one["fact"] for one in facts(holdfast)] == [new]
    every = {one["fact"]: one["superseded_by"] for one in facts(holdfast, "--all")}
    assert every == {new: None, old: new}
    assert holdfast.entries()[1]["data"]["provenance"] == [holdfast.entries()[0]["id"]]
    assert f"superseded by {new[:12]}" in holdfast("fact", "list", "--all").text
    assert f"SUPERSEDED by the fact {new}" in holdfast("show", "0").text
    assert "SUPERSEDED" not in holdfast("show", "1").text
    again = refused(holdfast, "add", "place", "--text", "half open", "--supersedes", old)
    assert (again.code, "is no longer so" in again.err) == (1, True)


def test_a_fact_is_withdrawn_with_a_reason(holdfast: Holdfast) -> None:
    fact = add(holdfast, "the gate is shut")["fact"]
    done = holdfast("fact", "withdraw", fact[:10], "--reason", "a rumour", "--json")
    assert (done.code, done.json()["fact"]) == (0, fact)
    assert facts(holdfast) == []
    assert "Nothing is said to be so." in holdfast("fact", "list").err
    assert "withdrawn in entry 1" in holdfast("fact", "list", "--all").text
    assert "WITHDRAWN in entry 1" in holdfast("show", "0").text
    assert refused(holdfast, "withdraw", fact, "--reason", "twice").code == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("add", "place"), 2),
        (("add", "place", "--text", "x", "--data", "1"), 2),
        (("add", "place", "--data", "{"), 2),
        (("add", " ", "--text", "x"), 2),
        (("add", "place", "--text", "x", "--precision", "vague"), 2),
        (("add", "place", "--text", "x", "--supersedes", "feed"), 1),
        (("add", "place", "--text", "x", "--supersedes", ""), 1),
        (("add", "place", "--text", "x", "--because", "99"), 1),
        (("add", "place", "--text", "x", "--because", "nope"), 1),
        (("withdraw", "feed", "--reason", "x"), 1),
        (("withdraw", "feed"), 2),
        (("unlock", "x"), 2),
        (("unlock", "x", "--scope", "ever"), 2),
        (("unlock", "x", "--scope", "scene"), 2),
        (("unlock", "x", "--scope", "session"), 2),
        (("unlock", " x", "--scope", "campaign"), 2),
        (("nope",), 2),
    ],
)
def test_wrong_input_records_nothing(holdfast: Holdfast, args: tuple[str, ...], code: int) -> None:
    assert refused(holdfast, *args).code == code


def test_a_fact_does_not_supersede_itself(holdfast: Holdfast) -> None:
    fact = add(holdfast, "the gate is shut")["fact"]
    done = refused(holdfast, "add", "place", "--text", "the gate is shut", "--supersedes", fact)
    assert "cannot supersede itself" in done.err


@pytest.mark.lesson("O5")
def test_what_is_unlocked_for_a_scene_is_locked_again_after_it(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    fact = add(holdfast, "the gate is shut")["fact"]
    holdfast("scene", "start", "gate")
    done = holdfast("fact", "unlock", fact[:8], "--scope", "scene", "--json")
    assert done.json()["handle"] == fact
    assert facts(holdfast)[0]["unlocked"] == "SCENE"
    holdfast("scene", "end")
    assert facts(holdfast)[0]["unlocked"] is None
    holdfast("fact", "unlock", fact, "--scope", "session")
    assert "unlocked: SESSION" in holdfast("fact", "list").text
    holdfast("session", "end")
    assert facts(holdfast)[0]["unlocked"] is None
    holdfast("fact", "unlock", fact, "--scope", "CAMPAIGN")
    assert facts(holdfast)[0]["unlocked"] == "CAMPAIGN"


def test_a_handle_that_no_fact_has_is_unlocked_as_it_is(holdfast: Holdfast) -> None:
    for handle in ("chapter-2", "feedfeed", "kind:place"):
        done = holdfast("fact", "unlock", handle, "--scope", "campaign", "--json")
        assert (done.code, done.json()["handle"]) == (0, handle)


@pytest.mark.lesson("N15")
def test_a_long_list_says_what_it_leaves_out(holdfast: Holdfast) -> None:
    for n in range(4):
        add(holdfast, f"room {n}")
    done = holdfast("fact", "list", "-n", "3")
    assert len(done.text.splitlines()) == 3
    assert "room 3" in done.text.splitlines()[0]
    assert "1 older facts are not shown; -n 4 shows all." in done.err
    assert "1 older facts are not shown" in holdfast("fact", "list", "--all", "-n", "3").err


def test_what_a_fact_says_cannot_steer_the_terminal(holdfast: Holdfast) -> None:
    holdfast("fact", "add", "pl\x1b[2Jace", "--text", "\x1b[2J gone")
    assert "\x1b" not in holdfast("fact", "list").text + holdfast("log").text
