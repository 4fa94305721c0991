"""`holdfast resume --level N`: how much is told to whoever comes back."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import holdfast as api
from holdfast import counting
from holdfast.testing.builders import data_for
from tests.cli.harness import Holdfast

SHAPE = ["level", "text", "tokens", "counter", "as_of_seq"]
MORE = "holdfast resume --level 2 --query …"


@pytest.fixture
def worked(holdfast: Holdfast) -> Holdfast:
    """A project in which something was decided, proved by a file, and is to go on."""
    source = holdfast.folder / "src"
    source.mkdir()
    (source / "a.py").write_text("import pso\n\n\nswarm = pso.Swarm(30)\n")
    with api.open(holdfast.folder) as ledger:
        ledger.append("session_started", {}, session_id="s1")
        old = ledger.append("decision", decided("GA"), session_id="s1")
        proved = decided("PSO over GA", supersedes=[old.id], grounds=cited("src/a.py", 4))
        ledger.append("decision", proved, session_id="s1")
        assumed = {"cited": 0, "exact": 0, "assumption": True}
        ledger.append("decision", decided("one writer at a time", grounds=assumed), session_id="s1")
    done = holdfast(
        *("checkpoint", "--task", "the swarm", "--completed", "3", "--total", "7"),
        *("--next", "tune the weights", "--session", "s1"),
    )
    assert done.code == 0
    return holdfast


def decided(choice: str, **more: Any) -> dict[str, Any]:
    return data_for("decision", 0, choice=choice, reasoning=f"because of {choice}", **more)


def cited(path: str, line: int) -> dict[str, Any]:
    citation = {"path": path, "line": line, "quote": "swarm = pso.Swarm(30)", "state": "exact"}
    return {"cited": 1, "exact": 1, "evidence": [citation]}


def both(holdfast: Holdfast, *args: str, **env: Any) -> Any:
    """Ask on the short way and on the long one; they must agree."""
    short = holdfast.process("resume", *args, "--json", **env)
    long = holdfast("resume", *args, "--json", **env)
    assert (short.code, long.code) == (0, 0), short.err + long.err
    assert short.out == long.out
    return short.json()


@pytest.mark.req("L3", "L4")
def test_level_one_is_a_capsule_of_what_is_needed_to_go_on(worked: Holdfast) -> None:
    answer = both(worked, "--level", "1")
    assert list(answer) == SHAPE
    assert (answer["level"], answer["as_of_seq"]) == (1, 4)
    assert answer["text"].splitlines() == [
        "Task 3/7: the swarm",
        "Next: tune the weights",
        "#3 one writer at a time [ASSUMPTION]",
        "#2 PSO over GA [src/a.py:4]",
        MORE,
    ]
    assert counting.count(answer["text"], answer["counter"]).tokens == answer["tokens"] <= 100
    assert worked.process("resume", "--level", "1").text == f"{answer['text']}\n"


@pytest.mark.lesson("P11")
def test_a_stale_capsule_is_made_anew_before_it_is_shown(worked: Holdfast) -> None:
    assert "the swarm" in both(worked, "--level", "1")["text"]
    with api.open(worked.folder) as ledger:
        data = data_for("checkpoint", 1, task="the flock", next_action="count birds")
        ledger.append("checkpoint", data, session_id="s1")
    assert "Next: count birds" in both(worked, "--level", "1")["text"]


@pytest.mark.lesson("P11")
@pytest.mark.parametrize("harm", ["edited", "torn", "gone"])
def test_a_capsule_that_was_harmed_is_not_believed(worked: Holdfast, harm: str) -> None:
    path = worked.folder / ".holdfast/state/CURRENT_STATE.json"
    content = path.read_bytes()
    before = both(worked, "--level", "1")
    match harm:
        case "edited":
            path.write_bytes(content.replace(b"tune the weights", b"drop the tables"))
        case "torn":
            path.write_bytes(content[: len(content) // 2])
        case _:
            path.unlink()
    assert worked.process("resume", "--level", "1", "--json").json() == before


@pytest.mark.req("L3")
def test_identifiers_are_looked_for_and_not_loaded(worked: Holdfast) -> None:
    source = worked.folder / "src/a.py"
    source.chmod(0)  # nobody may read it, and nobody has to
    assert "[src/a.py:4]" in both(worked, "--level", "1")["text"]
    source.unlink()
    answer = both(worked, "--level", "1")
    assert "#2 PSO over GA [src/a.py:4 gone]" in answer["text"]
    assert counting.count(answer["text"], "o200k_base").tokens <= 100
    assert "the file is gone" in both(worked, "--level", "2")["text"]


@pytest.mark.req("L3", "L15")
def test_after_an_ungated_clear_it_says_what_was_not_sealed(worked: Holdfast) -> None:
    assert "Unsealed" not in both(worked, "--level", "1")["text"]
    worked("session", "end", "--session", "s1", "--reason", "clear")
    text = both(worked, "--level", "1")["text"]
    assert "Unsealed: 2 (#3 #2); fails: 0/3 scenarios" in text
    said = both(worked, "--level", "2")["text"].splitlines()[0]
    assert said.startswith("2 decisions were not sealed by a passed gate")
    assert "#3 #2." in said


def test_nothing_heavy_is_loaded_for_level_one(worked: Holdfast) -> None:
    probe = (
        "import sys\n"
        "sys.argv = ['holdfast', 'resume', '--level', '1']\n"
        "from holdfast.cli.main import main\n"
        "main()\n"
        "heavy = ('click', 'rich', 'msgspec', 'pathlib', 'subprocess', 'holdfast.kernel.entry',\n"
        "         'holdfast.ledger', 'holdfast.index', 'holdfast.wiring', 'holdfast.evidence')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=worked.folder,
        env=worked.env(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.req("L3")
def test_no_other_program_is_started(worked: Holdfast, tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bd", "git", "ck"):
        (programs / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/started-{name}\n")
        (programs / name).chmod(0o755)
    (worked.folder / ".beads").mkdir()
    (worked.folder / ".git").mkdir()
    for level in (["1"], ["2"], ["2", "--query", "swarm"], ["3", "--yes-all"]):
        assert worked.process("resume", "--level", *level, PATH=str(programs)).code == 0
    assert not list(tmp_path.glob("started-*"))


@pytest.mark.lesson("N3")
def test_a_session_sees_its_own_task(worked: Holdfast) -> None:
    with api.open(worked.folder) as ledger:
        for name in ("a", "b"):
            ledger.append("task_added", {"task": f"hf-{name}", "title": f"work of {name}"})
            started = {"task": f"hf-{name}", "status": "in_progress"}
            ledger.append("task_updated", started, session_id=f"of-{name}")
    assert "hf-b work of b" in both(worked, "--level", "1")["text"]
    assert "hf-a work of a" in both(worked, "--level", "1", HOLDFAST_SESSION="of-a")["text"]
    assert "hf-a work of a" in both(worked, "--level", "1", "--session", "of-a")["text"]


@pytest.mark.req("L4")
def test_level_two_tells_the_decisions_that_a_question_finds(worked: Holdfast) -> None:
    answer = both(worked, "--level", "2", "--query", "swarm PSO")
    assert list(answer) == SHAPE
    assert answer["level"] == 2
    first, *others = answer["text"].splitlines()
    assert (first.split()[0], first.endswith(" PSO over GA")) == ("#2", True)
    assert others == [
        "  because: because of PSO over GA",
        "  not: the other way",
        "  evidence: `swarm = pso.Swarm(30)` [${PROJECT_ROOT}/src/a.py:4]",
    ]


@pytest.mark.lesson("N2")
def test_level_two_never_shows_what_was_superseded(worked: Holdfast) -> None:
    for query in ([], ["--query", "GA"]):
        text = both(worked, "--level", "2", *query)["text"]
        assert "#2 " in text
        assert "#1 " not in text


@pytest.mark.req("L4")
@pytest.mark.parametrize("counter", ["cl100k_base", "o200k_base", None])
def test_level_two_stays_within_500_tokens_and_names_what_it_left_out(
    holdfast: Holdfast, counter: str | None
) -> None:
    with api.open(holdfast.folder) as ledger:
        for n in range(30):
            words = f"decision {n} 決定を記録する " + "because it has to be so, " * 12
            ledger.append("decision", data_for("decision", n, choice=f"way {n}", reasoning=words))
    for query in ([], ["--query", "way because"]):
        answer = both(holdfast, "--level", "2", *query)
        tokens = counting.count(answer["text"], counter or answer["counter"]).tokens
        assert 200 <= tokens <= 500
        assert "Left out: " in answer["text"].splitlines()[-1]
        seqs = [int(line.split()[0][1:]) for line in answer["text"].splitlines() if line[0] == "#"]
        assert seqs == sorted(seqs, reverse=True)


NOTES = {
    "the seed's": """# Project

## Session Continuity
<!-- Load FIRST after /clear -->

### Active Context
- **Current Bead**: bd-x7y8 (the swarm)
- **Last Checkpoint**: 2024-01-15T14:30:00Z
- **Reasoning State**: tune the weights

### Decision Log
#### 2024-01-15T14:30:00Z - PSO over GA
**Decision**: PSO
**Rationale**: it is faster
""",
    "current focus": """# Notes

## Current Focus
- **Active Task**: bd-x7y8 (the swarm)
- **Next Action**: tune the weights

## Decisions

**Decision: PSO over GA**
- **Why**: it is faster
""",
    "a table": """# Notes

## Current Focus
- **Active Task**: bd-x7y8 (the swarm)
- **Next Action**: tune the weights

## Decisions

| Date | Decision | Rationale |
|------|----------|-----------|
| 2024-01-15 | PSO over GA | it is faster |
""",
}


@pytest.mark.lesson("L8")
@pytest.mark.parametrize("dialect", NOTES)
@pytest.mark.parametrize("entries", [0, 1])
def test_where_nothing_was_recorded_the_notes_speak(
    holdfast: Holdfast, dialect: str, entries: int
) -> None:
    if entries:
        with api.open(holdfast.folder) as ledger:
            ledger.append("metric", data_for("metric", 1))
    (holdfast.folder / "NOTES.md").write_text(NOTES[dialect])
    answer = both(holdfast, "--level", "1")
    lines = answer["text"].splitlines()
    assert lines[:3] == [
        "Not recorded, from NOTES.md:",
        "Task: bd-x7y8 (the swarm)",
        "Next: tune the weights",
    ]
    assert (lines[3].startswith("NOTES.md:"), lines[3].endswith(" PSO over GA")) == (True, True)
    assert answer["tokens"] <= 100


def test_what_was_recorded_counts_more_than_notes(worked: Holdfast) -> None:
    (worked.folder / "NOTES.md").write_text(NOTES["the seed's"])
    assert "bd-x7y8" not in both(worked, "--level", "1")["text"]


@pytest.mark.lesson("L10")
def test_damaged_notes_are_told_with_how_to_heal_them(holdfast: Holdfast) -> None:
    (holdfast.folder / "NOTES.md").write_bytes(b"\xff\xfe\x00")
    assert "holdfast heal" in both(holdfast, "--level", "1")["text"]


def test_a_question_that_finds_nothing_says_so(worked: Holdfast) -> None:
    answer = both(worked, "--level", "2", "--query", "zebra")
    assert answer["text"].endswith("No decision that holds speaks of 'zebra'.")


def test_an_empty_ledger_has_nothing_to_tell_on_any_level(holdfast: Holdfast) -> None:
    assert both(holdfast, "--level", "1")["text"] == f"Nothing was recorded yet.\n{MORE}"
    assert both(holdfast, "--level", "2")["text"] == "No decision was recorded yet."
    assert both(holdfast, "--level", "3", "--yes-all")["as_of_seq"] == -1


@pytest.mark.req("L4")
def test_level_three_is_told_only_when_somebody_really_wants_it(worked: Holdfast) -> None:
    done = worked("resume", "--level", "3")
    assert done.code == 2
    assert "--yes-all" in done.err
    assert "--level 2 --query" in done.err
    text = both(worked, "--level", "3", "--yes-all")["text"]
    assert "#2 " in text
    assert "because of PSO over GA" in text
    assert "superseded by #2: #1 GA" in text


def test_options_of_one_level_are_refused_at_another(worked: Holdfast) -> None:
    assert worked("resume", "--level", "1", "--query", "x").code == 2
    assert worked("resume", "--query", "x").code == 2
    assert worked("resume", "--yes-all").code == 2
    assert worked("resume", "--level", "4").code == 2


def test_the_plain_resume_says_what_it_said(worked: Holdfast) -> None:
    answer = worked.process("resume", "--json").json()
    assert list(answer) == ["text", "tokens", "as_of_seq"]
    assert "next: tune the weights" in answer["text"]


def test_a_worktree_looks_for_files_in_its_own_folder(worked: Holdfast, tmp_path: Path) -> None:
    (worked.folder / ".git/worktrees/side").mkdir(parents=True)
    side = Holdfast(tmp_path / "side", worked.home)
    side.folder.mkdir()
    (side.folder / ".git").write_text(f"gitdir: {worked.folder}/.git/worktrees/side\n")
    assert "[src/a.py:4 gone]" in side.process("resume", "--level", "1").text
    shutil.copytree(worked.folder / "src", side.folder / "src")
    assert "[src/a.py:4]" in side.process("resume", "--level", "1").text


@pytest.mark.req("L4")
def test_the_capsule_stands_in_the_current_state(worked: Holdfast) -> None:
    document = json.loads((worked.folder / ".holdfast/state/CURRENT_STATE.json").read_bytes())
    answer = both(worked, "--level", "1")
    kept = document["capsule"]
    assert {name: kept[name] for name in ("text", "tokens", "counter")} == {
        name: answer[name] for name in ("text", "tokens", "counter")
    }
    assert kept["identifiers"] == ["src/a.py"]
