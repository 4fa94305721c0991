"""`holdfast pending`: nothing that waits for somebody is passed over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.harness import Holdfast
from tests.cli.test_resume import both


def waiting(holdfast: Holdfast) -> list[Any]:
    lines = holdfast("pending", "list", "--json").out.splitlines()
    return [json.loads(line) for line in lines]


def consent(holdfast: Holdfast, *steps: str) -> None:
    options = [part for step in steps for part in ("--step", step)]
    done = holdfast("pending", "open", "consent", "May it go on?", "--id", "c1", *options)
    assert done.code == 0, done.err


@pytest.mark.req("O7")
@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("roll", "PENDING_ROLL"),
        ("consent", "PENDING_CONSENT"),
        ("handout", "PENDING_HANDOUT"),
        ("approval", "approval"),
        ("question", "question"),
    ],
)
def test_every_kind_waits_until_it_is_resolved(holdfast: Holdfast, word: str, kind: str) -> None:
    opened = holdfast("pending", "open", word, "What now?", "--details", '{"die": 20}', "--json")
    name = opened.json()["pending"]
    assert name.startswith(f"{word}-")
    [one] = waiting(holdfast)
    assert (one["pending"], one["kind"], one["prompt"]) == (name, kind, "What now?")
    assert one["details"] == {"die": 20}
    assert f"{name}  {kind}  What now?" in holdfast("pending", "list").text
    done = holdfast("pending", "resolve", name[:-2], "--outcome", "17", "--json")
    assert (done.code, done.json()["pending"]) == (0, name)
    assert waiting(holdfast) == []
    assert holdfast("pending", "list").err == "Nothing is pending.\n"


@pytest.mark.req("O7")
def test_a_consent_is_not_resolved_before_every_step_is_taken(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    consent(holdfast, "asked", "agreed")
    size = len(holdfast.entries())
    refused = holdfast("pending", "resolve", "c1", "--outcome", "yes", "--json")
    assert (refused.code, len(holdfast.entries())) == (1, size)
    assert refused.json() == {"resolved": False, "pending": "c1", "missing": ["asked", "agreed"]}
    assert "NOT resolved" in refused.err
    done = holdfast("pending", "step", "c1", "asked", "--json")
    assert done.json()["missing"] == ["agreed"]
    assert holdfast("pending", "resolve", "c1", "--outcome", "yes").code == 1
    assert "c1 can be resolved now." in holdfast("pending", "step", "c1", "agreed").err
    assert holdfast("pending", "resolve", "c1", "--outcome", "yes").code == 0


@pytest.mark.req("O7")
def test_steps_of_another_session_do_not_count(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    consent(holdfast, "asked", "agreed")
    holdfast("pending", "step", "c1", "asked")
    holdfast("pending", "step", "c1", "agreed")
    holdfast("session", "end")
    holdfast("session", "start", "--session", "s2")
    assert waiting(holdfast)[0]["missing"] == ["asked", "agreed"]
    assert holdfast("pending", "resolve", "c1", "--outcome", "yes").code == 1
    mine = holdfast("pending", "resolve", "c1", "--outcome", "yes", "--session", "s1")
    assert mine.code == 0  # all steps were taken in the session that resolves it


@pytest.mark.req("O7")
def test_a_session_that_is_started_again_begins_the_chain_anew(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    consent(holdfast, "asked")
    holdfast("pending", "step", "c1", "asked")
    holdfast("session", "end")
    holdfast("session", "start", "--session", "s1")
    assert holdfast("pending", "resolve", "c1", "--outcome", "yes").code == 1


def test_steps_are_taken_within_a_session(holdfast: Holdfast) -> None:
    consent(holdfast, "asked")
    done = holdfast("pending", "step", "c1", "asked")
    assert (done.code, len(holdfast.entries())) == (2, 1)
    assert "No session is open" in done.err


def test_a_step_that_was_taken_is_not_recorded_again(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s1")
    consent(holdfast, "asked", "agreed")
    holdfast("pending", "step", "c1", "asked")
    again = holdfast("pending", "step", "c1", "asked", "--json")
    assert (again.code, again.json()) == (0, {"taken": True, "missing": ["agreed"]})
    assert len(holdfast.entries("--type", "pending_step_taken")) == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("open", "roll"), 2),
        (("open", "roll", " "), 2),
        (("open", " ", "What?"), 2),
        (("open", "roll", "What?", "--id", "c1"), 2),
        (("open", "roll", "What?", "--details", "{"), 2),
        (("step", "c1", "nope"), 1),
        (("step", "nope", "asked"), 1),
        (("resolve", "nope", "--outcome", "x"), 1),
        (("resolve", "", "--outcome", "x"), 1),
        (("resolve", "c1"), 2),
        (("resolve", "c", "--outcome", "x"), 2),
    ],
)
def test_wrong_input_records_nothing(holdfast: Holdfast, args: tuple[str, ...], code: int) -> None:
    holdfast("session", "start", "--session", "s1")
    consent(holdfast, "asked")
    holdfast("pending", "open", "roll", "Roll.", "--id", "c2")
    size = len(holdfast.entries())
    assert (holdfast("pending", *args).code, len(holdfast.entries())) == (code, size)


@pytest.mark.req("O7")
def test_resume_names_what_is_still_pending(holdfast: Holdfast) -> None:
    holdfast("checkpoint", "--resume", "five of twelve are done")
    assert "pending" not in both(holdfast)
    holdfast("pending", "open", "approval", "Run the migration?", "--id", "migrate")
    answer = both(holdfast)
    text = "five of twelve are done | since then 1 entry"
    assert answer["text"] == text
    assert answer["pending"]["newest"] == [
        {
            "pending": "migrate",
            "kind": "approval",
            "prompt": "Run the migration?",
            "steps": [],
            "seq": 1,
        }
    ]
    said = "Still pending: migrate (approval): Run the migration?\n"
    for run in (holdfast, holdfast.process):
        assert run("resume").text == f"{text}\n{said}"
    assert said in holdfast("session", "start", "--session", "s1").text
    assert said in holdfast("resume", "--session", "s1").text
    holdfast("pending", "resolve", "migrate", "--outcome", "yes")
    assert "pending" not in both(holdfast)


@pytest.mark.req("O7")
def test_a_resume_appends_nothing(holdfast: Holdfast) -> None:
    holdfast("pending", "open", "roll", "Roll.")
    before = holdfast("log", "--json").out
    for run in (holdfast, holdfast.process):
        assert run("resume").code == 0
    assert holdfast("log", "--json").out == before


@pytest.mark.lesson("N15")
def test_of_many_that_are_pending_the_rest_is_counted(holdfast: Holdfast) -> None:
    for n in range(52):
        holdfast.record("pending_opened", n)
    answer = both(holdfast)["pending"]
    assert (len(answer["newest"]), answer["more"]) == (50, 2)
    assert answer["newest"][0]["pending"] == "pending-51"
    assert "2 older ones are pending, too" in holdfast("resume").text
    assert len(waiting(holdfast)) == 52
