"""Lines of transcripts become entries: all that was said and done, and everything else whole."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.agents.transcripts import claude_code, codex
from holdfast.agents.transcripts.making import Odd
from holdfast.kernel.types import TYPES
from holdfast.ledger.importing.lines import Line
from holdfast.ledger.ledger import Draft
from tests.agents.sampled import CLAUDE, CODEX, MAIN, lines_of

RAW = "hook_fired"


def read_claude() -> list[Draft]:
    reader = claude_code.Reader(MAIN)
    lines = lines_of(CLAUDE / "-project" / f"{MAIN}.jsonl")
    return [draft for line in lines for draft in reader.read(line)] + reader.finish()


def read_codex() -> list[Draft]:
    [path] = CODEX.rglob("*.jsonl")
    reader = codex.Reader("unknown")
    return [draft for line in lines_of(path) for draft in reader.read(line)]


def told(drafts: list[Draft], kind: str, field: str) -> list[Any]:
    return [draft.data.get(field) for draft in drafts if draft.type == kind]


@pytest.mark.req("X7")
def test_claude_codes_session_is_there_word_for_word() -> None:
    drafts = read_claude()
    prompts = ["swap the operands in calc.py", "continue", "continue", "third thing"]
    assert told(drafts, "prompt_given", "text") == prompts
    assert told(drafts, "agent_said", "text") == ["I will run it.", *["All done."] * 4]
    assert told(drafts, "tool_called", "tool") == [
        "Read", "Edit", "Bash", "Bash", "Agent", "Edit", "Write",
    ]  # fmt: skip
    assert told(drafts, "tool_called", "ok") == [True, True, True, False, True, False, True]
    ran = [draft.data for draft in drafts if draft.type == "command_ran"]
    assert [(one["command"], one["exit_code"], one["output"]) for one in ran] == [
        ("python3 calc.py; echo hello", 0, "hello"),
        ("echo bad >&2; exit 3", 3, "Exit code 3\nbad"),
    ]


def test_claude_codes_compaction_is_one_entry_with_its_summary() -> None:
    [compacted] = [draft.data for draft in read_claude() if draft.type == "context_compacted"]
    assert compacted["trigger"] == "manual"
    assert "\nSummary:\nThey asked for things.\n" in compacted["summary"]
    assert compacted["boundary"]["preTokens"] > 0


@pytest.mark.req("X7")
def test_codexs_session_is_there_word_for_word() -> None:
    drafts = read_codex()
    assert told(drafts, "prompt_given", "text") == ["make it", "again", "and compact", "after"]
    assert told(drafts, "agent_said", "text")[0] == "I look at it."
    assert told(drafts, "tool_called", "tool") == [
        "apply_patch", "exec_command", "exec_command", "apply_patch",
    ]  # fmt: skip
    assert told(drafts, "tool_called", "ok")[:3] == [True, True, False]
    ran = [draft.data for draft in drafts if draft.type == "command_ran"]
    assert [(one["command"], one["exit_code"], one["output"]) for one in ran] == [
        ("cat made.py", 0, "def neg(a):\n    return -a\n"),
        ("echo bad >&2; exit 3", 3, "bad\n"),
    ]
    [summary] = told(drafts, "context_compacted", "summary")
    assert summary.endswith("Summary: we made it.")


@pytest.mark.parametrize("read", [read_claude, read_codex])
def test_every_entry_is_one_of_its_type_and_has_an_id_of_its_own(read: Any) -> None:
    drafts = read()
    for draft in drafts:
        TYPES.check(draft.type, draft.data)
    assert max(Counter(draft.id for draft in drafts).values()) == 1
    assert len({draft.session_id for draft in drafts}) == 1


def test_what_stands_between_a_compactions_boundary_and_its_summary_does_not_part_them() -> None:
    """In the middle of a turn, Claude Code writes attachments there."""
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
        {"type": "attachment", "attachment": {"type": "date", "date": "2026-11-16"}},
        {"type": "user", "isCompactSummary": True, "message": {"content": "Summary:\nAll."}},
    ]
    reader = claude_code.Reader("s")
    made = [reader.read(Line("x", 1, msgspec.json.encode(line))) for line in lines]
    drafts = [draft for each in made for draft in each] + reader.finish()
    assert told(drafts, "context_compacted", "summary") == ["Summary:\nAll."]
    assert told(drafts, "context_compacted", "trigger") == ["auto"]


def test_a_compaction_without_a_summary_is_told_when_somebody_speaks() -> None:
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}},
        {"type": "attachment", "attachment": {"type": "date", "date": "2026-11-16"}},
        {"type": "user", "uuid": "u", "message": {"content": "and now?"}},
    ]
    reader = claude_code.Reader("s")
    made = [reader.read(Line("x", 1, msgspec.json.encode(line))) for line in lines]
    assert told(made[2], "context_compacted", "trigger") == ["auto"]
    assert told(made[2], "prompt_given", "text") == ["and now?"]


def test_what_has_no_type_of_its_own_is_kept_to_the_letter() -> None:
    line = Line("x", 7, '{"type":"of-next-week","sessionId":"s","more": {"ü":[1,2.5]}}'.encode())
    [draft] = claude_code.Reader("s").read(line)
    assert (draft.type, draft.data["event"]) == (RAW, "transcript:of-next-week")
    assert draft.data["payload"] == line.content.decode()


def test_every_line_of_the_samples_leads_to_an_entry() -> None:
    reader = claude_code.Reader(MAIN)
    for line in lines_of(CLAUDE / "-project" / f"{MAIN}.jsonl"):
        boundary = b"compact_boundary" in line.content  # the summary behind it tells of both
        assert reader.read(line) or boundary


def test_the_same_words_again_are_said_again() -> None:
    def said(turn: str) -> bytes:
        message = {"content": [{"type": "text", "text": "Done."}]}
        return msgspec.json.encode(
            {"type": "assistant", "uuid": turn, "promptId": turn, "message": message}
        )

    reader = claude_code.Reader("s")
    turns = ["a", "a", "b"]
    made = [reader.read(Line("x", 1, said(turn)))[-1] for turn in turns]
    assert len({draft.id for draft in made}) == 3


def test_what_the_client_wrote_is_not_the_users() -> None:
    meta: list[dict[str, Any]] = [
        {"message": {"content": "<command-name>/compact</command-name>"}},
        {"message": {"content": "looks typed"}, "isMeta": True},
        {"message": {"content": "looks typed"}, "isSidechain": True},
        {"message": {"content": "[Request interrupted by user]"}},
        {"message": {"content": "   "}},
        {"message": None},
    ]
    reader = claude_code.Reader("s")
    for record in meta:
        drafts = reader.read(Line("x", 1, msgspec.json.encode({"type": "user", **record})))
        assert [draft.type for draft in drafts] == [RAW]


@pytest.mark.parametrize("content", [b'{"torn', b"\xff\xfe", b"[1]", b"null", b"7"])
@pytest.mark.parametrize("module", [claude_code, codex])
def test_a_line_that_is_none_is_said_to_be_odd(module: Any, content: bytes) -> None:
    with pytest.raises(Odd):
        module.Reader("s").read(Line("x", 1, content))


_KEYS = st.sampled_from(
    [
        "type",
        "subtype",
        "message",
        "content",
        "role",
        "payload",
        "item",
        "uuid",
        "sessionId",
        "promptId",
        "agentId",
        "timestamp",
        "text",
        "id",
        "name",
        "input",
        "tool_use_id",
        "call_id",
        "toolUseResult",
        "isCompactSummary",
        "attachment",
        "usage",
    ]
)
_WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "attachment",
        "response_item",
        "compacted",
        "event_msg",
        "session_meta",
        "message",
        "text",
        "tool_use",
        "tool_result",
        "function_call",
        "function_call_output",
        "Bash",
        "compact_boundary",
    ]
)
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | _WORDS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=6),
    max_leaves=20,
)


@pytest.mark.parametrize("module", [claude_code, codex])
def test_whatever_a_line_holds_becomes_entries_of_known_types(module: Any) -> None:
    @settings(max_examples=300, database=None, deadline=None)
    @given(st.lists(st.dictionaries(_KEYS, _ANY, max_size=8), min_size=1, max_size=4))
    def check(records: list[dict[str, Any]]) -> None:
        reader = module.Reader("s")
        for number, record in enumerate(records, start=1):
            content = msgspec.json.encode(record)
            for draft in reader.read(Line("x", number, content)):
                TYPES.check(draft.type, draft.data)
        for draft in [*reader.finish(), *reader.session_ends()]:
            TYPES.check(draft.type, draft.data)

    check()
