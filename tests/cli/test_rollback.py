"""`holdfast rollback`: going back is an entry, and nothing is removed."""

from __future__ import annotations

import pytest

from tests.cli.harness import Holdfast


@pytest.fixture
def told(holdfast: Holdfast) -> Holdfast:
    holdfast("decide", "tabs", "--because", "small", "--id", "d-tabs")
    holdfast("decide", "spaces", "--because", "even", "--supersedes", "d-tabs", "--id", "d-spaces")
    holdfast("fact", "add", "place", "--text", "the gate is shut")
    return holdfast


def digests(holdfast: Holdfast, seq: int) -> dict[str, str]:
    stores = holdfast("at", str(seq), "--json").json()["stores"]
    return {name: one["digest"] for name, one in stores.items()}


@pytest.mark.req("L20")
def test_facts_and_decisions_read_as_they_did_and_nothing_is_removed(told: Holdfast) -> None:
    before = told("log", "--json").out
    done = told("rollback", "0", "--reason", "the plan was wrong", "--json")
    assert (done.code, done.json()["seq"]) == (0, 3)
    assert told("log", "--json").out.startswith(before)
    assert told.entries()[3]["data"] == {"to": 0, "reason": "the plan was wrong"}
    assert digests(told, 3)["decisions"] == digests(told, 0)["decisions"]
    assert digests(told, 3)["facts"] == digests(told, 0)["facts"]
    assert told("fact", "list", "--json").out == b""
    assert told("verify").code == 0


@pytest.mark.req("L20")
def test_it_says_what_reads_differently(told: Holdfast) -> None:
    done = told("rollback", "0", "--reason", "no", "--json")
    changes = done.json()["changes"]
    assert list(changes["decisions"]["removed"]) == ["d-spaces"]
    assert changes["decisions"]["changed"] == {"d-tabs": {"superseded_by": ["d-spaces", None]}}
    assert len(changes["facts"]["removed"]) == 1
    assert "as right after entry 0" in done.err
    assert "- d-spaces  spaces" in done.err
    assert "nothing" in told("rollback", "3", "--reason", "once more").err


@pytest.mark.req("L20")
def test_a_rollback_can_be_gone_back_on(told: Holdfast) -> None:
    whole = digests(told, 2)
    told("rollback", "0", "--reason", "no")
    told("rollback", "2", "--reason", "yes after all")
    assert {**digests(told, 4), "sessions": ""} == {**whole, "sessions": ""}
    assert len(told("fact", "list", "--json").out.splitlines()) == 1


@pytest.mark.req("L20")
def test_a_decision_that_was_rolled_back_no_longer_holds(told: Holdfast) -> None:
    told("rollback", "0", "--reason", "no")
    assert "ROLLED BACK: it no longer holds." in told("show", "d-spaces").text
    assert "ROLLED BACK: it no longer holds." in told("show", "2").text
    shown = told("show", "d-tabs").text
    assert "ROLLED BACK" not in shown
    assert "SUPERSEDED" not in shown
    hits = [
        line for line in told("search", "spaces", "--json").out.splitlines() if b'"seq"' in line
    ]
    assert b'"superseded":true' in hits[0]


@pytest.mark.req("L20", "O9")
def test_a_save_after_a_rollback_boots(told: Holdfast) -> None:
    base = told("save", "--json").json()["snapshot_id"]
    told("rollback", "0", "--reason", "no")
    told("decide", "both", "--because", "peace")
    save = told("save", "--json").json()
    whole = told("boot", "--json").json()
    assert whole["digests"] == save["store_digests"]
    assert told("boot", "--from", base, "--json").json() == whole
    for file in (told.folder / ".holdfast").glob("views.db*"):
        file.unlink()
    assert told("boot", "--from", base, "--json").json() == whole


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("3", "--reason", "x"), 1),
        (("-1", "--reason", "x"), 1),
        (("x", "--reason", "x"), 2),
        (("0",), 2),
        (("0", "--reason", " "), 2),
    ],
)
def test_wrong_input_records_nothing(told: Holdfast, args: tuple[str, ...], code: int) -> None:
    assert (told("rollback", *args).code, len(told.entries())) == (code, 3)


def test_sessions_and_open_work_stay_as_they_are(told: Holdfast) -> None:
    told("session", "start", "--session", "s1")
    told.record("work_opened", 1)
    done = told("rollback", "0", "--reason", "no", "--json")
    about_decisions = {"decisions", "evidence", "subjects"}
    assert set(done.json()["changes"]) == {"facts"} | about_decisions
    assert told("session", "list", "--json").json()["state"] == "open"
    assert digests(told, 5)["open_work"] == digests(told, 4)["open_work"]
    assert digests(told, 5)["open_work"] != digests(told, 0)["open_work"]
