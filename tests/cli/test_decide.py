"""`holdfast decide`: the seed's fields, what is superseded, and what rests on it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.harness import Holdfast, Result


def decide(holdfast: Holdfast, what: str, *args: str) -> Any:
    done = holdfast("decide", what, "--because", f"reasons for {what}", "--json", *args)
    assert done.code == 0, done.err
    return done.json()


def refused(holdfast: Holdfast, *args: str) -> Result:
    size = len(holdfast.entries())
    done = holdfast("decide", "x", "--because", "y", *args)
    assert done.code != 0
    assert len(holdfast.entries()) == size
    return done


@pytest.mark.req("P2")
def test_a_decision_has_the_fields_of_the_protocol(holdfast: Holdfast) -> None:
    answer = holdfast.process(
        *("decide", "PSO over GA", "--because", "Better for continuous parameters"),
        *("--question", "Which algorithm for optimization?", "--confidence", "0.85"),
        *("--alternative", "GA", "--alternative", "Simulated Annealing", "--json"),
    )
    assert set(answer.json()) == {"seq", "id", "hash", "leaf", "redactions"}
    [entry] = holdfast.entries()
    assert (entry["type"], entry["id"]) == ("decision", answer.json()["id"])
    assert entry["data"] == {
        "question": "Which algorithm for optimization?",
        "choice": "PSO over GA",
        "reasoning": "Better for continuous parameters",
        "alternatives": ["GA", "Simulated Annealing"],
        "confidence": 0.85,
    }


def test_what_is_not_said_is_not_made_up(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs")
    assert holdfast.entries()[0]["data"] == {
        "question": "tabs",
        "choice": "tabs",
        "reasoning": "reasons for tabs",
        "alternatives": [],
    }


@pytest.mark.lesson("P8")
def test_no_confidence_at_all_is_a_value(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs", "--confidence", "0")
    assert holdfast.entries()[0]["data"]["confidence"] == 0


def test_the_question_is_that_of_the_current_task(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("checkpoint", "--task", "choose a parser", "--next", "compare")
    decide(holdfast, "PEG", "--about", "grammar")
    decide(holdfast, "LL", "--session", "s2", "--about", "grammar")
    decisions = holdfast.entries("--type", "decision")
    assert [entry["data"]["question"] for entry in decisions] == ["choose a parser", "grammar"]
    assert decisions[0]["data"]["subject"] == "grammar"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("decide", "x"), "--because"),
        (("decide", "x", "--because", " "), "--because is empty"),
        (("decide", " ", "--because", "y"), "WHAT is empty"),
        (("decide", "x", "--because", "y", "--confidence", "1.5"), "1.5"),
    ],
)
def test_a_decision_without_words_is_refused(
    holdfast: Holdfast, args: tuple[str, ...], said: str
) -> None:
    done = holdfast(*args)
    assert done.code == 2
    assert said in done.err
    assert holdfast.entries() == []


def test_the_same_id_is_recorded_once(holdfast: Holdfast) -> None:
    first = decide(holdfast, "tabs", "--id", "d1")
    assert decide(holdfast, "tabs", "--id", "d1") == {**first, "duplicate": True}
    other = holdfast("decide", "spaces", "--because", "no", "--id", "d1", "--json")
    assert (other.code, other.json()["differs"]) == (1, True)


@pytest.mark.lesson("N2")
@pytest.mark.parametrize("key", ["0", "id", "prefix"])
def test_a_superseded_decision_is_named_by_number_id_or_beginning(
    holdfast: Holdfast, key: str
) -> None:
    first = decide(holdfast, "tabs", "--id", "first-choice")["id"]
    decide(holdfast, "spaces", "--supersedes", {"id": first, "prefix": "first-"}.get(key, key))
    assert holdfast.entries()[1]["data"]["supersedes"] == ["first-choice"]
    assert holdfast.entries()[0]["data"]["choice"] == "tabs"


@pytest.mark.lesson("N2")
def test_what_cites_a_superseded_decision_is_named(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs", "--id", "d-tabs")
    decide(holdfast, "width 8", "--cites", "0")
    decide(holdfast, "unrelated")
    done = holdfast("decide", "spaces", "--because", "they agree", "--supersedes", "d-tabs")
    assert done.code == 0
    assert "These entries cite what no longer holds: 1." in done.err
    quiet = holdfast("decide", "one more", "--because", "why", "--supersedes", "2")
    assert "no longer holds" not in quiet.err


@pytest.mark.lesson("N15")
def test_of_many_that_cite_it_some_are_named_and_the_rest_counted(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs")
    for n in range(7):
        decide(holdfast, f"width {n}", "--cites", "0")
    done = holdfast("decide", "spaces", "--because", "they agree", "--supersedes", "0")
    assert "These entries cite what no longer holds: 7, 6, 5, 4, 3 and 2 more." in done.err


def test_citing_what_no_longer_holds_is_said(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs", "--id", "d-tabs")
    decide(holdfast, "spaces", "--supersedes", "0")
    done = holdfast("decide", "width 8", "--because", "tabs", "--cites", "d-tabs")
    assert done.code == 0
    assert "Decision d-tabs, which this one cites, no longer holds." in done.err


def test_superseding_again_is_recorded_with_a_note(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs", "--id", "d-tabs")
    decide(holdfast, "spaces", "--supersedes", "0")
    done = holdfast("decide", "both", "--because", "peace", "--supersedes", "d-tabs")
    assert done.code == 0
    assert "Decision d-tabs was superseded before" in done.err
    assert len(holdfast.entries()) == 3


def test_superseding_what_is_no_decision_is_refused_before_anything_is_recorded(
    holdfast: Holdfast,
) -> None:
    holdfast.record("metric", 1)
    done = refused(holdfast, "--supersedes", "0")
    assert done.code == 2
    assert "Entry 0 is no decision but a metric." in done.err


@pytest.mark.parametrize("key", ["99", "nope", "", "-1", "1" * 40])
def test_superseding_or_citing_what_is_not_there_is_a_no(holdfast: Holdfast, key: str) -> None:
    decide(holdfast, "tabs")
    for option in ("--supersedes", "--cites"):
        done = refused(holdfast, option, key)
        assert done.code == 1
        assert f"There is no entry {key!r}." in done.err


def test_an_ambiguous_beginning_names_the_candidates(holdfast: Holdfast) -> None:
    for n in range(7):
        decide(holdfast, f"way {n}", "--id", f"way-{n}")
    done = refused(holdfast, "--supersedes", "way")
    assert done.code == 2
    assert "begin with 'way': way-0, way-1, way-2, way-3, way-4 and more." in done.err


def test_what_is_named_twice_counts_once(holdfast: Holdfast) -> None:
    decide(holdfast, "tabs", "--id", "d-tabs")
    decide(holdfast, "spaces", "--supersedes", "0", "--supersedes", "d-tabs", "--cites", "0")
    data = holdfast.entries()[1]["data"]
    assert (data["supersedes"], data["cites"]) == (["d-tabs"], ["d-tabs"])


@pytest.mark.lesson("N2")
def test_show_marks_what_no_longer_holds_and_what_rests_on_it(holdfast: Holdfast) -> None:
    first = holdfast("decide", "swarms", "--because", "continuous", "--json").json()
    second = holdfast("decide", "small steps", "--because", "x", "--cites", "0", "--json").json()
    assert "SUPERSEDED" not in holdfast("show", "0").text
    third = holdfast(
        "decide", "a grid", "--because", "faster", "--supersedes", "0", "--json"
    ).json()
    assert f"SUPERSEDED by {third['id']}" in holdfast("show", first["id"]).text
    assert f"It rests on {first['id']}" in holdfast("show", second["id"]).text
    assert "SUPERSEDED" not in holdfast("show", third["id"]).text
