"""`holdfast clear` and `holdfast handoff`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.harness import Holdfast

KEYS = [
    "ok",
    "grounding_ratio",
    "threshold",
    "enforcement",
    "decisions",
    "grounded",
    "assumptions",
    "blocks",
]
OUTPUT = "\n".join(f"line {n} of a long output" for n in range(300))


@pytest.fixture
def work(holdfast: Holdfast) -> Holdfast:
    """A project in a session with everything that a clear needs."""
    (holdfast.folder / "a.py").write_text("def take():\n    return 1\n")
    assert holdfast("session", "start", "--session", "s").code == 0
    for number in range(3):
        data = {"name": f"case {number}", "type": "edge", "expected": "works"}
        holdfast.record("scenario_added", number, **data, task=None)
    cited = "`return 1` [${PROJECT_ROOT}/a.py:2]"
    assert holdfast("decide", "Return one", "--because", "why", "--evidence", cited).code == 0
    return holdfast


def types(holdfast: Holdfast) -> list[str]:
    return [entry["type"] for entry in holdfast.entries()]


@pytest.mark.req("L15")
def test_check_answers_scripts_with_these_keys_and_no_others(work: Holdfast) -> None:
    before = types(work)
    found = work("clear", "--check", "--json")
    assert found.code == 0
    assert list(found.json()) == KEYS
    assert found.json() == {
        "ok": True,
        "grounding_ratio": 1.0,
        "threshold": 0.95,
        "enforcement": "strict",
        "decisions": 1,
        "grounded": 1,
        "assumptions": 0,
        "blocks": [],
    }
    assert types(work) == before


@pytest.mark.req("L15")
def test_a_block_has_step_reason_remedy_and_ref(work: Holdfast) -> None:
    work.record("ghost_flagged", ghost="priorities", claim=None)
    found = work("clear", "--check", "--json")
    assert found.code == 1
    [block] = found.json()["blocks"]
    assert list(block) == ["step", "reason", "remedy", "ref"]
    assert (block["step"], block["reason"]) == (2, "[UNVERIFIED GHOST] priorities")
    assert (found.json()["ok"], block["ref"][:6]) == (False, "entry ")


@pytest.mark.req("L8")
def test_a_person_reads_the_seeds_message_line_by_line(work: Holdfast) -> None:
    work("decide", "Guess", "--because", "why")
    found = work("clear")
    assert found.code == 1
    assert found.text.splitlines()[:3] == [
        "Cannot clear: 1 decisions lack grounded citations.",
        "Add evidence or mark as [ASSUMPTION] before clearing.",
        "Current grounding ratio: 0.50 (required: 0.95)",
    ]
    assert "Logged as failed. Nothing was cleared." in found.err


@pytest.mark.req("L8")
def test_a_project_cannot_loosen_the_gate_and_the_user_can(work: Holdfast) -> None:
    work("decide", "Guess", "--because", "why")
    work.settings.write_text('[gate]\nenforcement = "disabled"\nthreshold = 0.1\n')
    assert work("clear", "--check").code == 1
    mine = work.home / ".config" / "holdfast" / "config.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('[gate]\nenforcement = "warn"\n')
    work.settings.unlink()
    warned = work("clear", "--check")
    assert (warned.code, "a clear may go on all the same" in warned.err) == (0, True)
    assert "Cannot clear: 1 decisions" in warned.text
    mine.write_text('[gate]\nenforcement = "disabled"\n')
    disabled = work("clear", "--check")
    assert (disabled.code, "The gate is disabled" in disabled.err) == (0, True)


@pytest.mark.req("L15")
def test_what_is_printed_is_what_the_next_session_sees(work: Holdfast) -> None:
    work("checkpoint", "--task", "the parser", "--next", "strings")
    cleared = work("clear")
    assert cleared.code == 0, cleared.err
    capsule = work("resume", "--level", "1").text.strip()
    assert "Next: strings" in capsule
    assert capsule in cleared.text
    assert "holdfast resume --level 1" in cleared.text
    assert types(work)[-3:] == ["gate_ran", "handoff_made", "session_ended"]


@pytest.mark.lesson("N3")
def test_work_in_flight_is_in_what_the_next_session_sees(work: Holdfast) -> None:
    work.record("work_opened", work="w", title="Review of the lexer", kind="subagent")
    cleared = work("clear")
    assert cleared.code == 0, cleared.err
    assert "Review of the lexer" in cleared.text
    assert "Review of the lexer" in work("resume", "--level", "1").text


def test_a_clear_answers_scripts_with_its_handoff(work: Holdfast) -> None:
    found = work("clear", "--json").json()
    assert list(found) == [*KEYS, "handoff", "capsule"]
    assert found["handoff"]["session_id"] == "s"
    assert found["handoff"]["edd_verified"]
    assert "Return one" in found["capsule"]


def test_clearing_twice_says_so(work: Holdfast) -> None:
    assert work("clear").code == 0
    again = work("clear")
    assert again.code == 0
    assert "cleared before" in again.err
    assert types(work).count("handoff_made") == 1


@pytest.mark.req("L6")
@pytest.mark.req("L15")
def test_the_handoff_lists_what_decayed_and_it_opens_again(work: Holdfast) -> None:
    data = json.dumps({"command": "make", "exit_code": 2, "output": OUTPUT})
    seq = work("record", "command_ran", "--data", data, "--json").json()["seq"]
    cleared = work("clear")
    assert "Decayed 1 raw output:" in cleared.text
    shown = work("handoff")
    assert f"entry {seq}: `make`, exit 2, 300 lines" in shown.text
    [one] = work("handoff", "--json").json()["decayed"]
    assert one["identifier"] == f"entry {seq}"
    assert work("show", str(seq), "--full", "--json").json()["data"]["output"] == OUTPUT


@pytest.mark.lesson("L6")
def test_the_handoff_says_what_failed_and_was_let_pass(work: Holdfast) -> None:
    mine = work.home / ".config" / "holdfast" / "config.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text('[gate]\nenforcement = "warn"\n')
    work.record("ghost_flagged", ghost="priorities", claim=None)
    assert work("clear").code == 0
    assert "failed   [UNVERIFIED GHOST] priorities" in work("handoff").text
    answer: Any = work("handoff", "--json").json()
    assert not answer["next_session_ready"]
    assert [block["step"] for block in answer["failed"]] == [2]


def test_without_a_handoff_there_is_none_to_show(holdfast: Holdfast) -> None:
    found = holdfast("handoff")
    assert (found.code, "There was no handoff yet." in found.err) == (1, True)


def test_text_from_the_ledger_cannot_drive_the_terminal(work: Holdfast) -> None:
    work.record("ghost_flagged", ghost="a\x1b[31mb", claim=None)
    found = work("clear", "--check")
    assert "\x1b" not in found.text
    assert "a\\x1b[31mb" in found.text


def test_no_remedy_names_a_destructive_command(work: Holdfast) -> None:
    work.record("ghost_flagged", ghost="g", claim=None)
    work("decide", "Guess", "--because", "why")
    text = work("clear", "--check").text
    for word in ("rm ", "--force", "reset", "erase", "delete"):
        assert word not in text


@pytest.mark.lesson("L1")
def test_a_blocked_clear_cannot_be_talked_into_passing(work: Holdfast) -> None:
    work("decide", "Guess", "--because", "why")
    assert work("clear").code == 1
    work.record("handoff_made")
    again = work("clear", "--json")
    assert (again.code, again.json()["ok"], again.json()["handoff"]) == (1, False, None)
    assert "The settings say to warn" not in work("clear").err


@pytest.mark.lesson("L3")
@pytest.mark.parametrize("words", [("clear",), ("clear", "--check")])
def test_a_session_that_nobody_started_is_refused(work: Holdfast, words: tuple[str, ...]) -> None:
    before = types(work)
    unknown = work(*words, "--session", "nobody")
    assert (unknown.code, "with --session: s." in unknown.err) == (1, True)
    blank = work(*words, "--session", " ")
    assert (blank.code, "The session id" in blank.err) == (2, True)
    assert types(work) == before


def test_a_clear_that_left_nothing_does_not_read_its_own_notes_back(holdfast: Holdfast) -> None:
    holdfast("session", "start", "--session", "s")
    for number in range(3):
        data = {"name": f"case {number}", "type": "edge", "expected": "works"}
        holdfast.record("scenario_added", number, **data, task=None)
    holdfast.record("command_ran", command="make", exit_code=0)
    cleared = holdfast("clear")
    assert cleared.code == 0, cleared.err
    notes = holdfast.folder / "NOTES.md"
    assert "Reasoning State" in notes.read_text()
    for text in (cleared.text, holdfast("resume", "--level", "1").text):
        assert "Not recorded" not in text
    spoken = "- **Reasoning State**: the lexer drops tabs\n"
    lines = notes.read_text().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if "Reasoning State" in line)
    notes.write_text("".join([*lines[:at], spoken, *lines[at + 1 :]]))
    said = holdfast("resume", "--level", "1").text
    assert "Not recorded, from NOTES.md:" in said
    assert "the lexer drops tabs" in said


@pytest.mark.req("L15")
def test_what_a_person_cites_in_the_notes_blocks_until_it_is_right(work: Holdfast) -> None:
    place = work.folder / "NOTES.md"
    before = place.read_text()
    line = before.count("\n") + 2
    lines = [
        "- `return 1` [a.py:2]",
        "- [${PROJECT_ROOT}/a.py:2]",
        "- `return 2` [${PROJECT_ROOT}/a.py:2]",
        "<!-- `return 3` [a.py:2] -->",
    ]
    place.write_text("\n".join([before, *lines, ""]))
    found = work("clear", "--check", "--json")
    assert found.code == 1
    assert [(one["step"], one["ref"]) for one in found.json()["blocks"]] == [
        (1, f"NOTES.md:{line + number}") for number in range(3)
    ]
    said = work("clear")
    assert said.code == 1
    assert f"NOTES.md:{line} has a citation with a relative path: [a.py:2]." in said.text
    assert "`return 1` [${PROJECT_ROOT}/a.py:2]" in said.text
    assert f"NOTES.md:{line + 1} has a citation without a word-for-word quote" in said.text
    assert (
        f"NOTES.md:{line + 2} has a quote that no longer stands at a.py:2: 'return 2'" in said.text
    )
    place.write_text(f"{before}\n`return 1` [${{PROJECT_ROOT}}/a.py:1]\n")
    passed = work("clear")
    assert passed.code == 0
    assert f"NOTES.md:{line}: It stands at line 2 now." in passed.err
