"""The capsule of level 1, made from whole ledgers."""

from __future__ import annotations

from functools import cache
from statistics import median

import pytest

from holdfast import counting
from holdfast.cli.output import visible
from holdfast.index.views import Views
from holdfast.kernel.tokens import COUNTER, estimate
from holdfast.ledger.documents import Gathering
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.recovery import known, several_tasks, unsealed
from holdfast.stores.gate import GATE
from holdfast.testing.builders import data_for, open_memory_ledger
from holdfast.views.capsule import LevelOne, capsule
from tests.ledger.random_ledgers import Chance, Told

LEDGERS = 1000
VOCABULARIES = ("cl100k_base", "o200k_base")


def gathered(ledger: Ledger) -> Gathering:
    views = Views(":memory:")
    views.catch_up(ledger.reader)
    return Gathering(ledger.reader, views)


def level_one(ledger: Ledger) -> LevelOne:
    return capsule(known(gathered(ledger)))


@cache
def drawn() -> tuple[tuple[LevelOne, Told], ...]:
    """Capsules of very many ledgers, and what each has to tell."""
    made = []
    for number in range(LEDGERS):
        ledger, told = Chance(number).ledger()
        made.append((level_one(ledger), told))
    return tuple(made)


def decisions_in(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


@pytest.mark.req("L4")
@pytest.mark.parametrize("counter", [*VOCABULARIES, COUNTER])
def test_a_capsule_takes_no_more_than_100_tokens_on_any_ledger(counter: str) -> None:
    tokens = [counting.count(made.text, counter).tokens for made, _ in drawn()]
    assert max(tokens) <= 100
    assert len(tokens) == LEDGERS


@pytest.mark.req("L4")
@pytest.mark.parametrize("counter", VOCABULARIES)
def test_no_decision_takes_more_than_16_tokens(counter: str) -> None:
    lines = [line for made, _ in drawn() for line in decisions_in(made.text)]
    assert max(counting.count(line, counter).tokens for line in lines) <= 16
    assert len(lines) > LEDGERS


@pytest.mark.req("L3", "L4")
def test_task_next_step_and_three_decisions_are_all_there_when_they_exist() -> None:
    shares = []
    for made, told in drawn():
        lines = made.text.splitlines()
        wanted = [told.task, told.next_step, *(True for _ in told.decisions)]
        found = [
            any(line.startswith("Task") for line in lines),
            any(line.startswith("Next: ") for line in lines),
            *(any(line.startswith(f"#{seq} ") for line in lines) for seq in told.decisions),
        ]
        shares.append(found == wanted)
    assert all(shares)
    assert median(len(told.decisions) for _, told in drawn()) == 3


@pytest.mark.lesson("N2")
def test_what_was_superseded_is_never_shown_as_current() -> None:
    assert sum(len(told.superseded) for _, told in drawn()) > 100
    for made, told in drawn():
        shown = [int(line[1:].split()[0]) for line in decisions_in(made.text)]
        assert shown == told.decisions
        assert not told.superseded & set(shown)


def test_a_terminal_shows_it_as_it_is() -> None:
    assert [made.text for made, _ in drawn()] == [
        visible(made.text, lines=True) for made, _ in drawn()
    ]


@pytest.mark.req("L4")
def test_the_same_ledger_gives_the_same_bytes() -> None:
    for number in range(0, LEDGERS, 50):
        ledger, _ = Chance(number).ledger()
        assert level_one(ledger) == drawn()[number][0]


def test_tokens_are_what_the_built_in_counter_says() -> None:
    assert all(made.tokens == estimate(made.text) for made, _ in drawn())


def session(*reasons: str) -> Ledger:
    """Return a ledger in which a session decided something and ended."""
    ledger = open_memory_ledger()
    ledger.session_id = "s1"
    ledger.append("session_started", {})
    ledger.append("decision", data_for("decision", 1))
    for reason in reasons:
        ledger.append("session_ended", {"reason": reason})
    ledger.session_id = None
    return ledger


@pytest.mark.req("L3")
@pytest.mark.parametrize("reason", ["clear", "completed", "crashed"])
def test_after_an_ungated_end_it_says_what_was_not_sealed(reason: str) -> None:
    text = level_one(session(reason)).text
    assert "Unsealed: 1 (#1); fails: 1 ungrounded, 0/3 scenarios" in text


def test_while_the_session_goes_on_nothing_is_unsealed() -> None:
    assert unsealed(gathered(session())) is None


def test_what_came_before_a_passed_gate_is_sealed() -> None:
    ledger = session("clear")
    ledger.append("gate_ran", data_for("gate_ran", 0, passed=False))
    assert unsealed(gathered(ledger)) is not None
    ledger.append("gate_ran", data_for("gate_ran", 0, passed=True))
    assert unsealed(gathered(ledger)) is not None  # somebody typed it
    ledger.append("gate_ran", data_for("gate_ran", 0, passed=True), actor=GATE)
    assert unsealed(gathered(ledger)) is None


def test_what_fails_is_counted_by_its_kind() -> None:
    ledger = session("clear")
    ledger.append("ghost_flagged", {"ghost": "oauth"})
    ledger.append("ghost_flagged", {"ghost": "saml"})
    ledger.append("search_ran", {"query": "x", "result_count": 80, "scope": "code"})
    found = unsealed(gathered(ledger))
    assert found is not None
    assert found.fails == ("1 ungrounded", "2 ghosts", "1 pivot", "0/3 scenarios")


def test_decisions_beyond_those_looked_at_are_said_to_be_more() -> None:
    ledger = open_memory_ledger()
    ledger.session_id = "s1"
    ledger.append("session_started", {})
    for number in range(120):
        ledger.append("decision", data_for("decision", number))
    ledger.append("session_ended", {"reason": "clear"})
    assert "Unsealed: 100+ (#21-#120)" in level_one(ledger).text


@pytest.mark.req("L3")
def test_the_task_in_progress_is_the_sessions_own_else_anybodys() -> None:
    ledger = open_memory_ledger()
    for name in ("a", "b"):
        ledger.append("task_added", {"task": f"hf-{name}", "title": f"work of {name}"})
        started = {"task": f"hf-{name}", "status": "in_progress"}
        ledger.append("task_updated", started, session_id=f"of-{name}")
    found = gathered(ledger)
    assert several_tasks(found.items("tasks"))
    assert known(found, "of-a").task == "hf-a work of a"
    assert known(found).task == "hf-b work of b"
    assert known(found, "of-nobody").task == "hf-b work of b"


@pytest.mark.lesson("N2")
def test_a_finished_task_is_not_the_task_any_more() -> None:
    ledger = open_memory_ledger()
    ledger.append("task_added", {"task": "hf-a", "title": "the old one"})
    ledger.append("task_updated", {"task": "hf-a", "status": "in_progress"})
    ledger.append("task_added", {"task": "hf-b", "title": "the one after"})
    ledger.append("task_closed", {"task": "hf-a", "reason": "done"})
    text = level_one(ledger).text
    assert "the old one" not in text
    assert "Next: hf-b the one after" in text


@pytest.mark.lesson("N3")
def test_open_work_is_told() -> None:
    ledger = open_memory_ledger()
    ledger.append("work_opened", {"work": "w", "title": "review of the lexer"})
    assert "Open: 1, review of the lexer" in level_one(ledger).text


def test_the_newest_word_about_the_next_step_counts() -> None:
    ledger = open_memory_ledger()
    ledger.append("task_added", {"task": "hf-a", "title": "the parser"})
    update = {"task": "hf-a", "status": "in_progress", "next_steps": ["numbers"]}
    ledger.append("task_updated", update)
    assert "Next: numbers" in level_one(ledger).text
    ledger.append("checkpoint", data_for("checkpoint", 1, next_action="strings"))
    assert "Next: strings" in level_one(ledger).text
    ledger.append("task_updated", {"task": "hf-a", "next_steps": ["comments"]})
    assert "Next: comments" in level_one(ledger).text


@pytest.mark.lesson("L8")
def test_without_a_task_or_a_checkpoint_it_tells_what_is_known() -> None:
    ledger = open_memory_ledger()
    ledger.append("file_change", data_for("file_change", 5))
    text = level_one(ledger).text
    assert text.startswith("No checkpoint yet.")
    assert "src/part_5.py" in text


def test_what_was_grounded_anew_is_cited_from_there() -> None:
    ledger = open_memory_ledger()
    receipt = ledger.append("decision", data_for("decision", 1))
    assert "[" not in level_one(ledger).text
    citation = {"path": "src/a.py", "line": 4, "quote": "x", "state": "exact"}
    grounds = {"cited": 1, "exact": 1, "evidence": [citation]}
    ledger.append("decision_grounded", {"decision": receipt.id, "grounds": grounds})
    made = level_one(ledger)
    assert "#0 Way 1 [src/a.py:4]" in made.text
    assert made.identifiers == ((0, "src/a.py"),)
    gone = capsule(known(gathered(ledger)), missing={"src/a.py"})
    assert "#0 Way 1 [src/a.py:4 gone]" in gone.text
