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


CODE = "def rotate(token):\n    return token[::-1]\n\n\ndef other():\n    return 1\n"
EXACT = "`return token[::-1]` [${PROJECT_ROOT}/src/auth.py:2]"
WRONG = "`return token[::2]` [${PROJECT_ROOT}/src/auth.py:2]"


@pytest.fixture
def coded(holdfast: Holdfast) -> Holdfast:
    """A project with a file that decisions can cite."""
    (holdfast.folder / "src").mkdir()
    (holdfast.folder / "src" / "auth.py").write_text(CODE)
    return holdfast


def types(holdfast: Holdfast) -> list[str]:
    return [entry["type"] for entry in holdfast.entries()]


@pytest.mark.req("L7")
def test_evidence_is_looked_up_and_recorded_with_the_decision(coded: Holdfast) -> None:
    answer = decide(coded, "tokens turn round", "--evidence", EXACT)
    assert answer["grounded"] is True
    assert "open" not in answer
    data = coded.entries()[0]["data"]
    assert (data["grounds"]["cited"], data["grounds"]["exact"]) == (1, 1)
    assert data["grounds"]["symbols"] == ["src/auth.py::rotate"]
    assert data["subject"] == "src/auth.py::rotate"


def test_a_subject_that_is_given_counts_more_than_the_cited_definition(coded: Holdfast) -> None:
    decide(coded, "tokens turn round", "--evidence", EXACT, "--about", "rotation")
    assert coded.entries()[0]["data"]["subject"] == "rotation"


def test_a_citation_in_the_reasoning_is_evidence_too(coded: Holdfast) -> None:
    done = coded("decide", "x", "--because", f"it says {EXACT}", "--json")
    assert (done.code, done.json()["grounded"]) == (0, True)


@pytest.mark.req("L1", "L2")
def test_evidence_that_the_code_contradicts_is_recorded_and_opens_a_fork(coded: Holdfast) -> None:
    done = coded("decide", "every second one", "--because", "y", "--evidence", WRONG, "--json")
    assert done.code == 1
    answer = done.json()
    assert (answer["grounded"], answer["open"], answer["faults"]) == (False, True, ["changed"])
    assert types(coded) == ["decision", "fork_opened"]
    [fork] = answer["forks"]
    assert fork["against"] == EXACT
    assert "against_decision" not in fork or fork["against_decision"] is None
    assert "Code on disk outranks what the user decided." in done.err
    assert f"holdfast fork resolve {fork['fork']}" in done.err


@pytest.mark.lesson("L1")
@pytest.mark.parametrize(
    ("evidence", "fault"),
    [
        ("`return token[::-1]` [src/auth.py:2]", "relative-path"),
        ("[${PROJECT_ROOT}/src/auth.py:2]", "no-quote"),
        ("`gone` [${PROJECT_ROOT}/src/no.py:2]", "gone"),
        ("`return token[::-1]` [${PROJECT_ROOT}/src/auth.py:1]", "moved"),
        ("I have seen it", "no-citation"),
    ],
)
def test_evidence_that_proves_nothing_is_recorded_told_and_exits_1(
    coded: Holdfast, evidence: str, fault: str
) -> None:
    done = coded("decide", "x", "--because", "y", "--evidence", evidence, "--json")
    assert (done.code, done.json()["faults"]) == (1, [fault])
    assert "NOT grounded" in done.err
    assert "holdfast ground" in done.err
    assert types(coded) == ["decision"]


def test_one_that_proves_nothing_is_not_hidden_by_one_that_does(coded: Holdfast) -> None:
    done = coded(
        *("decide", "x", "--because", "y", "--json"),
        *("--evidence", EXACT, "--evidence", "I have seen it"),
    )
    assert (done.code, done.json()["grounded"]) == (1, False)


@pytest.mark.req("L7")
@pytest.mark.parametrize(
    ("what", "args"), [("cold cache", ["--assumption"]), ("[assumption] cold cache", [])]
)
def test_an_assumption_is_marked_and_exits_0(
    holdfast: Holdfast, what: str, args: list[str]
) -> None:
    answer = decide(holdfast, what, *args)
    assert (answer["assumption"], answer["grounded"]) == (True, False)
    assert holdfast.entries()[0]["data"]["choice"] == what


@pytest.mark.req("L14")
def test_it_belongs_to_the_current_task_with_its_scenarios(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    holdfast("task", "add", "Rotate tokens", "--id", "hf-1")
    holdfast("task", "update", "hf-1", "--status", "in_progress")
    answer = decide(holdfast, "x", "--scenario", "edge: at the end: it holds: still")
    assert answer["task"] == "hf-1"
    decision, scenario = holdfast.entries()[-2:]
    assert decision["data"]["question"] == "Rotate tokens"
    assert decision["data"]["grounds"] == {"cited": 0, "exact": 0, "task": "hf-1"}
    expected = {"task": "hf-1", "type": "edge", "name": "at the end", "expected": "it holds: still"}
    assert scenario["data"] == expected


def test_without_a_task_scenarios_belong_to_the_session(holdfast: Holdfast) -> None:
    decide(holdfast, "x", "--session", "s1", "--scenario", "a: b: c", "--scenario", "d: e: f")
    scenarios = holdfast.entries("--type", "scenario_added")
    assert [entry["session_id"] for entry in scenarios] == ["s1", "s1"]
    assert "task" not in scenarios[0]["data"]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("--scenario", "no colon"), 2, "'no colon' is no scenario"),
        (("--scenario", "a: b"), 2, "is no scenario"),
        (("--scenario", "a: : c"), 2, "is no scenario"),
        (("--task", "nope"), 1, "There is no task 'nope'"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_recorded(
    holdfast: Holdfast, args: tuple[str, ...], code: int, said: str
) -> None:
    done = refused(holdfast, *args)
    assert done.code == code
    assert said in done.err


@pytest.mark.req("L2")
def test_what_was_decided_before_on_the_subject_is_shown(holdfast: Holdfast) -> None:
    first = decide(holdfast, "Keep sessions in Redis", "--about", "session store")
    done = holdfast(
        *("decide", "Keep sessions in Redis for a day", "--because", "y"),
        *("--about", "storage of sessions", "--json"),
    )
    assert done.code == 0
    [prior] = done.json()["prior"]
    assert (prior["id"], prior["choice"]) == (first["id"], "Keep sessions in Redis")
    assert "Decided before: Keep sessions in Redis (entry 0, user" in done.err


@pytest.mark.lesson("N15")
def test_of_many_that_were_decided_before_some_are_shown_and_the_rest_counted(
    holdfast: Holdfast,
) -> None:
    for what in ("keys are short", "log misses", "rename the tables", "ask twice", "no joins"):
        decide(holdfast, what, "--about", "store")
    for what in ("measure the hit rate", "document limits"):
        decide(holdfast, what, "--about", "store")
    done = holdfast("decide", "more", "--because", "y", "--about", "store")
    assert done.err.count("Decided before:") == 5
    assert "2 older decisions on the same subject are not shown." in done.err


@pytest.mark.req("L2")
def test_a_contradiction_is_recorded_as_open_in_one_step_and_exits_1(holdfast: Holdfast) -> None:
    first = decide(holdfast, "Keep sessions in Redis", "--about", "session store")
    done = holdfast.process(
        *("decide", "Keep sessions in SQLite", "--because", "y", "--about", "session store"),
        *("--actor-kind", "agent", "--json"),
    )
    assert done.code == 1
    answer = done.json()
    assert answer["open"] is True
    [fork] = answer["forks"]
    assert fork["decision"] == answer["id"]
    assert fork["against_decision"] == first["id"]
    assert fork["higher"] == "What the user decided outranks what a model says now."
    second, opened = holdfast.entries()[-2:]
    assert (second["type"], opened["type"]) == ("decision", "fork_opened")
    assert second["timestamp"] == opened["timestamp"]


@pytest.mark.lesson("N2")
def test_superseding_what_it_contradicts_is_no_contradiction(holdfast: Holdfast) -> None:
    decide(holdfast, "Keep sessions in Redis", "--about", "session store")
    answer = decide(
        holdfast, "Keep sessions in SQLite", "--about", "session store", "--supersedes", "0"
    )
    assert "forks" not in answer
    assert types(holdfast) == ["decision", "decision"]


@pytest.mark.req("L17")
def test_a_decision_reaches_the_notes_in_the_same_command(holdfast: Holdfast) -> None:
    decide(holdfast, "Keep sessions in Redis")
    assert "Keep sessions in Redis" in (holdfast.folder / "NOTES.md").read_text()


def test_notes_that_cannot_be_written_are_told_and_the_decision_stands(holdfast: Holdfast) -> None:
    (holdfast.folder / "NOTES.md").mkdir()
    done = holdfast("decide", "x", "--because", "y")
    assert done.code == 0
    assert "NOTES.md could not be brought up to date" in done.err
    assert types(holdfast) == ["decision"]


def test_a_secret_in_a_fork_is_replaced(holdfast: Holdfast) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    decide(holdfast, f"Use the key {secret}", "--about", "key")
    holdfast("decide", f"Do not use the key {secret}", "--because", "y", "--about", "key")
    assert types(holdfast) == ["decision", "decision", "fork_opened"]
    assert secret not in holdfast("log", "--json").text
