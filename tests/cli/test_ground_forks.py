"""Grounding a decision: not by the notes about it; and what that means for its forks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import Holdfast
from tests.cli.test_ground import CODE, RIGHT, decide


@pytest.fixture
def source(holdfast: Holdfast) -> Path:
    path = holdfast.folder / "src" / "queue.py"
    path.parent.mkdir()
    path.write_text(CODE)
    return path


@pytest.mark.req("L1", "L7")
def test_a_decision_does_not_ground_itself_by_the_note_about_it(holdfast: Holdfast) -> None:
    decision = decide(holdfast, what="Keep sessions in Redis")
    lines = (holdfast.folder / "NOTES.md").read_text().split("\n")
    line = next(n for n, text in enumerate(lines, 1) if "Keep sessions in Redis" in text)
    cited = f"`Keep sessions in Redis` [${{PROJECT_ROOT}}/NOTES.md:{line}]"
    done = holdfast("ground", decision, "--evidence", cited, "--json")
    assert (done.code, done.json()["faults"]) == (1, ["own-file"])
    again = holdfast("decide", "Keep them", "--because", "b", "--evidence", cited, "--json")
    assert (again.code, again.json()["faults"]) == (1, ["own-file"])


@pytest.mark.req("L1")
def test_the_notes_prove_nothing_wherever_they_are(holdfast: Holdfast) -> None:
    holdfast.settings.write_text('[notes]\npath = "docs/diary.md"\n')
    (holdfast.folder / "docs").mkdir()
    (holdfast.folder / "docs" / "diary.md").write_text("Keep sessions in Redis\n")
    cited = "`Keep sessions in Redis` [${PROJECT_ROOT}/docs/diary.md:1]"
    decision = decide(holdfast)
    done = holdfast("ground", decision, "--evidence", cited, "--json")
    assert (done.code, done.json()["faults"]) == (1, ["own-file"])


OTHER = "`return self._items.pop()` [${PROJECT_ROOT}/src/queue.py:7]"


@pytest.mark.req("L1", "L2")
@pytest.mark.usefixtures("source")
def test_quoting_what_the_code_does_say_settles_the_fork_with_it(holdfast: Holdfast) -> None:
    decision = decide(holdfast, OTHER)
    fork = holdfast("fork", "list", "--json").json()["fork"]
    done = holdfast("ground", decision, "--evidence", RIGHT, "--json")
    assert (done.code, done.json()["settled"]) == (0, [fork])
    grounded, resolved = holdfast.entries()[-2:]
    assert (grounded["type"], resolved["type"]) == ("decision_grounded", "fork_resolved")
    assert grounded["timestamp"] == resolved["timestamp"]
    assert resolved["data"] == {
        "fork": fork,
        "ruling": "compatible",
        "because": "The decision quotes the file as it is.",
        "decision": decision,
    }
    assert holdfast("fork", "list").code == 0


@pytest.mark.req("L1", "L2")
@pytest.mark.usefixtures("source")
def test_a_quote_of_another_file_settles_no_fork(holdfast: Holdfast) -> None:
    decision = decide(holdfast, OTHER)
    (holdfast.folder / "other.py").write_text("import threading\n")
    done = holdfast(
        "ground", decision, "--evidence", "`import threading` [${PROJECT_ROOT}/other.py:1]"
    )
    assert done.code == 0
    fork = holdfast("fork", "list", "--json").json()["fork"]
    assert f"Fork {fork} stays open: " in done.err
    assert "--ruling" in done.err


@pytest.mark.req("L2")
@pytest.mark.usefixtures("source")
def test_evidence_that_proves_nothing_and_an_assumption_settle_no_fork(holdfast: Holdfast) -> None:
    decision = decide(holdfast, OTHER)
    assert holdfast("ground", decision, "--evidence", OTHER).code == 1
    assert holdfast("ground", decision, "--assumption").code == 0
    assert holdfast("fork", "list").code == 1


@pytest.mark.req("L2")
@pytest.mark.usefixtures("source")
def test_a_fork_between_decisions_is_not_settled_by_grounding_one(holdfast: Holdfast) -> None:
    about = ("--because", "b", "--about", "store", "--json")
    holdfast("decide", "Keep it in Redis", *about)
    last = holdfast("decide", "Keep it in SQLite", *about).json()
    assert holdfast("ground", last["id"], "--evidence", RIGHT).code == 0
    assert holdfast("fork", "list").code == 1
