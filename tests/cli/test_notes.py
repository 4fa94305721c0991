"""`holdfast notes`: NOTES.md in the seed's form, beside whatever a person writes."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.evidence.notes_file import Found, NotesFile
from tests.cli.harness import Holdfast


def write(holdfast: Holdfast) -> Any:
    done = holdfast("notes", "--write", "--json")
    assert done.code == 0, done.err
    return done.json()


def notes(holdfast: Holdfast) -> str:
    return (holdfast.folder / "NOTES.md").read_bytes().decode()


def grounds(**given: Any) -> dict[str, Any]:
    cited = {"path": "src/a.py", "line": 4, "last": 6, "quote": "x = 1", "state": "exact"}
    return {"cited": 1, "exact": 1, "evidence": [cited], **given}


@pytest.mark.req("L13")
def test_notes_have_the_form_of_the_seed(holdfast: Holdfast) -> None:
    holdfast.record("task_added", 1, task="hf-7", title="read the feed")
    holdfast.record("task_updated", 1, task="hf-7", status="in_progress", next_steps=["the cache"])
    for name, kind in (("happy", "happy"), ("edge", "edge"), ("error", "e")):
        holdfast.record("scenario_added", 1, task="hf-7", name=name, type=kind, expected="works")
    about = {"choice": "one file a day", "reasoning": "days are asked for", "subject": "cache"}
    answer = holdfast.record("decision", 1, **about, grounds=grounds(task="hf-7", symbols=[]))
    told = write(holdfast)
    text = notes(holdfast)
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
    assert re.search(
        rf"""## Session Continuity
<!-- Load FIRST after /clear -->
<!-- holdfast:begin [^\n]*-->

### Active Context
- \*\*Current Bead\*\*: hf-7 \(read the feed\)
- \*\*Last Checkpoint\*\*: none yet
- \*\*Reasoning State\*\*: the cache

### Lightweight Identifiers
\| Identifier \| Purpose \| Last Verified \|
\|-+\|-+\|-+\|
\| \$\{{PROJECT_ROOT\}}/src/a.py:4-6 \| cache \| {stamp} \|

### Decision Log

#### {stamp} - cache
<!-- entry \d+ -->
\*\*Decision\*\*: one file a day
\*\*Rationale\*\*: days are asked for
\*\*Evidence\*\*: `x = 1` \[\$\{{PROJECT_ROOT\}}/src/a.py:4\]
\*\*Test Scenarios\*\*: 1\) happy \(happy\): works 2\) edge \(edge\): works 3\) error \(e\): works
""",
        text,
    )
    first, last = map(int, told["refs"][answer["id"]].removeprefix("NOTES.md:").split("-"))
    lines = text.split("\n")[first - 1 : last]
    assert lines[0].endswith("- cache")
    assert lines[-1].startswith("**Test Scenarios**")
    first, last = map(int, told["refs"]["active"].removeprefix("NOTES.md:").split("-"))
    assert text.split("\n")[first - 1] == "### Active Context"


@pytest.mark.req("L13")
def test_what_a_person_writes_survives_every_refresh(holdfast: Holdfast) -> None:
    mine = (
        "\ufeff# Mine\r\n\r\n\tindented\r\n\r\n```\r\n## not a heading\r\n```\r\n\r\n## More\r\nx"
    )
    (holdfast.folder / "NOTES.md").write_bytes(mine.encode())
    for number in range(4):
        holdfast.record("decision", number)
        write(holdfast)
        text = notes(holdfast)
        begin, end = text.index("## Session"), text.index("## More")
        assert text[:begin] + text[end:] == mine
        assert f"Way {number}\r\n" in text


@pytest.mark.lesson("N2")
def test_a_superseded_decision_is_not_shown_as_current(holdfast: Holdfast) -> None:
    first = holdfast.record("decision", 1, choice="use tabs")["id"]
    write(holdfast)
    assert "use tabs" in notes(holdfast)
    holdfast.record("decision", 2, choice="use blanks", supersedes=[first])
    told = write(holdfast)
    assert "use tabs" not in notes(holdfast)
    assert first not in told["refs"]


def test_assumptions_stand_apart_with_their_line(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1, choice="decided")
    assumed = {"cited": 0, "exact": 0, "assumption": True}
    key = holdfast.record("decision", 2, choice="users have a clock", grounds=assumed)["id"]
    told = write(holdfast)
    first, last = map(int, told["refs"][key].removeprefix("NOTES.md:").split("-"))
    assert first == last
    line = notes(holdfast).split("\n")[first - 1]
    assert line.startswith("- [ASSUMPTION]")
    assert "users have a clock" in line
    assert "**Decision**: users have a clock" not in notes(holdfast)


@pytest.mark.lesson("N15")
def test_of_very_many_decisions_the_newest_are_shown_and_the_others_counted(
    holdfast: Holdfast,
) -> None:
    for number in range(23):
        holdfast.record("decision", number)
    write(holdfast)
    text = notes(holdfast)
    assert text.count("\n#### ") == 20
    assert "3 older decisions hold as well: `holdfast log --type decision`" in text
    assert "Way 22" in text
    assert "Way 2\n" not in text


def test_what_it_rests_on_now_is_shown(holdfast: Holdfast) -> None:
    key = holdfast.record("decision", 1, grounds=grounds())["id"]
    moved = {"path": "src/b.py", "line": 9, "quote": "x = 2", "state": "exact"}
    holdfast.record("decision_grounded", 1, decision=key, grounds=grounds(evidence=[moved]))
    write(holdfast)
    assert "`x = 2` [${PROJECT_ROOT}/src/b.py:9]" in notes(holdfast)
    assert "src/a.py" not in notes(holdfast)


def test_looking_writes_nothing_and_tells_whether_they_are_current(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    assert holdfast("notes").code == 1
    assert not (holdfast.folder / "NOTES.md").exists()
    write(holdfast)
    before = (holdfast.folder / "NOTES.md").stat()
    done = holdfast("notes")
    assert (done.code, done.text.split("\n")[0]) == (0, "NOTES.md is up to date.")
    holdfast.record("decision", 2)
    done = holdfast("notes", "--json")
    assert (done.code, done.json()["current"], done.json()["refs"]) == (1, False, {})
    assert (holdfast.folder / "NOTES.md").stat() == before


def test_nothing_is_written_when_nothing_changed(holdfast: Holdfast) -> None:
    holdfast.record("decision", 1)
    assert write(holdfast)["written"] is True
    before = (holdfast.folder / "NOTES.md").stat()
    assert write(holdfast)["written"] is False
    assert (holdfast.folder / "NOTES.md").stat() == before


@pytest.mark.req("L13")
def test_a_malformed_line_is_named_and_stays(holdfast: Holdfast) -> None:
    text = "# N\n\n## Session Continuity\n\n### Active Context\nhalf a\n- **Current Bead**: b\n"
    (holdfast.folder / "NOTES.md").write_text(text)
    told = write(holdfast)
    [dropped] = told["dropped"]
    assert dropped["text"] == "half a"
    assert notes(holdfast).split("\n")[dropped["line"] - 1] == "half a"
    line = dropped["line"]
    assert f"Line {line} is no field of the form `- **Name**: value`" in holdfast("notes").err


@pytest.mark.lesson("L10")
def test_damaged_notes_are_left_alone(holdfast: Holdfast) -> None:
    damaged = b"a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n"
    (holdfast.folder / "NOTES.md").write_bytes(damaged)
    done = holdfast("notes", "--write")
    assert done.code == 2
    assert "holdfast heal" in done.err
    assert (holdfast.folder / "NOTES.md").read_bytes() == damaged


def test_the_settings_say_where_and_whether(holdfast: Holdfast) -> None:
    holdfast.settings.write_text('[notes]\npath = "docs/LOG.md"\n')
    assert write(holdfast)["path"] == "docs/LOG.md"
    assert (holdfast.folder / "docs/LOG.md").exists()
    holdfast.settings.unlink()
    user = holdfast.home / ".config/holdfast/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[notes]\nwrite = false\n")
    done = holdfast("notes", "--write", "--json")
    assert done.json()["why"] == "notes.write is off."
    assert not (holdfast.folder / "NOTES.md").exists()
    holdfast.settings.write_text('[notes]\npath = ".git/config"\n')
    done = holdfast("notes", "--write")
    assert done.code == 2
    assert "no place for notes" in done.err


@pytest.mark.req("L15")
def test_notes_that_were_made_read_only_stay_and_are_in_the_way_of_a_clear(
    holdfast: Holdfast,
) -> None:
    holdfast("session", "start", "--session", "s")
    holdfast("decide", "one file", "--because", "days")
    place = holdfast.folder / "NOTES.md"
    place.chmod(0o444)
    before = notes(holdfast)
    done = holdfast("decide", "a cache", "--because", "speed")
    assert (done.code, "NOTES.md is read-only" in done.err) == (0, True)
    assert holdfast("notes", "--write").code == 2
    blocks = holdfast("clear", "--check", "--json").json()["blocks"]
    assert ["read-only" in block["reason"] for block in blocks if block["step"] == 3] == [True]
    assert notes(holdfast) == before


def test_a_project_cannot_switch_its_notes_off_or_put_them_elsewhere(holdfast: Holdfast) -> None:
    for setting, told in (
        ("write = false", "only the user's own settings can"),
        ('path = "/tmp/x.md"', "is no path from the project's root"),
    ):
        holdfast.settings.write_text(f"[notes]\n{setting}\n")
        done = holdfast("notes", "--write")
        assert (done.code, told in done.err) == (2, True)
    assert not (holdfast.folder / "tmp").exists()


@pytest.mark.lesson("N11", "N7")
def test_processes_that_write_notes_at_once_lose_nothing(holdfast: Holdfast) -> None:
    (holdfast.folder / "NOTES.md").write_text("# Mine\n\nmy line\n")
    for number in range(4):
        holdfast.record("decision", number)
    running = [
        subprocess.Popen(
            holdfast.command("notes", "--write", "--json"),
            cwd=holdfast.folder,
            env=holdfast.env(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    errors = [process.communicate(timeout=60)[1] for process in running]
    assert [process.returncode for process in running] == [0] * 4, errors
    text = notes(holdfast)
    assert text.startswith("# Mine\n\nmy line\n")
    assert text.count("holdfast:begin") == 1
    assert all(f"**Decision**: Way {number}\n" in text for number in range(4))


@pytest.mark.lesson("N11", "N7")
def test_a_file_that_an_editor_saves_in_between_is_merged_again(
    holdfast: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    holdfast.record("decision", 1)
    write(holdfast)
    holdfast.record("decision", 2)
    place = holdfast.folder / "NOTES.md"
    really = NotesFile.replace
    saved: list[int] = []

    def meddled(self: NotesFile, before: Found | None, text: str) -> str | None:
        if not saved:
            saved.append(place.write_text(notes(holdfast) + "\nsaved in between\n"))
        return really(self, before, text)

    monkeypatch.setattr(NotesFile, "replace", meddled)
    write(holdfast)
    text = notes(holdfast)
    assert text.endswith("\nsaved in between\n")
    assert "**Decision**: Way 2\n" in text


def test_somebody_who_never_stops_is_given_up_on(
    holdfast: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    holdfast.record("decision", 1)
    place = holdfast.folder / "NOTES.md"
    really = NotesFile.replace
    times = iter(range(100))

    def meddled(self: NotesFile, before: Found | None, text: str) -> str | None:
        place.write_text(f"save {next(times)}\n")
        return really(self, before, text)

    monkeypatch.setattr(NotesFile, "replace", meddled)
    done = holdfast("notes", "--write")
    assert done.code == 2
    assert "others kept changing it." in done.err
    assert place.read_text().startswith("save ")


@pytest.mark.lesson("N7")
def test_a_write_that_does_not_reach_the_file_is_not_called_done(
    holdfast: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    holdfast.record("decision", 1)
    monkeypatch.setattr(NotesFile, "replace", lambda *_: None)
    done = holdfast("notes", "--write")
    assert (done.code, done.text) == (2, "")
    assert not (holdfast.folder / "NOTES.md").exists()


def test_a_ledger_without_a_project_has_no_notes(holdfast: Holdfast, tmp_path: Path) -> None:
    alone = tmp_path / "alone.db"
    assert holdfast("--ledger", str(alone), "init").code == 0
    done = holdfast("--ledger", str(alone), "notes", "--write", "--json")
    assert (done.code, done.json()["path"]) == (1, None)


@pytest.mark.req("L17")
def test_a_decision_reaches_the_notes_in_the_same_command(holdfast: Holdfast) -> None:
    task = holdfast("task", "add", "read the feed", "--json").json()["task"]
    holdfast("task", "update", task, "--status", "in_progress")
    done = holdfast("decide", "one file a day", "--because", "days are asked for")
    assert done.code == 0, done.err
    assert "**Decision**: one file a day\n" in notes(holdfast)
    assert f"- **Current Bead**: {task} (read the feed)\n" in notes(holdfast)
    assert holdfast("notes").code == 0
    shown = holdfast("task", "show", task, "--json").json()
    assert [one["decision"] for one in shown["decisions"]] == ["one file a day"]


@pytest.mark.lesson("L8")
def test_the_notes_of_another_tool_are_read_wherever_their_section_stands(
    holdfast: Holdfast,
) -> None:
    filler = "- a line\n" * 80
    theirs = (
        f"# Memory\n\n## Learnings\n{filler}\n## Decisions\n\n| Date | Decision | Rationale |\n"
        "|---|---|---|\n| 2026-01-15 | one file a day | asked for |\n\n## Session Continuity\n\n"
        "<!-- CRITICAL: Load this section FIRST after /clear -->\n\n### Active Context\n\n"
        "- **Current Bead**: bd-11 (feed)\n- **Reasoning State**: cache next\n"
    )
    (holdfast.folder / "NOTES.md").write_text(theirs)
    done = holdfast("notes", "--json")
    assert (done.json()["bead"], done.json()["reasoning"]) == ("bd-11 (feed)", "cache next")
    assert done.json()["section"] == 91
    [decision] = done.json()["decisions"]
    assert (decision["title"], decision["line"]) == ("one file a day", 89)
    assert "reasoning state: cache next" in holdfast("notes").text
    write(holdfast)
    assert all(line in notes(holdfast).split("\n") for line in theirs.split("\n"))
    assert notes(holdfast).count("## Session Continuity") == 1


def test_every_command_of_the_guide_runs(holdfast: Holdfast) -> None:
    page = Path(__file__).parents[2] / "docs" / "guide" / "notes.md"
    typed = re.findall(r"^\$ holdfast (.+)$", page.read_text(), flags=re.MULTILINE)
    assert len(typed) == 5
    said = [holdfast(*shlex.split(line)) for line in typed if line != "init"]
    assert [done.code for done in said] == [0, 0, 1, 0]
    assert said[1].text.startswith("NOTES.md is up to date.\nNOTES.md:9-12  active\n")
