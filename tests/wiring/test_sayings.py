"""The same words said again are said again, also where an agent gives turns no ids."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents import intake
from tests.agents.hooks import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path)


def tell(project: Project, event: str, **fields: Any) -> None:
    assert project.hook(project.told(event, "one", **fields)).code == 0


def said(project: Project) -> list[str]:
    return [data["text"] for _, data in project.entries("agent_said")]


def stop(project: Project, **fields: Any) -> None:
    tell(project, "Stop", last_assistant_message="Done.", **fields)


@pytest.mark.req("X4")
def test_the_same_last_words_of_two_turns_are_two_sayings(project: Project) -> None:
    for prompt in ("Sort the imports", "Now the tests", "And the docs"):
        tell(project, "UserPromptSubmit", prompt=prompt)
        stop(project)

    assert said(project) == ["Done."] * 3


def test_all_that_waits_is_told_apart_when_it_is_taken_in_at_once(project: Project) -> None:
    project.start("one")
    (project.folder / "intake").mkdir(exist_ok=True)
    payloads = [
        project.told("UserPromptSubmit", "one", prompt="Sort the imports"),
        project.told("Stop", "one", last_assistant_message="Done."),
        project.told("UserPromptSubmit", "one", prompt="Now the tests"),
        project.told("Stop", "one", last_assistant_message="Done."),
    ]
    for at, payload in enumerate(payloads):
        record = intake.Record(
            "claude-code", 1_800_000_000_000_000 + at, json.dumps(payload).encode(), (), ""
        )
        intake.append(str(project.folder), record)
    waiting = (project.intake / "events").read_bytes()

    assert said(project) == ["Done."] * 2
    (project.intake / "events").write_bytes(waiting)  # as if a process had died before it was gone
    assert said(project) == ["Done."] * 2


def test_a_stop_that_is_fired_twice_is_one(project: Project) -> None:
    tell(project, "UserPromptSubmit", prompt="Sort the imports")
    for _ in range(3):
        stop(project)
    tell(project, "UserPromptSubmit", prompt="Now the tests")
    stop(project)
    stop(project)

    assert said(project) == ["Done."] * 2


def test_without_a_prompt_between_them_what_lies_there_tells_them_apart(project: Project) -> None:
    tell(project, "UserPromptSubmit", prompt="Watch the build")
    stop(project)
    tell(project, "UserPromptSubmit", prompt="<task-notification>x", source="system")
    stop(project)

    assert said(project) == ["Done."] * 2


class Transcript:
    """What Claude Code writes beside its hooks, without ids of prompts."""

    def __init__(self, project: Project) -> None:
        home = project.root.parent / ".claude" / "projects" / "-project"
        home.mkdir(parents=True)
        self.path = home / "one.jsonl"
        self.path.write_text("")
        self._lines = 0

    def say(self, text: str, at: str) -> None:
        """Write what the model says."""
        self._lines += 1
        content = [{"type": "text", "text": text}]
        message = {"role": "assistant", "id": f"m{self._lines}", "model": "m", "content": content}
        line = {
            "type": "assistant",
            "uuid": f"u{self._lines}",
            "sessionId": "one",
            "timestamp": at,
            "message": message,
        }
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")


def _now(project: Project) -> str:
    """Return a time right after the last prompt came."""
    at = datetime.fromisoformat(project.entries("prompt_given")[-1][1]["at"])
    return (at + timedelta(microseconds=1)).isoformat()


def test_what_hook_and_transcript_tell_is_one_each_time(project: Project) -> None:
    transcript = Transcript(project)
    for prompt in ("Sort the imports", "Now the tests", "And the docs"):
        tell(project, "UserPromptSubmit", prompt=prompt)
        transcript.say("Done.", _now(project))
        stop(project, transcript_path=str(transcript.path))

    assert said(project) == ["Done."] * 3


def test_a_transcript_that_was_read_ahead_is_not_told_again_by_the_hook(project: Project) -> None:
    transcript = Transcript(project)
    for prompt in ("Sort the imports", "Now the tests"):
        tell(project, "UserPromptSubmit", prompt=prompt)
        transcript.say("Done.", _now(project))
        tell(project, "PreCompact", trigger="auto", transcript_path=str(transcript.path))
        assert said(project)[-1] == "Done."
        stop(project)

    assert said(project) == ["Done."] * 2


def test_a_transcript_that_lags_behind_adds_nothing_twice(project: Project) -> None:
    transcript = Transcript(project)
    for prompt in ("Sort the imports", "Now the tests"):
        tell(project, "UserPromptSubmit", prompt=prompt)
        at = _now(project)
        stop(project, transcript_path=str(transcript.path))
        transcript.say("Done.", at)
    tell(project, "SessionEnd", reason="other", transcript_path=str(transcript.path))

    assert said(project) == ["Done."] * 2
