"""Hooks read on in the transcript: what was said and used, once, and only where it may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from holdfast.agents.registry import agent as agent_named
from holdfast.agents.values import AgentName, Event
from holdfast.kernel.limits import TAIL_BYTES_MAX
from holdfast.wiring.project import Project
from holdfast.wiring.tailing import FILE, Tail, said_since
from holdfast.wiring.transcribing import import_transcripts
from tests.agents.sampled import CODEX, entries_of, project_in, types_of

SESSION = "3f0c0a52-6a0c-4c57-9a0e-0d6f5a1c2b3d"


class Place:
    """An agent's home with one transcript, and a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {"HOME": str(folder)}
        self.path = folder / ".claude/projects/-project" / f"{SESSION}.jsonl"
        self.path.parent.mkdir(parents=True)
        self.path.touch()

    def write(self, *records: dict[str, Any], end: bytes = b"\n") -> None:
        with self.path.open("ab") as file:
            file.write(b"\n".join(map(msgspec.json.encode, records)) + end)

    def event(self, turn: str | None = "t1", path: Path | None = None, **more: Any) -> Event:
        payload = {
            "session_id": SESSION,
            "transcript_path": str(path or self.path),
            "cwd": "/project",
            "prompt_id": turn,
            "hook_event_name": "Stop",
            "last_assistant_message": "Bye.",
            **more,
        }
        return agent_named("claude-code").read(payload, 1)

    def tail(self, project: Project, *, record: bool = True, **more: Any) -> Tail:
        tail = said_since(project, self.event(**more), self.env)
        if record:
            project.ledger.append_many(tail.drafts)
        return tail


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def said(text: str, turn: str | None = None, tokens: int = 5) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "cache_read_input_tokens": 100, "output_tokens": 7}
    block = {"type": "text", "text": text}
    message = {"id": "m", "model": "a-model", "content": [block], "usage": usage}
    record = {"type": "assistant", "uuid": text, "sessionId": SESSION, "message": message}
    return record if turn is None else {**record, "promptId": turn}


def texts(tail: Tail) -> list[str]:
    return [draft.data["text"] for draft in tail.drafts if draft.type == "agent_said"]


@pytest.mark.req("X4")
def test_what_was_said_between_the_tools_is_read_once(place: Place, tmp_path: Path) -> None:
    with project_in(tmp_path / "project") as project:
        place.write(said("One."), said("Two."))
        assert texts(place.tail(project)) == ["One.", "Two."]
        assert texts(place.tail(project)) == []
        place.write(said("Three."))
        assert texts(place.tail(project)) == ["Three."]
    with project_in(tmp_path / "project") as project:
        place.write(said("Four."))
        assert texts(place.tail(project)) == ["Four."]
        assert types_of(project)["agent_said"] == 4


def test_what_is_used_is_told(place: Place, tmp_path: Path) -> None:
    with project_in(tmp_path / "project") as project:
        assert place.tail(project).usage is None
        place.write(said("One.", tokens=5), said("Two.", tokens=9))
        usage = place.tail(project).usage
        assert usage is not None
        assert (usage.context_tokens, usage.model) == (116, "a-model")


def test_the_last_words_are_one_entry_with_those_of_the_hook(place: Place, tmp_path: Path) -> None:
    with project_in(tmp_path / "project") as project:
        place.write(said("Bye.", "t1"))
        project.ledger.append_many(agent_named("claude-code").drafts(place.event()))
        [draft] = place.tail(project, record=False).drafts
        [receipt] = project.ledger.append_many([draft])
        assert receipt.duplicate


def test_the_same_words_in_a_later_reading_of_the_turn_are_said_again(
    place: Place, tmp_path: Path
) -> None:
    for _ in range(3):
        with project_in(tmp_path / "project") as project:
            place.write(said("Done.", "t1"))
            assert texts(place.tail(project)) == ["Done."]
            number = types_of(project)["agent_said"]
    assert number == 3


@pytest.mark.req("X4")
def test_words_of_a_turn_that_began_before_an_earlier_reading_are_one_entry_with_the_hooks(
    place: Place, tmp_path: Path
) -> None:
    prompt = {"type": "user", "uuid": "u", "sessionId": SESSION, "message": {"content": "Count."}}
    with project_in(tmp_path / "project") as project:
        place.tail(project, turn=None, hook_event_name="SessionStart", source="resume")
        place.write(said("Before."))
        place.tail(project, turn=None, hook_event_name="SessionStart", source="resume")
        place.write({**prompt, "promptId": "t2"})
        place.tail(project, turn="t2", hook_event_name="PreCompact", trigger="auto")
        place.write(said("Counted."))
        [read] = place.tail(project, record=False, turn="t2").drafts
        stop = place.event(turn="t2", last_assistant_message="Counted.")
        [told] = agent_named("claude-code").drafts(stop)
        assert (read.data["turn"], read.id) == ("t2", told.id)


def test_what_was_read_and_not_recorded_is_read_again(place: Place, tmp_path: Path) -> None:
    place.write(said("One."))
    for _ in range(2):
        with project_in(tmp_path / "project") as project:
            assert texts(place.tail(project, record=False)) == ["One."]
    with project_in(tmp_path / "project") as project:
        assert texts(place.tail(project)) == ["One."]
    with project_in(tmp_path / "project") as project:
        assert texts(place.tail(project)) == []


def test_a_line_that_is_still_being_written_waits(place: Place, tmp_path: Path) -> None:
    with project_in(tmp_path / "project") as project:
        place.write(said("One."), end=b"")
        assert texts(place.tail(project)) == []
        place.write(end=b"\n")
        assert texts(place.tail(project)) == ["One."]


def test_a_deleted_memory_costs_nothing_but_time(place: Place, tmp_path: Path) -> None:
    place.write(said("One.", "t1"))
    with project_in(tmp_path / "project") as project:
        place.tail(project)
    (tmp_path / "project/.holdfast/intake" / FILE).write_text("nonsense")
    with project_in(tmp_path / "project") as project:
        assert texts(place.tail(project)) == ["One."]
        assert types_of(project)["agent_said"] == 1


def test_of_a_long_transcript_the_end_is_read_and_too_long_lines_are_passed(
    place: Place, tmp_path: Path
) -> None:
    with project_in(tmp_path / "project") as project:
        place.write(said("Old.", "t1"), said("x" * (TAIL_BYTES_MAX + 10)), said("New."))
        assert texts(place.tail(project)) == ["New."]
        place.write(said("y" * (2 * TAIL_BYTES_MAX)), said("Last."))
        read = [text for _ in range(4) for text in texts(place.tail(project))]
        assert read == ["Last."]
        import_transcripts(project, "claude-code", place.path)
        words = [data["text"][:4] for data in entries_of(project, "agent_said")]
        assert sorted(words) == ["Last", "New.", "Old.", "xxxx", "yyyy"]


@pytest.mark.parametrize("lie", ["elsewhere", "link", "other session", "relative", "folder"])
def test_a_payload_that_lies_is_not_read(place: Place, tmp_path: Path, lie: str) -> None:
    place.write(said("Secret."))
    paths = {
        "elsewhere": tmp_path / f"{SESSION}.jsonl",
        "link": place.path.with_name(f"x-{SESSION}.jsonl"),
        "other session": place.path.with_name("other.jsonl"),
        "relative": Path(f".claude/projects/-project/{SESSION}.jsonl"),
        "folder": place.path.parent,
    }
    path = paths[lie]
    if lie in ("elsewhere", "other session"):
        path.write_bytes(place.path.read_bytes())
    if lie == "link":
        path.symlink_to(place.path)
    with project_in(tmp_path / "project") as project:
        assert place.tail(project, path=path) == Tail()
        assert texts(place.tail(project)) == ["Secret."]


def codex_event(path: Path, name: str, turn: str) -> Event:
    payload = {"session_id": path.stem[-36:], "transcript_path": str(path), "turn_id": turn}
    payload["model"] = "gpt-5.5"
    agent: AgentName = "codex"
    return agent_named(agent).read({**payload, "cwd": "/", "hook_event_name": name}, 1)


def test_how_codexs_commands_ended_is_read_although_hooks_come_between(tmp_path: Path) -> None:
    """A hook may come after any line: also between a call and its output."""
    [source] = CODEX.rglob("*.jsonl")
    path = tmp_path / ".codex/sessions" / source.name
    path.parent.mkdir(parents=True)
    env = {"HOME": str(tmp_path)}
    for line in source.read_bytes().splitlines(keepends=True):
        with path.open("ab") as file:
            file.write(line)
        with project_in(tmp_path / "project") as project:
            tail = said_since(project, codex_event(path, "Stop", "t"), env)
            project.ledger.append_many(tail.drafts)
    with project_in(tmp_path / "project") as project, project_in(tmp_path / "other") as other:
        import_transcripts(other, "codex", path)
        for kind in ("agent_said", "command_ran", "tool_called", "context_compacted"):
            told = [_plain(one) for one in entries_of(other, kind)]
            assert [_plain(one) for one in entries_of(project, kind)] == told
            assert told


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in ("imported", "usage")}
