"""What a StateManager records: every type of the protocol, and what became of files."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import holdfast
from holdfast import StateManager
from tests.wiring.projects import data, elsewhere, entries

PY = "def pay(cart):\n    return cart.total\n"


# All six types


@pytest.mark.req("P2", "P11")
def test_all_six_types_are_recorded_with_the_protocols_fields(project: Path) -> None:
    (project / "a.py").write_text(PY)
    with StateManager() as sm:
        sm.start_session("s")
        sm.log_decision("Which?", "PSO", "continuous", ["GA"], 0.85)
        sm.log_file_change("a.py")
        sm.log_error("FileNotFound", "Path X", "reading", "made it", "look first")
        sm.log_metric("S(x)", 0.85, 0.7, components={"safety": 0.9})
        sm.create_checkpoint("Session 0.2", 5, 12, "Continue with item 6", "5/12 of the state done")
        sm.compress(keep=0)
    assert data("decision") == [
        {
            "question": "Which?",
            "choice": "PSO",
            "reasoning": "continuous",
            "alternatives": ["GA"],
            "confidence": 0.85,
        }
    ]
    assert data("error")[0]["prevention"] == "look first"
    assert data("metric")[0] == {
        "name": "S(x)",
        "value": 0.85,
        "threshold": 0.7,
        "passed": True,
        "components": {"safety": 0.9},
    }
    [checkpoint] = data("checkpoint")
    assert (checkpoint["completed"], checkpoint["total"]) == (5, 12)
    assert checkpoint["quick_resume"].startswith("5/12 of the state done")
    [compression] = data("compression")
    assert compression["entries_compressed"] == 6
    assert compression["sessions_covered"] == ["s"]
    with holdfast.open(project) as ledger:
        assert ledger.verify().ok


@pytest.mark.req("P2")
def test_data_that_does_not_fit_is_refused_by_the_fields_name(project: Path) -> None:
    with StateManager() as sm:
        with pytest.raises(holdfast.InvalidInput, match="choice"):
            sm.log_decision("q", "", "r")
        with pytest.raises(holdfast.InvalidInput, match="confidence"):
            sm.log_decision("q", "c", "r", confidence=2)
        with pytest.raises(holdfast.InvalidInput, match="value"):
            sm.append_entry("metric", {"name": "x"})
        with pytest.raises(holdfast.InvalidInput, match="completed"):
            sm.create_checkpoint("t", completed=-1)
    assert entries() == []


@pytest.mark.lesson("P8")
def test_zero_is_a_value(project: Path) -> None:
    with StateManager() as sm:
        sm.create_checkpoint("t", completed=0, total=0)
        sm.log_metric("below", -1, 0)
        sm.log_metric("at", 0, 0)
        sm.log_metric("told", 5, 0, passed=False)
        sm.log_decision("q", "c", "r", confidence=0)
        sm.log_command("true", 0)
        last = sm.get_last_checkpoint()
    assert (last.completed, last.total) == (0, 0)
    assert [metric["passed"] for metric in data("metric")] == [False, True, False]
    assert data("decision")[0]["confidence"] == 0
    assert data("command_ran") == [{"command": "true", "exit_code": 0}]


def test_an_exception_is_recorded_as_it_is(project: Path) -> None:
    with StateManager() as sm:
        sm.log_error(ValueError("seven"), context="counting", resolution="counted again")
    assert data("error") == [
        {
            "error_type": "ValueError",
            "message": "seven",
            "context": "counting",
            "resolution": "counted again",
            "prevention": None,
        }
    ]


def test_a_decision_supersedes_by_number_or_id(project: Path) -> None:
    with StateManager() as sm:
        first = sm.log_decision("q", "a", "r")
        second = sm.log_decision("q", "b", "r", supersedes=first.seq)
        sm.log_decision("q", "c", "r", supersedes=[second.id, 0], cites=second.id)
        word = sm.log_words("not a decision")
        with pytest.raises(holdfast.InvalidInput, match="not a decision"):
            sm.log_decision("q", "d", "r", supersedes=word.seq)
        with pytest.raises(holdfast.NotFound):
            sm.log_decision("q", "d", "r", supersedes="nobody")
    told = [(one.get("supersedes"), one.get("cites")) for one in data("decision")]
    assert told == [
        (None, None),
        ([first.id], None),
        ([second.id, first.id], [second.id]),
    ]


def test_prompts_words_and_entries_of_any_type_are_recorded(project: Path) -> None:
    with StateManager() as sm:
        sm.log_prompt("Mach es schön")
        sm.log_words("Done.")
        sm.append_entry("work_opened", {"work": "w1", "title": "the long test"}, id="one")
        assert sm.append_entry("work_opened", {"work": "w1", "title": "x"}, id="one").duplicate
    assert data("prompt_given", "agent_said") == [{"text": "Mach es schön"}, {"text": "Done."}]


# File changes


@pytest.mark.req("P11")
def test_what_became_of_a_file_is_found_out(project: Path) -> None:
    file = project / "a.py"
    file.write_text(PY)
    StateManager().log_file_change("a.py")
    file.write_text(PY + "\ndef refund(cart):\n    return 0\n")
    StateManager().log_file_change(file)
    file.unlink()
    StateManager().log_file_change("a.py")
    told = [
        (c["action"], c["lines_changed"], c["diff_summary"], c["size_before"], c["size_after"])
        for c in data("file_change")
    ]
    assert told == [
        ("create", 2, "+2: def pay (first seen)", 0, 37),
        ("modify", 3, "+3: def refund", 37, 69),
        ("delete", 5, "-5: def pay, def refund", 69, 0),
    ]
    assert {change["path"] for change in data("file_change")} == {"a.py"}


def test_another_process_knows_what_was_recorded_and_claims_no_more(project: Path) -> None:
    file = project / "a.py"
    file.write_text(PY)
    elsewhere("StateManager().log_file_change('a.py')")
    file.write_text(PY * 2)
    elsewhere("StateManager().log_file_change('a.py')")
    change = data("file_change")[-1]
    assert (change["action"], change["size_before"], change["lines_changed"]) == ("modify", 37, 2)
    assert "2 to 4 lines" in change["diff_summary"]
    assert "how many changed is not known" in change["diff_summary"]


def test_a_change_by_another_process_is_what_ours_is_compared_with(project: Path) -> None:
    file = project / "a.py"
    file.write_text("one\n")
    with StateManager() as sm:
        sm.log_file_change("a.py")
        file.write_text("two\nthree\n")
        elsewhere("StateManager().log_file_change('a.py')")
        sm.log_file_change("a.py")
    change = data("file_change")[-1]
    assert (change["diff_summary"], change["hash_before"]) == ("+0 -0", change["hash_after"])


@pytest.mark.req("P2")
def test_told_fields_are_recorded_as_told_and_the_others_found_out(project: Path) -> None:
    (project / "a.py").write_text(PY)
    told = {
        "path": "C:\\PRISM\\scripts\\example.py",
        "action": "modify",
        "size_before": 0,
        "size_after": 1500,
        "lines_changed": 50,
        "diff_summary": "Added optimization function",
        "hash_after": "0" * 64,
        "why": "kept, too",
    }
    with StateManager() as sm:
        sm.log_file_change(told)
        sm.log_file_change(SimpleNamespace(**told))
        sm.log_file_change({"path": "a.py", "action": "modify"})
        for odd in ({"action": "modify"}, 7, None, {"path": "../out"}):
            with pytest.raises(holdfast.InvalidInput):
                sm.log_file_change(odd)
    changes = data("file_change")
    assert changes[0] == told
    assert {**changes[1], "why": told["why"]} == told
    assert (changes[2]["action"], changes[2]["size_after"]) == ("modify", 37)
