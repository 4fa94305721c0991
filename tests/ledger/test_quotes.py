"""What lies in the vault may be erased; entries made from others repeat no word of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.kernel.entry import Entry
from holdfast.kernel.limits import INLINE_BYTES_MAX
from holdfast.ledger.ledger import Draft
from holdfast.storage.port import Selection
from holdfast.testing.builders import data_for
from holdfast.views.compaction import compression_data
from holdfast.views.resume import resume_capsule
from tests.ledger.crew import Agent, engine
from tests.ledger.sealed import Box

MARKER = "canaryword"
FIELDS = {
    "agent_said": ["text"],
    "checkpoint": ["task", "next_action", "quick_resume"],
    "command_ran": ["command", "output"],
    "decision": ["question", "choice", "reasoning"],
    "error": ["error_type", "message"],
    "file_change": ["path", "diff_summary"],
    "prompt_given": ["text"],
    "session_ended": ["reason"],
    "tool_called": ["tool", "detail", "params"],
    "work_opened": ["title"],
}


def large(field: str, extra: int = 0) -> Any:
    """Return a value that goes to the vault, with the marker at both ends."""
    text = f"{MARKER} 3 failed. {'x ' * ((INLINE_BYTES_MAX + extra) // 2)}\n3 failed {MARKER}"
    return {str(n): f"{MARKER} {n}" for n in range(3000)} if field == "params" else text


@st.composite
def recorded(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Choose an entry; in most, one value or more lie in the vault."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    chosen = draw(st.lists(st.sampled_from(FIELDS[kind]), unique=True, max_size=3))
    extra = draw(st.integers(0, 40))
    n = draw(st.integers(0, 5))
    return kind, data_for(kind, n, **{name: large(name, extra) for name in chosen})


def asked(agent: Agent, which: str) -> None:
    """Make a checkpoint, by itself or with something said."""
    if which == "end":
        agent.checkpoints.at_end("s1")
    elif which == "call":
        agent.call("s1", params=large("params"))
    else:
        words = {which: large(which)} if which != "plain" else {"next_action": "item 2"}
        agent.checkpoints.create("s1", **words)


MAKING = ("end", "call", "plain", "task", "next_action", "quick_resume")


def bodies(agent: Agent) -> list[tuple[Entry, bytes]]:
    return list(zip(agent.entries(), (one.body for one in agent.ledger.lines()), strict=True))


@settings(max_examples=60)
@given(st.lists(recorded() | st.sampled_from(MAKING), max_size=9), st.sampled_from(MAKING))
def test_no_entry_made_from_others_repeats_what_lies_in_the_vault(
    steps: list[tuple[str, dict[str, Any]] | str], last: str
) -> None:
    agent = Agent(engine(), every_calls=2)
    for step in [*steps, last]:
        if isinstance(step, str):
            asked(agent, step)
        else:
            agent.ledger.append(step[0], step[1], session_id="s1")
    for entry, body in bodies(agent):
        assert MARKER.encode() not in body, entry.type
    note = compression_data(
        agent.entries(), archive_path="a", archive_sha256="0", archive_bytes=1, trigger="t"
    )
    assert MARKER not in str(note)


def test_the_note_of_a_seal_repeats_nothing_of_it(tmp_path: Path) -> None:
    with Box(tmp_path) as box:
        for kind, names in FIELDS.items():
            data = data_for(kind, 1, **{name: large(name) for name in names})
            box.ledger.append_many([Draft(kind, data, session_id="s1")])
        box.sealer(keep=0).seal()
        [note] = box.ledger.lines(Selection(type="compression"))
        assert MARKER.encode() not in note.body
        assert b"bytes in the vault" in note.body  # the task of the checkpoint is a milestone


def test_it_is_named_by_size_and_hash() -> None:
    agent = Agent(engine())
    agent.ledger.append("prompt_given", {"text": large("text")}, session_id="s1")
    agent.checkpoints.at_end("s1")
    [prompt, checkpoint] = agent.entries()
    reference: Any = prompt.value()["text"]
    named = f"({reference['bytes']} bytes in the vault, {reference['$artifact'][:12]})"
    assert checkpoint.value()["task"] == named
    assert named in str(checkpoint.value()["quick_resume"])


def test_what_is_shown_and_not_kept_may_repeat_it() -> None:
    agent = Agent(engine())
    agent.ledger.append("prompt_given", {"text": large("text")}, session_id="s1")
    facts = agent.checkpoints.facts(agent.checkpoints.since("s1"))
    assert MARKER in resume_capsule(None, facts).text


def test_what_stands_in_entries_is_repeated_as_before() -> None:
    agent = Agent(engine())
    agent.ledger.append("prompt_given", {"text": f"see to {MARKER}"}, session_id="s1")
    agent.checkpoints.at_end("s1")
    assert MARKER in str(agent.entries("checkpoint")[0].value()["quick_resume"])
