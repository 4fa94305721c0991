"""`holdfast heal`: what is missing or damaged comes back, and nothing is lost by it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import holdfast as api
from holdfast.testing.builders import draft
from tests.cli.harness import Holdfast, Result, forge
from tests.evidence.repositories import git, repository
from tests.test_docs import run_all, snippets

CONFLICT = b"# Notes\n<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n"


@pytest.fixture
def worked(bare: Holdfast) -> Holdfast:
    """A project in a repository, with notes that a person wrote into, and a session that ended."""
    repository(bare.folder)
    assert bare("init").code == 0
    bare("session", "start", "--session", "s1")
    bare("decide", "PSO over GA", "--because", "it is faster", HOLDFAST_SESSION="s1")
    notes = bare.folder / "NOTES.md"
    notes.write_text(notes.read_text() + "\n## Mine\n\nA person's own words.\n")
    bare("session", "end", "--session", "s1")
    return bare


def tree(folder: Path) -> dict[str, str]:
    """Return every file with its hash. SQLite's shared memory holds locks and no data."""
    return {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def damages(holdfast: Holdfast) -> dict[str, Callable[[], object]]:
    """Return ways to harm a project, by what they harm."""
    folder = holdfast.folder / ".holdfast"
    (day,) = (folder / "trajectory").glob("*.jsonl")
    return {
        "NOTES.md": lambda: (holdfast.folder / "NOTES.md").write_bytes(CONFLICT),
        "views.db": lambda: (folder / "views.db").write_bytes(b"junk" * 999),
        "CURRENT_STATE.json": lambda: (folder / "state/CURRENT_STATE.json").write_bytes(b"{"),
        "SESSION_MEMORY.json": lambda: (folder / "state/SESSION_MEMORY.json").unlink(),
        f"trajectory/{day.name}": lambda: day.write_bytes(day.read_bytes()[:-9]),
    }


def healed(holdfast: Holdfast) -> list[dict[str, str]]:
    return [one["data"] for one in holdfast.entries("--type", "healed")]


def drop_database(holdfast: Holdfast) -> None:
    for path in holdfast.database.parent.glob("ledger.db*"):
        path.unlink()


def test_where_nothing_is_damaged_it_says_so(worked: Holdfast) -> None:
    for args in (["--check"], []):
        done = worked("heal", *args)
        assert done.code == 0
        assert done.text.startswith("Nothing is missing or damaged: database, views.db")
    assert healed(worked) == []


@pytest.mark.req("L12")
@pytest.mark.lesson("L10")
@pytest.mark.parametrize(
    "content", [None, b"", b"\0" * 500, CONFLICT, b"\x89PNG\0junk", b"caf\xe9 notes"]
)
def test_damaged_notes_come_back_with_what_a_person_wrote(
    worked: Holdfast, content: bytes | None
) -> None:
    notes = worked.folder / "NOTES.md"
    if content is None:
        notes.unlink()
    else:
        notes.write_bytes(content)
    done = worked("heal", "--json")
    assert done.code == 0, done.err
    (step,) = done.json()["steps"]
    assert (step["what"], step["source"], step["healed"]) == ("NOTES.md", "git-ref", True)
    text = notes.read_text()
    assert "A person's own words." in text
    assert "PSO over GA" in text
    if content is None:
        assert "kept_as" not in step
    else:
        assert (worked.folder / step["kept_as"]).read_bytes() == content
    (entry,) = healed(worked)
    assert {name: entry[name] for name in ("what", "damage", "source")} == {
        name: step[name] for name in ("what", "damage", "source")
    }
    assert worked("heal", "--check").code == 0


@pytest.mark.req("L12")
def test_everything_at_once_is_healed_and_each_is_an_entry(worked: Holdfast) -> None:
    harms = damages(worked)
    for harm in harms.values():
        harm()
    checked = worked("heal", "--check", "--json")
    assert checked.code == 1
    assert {step["what"] for step in checked.json()["steps"]} == set(harms)
    done = worked("heal", "--json")
    assert done.code == 0, done.err
    steps = {step["what"]: step for step in done.json()["steps"]}
    assert set(steps) == set(harms)
    assert all(step["healed"] for step in steps.values())
    kept = [worked.folder / step["kept_as"] for step in steps.values() if "kept_as" in step]
    assert len(kept) == len(harms) - 1  # one was simply gone
    assert all(path.exists() for path in kept)
    assert {one["what"] for one in healed(worked)} == set(harms)
    for command in (["heal", "--check"], ["verify"], ["resume", "--level", "1"]):
        assert worked(*command).code == 0
    assert "PSO over GA" in worked("resume", "--level", "1").text


@pytest.mark.lesson("L10")
def test_checking_writes_nothing(worked: Holdfast) -> None:
    before = tree(worked.folder)
    assert worked("heal", "--check").code == 0
    assert tree(worked.folder) == before
    for harm in damages(worked).values():
        harm()
        before = tree(worked.folder)
        assert worked("heal", "--check").code == 1
        assert worked.process("heal", "--check", "--json").code == 1
        assert tree(worked.folder) == before
    drop_database(worked)
    before = tree(worked.folder)
    assert worked("heal", "--check").code == 1
    assert tree(worked.folder) == before


@pytest.mark.req("L12")
def test_without_git_the_notes_come_from_the_template_and_the_ledger(holdfast: Holdfast) -> None:
    holdfast("decide", "PSO over GA", "--because", "it is faster")
    (holdfast.folder / "NOTES.md").write_bytes(b"")
    done = holdfast("heal", "--json")
    assert done.code == 0
    (step,) = done.json()["steps"]
    assert step["source"] == "template"
    assert "Nothing can come from git" in done.json()["told"][0]
    assert "PSO over GA" in (holdfast.folder / "NOTES.md").read_text()


def test_notes_that_are_not_ours_to_write_are_left_alone(worked: Holdfast) -> None:
    user = worked.home / ".config/holdfast/config.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[notes]\nwrite = false\n")
    (worked.folder / "NOTES.md").write_bytes(b"")
    assert worked("heal").code == 0
    assert (worked.folder / "NOTES.md").read_bytes() == b""


@pytest.mark.req("L12")
def test_without_the_private_ref_the_users_commits_are_looked_at(worked: Holdfast) -> None:
    git(worked.folder, "update-ref", "-d", "refs/holdfast/state")
    git(worked.folder, "add", "NOTES.md")
    assert worked("heal", "--check").code == 0
    (worked.folder / "NOTES.md").unlink()
    assert "would come from git-checkout" in worked("heal", "--check").text
    git(worked.folder, "commit", "-q", "-m", "notes")
    assert "would come from git-history" in worked("heal", "--check").text
    assert worked("heal").code == 0
    assert "A person's own words." in (worked.folder / "NOTES.md").read_text()
    assert git(worked.folder, "status", "--porcelain", "a.txt") == ""


@pytest.mark.req("L12")
def test_a_missing_database_is_made_from_its_log_and_archives(worked: Holdfast) -> None:
    with api.open(worked.folder) as ledger:
        ledger.append_many([draft("decision", n) for n in range(300)])
    worked("seal")
    before = [entry["hash"] for entry in worked.entries()]
    drop_database(worked)
    assert worked("log").code == 2
    done = worked("heal", "--json")
    assert done.code == 0, done.err
    assert done.json()["steps"][0]["what"] == "ledger.db"
    assert [entry["hash"] for entry in worked.entries()][: len(before)] == before
    assert worked("verify").code == 0
    assert healed(worked)[0]["source"] == "archives"


def test_what_was_healed_is_in_the_second_copy_of_the_ledger_too(worked: Holdfast) -> None:
    (worked.folder / "NOTES.md").unlink()
    worked("heal")
    drop_database(worked)
    worked("heal")
    assert [one["what"] for one in healed(worked)] == ["NOTES.md", "ledger.db"]


@pytest.mark.req("L12")
@pytest.mark.parametrize("harm", ["junk", "empty", "torn", "forged"])
def test_a_damaged_database_is_made_anew_and_the_old_one_kept(worked: Holdfast, harm: str) -> None:
    before = [entry["hash"] for entry in worked.entries()]
    match harm:
        case "forged":
            forge(worked, 1, "PSO over GA", "GA over PSO")
            assert worked("verify").code == 1
        case "torn":
            worked.sql("PRAGMA wal_checkpoint(TRUNCATE)")
            content = worked.database.read_bytes()
            drop_database(worked)
            worked.database.write_bytes(content[: len(content) // 2])
        case _:
            drop_database(worked)
            worked.database.write_bytes(b"junk" * 9999 if harm == "junk" else b"")
    damaged = worked.database.read_bytes()
    done = worked("heal", "--json")
    assert done.code == 0, done.err + done.text
    step = done.json()["steps"][0]
    assert step["what"] == "ledger.db"
    assert (worked.database.parent / step["kept_as"]).read_bytes() == damaged
    assert [entry["hash"] for entry in worked.entries()][: len(before)] == before
    assert worked("verify").code == 0
    assert str(worked.folder) not in json.dumps(healed(worked))


@pytest.mark.req("L12")
def test_a_database_that_holds_more_than_its_log_is_left_and_told(worked: Holdfast) -> None:
    forge(worked, 1, "PSO over GA", "GA over PSO")
    log = worked.folder / ".holdfast/state/STATE_LOG.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-1]))
    (worked.folder / ".holdfast/state/CURRENT_STATE.json").unlink()
    before = worked.database.read_bytes()
    done = worked("heal", "--json")
    assert done.code == 1
    step = done.json()["steps"][0]
    assert (step["what"], step["healed"]) == ("ledger.db", False)
    assert step["damage"].startswith("entry 1: ")
    assert "It was left as it is" in step["detail"]
    assert worked.database.read_bytes() == before


def test_where_nothing_is_left_of_a_ledger_that_is_told(worked: Holdfast) -> None:
    drop_database(worked)
    state = worked.folder / ".holdfast/state"
    (state / "STATE_LOG.jsonl").unlink()
    (worked.folder / "NOTES.md").unlink()
    done = worked("heal", "--json")
    assert done.code == 1
    steps = {step["what"]: step for step in done.json()["steps"]}
    assert (steps["ledger.db"]["damage"], steps["ledger.db"]["healed"]) == ("missing", False)
    assert steps["NOTES.md"]["healed"]  # one that fails does not stop another
    assert "A person's own words." in (worked.folder / "NOTES.md").read_text()
    assert any("could not be recorded" in line for line in done.json()["told"])


def test_history_that_git_knows_otherwise_is_told(worked: Holdfast, tmp_path: Path) -> None:
    elsewhere = Holdfast(tmp_path / "elsewhere", worked.home)
    elsewhere.folder.mkdir()
    shutil.copytree(worked.folder / ".holdfast", elsewhere.folder / ".holdfast")
    worked("session", "start", "--session", "s2")
    worked("session", "end", "--session", "s2")  # git knows of more entries now
    shutil.rmtree(worked.folder / ".holdfast")
    shutil.copytree(elsewhere.folder / ".holdfast", worked.folder / ".holdfast")
    assert worked("verify").code == 0  # in itself it is whole: an older copy
    before = worked.database.read_bytes()
    done = worked("heal", "--json")
    assert done.code == 1
    step = done.json()["steps"][0]
    assert (step["what"], step["healed"]) == ("ledger.db", False)
    assert "this may be an older copy" in step["detail"]
    assert worked.database.read_bytes() == before


@pytest.mark.req("L14")
def test_the_file_of_beads_comes_back_from_git(worked: Holdfast) -> None:
    beads = worked.folder / ".beads/issues.jsonl"
    beads.parent.mkdir()
    beads.write_text('{"id":"bd-1","title":"tune"}\n')
    git(worked.folder, "add", ".beads")
    git(worked.folder, "commit", "-q", "-m", "tasks")
    beads.write_text('{"id":"bd-1","title":"tune"}\n<<<<<<< HEAD\n')
    done = worked("heal", "--json")
    assert done.code == 0
    (step,) = done.json()["steps"]
    assert (step["what"], step["source"]) == (".beads/issues.jsonl", "git-history")
    assert beads.read_text() == '{"id":"bd-1","title":"tune"}\n'
    assert (worked.folder / step["kept_as"]).read_text().endswith("<<<<<<< HEAD\n")


def test_a_project_without_tasks_in_beads_has_nothing_to_heal(worked: Holdfast) -> None:
    (worked.folder / ".beads").mkdir()
    assert worked("heal", "--check").code == 0


@pytest.mark.req("L12")
def test_a_damaged_index_of_the_code_is_made_anew(worked: Holdfast) -> None:
    (worked.folder / "swarm.py").write_text("def swarm_of_birds():\n    return 30\n")
    assert worked("search", "--code", "swarm birds").code == 0
    index = worked.folder / ".holdfast/code.db"
    for path in index.parent.glob("code.db*"):
        path.unlink()
    index.write_bytes(b"junk" * 999)
    done = worked("heal", "--json")
    assert done.code == 0, done.text
    (step,) = done.json()["steps"]
    assert (step["what"], step["source"]) == ("code.db", "reindex")
    assert "swarm.py" in worked("search", "--code", "swarm birds").text


def failing(result: Result) -> list[str]:
    return [step["what"] for step in result.json()["steps"] if not step["healed"]]


@pytest.mark.req("L12")
def test_one_thing_that_cannot_be_healed_does_not_stop_the_others(worked: Holdfast) -> None:
    notes = worked.folder / "NOTES.md"
    notes.unlink()
    notes.mkdir()  # nothing can be put there
    harms = damages(worked)
    for what, harm in harms.items():
        if what != "NOTES.md":
            harm()
    done = worked("heal", "--json")
    assert done.code == 1
    assert failing(done) == ["notes"]
    assert len(done.json()["steps"]) == len(harms)


@pytest.mark.lesson("L11")
def test_nothing_is_read_or_written_outside_the_project(worked: Holdfast) -> None:
    before = tree(worked.home)
    for harm in damages(worked).values():
        harm()
    worked("heal")
    assert tree(worked.home) == before


@pytest.mark.lesson("N13")
def test_no_message_suggests_to_destroy_something(worked: Holdfast) -> None:
    drop_database(worked)
    (worked.folder / ".holdfast/state/STATE_LOG.jsonl").unlink()
    done = worked("heal")
    said = (done.text + done.err).lower()
    assert not any(word in said for word in ("rm ", "delete", "reset", "--force", "init"))


def test_outside_a_project_it_says_how_to_make_one(bare: Holdfast) -> None:
    done = bare("heal")
    assert done.code == 2
    assert "holdfast init" in done.err


def test_the_healing_guide_runs(tmp_path: Path) -> None:
    """Every command of the page, in its order, in one project."""
    first, second = snippets("docs/guide/healing.md", "console")
    said = [done.stdout for done in run_all(first, tmp_path)]
    shown = [line for line in first.splitlines() if not line.startswith("$ ")]
    assert [line for line, text in zip(shown, said[-2:], strict=True) if line in text] == shown
    assert "holdfast: " in run_all(second, tmp_path)[0].stdout
