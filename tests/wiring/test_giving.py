"""What an answer puts before a model is recorded as it is spelled, and never in the agent's way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdfast.agents import short_way
from holdfast.agents.registry import agent as agent_named
from holdfast.agents.values import AGENTS, AgentName, Event, MadeOf, Reply
from holdfast.kernel.errors import StorageFailed
from holdfast.ledger.ledger import Draft, Ledger, Receipt
from holdfast.storage.port import Selection
from holdfast.wiring.giving import given_by, record_given
from holdfast.wiring.hooking import handle
from holdfast.wiring.project import Project
from tests.agents.hooks import SECRET
from tests.clearing import make, opened

STARTS: dict[AgentName, str] = {
    "claude-code": "SessionStart",
    "codex": "SessionStart",
    "opencode": "experimental.chat.system.transform",
    "gemini": "SessionStart",
    "cursor": "sessionStart",
}


def _event(agent: AgentName, name: str | None = None, **fields: Any) -> Event:
    told = {"hook_event_name": name or STARTS[agent], "session_id": "s", "source": "resume"}
    return agent_named(agent).read({**told, **fields}, 1_800_000_000_000_000)


def _recorded(project: Project, event: Event, reply: Reply) -> Receipt | None:
    return record_given(project, event, reply, agent_named(event.agent).answer(event, reply))


def _given(project: Project) -> list[dict[str, Any]]:
    found = project.ledger.read(Selection(type="context_given"))
    return [project.ledger.data(entry) for entry in found]


@pytest.mark.parametrize("agent", AGENTS)
def test_of_every_agent_what_the_answer_spells_is_recorded(
    tmp_path: Path, agent: AgentName
) -> None:
    text = "naïve “words”\nof 𝔘nicode \U0001f600"
    with opened(make(tmp_path)) as project:
        assert _recorded(project, _event(agent), Reply(context=text)) is not None
        [data] = _given(project)

    assert (data["agent"], data["event"], data["text"]) == (agent, STARTS[agent], text)
    assert "about" not in data
    assert "left_out" not in data


@pytest.mark.parametrize("agent", AGENTS)
def test_what_the_agent_would_cut_is_recorded_cut_and_counted(
    tmp_path: Path, agent: AgentName
) -> None:
    text = "ä\U0001f600" * 20_000
    made_of = MadeOf(about=(1, 2), left_out={"commands": 3})
    with opened(make(tmp_path)) as project:
        _recorded(project, _event(agent), Reply(context=text, made_of=made_of))
        [data] = _given(project)

    kept, _, said = data["text"].rpartition("\n[")
    assert text.startswith(kept)
    assert "characters were cut off here" in said
    assert data["left_out"] == {"commands": 3, "characters": len(text) - len(data["text"])}
    assert data["about"] == [1, 2]


@pytest.mark.parametrize(
    ("agent", "name"),
    [("claude-code", "Stop"), ("opencode", "session.created"), ("cursor", "stop")],
)
def test_what_an_agent_does_not_take_was_not_given(
    tmp_path: Path, agent: AgentName, name: str
) -> None:
    with opened(make(tmp_path)) as project:
        assert _recorded(project, _event(agent, name), Reply(context="words")) is None
        assert _given(project) == []


def test_a_message_for_the_person_is_nothing_that_was_given() -> None:
    event, reply = _event("claude-code"), Reply(message="words")

    assert given_by(event, reply, agent_named("claude-code").answer(event, reply)) is None


def test_the_same_words_to_one_event_are_one_entry_and_others_another(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        event = _event("claude-code")
        first = _recorded(project, event, Reply(context="words"))
        again = _recorded(project, event, Reply(context="words"))
        other = _recorded(project, event, Reply(context="other words"))

    assert first is not None
    assert again is not None
    assert other is not None
    assert (first.id, first.duplicate, again.duplicate) == (again.id, False, True)
    assert (other.id != first.id, other.duplicate) == (True, False)


def test_a_secret_in_it_is_given_and_not_kept(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _recorded(project, _event("claude-code"), Reply(context=f"The key is {SECRET}."))
        [data] = _given(project)

    assert SECRET not in data["text"]
    assert data["text"].startswith("The key is ")


def test_a_long_text_goes_to_the_vault(tmp_path: Path) -> None:
    with opened(make(tmp_path)) as project:
        _recorded(project, _event("opencode"), Reply(context="ä" * 19_000))
        [entry] = project.ledger.read(Selection(type="context_given"))
        [data] = _given(project)

    assert "$artifact" in str(entry.value()["text"])
    assert data["text"] == "ä" * 19_000


def test_an_agent_gets_its_words_when_they_cannot_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "project")
    with opened(root, session="s") as project:
        project.ledger.append("prompt_given", {"text": "Never push to main"})
    append_many = Ledger.append_many

    def full(self: Ledger, drafts: list[Draft], **more: Any) -> Any:
        if any(draft.type == "context_given" for draft in drafts):
            raise StorageFailed("The disk is full.", meaning="Nothing more.", remedy="Make room.")
        return append_many(self, drafts, **more)

    monkeypatch.setattr(Ledger, "append_many", full)
    payload = b'{"hook_event_name": "SessionStart", "session_id": "s", "source": "compact"}'
    told = short_way.Told("claude-code", payload, {"HOME": str(tmp_path)})
    told.folder = str(root / ".holdfast")
    answer = handle(told)

    assert (answer.exit_code, answer.stderr) == (0, "")
    assert "Never push to main" in answer.stdout
    with opened(root) as project:
        assert _given(project) == []
        starts = list(project.ledger.read(Selection(type="session_started")))
        assert [entry.actor.name for entry in starts if entry.value().get("source")] == [
            "claude-code"
        ]
    problems = (root / ".holdfast" / "intake" / "problems").read_text()
    assert "what it was told is not recorded: The disk is full." in problems
