"""Hook processes where something is not as it should be: no event is lost for it."""

import os
from pathlib import Path

import pytest

from tests.agents.hooks import SECRET, Project


@pytest.mark.parametrize("named", ["", "/", "/.holdfast", "/.holdfast/ledger.db"])
def test_a_ledger_is_named_as_commands_name_it(
    project: Project, tmp_path: Path, named: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    env = {"HOLDFAST_LEDGER": f"{project.root}{named}"}
    project.hook(project.told("UserPromptSubmit", prompt="Hello"), cwd=elsewhere, env=env)
    assert [data["text"] for _, data in project.entries("prompt_given")] == ["Hello"]


def test_where_the_intake_cannot_be_written_the_ledger_is(project: Project) -> None:
    project.start()
    (project.intake / "events").mkdir()
    done = project.hook(project.read_call("t1"))
    assert (done.code, done.out) == (0, "")
    (project.intake / "events").rmdir()
    assert [data["call"] for _, data in project.entries("tool_called")] == ["t1"]
    assert "taking in" in project.problems()


def test_an_answer_that_cannot_be_found_does_not_make_an_event_unrecorded(
    project: Project,
) -> None:
    project.hook(project.told("SessionStart", source="startup"), agent="codex")
    told = project.told("PostCompact", trigger="auto", turn_id="t1", transcript_path="/gone.jsonl")
    done = project.hook(told, agent="codex")
    assert (done.code, done.err) == (0, "")
    assert "summary" in done.out
    assert project.problems() == ""


@pytest.mark.lesson("N6")
@pytest.mark.parametrize("content", ["x = [", "[of_next_year]\nx = 1\n"])
def test_settings_that_cannot_be_used_lose_no_event(project: Project, content: str) -> None:
    settings = project.folder / "config.toml"
    settings.write_text(content)
    done = project.hook(project.told("UserPromptSubmit", prompt=f"Hello {SECRET}", prompt_id="p1"))
    assert (done.code, done.out) == (0, "")
    assert "is kept, to be recorded later" in done.err
    assert "config.toml" in project.problems()
    assert project.holds(SECRET) == []
    settings.unlink()
    [(_, data)] = project.entries("prompt_given")
    assert data["text"].startswith("Hello [REDACTED:")


def test_terms_that_are_a_pipe_hold_up_nobody(project: Project) -> None:
    project.start()
    (project.intake / "terms").unlink()
    os.mkfifo(project.intake / "terms")
    done = project.hook(project.told("UserPromptSubmit", prompt="Hello"))
    assert (done.code, done.err) == (0, "")
    assert [data["text"] for _, data in project.entries("prompt_given")] == ["Hello"]
