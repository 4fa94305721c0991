"""What real hook processes give to an agent is recorded: once, as it was, and fed to nobody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.kernel.entry import Actor
from holdfast.kernel.tokens import COUNTER, estimate
from holdfast.recall.search import Query, search
from holdfast.storage.port import Selection
from holdfast.wiring.losses import items_before, lost
from holdfast.wiring.transcribing import import_transcripts
from tests.agents.hooks import Done, Project
from tests.clearing import opened


def tell(project: Project, event: str, session: str = "one", **fields: Any) -> Done:
    """Fire an event of Claude Code."""
    done = project.hook(project.told(event, session, **fields))
    assert (done.code, done.err) == (0, "")
    return done


def start(project: Project, source: str, session: str = "one") -> str:
    """Start a session, and return what the model is told."""
    done = tell(project, "SessionStart", session, source=source)
    told: str = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    return told


def work(project: Project, session: str = "one") -> None:
    """Say something, and run a command that fails."""
    said = "Never push to main. Please sort the imports."
    tell(project, "UserPromptSubmit", session, prompt=said)
    call = {"tool_name": "Bash", "tool_input": {"command": "make check"}, "tool_use_id": "t1"}
    tell(project, "PostToolUseFailure", session, **call, error="Exit code 2\nboom")


@pytest.mark.req("X4")
@pytest.mark.lesson("N1")
def test_what_was_given_after_a_compaction_is_an_entry_word_for_word(project: Project) -> None:
    start_out = tell(project, "SessionStart", source="startup").out
    work(project)
    told = start(project, "compact")
    [(entry, data)] = project.entries("context_given")

    assert start_out == ""
    assert data["text"] == told
    assert (entry.session_id, entry.actor) == ("one", Actor("holdfast", "hook"))
    assert (data["agent"], data["event"], data["source"]) == (
        "claude-code",
        "SessionStart",
        "compact",
    )
    assert (data["tokens"], data["counter"]) == (estimate(told), COUNTER)
    assert (data["of_session"], data["as_of"]) == ("one", entry.seq - 1)
    types = {one.seq: one.type for one, _ in project.entries()}
    assert {types[seq] for seq in data["about"]} == {"prompt_given", "command_ran"}


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "fork"])
def test_every_start_that_gives_words_leaves_them(project: Project, source: str) -> None:
    work(project)
    tell(project, "SessionEnd", reason="other")
    same = source in ("resume", "compact")
    told = start(project, source, "one" if same else "two")
    [(entry, data)] = project.entries("context_given")

    assert (data["text"], data["source"], data["of_session"]) == (told, source, "one")
    assert entry.session_id == ("one" if same else "two")


def test_an_event_that_is_fired_twice_leaves_one_entry(project: Project) -> None:
    work(project)
    told = [start(project, "compact") for _ in range(3)]

    assert len(set(told)) == 1
    assert len(project.entries("context_given")) == 1
    work(project, "one")
    start(project, "compact")  # another compaction is another one
    assert len(project.entries("context_given")) == 2


def test_where_nothing_is_given_nothing_is_recorded(project: Project) -> None:
    tell(project, "SessionStart", source="startup")
    work(project)
    tell(project, "Stop", last_assistant_message="Done.")
    tell(project, "PreCompact", trigger="auto")

    assert project.entries("context_given") == []


def test_a_pause_and_a_private_session_leave_nothing_of_it(project: Project) -> None:
    work(project)
    before = len(project.entries())
    payload = project.told("SessionStart", "one", source="compact")
    private = project.hook(payload, env={"HOLDFAST_PRIVATE": "1"})
    (project.folder / "paused").write_text("all\n")
    paused = project.hook(payload)
    (project.folder / "paused").unlink()

    assert "From holdfast" not in private.out + paused.out
    assert len(project.entries()) == before
    assert "From holdfast" in start(project, "compact")  # its twin gets its words
    assert len(project.entries("context_given")) == 1


def test_what_there_was_no_room_for_is_counted(project: Project) -> None:
    with opened(project.root, session="one") as found:
        for number in range(200):
            command = {"command": f"make part-{number} {'x' * 80}", "exit_code": 1}
            found.ledger.append("command_ran", command)
    told = start(project, "compact")
    [(_, data)] = project.entries("context_given")

    shown = told.count("exit 1: make part-")
    assert data["left_out"] == {"commands": 200 - shown}
    assert f"{200 - shown} of 200 commands" in told
    assert len(data["about"]) == shown


# It feeds nobody


def test_being_told_again_and_again_makes_nothing_longer(project: Project) -> None:
    work(project)
    told = [start(project, source) for source in ("compact", "resume") * 3]

    assert len(project.entries("context_given")) == 6
    assert len(set(told[::2])) == 1
    assert len(set(told[1::2])) == 1
    work(project)
    assert start(project, "resume") != told[1]  # what was done makes the difference


def test_what_was_given_is_nobodys_words_and_no_loss(project: Project) -> None:
    work(project)
    with opened(project.root, session="one") as found:
        before = items_before(found, "one")
        views = found.views.items("decisions")
        decisions = dict(views.items())
    start(project, "compact")
    with opened(project.root, session="one") as found:
        after = items_before(found, "one")
        assert dict(found.views.items("decisions").items()) == decisions
        assert len(list(found.ledger.read(Selection(type="prompt_given")))) == 1

    assert after == before
    tell(project, "PostCompact", trigger="auto", compact_summary="We go on.")
    with opened(project.root, session="one") as found:
        assert {one.fate for one in lost(found).items} == {"dropped"}  # given is not kept


def test_a_session_that_was_only_told_something_gets_no_checkpoint(project: Project) -> None:
    work(project)
    tell(project, "SessionEnd", reason="other")
    start(project, "startup", "two")
    with opened(project.root, session="two") as found:
        assert found.checkpoints.at_end("two") is None
    work(project, "two")
    with opened(project.root, session="two") as found:
        assert found.checkpoints.at_end("two") is not None


def test_words_that_come_back_with_a_prompt_are_not_the_users(project: Project) -> None:
    work(project)
    told = start(project, "compact")
    prompt = f"Always ask first.\n{told}\nKeep the tests green and fast."
    tell(project, "UserPromptSubmit", prompt=prompt)
    with opened(project.root, session="one") as found:
        items, _ = items_before(found, "one")

    said = [item.text for item in items if item.kind in ("constraint", "request")]
    assert sorted(said) == [
        "Always ask first.",
        "Keep the tests green and fast.",
        "Never push to main.",
        "Please sort the imports.",
    ]


def test_an_attachment_of_the_transcript_is_not_the_users(project: Project) -> None:
    home = project.root.parent / ".claude" / "projects" / "-project"
    home.mkdir(parents=True)
    transcript = home / "one.jsonl"
    work(project)
    told = start(project, "compact")
    held = {"type": "hook_additional_context", "content": [told], "hookEvent": "SessionStart"}
    reminder = f"<system-reminder>\n{told}\n</system-reminder>"
    message = {"role": "user", "content": reminder}
    lines = [
        {"type": "attachment", "uuid": "u1", "sessionId": "one", "attachment": held},
        {"type": "user", "uuid": "u2", "sessionId": "one", "message": message},
    ]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    tell(project, "Stop", last_assistant_message="Done.", transcript_path=str(transcript))
    with opened(project.root, session="one") as found:
        before = items_before(found, "one")
        taken = import_transcripts(found, "claude-code", transcript)
        after = items_before(found, "one")

    assert taken.imported >= 2
    assert after == before
    assert [item.seq for item in after[0] if item.kind == "constraint"] == [0]


def test_search_does_not_find_words_again_in_what_was_given(project: Project) -> None:
    work(project)
    start(project, "compact")
    with opened(project.root, session="one") as found:
        found.views.catch_up(found.ledger.reader)
        hits = search(found.views, found.ledger.reader, Query("push main")).hits

    assert [hit.type for hit in hits] == ["prompt_given"]
